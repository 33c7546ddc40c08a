"""The readings of softmax. The normaliser is z = Σ exp(score), or Σ exp(score − largest); its final value is guessed.

Values of z that give the same terms for all keys are one guess: the terms are rounded, so these are often many.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.equal_parts import equal_parts
from weightsmith.automata.extraction.exploring import Ints, group_rows
from weightsmith.automata.extraction.folds import (
    FOLLOWING,
    FOLLOWING_BYTES,
    NOTHING,
    FinalStates,
    Normaliser,
    Reading,
    Truths,
    alive,
    labelled,
    no_key,
    only_to,
    possible_largest,
    summed,
    sums_for,
)
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.outcomes import OutcomeOfSum
from weightsmith.automata.extraction.scores import HeadScores
from weightsmith.model import Softmax

FATAL = -1.0  # in place of an exponential
TERM_BYTES = 8 * 4  # of a term for a guess, in all arrays


class EmptySoftmaxError(Exception):
    """A query of the class sees only keys of weight 0, and the head has empty="error"."""


def softmax_readings(
    scored: HeadScores, scores: Array, ends: FinalStates, outcome: OutcomeOfSum, budget: Budget
) -> Iterator[Reading]:
    """Return the readings of a class of queries with these scores (ages, keys)."""
    weighting = scored.head.weighting
    assert isinstance(weighting, Softmax)
    if weighting.shifted:
        yield from _shifted(scored, scores, weighting, ends, budget)
    else:
        yield from _plain(scored, scored.A.exp(scores), weighting, ends, outcome, budget)


def _plain(
    scored: HeadScores, e: Array, weighting: Softmax, ends: FinalStates, outcome: OutcomeOfSum, budget: Budget
) -> Iterator[Reading]:
    """The normaliser is z; its final value is guessed."""
    fold = _Fold(scored, e, e == 0, budget)
    found = ends(fold.normaliser)
    empty = found == fold.table.zero
    if empty.any() and weighting.empty == "error":
        raise EmptySoftmaxError
    if empty.any() and weighting.empty == "uniform":
        yield from equal_parts(scored, e == 0, e > 0, 0.0, 0, ends, outcome, budget)
        found = found[~empty]
    yield from fold.readings(found)


def _shifted(
    scored: HeadScores, scores: Array, weighting: Softmax, ends: FinalStates, budget: Budget
) -> Iterator[Reading]:
    """The largest score is guessed first, then z. A score above the guessed largest one makes the guess wrong."""
    for largest in possible_largest(scores, ends, budget):
        budget.check()
        if largest is not None:
            tops = scores == largest
            e = np.where(scores > largest, FATAL, scored.A.exp(scored.A.subtract(scores, np.array(largest))))
            fold = _Fold(scored, e, (e == 0) & ~tops, budget, tops)
            found = ends(fold.normaliser)
            yield from fold.readings(found[found % 2 == 1], largest)
        elif weighting.empty == "error":
            raise EmptySoftmaxError
        else:
            yield no_key(scores.shape, scored.values.shape[-1])


class _Fold:
    """The fold of exponentials as a normaliser; with `tops`, state 2·z is before and 2·z + 1 after one of these keys.

    Keys are known by *pairs* of a mark (their exponential, and whether they are tops) and a value.
    """

    def __init__(
        self, scored: HeadScores, e: Array, nothing: Truths, budget: Budget, tops: Truths | None = None
    ) -> None:
        self.A, self.budget, self.table = scored.A, budget, sums_for(scored.A, np.maximum(e, 0), budget)
        marks = np.stack([e] if tops is None else [e, tops], axis=-1)
        self.pairs, examples = labelled(np.concatenate([marks, scored.values], axis=-1), nothing)
        self.values = scored.values.reshape(nothing.size, -1)[examples]
        of_pairs = marks.reshape(nothing.size, -1)[examples]
        self.e = np.maximum(of_pairs[:, 0], 0.0)
        some, self.mark_of = group_rows(of_pairs)
        self.states_of_z, count = (1 if tops is None else 2), len(self.table.values)
        budget.room(FOLLOWING_BYTES * self.states_of_z * count * len(some), FOLLOWING)
        rows, row_of = self.table.steps(self.e[some])
        following = np.ascontiguousarray(rows[row_of].T)
        if tops is not None:
            before = 2 * following + of_pairs[some, 1].astype(np.int32)
            following = np.stack([before, 2 * following + 1], axis=1).reshape(2 * count, -1)
        following[:, of_pairs[some, 0] == FATAL] = DEAD
        self.normaliser = Normaliser(self._labels(self.mark_of), following, self.states_of_z * self.table.zero)

    def _labels(self, of_pairs: Ints) -> Ints:
        """Return the labels of keys, from those of their pairs; the last is for keys that change nothing."""
        labels: Ints = np.append(of_pairs, NOTHING).astype(np.int32)[self.pairs]
        return labels

    def readings(self, found: Ints, largest: float | None = None) -> Iterator[Reading]:
        """Return a reading for each group of final states with the same terms for all keys."""
        if not len(found):
            return
        z = self.table.values[found // self.states_of_z]
        self.budget.room(TERM_BYTES * len(z) * self.values.size, "the terms of all guesses")
        none = (z == 0)[:, None]  # then no key has a weight
        weights = np.where(none, 0.0, self.A.divide(self.e[None], np.where(none, 1.0, z[:, None])))
        terms = self.A.multiply(weights[:, :, None], self.values[None])
        examples, kinds = group_rows(terms.reshape(len(z), self.values.size))
        for kind, example in enumerate(examples):
            self.budget.check()
            yield self._reading(found[kinds == kind], z[kinds == kind], terms[example], largest)

    def _reading(self, states: Ints, z: Array, terms: Array, largest: float | None) -> Reading:
        """Return the reading for some final states, from the term of each pair."""
        some, label_of = group_rows(np.concatenate([self.mark_of[:, None], terms], axis=1))
        following = only_to(self.normaliser.following[:, self.mark_of[some]], self.leads_to(states))
        normaliser = Normaliser(self._labels(label_of), following, self.normaliser.start)
        right = np.zeros(len(following), np.bool_)
        right[states] = True
        guess = (float(z[0]), 0.0) if largest is None else (largest, float(z[0]))
        return summed(self.A, normaliser, right, terms[some], guess, self.budget, weights=tuple(z.tolist()))

    def leads_to(self, wanted: Ints) -> Truths:
        """Return for each state whether it leads to a wanted one. Sums of exponentials never decrease."""
        following = self.normaliser.following
        if len(following) > self.budget.limits.reach_states:
            right = np.zeros(len(following), np.bool_)
            right[wanted] = True
            leads: Truths = right | (alive(following, right) != DEAD).any(axis=1)
            return leads
        goal = sum(1 << int(state) for state in wanted)
        return np.array([bits & goal != 0 for bits in self._reach], np.bool_)

    @cached_property
    def _reach(self) -> list[int]:
        """For each state the set of states that it leads to: the bits of a whole number."""
        found = [1 << state for state in range(len(self.normaliser.following))]
        start, following = self.normaliser.start, self.normaliser.following
        for state, row in reversed([*enumerate(following[start:].tolist(), start)]):  # no sum is below the start
            if state % 256 == 0:
                self.budget.check()
            for there in {*row} - {state, DEAD}:
                found[state] |= found[there]
        return found
