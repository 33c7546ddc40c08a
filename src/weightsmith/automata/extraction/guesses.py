"""The readings of a class of queries, by weighting: one for each guess that can be right."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.equal_parts import FinalStates, equal_parts
from weightsmith.automata.extraction.exploring import Ints
from weightsmith.automata.extraction.folds import (
    FOLLOWING,
    FOLLOWING_BYTES,
    Normaliser,
    Reading,
    Sums,
    Truths,
    alive,
    chosen,
    labelled,
    no_key,
    only_to,
    summed,
    sums_for,
)
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.outcomes import OutcomeOfSum
from weightsmith.automata.extraction.scores import HeadScores
from weightsmith.model import AverageHard, LeftmostHard, RightmostHard, Softmax

FATAL = -1.0  # in place of an exponential


WEIGHTINGS = (Softmax, AverageHard, LeftmostHard, RightmostHard)  # those of `readings`


class EmptySoftmaxError(Exception):
    """A query of the class sees only keys of weight 0, and the head has empty="error"."""


def readings(
    scored: HeadScores, query: int, ends: FinalStates, outcome: OutcomeOfSum, budget: Budget
) -> Iterator[Reading]:
    """Return the readings of the class of a query; after each input, exactly one of their guesses is right.

    Sums with the same outcome may be merged.
    """
    scores = scored.scores[:, query].copy()
    weighting = scored.head.weighting
    if isinstance(weighting, LeftmostHard | RightmostHard):
        yield _one_key(scored, scores, isinstance(weighting, RightmostHard), budget)
    elif isinstance(weighting, AverageHard):
        yield from _best_parts(scored, scores, ends, outcome, budget)
    elif isinstance(weighting, Softmax) and weighting.shifted:
        yield from _shifted(scored, scores, weighting, ends, budget)
    elif isinstance(weighting, Softmax):
        yield from _plain(scored, scored.A.exp(scores), weighting, ends, outcome, budget)


# One key


def _ranks(scores: Array) -> Ints:
    """Return the rank of each score among the distinct ones."""
    return np.unique(scores, return_inverse=True)[1].reshape(scores.shape).astype(np.int32)


def _one_key(scored: HeadScores, scores: Array, last: bool, budget: Budget) -> Reading:
    """The normaliser is 1 + the rank of the largest score so far; 0 before any."""
    A, ranks = scored.A, _ranks(scores)
    weighted = A.add(np.zeros(()), A.multiply(A.round(np.array(1.0)), scored.values))
    codes = np.concatenate([ranks[..., None], weighted], axis=-1)
    labels, examples = labelled(codes, np.zeros(ranks.shape, np.bool_))
    rank = ranks.reshape(-1)[examples]
    states = np.arange(ranks.max() + 2, dtype=np.int32)[:, None]
    budget.room(FOLLOWING_BYTES * len(states) * len(rank), FOLLOWING)
    following = np.maximum(states, rank[None, :] + 1).astype(np.int32)
    takes = rank[None, :] + 1 >= states if last else rank[None, :] + 1 > states
    values = weighted.reshape(labels.size, -1)[examples]
    return chosen(Normaliser(labels, following, 0), np.ones(len(states), np.bool_), values, takes)


# Hard attention with equal weights, and the largest score


def _best_parts(
    scored: HeadScores, scores: Array, ends: FinalStates, outcome: OutcomeOfSum, budget: Budget
) -> Iterator[Reading]:
    """The largest score is guessed first. Keys with a lower score change nothing; a higher score makes it wrong."""
    for largest in _largest(scores, ends, budget):
        if largest is None:
            yield no_key(scores.shape, scored.values.shape[-1])
        else:
            yield from equal_parts(scored, scores == largest, scores > largest, largest, 1, ends, outcome, budget)


def _largest(scores: Array, ends: FinalStates, budget: Budget) -> Iterator[float | None]:
    """Return the scores that can be the largest of a query; None for no key."""
    known, ranks = np.unique(scores), _ranks(scores)
    labels, examples = labelled(ranks[..., None], np.zeros(ranks.shape, np.bool_))
    states = np.arange(len(known) + 1, dtype=np.int32)[:, None]  # 1 + the rank of the largest so far
    budget.room(FOLLOWING_BYTES * len(states) * len(examples), FOLLOWING)
    following = np.maximum(states, ranks.reshape(-1)[examples] + 1).astype(np.int32)
    for state in ends(Normaliser(labels, following, 0)):
        yield None if state == 0 else float(known[state - 1])


# Softmax


def _plain(
    scored: HeadScores, e: Array, weighting: Softmax, ends: FinalStates, outcome: OutcomeOfSum, budget: Budget
) -> Iterator[Reading]:
    """The normaliser is z; its final value is guessed."""
    A, table = scored.A, sums_for(scored.A, e, budget)
    base = _Fold(table, e, e == 0, budget)
    found = ends(base.normaliser)
    for z in np.unique(found):
        budget.check()
        if z == table.zero and weighting.empty == "error":
            raise EmptySoftmaxError
        if z == table.zero and weighting.empty == "uniform":
            yield from equal_parts(scored, e == 0, e > 0, 0.0, 0, ends, outcome, budget)
            continue
        total = float(table.values[z])
        weights = A.divide(e, np.array(total if total else A.infinity))
        terms = A.multiply(weights[..., None], scored.values)
        fold = _Fold(table, e, e == 0, budget, terms)
        normaliser = fold.only_to(base.leads_to(int(z)))
        yield summed(A, normaliser, np.arange(len(table.values)) == z, fold.rows, (total, 0.0), budget)


def _shifted(
    scored: HeadScores, scores: Array, weighting: Softmax, ends: FinalStates, budget: Budget
) -> Iterator[Reading]:
    """The largest score is guessed first, then z."""
    for largest in _largest(scores, ends, budget):
        budget.check()
        if largest is not None:
            yield from _below(scored, scores, largest, ends, budget)
        elif weighting.empty == "error":
            raise EmptySoftmaxError
        else:
            yield no_key(scores.shape, scored.values.shape[-1])


def _below(scored: HeadScores, scores: Array, largest: float, ends: FinalStates, budget: Budget) -> Iterator[Reading]:
    """A score above the guessed largest one makes the guess wrong. z is guessed next."""
    A, tops = scored.A, scores == largest
    e = np.where(scores > largest, FATAL, A.exp(A.subtract(scores, np.array(largest))))
    table = sums_for(A, np.maximum(e, 0), budget)
    base = _Fold(table, e, (e == 0) & ~tops, budget, tops=tops)
    found = ends(base.normaliser)
    for state in np.unique(found[found % 2 == 1]):
        budget.check()
        z = float(table.values[state // 2])
        weights = A.divide(np.maximum(e, 0), np.array(z))
        terms = A.multiply(weights[..., None], scored.values)
        fold = _Fold(table, e, (e == 0) & ~tops, budget, terms, tops)
        right = np.arange(2 * len(table.values)) == state
        yield summed(A, fold.only_to(base.leads_to(int(state))), right, fold.rows, (largest, z), budget)


class _Fold:
    """The fold of exponentials as a normaliser; with `tops`, state 2·z is before and 2·z + 1 after one of these keys.

    Keys with the same exponential and different terms have different labels.
    """

    def __init__(
        self,
        table: Sums,
        e: Array,
        nothing: Truths,
        budget: Budget,
        terms: Array | None = None,
        tops: Truths | None = None,
    ) -> None:
        self.budget = budget
        marks = [e[..., None]] + ([] if tops is None else [tops[..., None]])
        labels, examples = labelled(np.concatenate(marks + ([] if terms is None else [terms]), axis=-1), nothing)
        exponentials, count = e.reshape(-1)[examples], len(table.values)
        budget.room(FOLLOWING_BYTES * (1 if tops is None else 2) * count * len(examples), FOLLOWING)
        rows, row_of = table.steps(np.maximum(exponentials, 0.0))
        following = np.ascontiguousarray(rows[row_of].T)
        if tops is not None:
            before = 2 * following + tops.reshape(-1)[examples]
            following = np.stack([before, 2 * following + 1], axis=1).reshape(2 * count, -1)
        following[:, exponentials == FATAL] = DEAD
        start = table.zero if tops is None else 2 * table.zero
        self.normaliser = Normaliser(labels, following, start)
        self.rows = (e[..., None] if terms is None else terms).reshape(nothing.size, -1)[examples]

    def leads_to(self, wanted: int) -> Truths:
        """Return for each state whether it leads to the wanted one. Sums of exponentials never decrease."""
        following = self.normaliser.following
        if len(following) > self.budget.limits.reach_states:
            right = np.arange(len(following)) == wanted
            leads: Truths = right | (alive(following, right) != DEAD).any(axis=1)
            return leads
        return np.array([bits >> wanted & 1 for bits in self._reach], np.bool_)

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

    def only_to(self, useful: Truths) -> Normaliser:
        """Return the normaliser, with DEAD in place of states that are not useful."""
        return Normaliser(self.normaliser.labels, only_to(self.normaliser.following, useful), self.normaliser.start)
