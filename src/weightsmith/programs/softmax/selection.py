"""Selectors as classes of keys and queries: classes that select alike, or are selected alike, are one.

A score is a sum of products of flags: one for each class of keys, which is there or not, and whether the query selects
that class; or the other way round, whichever takes fewer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import Score
from weightsmith.programs.circuit.forms import Form, Sizes, TooLargeError, feature
from weightsmith.programs.circuit.selections import Booleans, Both, Condition, Either, Opposite, Selection, conditions
from weightsmith.programs.compiler.coding import Coder
from weightsmith.programs.compiler.symbols import Affine, Table, as_table
from weightsmith.programs.compiler.tables import combined

MOST_PAIRS = 4_000_000  # of classes that are compared
MOST_COMPONENTS = 512  # of a score


@dataclass(frozen=True)
class Classes:
    """Tables of the classes of keys and queries, and which class of keys each class of queries selects."""

    keys: Table
    queries: Table
    matrix: Booleans  # (keys, queries)

    def first(self) -> Table:
        """Return the class of the key at position 0, as a function of the other variables."""
        which, variables, classes = self.keys.which, list[Any](), list[Any]()
        for variable, own in zip(self.keys.variables, self.keys.classes, strict=True):
            if variable.form.of_index:
                which = np.take(which, own[0], axis=len(variables))
            else:
                variables.append(variable)
                classes.append(own)
        return combined(lambda key: key, [Table(tuple(variables), tuple(classes), which, self.keys.values)])

    def score(self, coder: Coder, without: Table | None = None) -> Score:
        """Return a score as products of flags; keys for which the table `without` is true have no part in it."""
        rows, columns = (np.flatnonzero(self.matrix.any(axis=axis)) for axis in (1, 0))
        if min(len(rows), len(columns)) > MOST_COMPONENTS:
            raise TooLargeError(
                f"a selector tells {min(len(rows), len(columns)):,} classes apart: a portable head has at most "
                f"{MOST_COMPONENTS} components; write a smaller max_length"
            )
        if len(rows) <= len(columns):
            flags = [({int(row)}, set(map(int, self.matrix[row].nonzero()[0]))) for row in rows]
        else:
            flags = [(set(map(int, self.matrix[:, column].nonzero()[0])), {int(column)}) for column in columns]
        made = tuple(
            (flag(self.keys, keys, coder, without), flag(self.queries, queries, coder)) for keys, queries in flags
        )
        return Score(made, _apart([keys for keys, _ in flags]), _apart([queries for _, queries in flags]))


def classes_of(pairs: Selection, sizes: Sizes) -> Classes:
    """Return the classes of keys and queries that pairs tell apart."""
    leaves = conditions(pairs)
    keys = _joint([one.difference.key for one in leaves], sizes)
    queries = _joint([one.difference.query for one in leaves], sizes)
    if len(keys[1].values) * len(queries[1].values) > MOST_PAIRS:
        raise TooLargeError(
            f"a selector compares {len(keys[1].values):,} with {len(queries[1].values):,} values: at most "
            f"{MOST_PAIRS:,} pairs can be distinguished; write a smaller max_length"
        )
    count = len(keys[1].values) * len(queries[1].values)
    in_force().room(
        4 * count, f"a selector that compares {len(keys[1].values):,} with {len(queries[1].values):,} values"
    )
    matrix = _matrix(pairs, _columns(*keys), _columns(*queries))
    rows, of_key = np.unique(matrix, axis=0, return_inverse=True)
    found, of_query = np.unique(rows, axis=1, return_inverse=True)
    return Classes(_renamed(keys[1], of_key.ravel()), _renamed(queries[1], of_query.ravel()), found)


def at_first(sizes: Sizes) -> Form:
    """Return the form that is 1 at position 0, and 0 elsewhere."""
    return feature([1] + [0] * (sizes.positions - 1), "index")


def flag(table: Table, wanted: set[int], coder: Coder, without: Table | None = None) -> Form:
    """Return a form that is 1 where a table has one of the wanted values, and 0 elsewhere."""
    if without is None:
        found = combined(lambda value: value in wanted, [table])
    else:
        found = combined(lambda value, out: value in wanted and not out, [table, without])
    return coder.numbers(found, {True: 1, False: 0})


def _apart(sets: list[set[int]]) -> bool:
    return sum(map(len, sets)) == len(set[int]().union(*sets))


def _joint(forms: Sequence[Form], sizes: Sizes) -> tuple[list[Form], Table]:
    """Return the different forms, and a table of all that they can be together."""
    different = list(dict.fromkeys(forms))
    tables = [as_table(Affine(form), sizes) for form in different]
    return different, combined(lambda *codes: codes, tables)


def _columns(forms: list[Form], table: Table) -> dict[Form, Any]:
    values: list[Any] = list(table.values)
    return {form: np.array([value[n] for value in values], np.int64) for n, form in enumerate(forms)}


def _matrix(pairs: Selection, keys: dict[Form, Any], queries: dict[Form, Any]) -> Booleans:
    """Return which pairs of values are selected."""
    match pairs:
        case Condition(difference, holds):
            found = np.subtract.outer(-keys[difference.key], -queries[difference.query])
            place = np.minimum(np.searchsorted(difference.codes, found), len(difference.codes) - 1)
            return np.asarray((difference.codes[place] == found) & holds[place])
        case Both(parts):
            return reduce(np.logical_and, (_matrix(part, keys, queries) for part in parts))
        case Either(parts):
            return reduce(np.logical_or, (_matrix(part, keys, queries) for part in parts))
        case Opposite(inner):
            return ~_matrix(inner, keys, queries)
    raise AssertionError("pairs that are always or never selected have no classes")


def _renamed(table: Table, classes: Any) -> Table:
    """Return a table of classes instead of values."""
    of_value = {value: int(number) for value, number in zip(table.values, classes, strict=True)}
    return combined(lambda value: of_value[value], [table])
