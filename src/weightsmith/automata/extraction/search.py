"""The first input on which two unions of machines differ, by breadth-first search through their product."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.automata.automaton import Automaton
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.exploring import Ints, state_bytes
from weightsmith.automata.extraction.moore import Moore, pair, pairs_of, path_to, smallest
from weightsmith.automata.extraction.whole import Decisions, one_machine
from weightsmith.errors import UnknownError

Truths: TypeAlias = npt.NDArray[np.bool_]
Ids: TypeAlias = tuple[int, ...]


def read_as(decisions: Decisions, order: Sequence[int], suffix: Sequence[int]) -> list[Moore]:
    """Return the machines over the tokens of `order`, labelled with the decision after the suffix."""
    machines = []
    for machine in decisions.machines:
        state = np.arange(machine.states)
        for token in suffix:
            state = machine.table[state, token]
        machines.append(Moore(np.ascontiguousarray(machine.table[:, list(order)]), machine.labels[state]))
    return machines


def as_few(machines: list[Moore], answers: int, budget: Budget) -> list[Moore]:
    """Return one machine for a union if it stays small, else the union."""
    if len(machines) < 2:
        return machines
    try:
        return [one_machine(machines, answers, budget.rest(budget.limits.joined_states))]
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
    """Return the shortest input, the first in vocabulary order, on which labels above 0 differ."""
    best: Ids | None = None
    for A in mine:
        for B in others if within is None else [_only_within(B, within, budget) for B in others]:
            rows, table = pairs_of(A, B, budget, both=True)
            a, b = A.labels[rows[:, 0]], B.labels[rows[:, 1]]
            wrong = (a > 0) & (b > 0) & differ(a, b)
            wrong[0] = False
            found = path_to(table, int(np.argmax(wrong))) if wrong.any() else None
            if found is not None and (best is None or (len(found), found) < (len(best), best)):
                best = found
    return best


def _only_within(machine: Moore, within: Moore, budget: Budget) -> Moore:
    return pair(machine, within, lambda a, b: np.where(b == 2, a, 0), budget)


def labelled_language(language: Automaton, budget: Budget) -> Moore:
    """Return a machine that labels the inputs of a language with 2 and all others with 1."""
    budget.room(state_bytes(1, language.table.shape[1]) * len(language.table), "the automaton of a language")
    table = np.concatenate([language.table[[language.start]] + 1, language.table + 1]).astype(np.int32)
    return smallest(table, np.append(0, np.where(language.accepting, 2, 1)), budget)
