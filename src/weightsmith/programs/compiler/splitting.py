"""Selectors of keys and queries that are made of several things, as selectors of one thing each.

`lambda key, query: key[0] == query[0] and key[1] <= query[1]` compares pairs of token and position. The tokens choose
one of few selectors of positions: for equal tokens ≤, for others nothing. So it costs the heads of two comparisons.
"""

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from weightsmith.programs.circuit.forms import Integers
from weightsmith.programs.circuit.selections import Booleans
from weightsmith.programs.compiler.symbols import Table, Variable

MOST_ENTRIES = 1 << 22  # of a matrix over all classes
FEW_KINDS = 3  # of selectors that one thing chooses between


class Part(NamedTuple):
    """Keys and queries as tables of the classes of some variables."""

    keys: Table
    queries: Table


class Split(NamedTuple):
    """A selector as alternatives: for each, the pairs of one variable, and the pairs of all others."""

    one: Part
    rest: Part
    alternatives: tuple[tuple[Booleans, Booleans], ...]


def split(keys: Table, queries: Table, matrix: Booleans) -> Split | None:
    """Return the split of a matrix (values of keys, of queries) that has the fewest alternatives."""
    sides = keys.which.shape, queries.which.shape
    if max(map(len, sides)) < 2 or prod(sides[0]) * prod(sides[1]) > MOST_ENTRIES:
        return None
    entries = matrix[keys.which.ravel()][:, queries.which.ravel()].reshape(sides[0] + sides[1])
    found = [_by(variable, keys, queries, entries) for variable in dict.fromkeys(keys.variables + queries.variables)]
    few = [one for one in found if one is not None and len(one.alternatives) <= FEW_KINDS]
    return min(few, key=lambda one: len(one.alternatives), default=None)


def _by(variable: Variable, keys: Table, queries: Table, entries: Booleans) -> Split | None:
    """Return the split into one variable and the others."""
    axes = [*keys.variables, *queries.variables]
    mine = [n for n, one in enumerate(axes) if one == variable]
    others = [n for n, one in enumerate(axes) if one != variable]
    if not others:
        return None
    rows = np.transpose(entries, mine + others).reshape(prod(entries.shape[n] for n in mine), -1)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    one, rest = (Part(*_tables(keys, queries, chosen)) for chosen in (mine, others))
    alternatives = tuple(
        (_as_matrix(which.ravel() == n, one), _as_matrix(kind, rest)) for n, kind in enumerate(kinds) if kind.any()
    )
    return Split(one, rest, alternatives)


def _tables(keys: Table, queries: Table, chosen: list[int]) -> Iterator[Table]:
    """Return tables of keys and queries over some of their variables: each combination of classes is a value."""
    count = len(keys.variables)
    for table, places in (
        (keys, [n for n in chosen if n < count]),
        (queries, [n - count for n in chosen if n >= count]),
    ):
        shape = tuple(table.which.shape[n] for n in places)
        which: Integers = np.arange(prod(shape)).reshape(shape)
        variables, classes = (tuple(one[n] for n in places) for one in (table.variables, table.classes))
        yield Table(variables, classes, which, tuple(range(prod(shape))))  # type: ignore[arg-type]


def _as_matrix(holds: Booleans, part: Part) -> Booleans:
    return holds.reshape(len(part.keys.values), len(part.queries.values))
