"""Moore machines over tokens: minimisation, products, and the union of several.

A state has a label; 0 means no output. The start is state 0: no token has been read there, and no token leads there.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.exploring import Ints, merged_states, reached

NO_STATE = -1


@dataclass(frozen=True, eq=False)
class Moore:
    """A machine with reachable states only."""

    table: Ints  # (states, tokens)
    labels: Ints  # (states)

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.table)

    @property
    def has_labels(self) -> bool:
        """Whether some label is above 0."""
        return bool(self.labels.any())

    @cached_property
    def used_labels(self) -> Ints:
        """The labels above 0, ascending."""
        used = np.zeros(int(self.labels.max()) + 1, np.bool_)
        used[self.labels] = True
        used[0] = False
        return np.flatnonzero(used).astype(np.int32)

    @cached_property
    def dead(self) -> int:
        """The state from which only label 0 follows; −1 where there is none. A minimal machine has one at most."""
        stays = (self.table == np.arange(self.states)[:, None]).all(axis=1) & (self.labels == 0)
        return int(np.argmax(stays)) if stays.any() else NO_STATE

    def relabelled(self, labels: npt.NDArray[Any], budget: Budget) -> "Moore":
        """Return the smallest machine with labels[s] in state s."""
        return smallest(self.table, labels, budget)

    def renamed(self, code: npt.NDArray[Any], budget: Budget) -> "Moore":
        """Return the smallest machine with code[x] in place of each label x; code[0] is 0."""
        codes = code[self.used_labels]
        used = np.zeros(int(code.max()) + 1, np.bool_)
        used[codes] = True
        if not used[0] and np.count_nonzero(used) == len(codes):  # the code is injective: it stays minimal
            return Moore(self.table, code[self.labels].astype(np.int32))
        return smallest(self.table, code[self.labels], budget)

    def label_after(self, ids: Iterable[int]) -> int:
        """Return the label after an input."""
        state = 0
        for token in ids:
            state = int(self.table[state, token])
        return int(self.labels[state])


def smallest(table: Ints, labels: npt.NDArray[Any], budget: Budget) -> Moore:
    """Minimise a machine; states are numbered in breadth-first order."""
    labels = np.ascontiguousarray(labels, np.int32)
    members, merged = merged_states(table, labels, budget)
    kept = labels[members]
    kept[0] = 0
    budget.holding(merged, kept)
    return Moore(merged, kept)


def constant(tokens: int, label: int) -> Moore:
    """Return the machine with one label after every input."""
    return Moore(np.ones((2, tokens), np.int32), np.array([0, label], np.int32))


def pair(
    A: Moore, B: Moore, combine: Callable[[Ints, Ints], npt.NDArray[Any]], budget: Budget, *, both: bool = False
) -> Moore:
    """Return the minimised product of two machines, labelled by `combine`.

    With `both`, the label is 0 wherever one of theirs is 0.
    """
    rows, table = pairs_of(A, B, budget, both=both)
    return smallest(table, combine(A.labels[rows[:, 0]], B.labels[rows[:, 1]]), budget)


def pairs_of(A: Moore, B: Moore, budget: Budget, *, both: bool, most: int | None = None) -> tuple[Ints, Ints]:
    """Return the reachable pairs of states, in breadth-first order, and their table; empty if more than `most`.

    With `both`, all pairs with a dead state are one.
    """
    dead = (A.dead, B.dead) if both else (NO_STATE, NO_STATE)
    start, tokens = np.zeros(2, np.int32), A.table.shape[1]
    return reached(compiled().paired, (A.table, B.table, *dead), start, tokens, budget, most)


def union(machines: Iterable[Moore], tokens: int, budget: Budget) -> Moore:
    """Return one machine for a union of machines, of which at most one has a label above 0 after each input.

    Neighbours are similar: they differ by a guess, and count the same keys. So they are paired first; the last few
    machines are paired smallest first.
    """
    every = [machine for machine in machines if machine.has_labels]
    while len(every) > budget.limits.machines_at_once:
        pairs = zip(every[::2], every[1::2], strict=False)
        every = [pair(A, B, np.maximum, budget) for A, B in pairs] + every[len(every) // 2 * 2 :]
    order = count()
    heap = [(machine.states, next(order), machine) for machine in every] or [(0, 0, constant(tokens, 0))]
    heapq.heapify(heap)
    while len(heap) > 1:
        (_, _, A), (_, _, B) = heapq.heappop(heap), heapq.heappop(heap)
        joined = pair(A, B, np.maximum, budget)
        heapq.heappush(heap, (joined.states, next(order), joined))
    return heap[0][2]


def fewer(machines: Iterable[Moore], budget: Budget) -> list[Moore]:
    """Join neighbours of a union, and neighbours of the results, wherever the product is no larger than its parts.

    The labels of all machines are kept, so every union of renamed machines is also that of the fewer ones, renamed.
    """
    found, large = list(machines), list[Moore]()
    while len(found) > 1:
        joined = list[Moore]()
        for A, B in zip(found[::2], found[1::2], strict=False):
            both = _no_larger(A, B, budget)
            joined.append(both) if both else large.extend([A, B])
        found = joined + found[len(found) // 2 * 2 :]
    return large + found


def _no_larger(A: Moore, B: Moore, budget: Budget) -> Moore | None:
    """Return the union of two machines, unless it has more states than both together."""
    states = A.states + B.states
    most = min(budget.limits.union_pairs * states, budget.states)
    rows, table = pairs_of(A, B, budget, both=False, most=most)
    if not len(rows):
        return None
    joined = smallest(table, np.maximum(A.labels[rows[:, 0]], B.labels[rows[:, 1]]), budget)
    return joined if joined.states <= states else None


def path_to(table: Ints, state: int) -> tuple[int, ...]:
    """Return the first input that leads to a state; states are in breadth-first order."""
    states, tokens = table.shape
    first = np.empty(states, np.int64)  # the first index of each state in the table, read row by row
    first[table[::-1, ::-1].reshape(-1)] = np.arange(states * tokens - 1, -1, -1)  # the last assignment stays
    ids: list[int] = []
    while state != 0:
        state, token = divmod(int(first[state]), tokens)
        ids.append(token)
    return tuple(reversed(ids))
