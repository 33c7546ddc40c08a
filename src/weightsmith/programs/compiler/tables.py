"""Tables of tables: a function of several, with classes that nothing tells apart made one."""

from collections.abc import Callable, Sequence
from itertools import chain
from math import prod

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.forms import Integers, TooLargeError
from weightsmith.programs.compiler.symbols import MOST_COMBINATIONS, Table, Variable, constant
from weightsmith.programs.values import Value

LARGEST_KEY = 1 << 62
MOST_CALLS = 100_000  # of a function, to make a table


class TooManyCombinationsError(TooLargeError):
    """A table that would be too large: its parts must become lanes first."""


def combined(function: Callable[..., Value], tables: Sequence[Table]) -> Table:
    """Return a function of tables as one table; each combination of values is asked for once."""
    variables = tuple(dict.fromkeys(chain.from_iterable(table.variables for table in tables)))
    refined = [_refined(variable, tables) for variable in variables]
    shape = tuple(int(classes.max()) + 1 for classes, _ in refined)
    if prod(shape) > MOST_COMBINATIONS:
        raise TooManyCombinationsError(
            f"a function of {len(variables)} operations that can be {' × '.join(f'{one:,}' for one in shape)} "
            f"different things: at most {MOST_COMBINATIONS:,} combinations can be proved; write a smaller max_length, "
            "or simpler steps"
        )
    columns = [_spread(number, table, variables, refined, shape) for number, table in enumerate(tables)]
    values: dict[Value, int] = {}
    if not columns:
        return constant(function())
    pairs, inverse = _different(np.stack([one.ravel() for one in columns]))
    if pairs.shape[1] > MOST_CALLS:
        raise TooManyCombinationsError(
            f"a function that would be asked for {pairs.shape[1]:,} combinations of values: at most {MOST_CALLS:,} can "
            "be proved; write a smaller max_length, or simpler steps"
        )
    results = np.empty(pairs.shape[1], np.int64)
    budget = in_force()
    for number, pair in enumerate(pairs.T.tolist()):
        budget.check()
        given = [table.values[n] for table, n in zip(tables, pair, strict=True)]
        results[number] = values.setdefault(function(*given), len(values))
    which = results[inverse].reshape(shape)
    return coarse(Table(variables, tuple(classes for classes, _ in refined), which, tuple(values)))


def coarse(table: Table) -> Table:
    """Return the table with classes that no value tells apart made one, and variables that do not matter left out."""
    which = table.which
    variables: list[Variable] = []
    classes: list[Integers] = []
    for variable, old in zip(table.variables, table.classes, strict=True):
        position = len(variables)
        slices = np.moveaxis(which, position, 0).reshape(which.shape[position], -1)
        met: dict[bytes, int] = {}  # classes in the order in which they are met
        new = np.array([met.setdefault(one.tobytes(), len(met)) for one in slices], np.int64)
        if len(met) == 1:
            which = np.take(which, 0, axis=position)
            continue
        which = np.take(which, np.unique(new, return_index=True)[1], axis=position)
        variables.append(variable)
        classes.append(new[old])
    return Table(tuple(variables), tuple(classes), which, table.values)


def _refined(variable: Variable, tables: Sequence[Table]) -> tuple[Integers, list[Integers | None]]:
    """Return the classes that all tables together tell apart, and for every table which of its own each is in."""
    own = [table.classes[table.variables.index(variable)] if variable in table.variables else None for table in tables]
    stack = np.stack([one for one in own if one is not None])
    kinds, inverse = _different(stack)
    rows = iter(kinds)
    return inverse, [None if one is None else next(rows) for one in own]


def _different(rows: Integers) -> tuple[Integers, Integers]:
    """Return the different columns of some rows, in order, and which of them each column is; no entry is negative."""
    sizes = [int(row.max()) + 1 for row in rows]
    if prod(sizes) > LARGEST_KEY:
        columns, inverse = np.unique(rows, axis=1, return_inverse=True)
        return columns, inverse.ravel()
    keys = np.zeros(rows.shape[1], np.int64)  # a column as one number: many times faster to sort
    for row, size in zip(rows, sizes, strict=True):
        keys = keys * size + row
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return rows[:, first], inverse


def _spread(
    number: int,
    table: Table,
    variables: tuple[Variable, ...],
    refined: list[tuple[Integers, list[Integers | None]]],
    shape: tuple[int, ...],
) -> Integers:
    """Return which value the table of this number has for every combination of the refined classes."""
    which = table.which
    axes = [variables.index(variable) for variable in table.variables]
    for axis, place in enumerate(axes):
        kinds = refined[place][1][number]
        assert kinds is not None
        which = np.take(which, kinds, axis=axis)
    full = [1] * len(shape)
    for place in axes:
        full[place] = shape[place]
    return np.broadcast_to(np.transpose(which, np.argsort(axes)).reshape(full), shape)
