"""Machines that read tokens and speak: smallest ones, pairs of them, and what several say together.

A machine *speaks* a label above 0 in some of its states and is silent, 0, in the others. Its start is state 0: there
nothing has been read, and no token leads there.
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
from weightsmith.automata.extraction.rows import Ints
from weightsmith.automata.extraction.slices import merged_states, reached

NOBODY = -1


@dataclass(frozen=True, eq=False)
class Moore:
    """A machine in which every state can be reached."""

    table: Ints  # (states, tokens)
    labels: Ints  # (states)

    @property
    def states(self) -> int:
        """How many there are."""
        return len(self.table)

    @property
    def speaks(self) -> bool:
        """Whether it ever does."""
        return bool(self.labels.any())

    @cached_property
    def spoken(self) -> Ints:
        """The labels that it speaks, ascending."""
        said = np.zeros(int(self.labels.max()) + 1, np.bool_)
        said[self.labels] = True
        said[0] = False
        return np.flatnonzero(said).astype(np.int32)

    @cached_property
    def dead(self) -> int:
        """The state in which it is silent for ever; −1 where there is none. A smallest machine has one at most."""
        stays = (self.table == np.arange(self.states)[:, None]).all(axis=1) & (self.labels == 0)
        return int(np.argmax(stays)) if stays.any() else NOBODY

    def relabelled(self, labels: npt.NDArray[Any], budget: Budget) -> "Moore":
        """Return the smallest machine that says labels[s] in state s."""
        return smallest(self.table, labels, budget)

    def renamed(self, code: npt.NDArray[Any], budget: Budget) -> "Moore":
        """Return the smallest machine that says code[x] instead of each label x; code[0] is 0."""
        names = code[self.spoken]
        said = np.zeros(int(code.max()) + 1, np.bool_)
        said[names] = True
        if not said[0] and np.count_nonzero(said) == len(names):  # what was told apart still is
            return Moore(self.table, code[self.labels].astype(np.int32))
        return smallest(self.table, code[self.labels], budget)

    def label_after(self, ids: Iterable[int]) -> int:
        """Return what it says after an input."""
        state = 0
        for token in ids:
            state = int(self.table[state, token])
        return int(self.labels[state])


def smallest(table: Ints, labels: npt.NDArray[Any], budget: Budget) -> Moore:
    """Merge the states that no input tells apart, and number the rest in the order in which they are found."""
    labels = np.ascontiguousarray(labels, np.int32)
    members, merged = merged_states(table, labels, budget)
    said = labels[members]
    said[0] = 0
    budget.holding(merged, said)
    return Moore(merged, said)


def constant(tokens: int, label: int) -> Moore:
    """Return the machine that always says the same."""
    return Moore(np.ones((2, tokens), np.int32), np.array([0, label], np.int32))


def pair(
    A: Moore, B: Moore, say: Callable[[Ints, Ints], npt.NDArray[Any]], budget: Budget, *, both: bool = False
) -> Moore:
    """Return the machine that says what `say` makes of what two machines say.

    With `both`, it is silent wherever one of them is.
    """
    rows, table = pairs_of(A, B, budget, both=both)
    return smallest(table, say(A.labels[rows[:, 0]], B.labels[rows[:, 1]]), budget)


def pairs_of(A: Moore, B: Moore, budget: Budget, *, both: bool) -> tuple[Ints, Ints]:
    """Return the pairs of states that one input leads to, in the order of these inputs, and their table.

    With `both`, all pairs in which one of them is silent for ever are one.
    """
    dead = (A.dead, B.dead) if both else (NOBODY, NOBODY)
    start, tokens = np.zeros(2, np.int32), A.table.shape[1]
    return reached(compiled().paired, (A.table, B.table, *dead), start, tokens, budget)


def together(machines: Iterable[Moore], tokens: int, budget: Budget) -> Moore:
    """Return the machine that says what any of several says; of these, at most one speaks after each input.

    Neighbours are alike: they differ by a guess, and count the same keys. So they are paired first; of the few machines
    that are left then, the smallest.
    """
    every = [machine for machine in machines if machine.speaks]
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


def path_to(table: Ints, state: int) -> tuple[int, ...]:
    """Return the input that leads to a state first; states are numbered in the order of these inputs."""
    states, tokens = table.shape
    first = np.empty(states, np.int64)  # the first place of each state in the table, read row by row
    first[table[::-1, ::-1].reshape(-1)] = np.arange(states * tokens - 1, -1, -1)  # the last one that is written stays
    ids: list[int] = []
    while state != 0:
        state, token = divmod(int(first[state]), tokens)
        ids.append(token)
    return tuple(reversed(ids))
