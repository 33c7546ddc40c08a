"""The readings of a class of queries, by weighting: one for each guess that can turn out right."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.equal_parts import Ends, Told, equal_parts
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.meeting import Meeting, unknown
from weightsmith.automata.extraction.reading import (
    FOLLOWING,
    FOLLOWING_BYTES,
    Normaliser,
    Reading,
    Truths,
    alive,
    chosen,
    labelled,
    nobody,
    only_to,
    summed,
)
from weightsmith.automata.extraction.rows import Ints
from weightsmith.automata.extraction.sums import Sums, sums_for
from weightsmith.model import AverageHard, LeftmostHard, RightmostHard, Softmax

FATAL = -1.0  # in place of an exponential


class EmptySoftmaxError(Exception):
    """Some query of the class sees keys that all have weight 0, and the head says that this is an error."""


def readings(meeting: Meeting, query: int, ends: Ends, told: Told, budget: Budget) -> Iterator[Reading]:
    """Return the readings of the class of a query; after each input, exactly one of their guesses is right.

    What `told` does not tell apart need not be told apart.
    """
    scores = meeting.scores[:, query].copy()
    weighting = meeting.head.weighting
    if isinstance(weighting, LeftmostHard | RightmostHard):
        yield _one_key(meeting, scores, isinstance(weighting, RightmostHard), budget)
    elif isinstance(weighting, AverageHard):
        yield from _best_parts(meeting, scores, ends, told, budget)
    elif not isinstance(weighting, Softmax):
        raise unknown(weighting)
    elif weighting.shifted:
        yield from _shifted(meeting, scores, weighting, ends, budget)
    else:
        yield from _plain(meeting, meeting.A.exp(scores), weighting, ends, told, budget)


# One key


def _places(scores: Array) -> Ints:
    """Return the place of each score among the different ones."""
    return np.unique(scores, return_inverse=True)[1].reshape(scores.shape).astype(np.int32)


def _one_key(meeting: Meeting, scores: Array, last: bool, budget: Budget) -> Reading:
    """The normaliser is the largest score so far, 1 + its place; 0 before any."""
    A, places = meeting.A, _places(scores)
    weighted = A.add(np.zeros(()), A.multiply(A.round(np.array(1.0)), meeting.values))
    codes = np.concatenate([places[..., None], weighted], axis=-1)
    labels, examples = labelled(codes, np.zeros(places.shape, np.bool_))
    place = places.reshape(-1)[examples]
    states = np.arange(places.max() + 2, dtype=np.int32)[:, None]
    budget.room(FOLLOWING_BYTES * len(states) * len(place), FOLLOWING)
    following = np.maximum(states, place[None, :] + 1).astype(np.int32)
    takes = place[None, :] + 1 >= states if last else place[None, :] + 1 > states
    values = weighted.reshape(labels.size, -1)[examples]
    return chosen(Normaliser(labels, following, 0), np.ones(len(states), np.bool_), values, takes)


# Hard attention with equal parts, and the largest score


def _best_parts(meeting: Meeting, scores: Array, ends: Ends, told: Told, budget: Budget) -> Iterator[Reading]:
    """The largest score is guessed first. Then keys with less change nothing, and one with more is fatal."""
    for largest in _largest(scores, ends, budget):
        if largest is None:
            yield nobody(scores.shape, meeting.values.shape[-1])
        else:
            yield from equal_parts(meeting, scores == largest, scores > largest, largest, 1, ends, told, budget)


def _largest(scores: Array, ends: Ends, budget: Budget) -> Iterator[float | None]:
    """Return the scores that can be the largest that a query sees; None for no key at all."""
    known, places = np.unique(scores), _places(scores)
    labels, examples = labelled(places[..., None], np.zeros(places.shape, np.bool_))
    states = np.arange(len(known) + 1, dtype=np.int32)[:, None]  # 1 + the place of the largest so far
    budget.room(FOLLOWING_BYTES * len(states) * len(examples), FOLLOWING)
    following = np.maximum(states, places.reshape(-1)[examples] + 1).astype(np.int32)
    for state in ends(Normaliser(labels, following, 0)):
        yield None if state == 0 else float(known[state - 1])


# Softmax


def _plain(meeting: Meeting, e: Array, weighting: Softmax, ends: Ends, told: Told, budget: Budget) -> Iterator[Reading]:
    """The normaliser is z; its final value is guessed."""
    A, table = meeting.A, sums_for(meeting.A, e, budget)
    base = _Fold(table, e, e == 0, budget)
    found = ends(base.normaliser)
    for z in np.unique(found):
        budget.check()
        if z == table.zero and weighting.empty == "error":
            raise EmptySoftmaxError
        if z == table.zero and weighting.empty == "uniform":
            yield from equal_parts(meeting, e == 0, e > 0, 0.0, 0, ends, told, budget)
            continue
        total = float(table.values[z])
        weights = A.divide(e, np.array(total if total else A.infinity))
        terms = A.multiply(weights[..., None], meeting.values)
        fold = _Fold(table, e, e == 0, budget, terms)
        normaliser = fold.only_to(base.leads_to(int(z)))
        yield summed(A, normaliser, np.arange(len(table.values)) == z, fold.rows, (total, 0.0), budget)


def _shifted(meeting: Meeting, scores: Array, weighting: Softmax, ends: Ends, budget: Budget) -> Iterator[Reading]:
    """The largest score is guessed first, then z."""
    for largest in _largest(scores, ends, budget):
        budget.check()
        if largest is not None:
            yield from _below(meeting, scores, largest, ends, budget)
        elif weighting.empty == "error":
            raise EmptySoftmaxError
        else:
            yield nobody(scores.shape, meeting.values.shape[-1])


def _below(meeting: Meeting, scores: Array, largest: float, ends: Ends, budget: Budget) -> Iterator[Reading]:
    """Any score above the guessed largest one is fatal. z is guessed next."""
    A, tops = meeting.A, scores == largest
    e = np.where(scores > largest, FATAL, A.exp(A.subtract(scores, np.array(largest))))
    table = sums_for(A, np.maximum(e, 0), budget)
    base = _Fold(table, e, (e == 0) & ~tops, budget, tops=tops)
    found = ends(base.normaliser)
    for state in np.unique(found[found % 2 == 1]):
        budget.check()
        z = float(table.values[state // 2])
        weights = A.divide(np.maximum(e, 0), np.array(z))
        terms = A.multiply(weights[..., None], meeting.values)
        fold = _Fold(table, e, (e == 0) & ~tops, budget, terms, tops)
        right = np.arange(2 * len(table.values)) == state
        yield summed(A, fold.only_to(base.leads_to(int(state))), right, fold.rows, (largest, z), budget)


class _Fold:
    """The fold of exponentials as a normaliser; with `tops`, z stands at 2·z before and at 2·z + 1 after one of them.

    Labels tell apart what has other terms too.
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
        known = np.arange(len(table.values))
        z, seen = (known, None) if tops is None else np.divmod(np.arange(2 * len(known)), 2)
        budget.room(FOLLOWING_BYTES * len(z) * len(examples), FOLLOWING)
        following = np.empty((len(z), len(examples)), np.int32)
        for label, place in enumerate(examples):
            x = float(e.reshape(-1)[place])
            there = table.rows[table.adding(max(x, 0.0))][z]
            if seen is not None and tops is not None:
                there = 2 * there + (seen | tops.reshape(-1)[place])
            following[:, label] = DEAD if x == FATAL else there
        start = table.zero if tops is None else 2 * table.zero
        self.normaliser = Normaliser(labels, following, start)
        self.rows = (e[..., None] if terms is None else terms).reshape(nothing.size, -1)[examples]

    def leads_to(self, wanted: int) -> Truths:
        """Say of each state whether it leads to one that is wanted. No sum of exponentials ever falls."""
        following = self.normaliser.following
        if len(following) > self.budget.limits.reach_states:
            right = np.arange(len(following)) == wanted
            leads: Truths = right | (alive(following, right) != DEAD).any(axis=1)
            return leads
        reached: Truths = self._reach[:, wanted]
        return reached

    @cached_property
    def _reach(self) -> Truths:
        """(states, states): whether one leads to another."""
        following = self.normaliser.following
        found = np.eye(len(following) + 1, dtype=np.bool_)
        found[-1] = False  # DEAD
        for state in range(len(following) - 1, self.normaliser.start - 1, -1):
            self.budget.check()
            for there in set(following[state].tolist()):
                if there != state:
                    found[state] |= found[there]
        return found[:-1, :-1]

    def only_to(self, useful: Truths) -> Normaliser:
        """Return the normaliser, dead wherever it cannot become what is wanted."""
        return Normaliser(self.normaliser.labels, only_to(self.normaliser.following, useful), self.normaliser.start)
