"""Exploring state spaces with the compiled loops: distinct rows, reachable rows, minimisation.

Long loops run in slices; between two slices the budget is checked and Ctrl-C is handled.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled

Ints = npt.NDArray[np.int32]


def distinct_rows(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """Return the distinct rows in order of appearance, and the number of each row."""
    examples, numbers = group_rows(rows)
    return rows[examples], numbers


def group_rows(rows: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Return the index of the first example of each distinct row, and the number of each row."""
    if rows.shape[1] == 0:
        return np.zeros(min(len(rows), 1), np.int32), np.zeros(len(rows), np.int32)
    exact = rows + 0.0 if rows.dtype.kind == "f" else rows.astype(np.int32)  # without −0
    found: tuple[Ints, Ints] = compiled().distinct(np.ascontiguousarray(exact).view(np.int32))
    return found


# Peak bytes of a state, as int32 numbers. While exploring: rows and table one and a half times, and six slots for
# each. While labels are numbered: rows five times. During minimisation: the table four times, eight numbers for classes
# and six for labels; after a fold also a table of key labels.
ROW_BYTES, TOKEN_BYTES, STATE_BYTES = 4 * 5, 4 * 5, 4 * (6 + 8 + 6)


def state_bytes(width: int, tokens: int) -> int:
    """Return the peak bytes of a state that is a row of `width` numbers, until its machine is minimised."""
    return ROW_BYTES * width + TOKEN_BYTES * tokens + STATE_BYTES


def reached(
    loop: Callable[..., None], given: tuple[Any, ...], start: Ints, tokens: int, budget: Budget, most: int | None = None
) -> tuple[Ints, Ints]:
    """Return the rows that a loop reaches from a start, and their table.

    Both are empty if there are more than `most`; without it, more than the budget allows is an error.
    """
    limits, size = budget.limits, state_bytes(len(start), tokens)
    limit = budget.states_of(size)
    end = np.array([limit if most is None else min(limit, most), limits.slice_steps])
    enough = int(end[0]) + tokens
    rows, table, slots = _room(min(max(limits.first_rows, 1 + tokens), enough), len(start), tokens)
    rows[0], progress = start, np.array([1, 0])
    compiled().placed(rows, slots, 0, 1)
    while progress[1] < progress[0] <= end[0]:
        budget.check()
        if progress[0] + tokens > len(rows):
            before, old, count = rows, table, int(progress[0])
            more = (2 if count > limits.many_rows else 4) * len(rows) + tokens
            rows, table, slots = _room(min(more, enough), len(start), tokens)
            rows[:count], table[:count] = before[:count], old[:count]
            del before, old
            for begin in range(0, count, limits.slice_steps):
                budget.check()
                compiled().placed(rows, slots, begin, min(begin + limits.slice_steps, count))
        loop(*given, rows, table, slots, progress, end)
    found = int(progress[0])
    if found <= end[0]:
        budget.largest = max(budget.largest, found)
        return rows[:found], table[:found]
    if most is None or limit < most:
        raise budget.too_many(limit, size)
    return rows[:0], table[:0]


def _room(rows: int, width: int, tokens: int) -> tuple[Ints, Ints, Ints]:
    """Return empty rows, their table, and hash slots, of which at most half are filled."""
    slots = np.full(1 << (2 * rows - 1).bit_length(), -1, np.int32)
    return np.empty((rows, width), np.int32), np.empty((rows, tokens), np.int32), slots


def merged_states(table: Ints, labels: Ints, budget: Budget) -> tuple[Ints, Ints]:
    """Minimise a machine: return a member of each class of equivalent states, and the table of classes.

    The start is a class by itself. Classes are numbered in breadth-first order.
    """
    loops = compiled()
    if budget.limits.minimising_steps * table.size <= budget.limits.slice_steps:
        budget.check()
        small: tuple[Ints, Ints] = loops.minimised(table, labels)
        return small
    classes, count = loops.by_label(labels)
    if count == 2 and len(table) > 1 and not (table == 0).any():  # the start, and all others
        return np.array([0, 1], np.int32), np.ones((2, table.shape[1]), np.int32)
    budget.check()
    begin, sources = loops.inverse(table)
    work, progress = np.empty((8, len(table) + 1), np.int32), np.array([count, 0, 0])
    while not loops.refined(begin, sources, classes, work, progress, budget.limits.slice_steps):
        budget.check()
    del begin, sources, work
    members, merged = loops.numbered(table, classes, int(progress[0]))
    return members, merged


def in_slices(function: Callable[[slice], Array], rows: int, width: int, budget: Budget) -> Array:
    """Return function(slice) for all rows, each of about `width` products, in slices."""
    size = max(1, budget.limits.slice_products // max(1, width))
    if rows <= size:
        budget.check()
        return function(slice(0, rows))
    parts = []
    for begin in range(0, rows, size):
        budget.check()
        parts.append(function(slice(begin, begin + size)))
    return np.concatenate(parts)
