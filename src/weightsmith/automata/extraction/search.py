"""The first input on which machines disagree, found by walking through two of them at once, from every start."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.automata.automaton import Automaton, first_path, smallest
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.moore import Moore, pair
from weightsmith.automata.extraction.rows import Ints
from weightsmith.automata.extraction.whole import Decisions, one_machine
from weightsmith.errors import UnknownError

Truths: TypeAlias = npt.NDArray[np.bool_]
Ids: TypeAlias = tuple[int, ...]
JOIN_STATES = 200_000  # so many states one machine for all may have, where several would do


def read_as(decisions: Decisions, order: Sequence[int], suffix: Sequence[int]) -> list[Moore]:
    """Return the machines over some of the tokens, in an order, saying what is decided after a suffix too."""
    machines = []
    for machine in decisions.machines:
        state = np.arange(machine.states)
        for token in suffix:
            state = machine.table[state, token]
        machines.append(Moore(np.ascontiguousarray(machine.table[:, list(order)]), machine.labels[state]))
    return machines


def as_few(machines: list[Moore], answers: int, budget: Budget) -> list[Moore]:
    """Return one machine for all, if it stays small; else the machines as they are."""
    if len(machines) < 2:
        return machines
    try:
        return [one_machine(machines, answers, budget.rest(JOIN_STATES))]
    except UnknownError:
        budget.check()
        return machines


def first_difference(
    mine: Iterable[Moore],
    others: Sequence[Moore],
    differ: Callable[[Ints, Ints], Truths],
    within: Moore | None,
    budget: Budget,
) -> Ids | None:
    """Return the shortest input, the smallest in vocabulary order, on which two machines speak and differ."""
    best: Ids | None = None
    for A in mine:
        for B in others if within is None else [_only_within(B, within, budget) for B in others]:
            rows, table = compiled().paired(A.table, B.table, A.dead, B.dead, budget.limit)
            budget.count(len(rows))
            a, b = A.labels[rows[:, 0]], B.labels[rows[:, 1]]
            wrong = (a > 0) & (b > 0) & differ(a, b)
            wrong[0] = False
            found = first_path(table, wrong) if wrong.any() else None
            if found is not None and (best is None or (len(found), found) < (len(best), best)):
                best = found
    return best


def _only_within(machine: Moore, within: Moore, budget: Budget) -> Moore:
    return pair(machine, within, lambda a, b: np.where(b == 2, a, 0), budget)


def spoken(language: Automaton) -> Moore:
    """Return a language as a machine that says 2 for its inputs and 1 for all others, with a start of its own."""
    small = smallest(language)
    table = np.concatenate([small.table[:1] + 1, small.table + 1]).astype(np.int32)
    return Moore(np.ascontiguousarray(table), np.append(0, np.where(small.accepting, 2, 1)).astype(np.int32))
