"""The fold of a reading made smallest by itself, over labels of keys, before anything is walked through with it.

Where a stream has many states, each state of the fold is met with many of them; what the fold tells apart in vain, sums
that lead to the same results, counts from which the guess cannot come out, is then told apart many times.
"""

from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.equal_parts import Told, added_by
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.meeting import Meeting
from weightsmith.automata.extraction.reading import Normaliser, Reading, fold_of_any_keys
from weightsmith.automata.extraction.rows import Ints, different, examples_of
from weightsmith.automata.extraction.slices import merged_states


@dataclass(frozen=True, eq=False)
class SmallFold:
    """A fold whose states say what the head adds: different states say different things, now or after some keys."""

    normaliser: Normaliser
    says: Ints  # (states): 1 + the place of what the head adds; 0 where the guess is wrong
    added: Array


def small_fold(meeting: Meeting, reading: Reading, told: Told, budget: Budget) -> SmallFold | None:
    """Return the smallest fold that does what a reading does, unless it takes too many steps."""
    given, steps = reading.normaliser, budget.limits.fold_steps
    rows, table = fold_of_any_keys(given, reading.adding, budget, 1 + steps // (1 + given.following.shape[1]))
    if not len(rows):
        return None
    right = np.append(reading.right, False)[rows[:, 0]]  # DEAD is the last
    labels = np.zeros(len(rows), np.int32)
    labels[right], added = said_of(meeting, reading, rows[right, 1:], told, budget)
    members, small = merged_states(table, labels, budget)
    says = labels[members]
    dead = (small == np.arange(len(small))[:, None]).all(axis=1) & (says == 0)
    small = np.where(dead[small], DEAD, small).astype(np.int32)
    return SmallFold(Normaliser(given.labels, np.ascontiguousarray(small), 0), says, added)


def said_of(meeting: Meeting, reading: Reading, sums: Ints, told: Told, budget: Budget) -> tuple[Ints, Array]:
    """Return 1 + the place of what the head adds for each of some sums, and all that it adds.

    Of what has the same outcome, one stands for all.
    """
    found, places = different(sums)
    added, numbers = different(added_by(meeting, found, reading.mixed, budget))
    outcomes = told(added) if len(added) else None
    if outcomes is None:
        return 1 + numbers[places], added
    examples, classes = examples_of(outcomes)
    return 1 + classes[numbers[places]], added[examples]
