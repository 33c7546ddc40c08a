"""The readings of a class of queries, by weighting: one for each guess that can turn out right."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Array, Core
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.meeting import Meeting
from weightsmith.automata.extraction.reading import (
    Normaliser,
    Reading,
    Truths,
    alive,
    chosen,
    counting,
    labelled,
    nobody,
    only_to,
    summed,
)
from weightsmith.automata.extraction.rows import Ints
from weightsmith.automata.extraction.sums import Sums, sums_for
from weightsmith.model import AverageHard, LeftmostHard, RightmostHard, Softmax

MAX_MATRIX = 1 << 12  # states of a normaliser for which it is worth to know at once what leads where
FATAL = -1.0  # in place of an exponential
MAX_COUNT = 1 << 14  # keys that share a weight above 0: 1 ⊘ m rounds to 0 from here on
Ends: TypeAlias = Callable[[Normaliser], Ints]  # the states in which a normaliser can be when such a query reads


class EmptySoftmaxError(Exception):
    """Some query of the class sees keys that all have weight 0, and the head says that this is an error."""


def readings(meeting: Meeting, query: int, ends: Ends, budget: Budget) -> Iterator[Reading]:
    """Return the readings of the class of a query; after each input, exactly one of their guesses is right."""
    scores = meeting.scores[:, query].copy()
    weighting = meeting.head.weighting
    if isinstance(weighting, LeftmostHard | RightmostHard):
        yield _one_key(meeting, scores, isinstance(weighting, RightmostHard))
    elif isinstance(weighting, AverageHard):
        yield from _best_parts(meeting, scores, ends, budget)
    elif weighting.shifted:
        yield from _shifted(meeting, scores, weighting, ends, budget)
    else:
        yield from _plain(meeting, meeting.A.exp(scores), weighting, ends, budget)


# One key


def _places(scores: Array) -> Ints:
    """Return the place of each score among the different ones."""
    return np.unique(scores, return_inverse=True)[1].reshape(scores.shape).astype(np.int32)


def _one_key(meeting: Meeting, scores: Array, last: bool) -> Reading:
    """The normaliser is the largest score so far, 1 + its place; 0 before any."""
    A, places = meeting.A, _places(scores)
    weighted = A.add(np.zeros(()), A.multiply(A.round(np.array(1.0)), meeting.values))
    codes = np.concatenate([places[..., None], weighted], axis=-1)
    labels, examples = labelled(codes, np.zeros(places.shape, np.bool_))
    place = places.reshape(-1)[examples]
    states = np.arange(places.max() + 2)[:, None]
    following = np.maximum(states, place[None, :] + 1).astype(np.int32)
    takes = place[None, :] + 1 >= states if last else place[None, :] + 1 > states
    values = weighted.reshape(labels.size, -1)[examples]
    return chosen(Normaliser(labels, following, 0), np.ones(len(states), np.bool_), values, takes)


# Equal parts: 1 ⊘ m, where m is a count


def _best_parts(meeting: Meeting, scores: Array, ends: Ends, budget: Budget) -> Iterator[Reading]:
    """The largest score is guessed first. Then keys with less change nothing, and one with more is fatal."""
    for largest in _largest(scores, ends):
        if largest is None:
            yield nobody(scores.shape, meeting.values.shape[-1])
        else:
            yield from _equal_parts(meeting, scores == largest, scores > largest, largest, 1, ends, budget)


def _largest(scores: Array, ends: Ends) -> Iterator[float | None]:
    """Return the scores that can be the largest that a query sees; None for no key at all."""
    known, places = np.unique(scores), _places(scores)
    labels, examples = labelled(places[..., None], np.zeros(places.shape, np.bool_))
    states = np.arange(len(known) + 1)[:, None]  # 1 + the place of the largest so far
    following = np.maximum(states, places.reshape(-1)[examples] + 1).astype(np.int32)
    for state in ends(Normaliser(labels, following, 0)):
        yield None if state == 0 else float(known[state - 1])


def _equal_parts(
    meeting: Meeting, counted: Truths, fatal: Truths, first: float, least: int, ends: Ends, budget: Budget
) -> Iterator[Reading]:
    """The normaliser is how many keys are counted, which is `least` or more in the end; some keys are fatal."""
    A, weights = meeting.A, _weights_by_count(meeting, budget)  # the last serves every larger count
    nothing, most = ~counted & ~fatal, len(weights) - 1
    values = meeting.values[meeting.newest :][counted[meeting.newest :]]
    if len(values) and (values == values[0]).all():
        normaliser, _ = _count(fatal, nothing, most)
        sums = _repeated(A, A.multiply(weights[:, None], values[0]))
        yield counting(normaliser, np.arange(most + 1) >= least, sums, first)
        return
    found = ends(_count(fatal, nothing, most)[0])
    for weight in np.unique(weights[found[found >= least]]):
        budget.check()
        fitting = np.flatnonzero(weights == weight)
        cap = most if most in fitting else int(fitting[-1]) + 1
        terms = A.multiply(np.array(weight), meeting.values)
        normaliser, rows = _count(fatal, nothing, cap, terms)
        right = np.isin(np.arange(cap + 1), fitting[fitting >= least])
        following = alive(normaliser.following, right)
        yield summed(A, Normaliser(normaliser.labels, following, 0), right, rows, (first, float(weight)), budget)


def _count(fatal: Truths, nothing: Truths, cap: int, terms: Array | None = None) -> tuple[Normaliser, Array]:
    """Return a normaliser that counts up to a cap, and the terms of its labels."""
    marks = [fatal[..., None]] + ([] if terms is None else [np.where(fatal[..., None], 0.0, terms)])
    codes = np.concatenate(marks, axis=-1).astype(np.float64)
    labels, examples = labelled(codes, nothing)
    rows = codes.reshape(nothing.size, -1)[examples]
    counted = np.minimum(np.arange(1, cap + 2), cap)[:, None]
    following = np.where(rows[:, 0] > 0, DEAD, counted).astype(np.int32)
    return Normaliser(labels, np.ascontiguousarray(following), 0), rows[:, 1:]


def _repeated(A: Core, terms: Array) -> Array:
    """Return the sum of m times terms[m], for each m."""
    total = np.zeros(terms.shape)
    for m in range(1, len(terms)):
        more = A.add(total[m:], terms[m:])
        if (more == total[m:]).all():
            break
        total[m:] = more
    return total


def _weights_by_count(meeting: Meeting, budget: Budget) -> Array:
    """Return the weight of each of m keys, for m = 0, 1, 2 … up to where it rounds to 0 for ever."""
    size = 2
    while size <= MAX_COUNT:
        weights = np.append(0.0, meeting.A.round(1 / np.arange(1, size)))
        if weights[-1] == 0:
            return weights[: int(np.flatnonzero(weights)[-1]) + 2]
        size *= 2
    raise budget.stop(f"equal parts of more than {MAX_COUNT:,} keys are above 0 in {meeting.A.arithmetic}")


# Softmax


def _plain(meeting: Meeting, e: Array, weighting: Softmax, ends: Ends, budget: Budget) -> Iterator[Reading]:
    """The normaliser is z; its final value is guessed."""
    A, table = meeting.A, sums_for(meeting.A, e, budget)
    base = _Fold(table, e, e == 0)
    found = ends(base.normaliser)
    for z in np.unique(found):
        budget.check()
        if z == table.zero and weighting.empty == "error":
            raise EmptySoftmaxError
        if z == table.zero and weighting.empty == "uniform":
            yield from _equal_parts(meeting, e == 0, e > 0, 0.0, 0, ends, budget)
            continue
        total = float(table.values[z])
        weights = A.divide(e, np.array(total if total else A.infinity))
        terms = A.multiply(weights[..., None], meeting.values)
        fold = _Fold(table, e, e == 0, terms)
        normaliser = fold.only_to(base.leads_to(int(z)))
        yield summed(A, normaliser, np.arange(len(table.values)) == z, fold.rows, (total, 0.0), budget)


def _shifted(meeting: Meeting, scores: Array, weighting: Softmax, ends: Ends, budget: Budget) -> Iterator[Reading]:
    """The largest score is guessed first, then z."""
    for largest in _largest(scores, ends):
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
    base = _Fold(table, e, (e == 0) & ~tops, tops=tops)
    found = ends(base.normaliser)
    for state in np.unique(found[found % 2 == 1]):
        budget.check()
        z = float(table.values[state // 2])
        weights = A.divide(np.maximum(e, 0), np.array(z))
        fold = _Fold(table, e, (e == 0) & ~tops, A.multiply(weights[..., None], meeting.values), tops)
        right = np.arange(2 * len(table.values)) == state
        yield summed(A, fold.only_to(base.leads_to(int(state))), right, fold.rows, (largest, z), budget)


class _Fold:
    """The fold of exponentials as a normaliser; with `tops`, z stands at 2·z before and at 2·z + 1 after one of them.

    Labels tell apart what has other terms too.
    """

    def __init__(
        self, table: Sums, e: Array, nothing: Truths, terms: Array | None = None, tops: Truths | None = None
    ) -> None:
        marks = [e[..., None]] + ([] if tops is None else [tops[..., None]])
        labels, examples = labelled(np.concatenate(marks + ([] if terms is None else [terms]), axis=-1), nothing)
        known = np.arange(len(table.values))
        z, seen = (known, None) if tops is None else np.divmod(np.arange(2 * len(known)), 2)
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
        if len(following) > MAX_MATRIX:
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
            for there in following[state]:
                if there != state:
                    found[state] |= found[there]
        return found[:-1, :-1]

    def only_to(self, useful: Truths) -> Normaliser:
        """Return the normaliser, dead wherever it cannot become what is wanted."""
        return Normaliser(self.normaliser.labels, only_to(self.normaliser.following, useful), self.normaliser.start)
