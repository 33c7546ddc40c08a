"""How one class of queries reads keys: folds over labels of keys, with the final normaliser as a constant.

The weight of a key depends on all keys that the query sees: on the largest score, on the normaliser. For a guess of
their final values each weight is a constant, each weighted value is one, and the weighted sum is a walk through a table
of rounded sums. A *reading* is such a fold; at the end it tells whether the guess was right.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Core, Saturating
from weightsmith.arithmetic.saturating import TABLE_BITS
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.exploring import Ints, distinct_rows, group_rows, reached
from weightsmith.automata.extraction.loops import DEAD

ROW_BYTES = 4 * 4  # of each sum in the row of a term, in all arrays
SUM_BYTES = 8 * 8  # of a sum while it is computed
FOLLOWING = "where labels of keys lead its normaliser"
FOLLOWING_BYTES = 4 * 4  # of each state and label, in all arrays
NOTHING = -1  # the label of a key that changes nothing
Truths: TypeAlias = npt.NDArray[np.bool_]


@dataclass(eq=False)
class Sums:
    """Rounded sums in one coordinate: for each term a row from the number of a sum to that of the sum with the term."""

    A: Core
    values: Array  # of sums, ascending; the number of a sum is its index
    every: Ints | None = None  # (values, values): the rows of all values, if they are known
    _rows: dict[float, Ints] = field(default_factory=dict, repr=False)

    @property
    def zero(self) -> int:
        """The number of the empty sum."""
        return int(np.searchsorted(self.values, 0.0))

    def adding(self, term: float) -> Ints:
        """Return the row of a term."""
        if self.every is not None:
            row: Ints = self.every[np.searchsorted(self.values, term)]
            return row
        if term not in self._rows:
            sums = self.A.add(self.values, np.array(term))
            self._rows[term] = np.searchsorted(self.values, sums).astype(np.int32)
        return self._rows[term]

    def steps(self, terms: Array) -> tuple[Ints, Ints]:
        """Return the rows of some terms, and for each term the index of its row."""
        if self.every is not None:
            return self.every, np.searchsorted(self.values, terms).astype(np.int32)
        distinct, index = np.unique(np.append(terms, 0.0), return_inverse=True)
        rows = np.array([self.adding(float(term)) for term in distinct], np.int32)
        return rows, index[:-1].reshape(terms.shape).astype(np.int32)


@cache
def _members(arithmetic: Saturating) -> Array:
    return arithmetic.values()


@cache
def _every_sum(arithmetic: Saturating) -> Ints:
    """Return a table of the sums of every two members, by their numbers; all extractions share it.

    It is not marked as read-only: for such an array Numba would compile the loops again.
    """
    members = _members(arithmetic)
    return np.searchsorted(members, arithmetic.core.add(members[:, None], members[None, :])).astype(np.int32)


def sums_for(A: Core, terms: Array, budget: Budget) -> Sums:
    """Return the table of all sums of some terms, in any order."""
    if isinstance(A.arithmetic, Saturating) and A.arithmetic.bits <= min(budget.limits.member_bits, TABLE_BITS):
        members = _members(A.arithmetic)
        if len(members) ** 2 <= budget.limits.sums_of_members:
            return Sums(A, members, every=_every_sum(A.arithmetic))
        distinct = np.unique(np.append(terms, 0.0))
        budget.room(ROW_BYTES * len(members) * len(distinct), "the sums of its terms")
        return Sums(A, members)
    distinct, known, new = np.unique(np.append(terms, 0.0)), np.zeros(1), np.zeros(1)
    while len(new):
        size = (SUM_BYTES * len(new) + ROW_BYTES * len(known)) * len(distinct)
        budget.room(size, "the sums of its terms")
        found = np.unique(A.add(new[:, None], distinct[None, :]))
        indices = np.searchsorted(known, found)
        fresh = known[np.minimum(indices, len(known) - 1)] != found
        new = found[fresh]
        known = np.insert(known, indices[fresh], new)
    return Sums(A, known)


@dataclass(frozen=True, eq=False)
class Normaliser:
    """A fold of the quantity that weights depend on: labels of keys, and the next state for each."""

    labels: Ints  # (ages, keys): NOTHING where a key changes nothing
    following: Ints  # (states, labels): the next state, or DEAD
    start: int


FinalStates: TypeAlias = Callable[[Normaliser], Ints]  # of a normaliser, at queries of the class


class Adding(NamedTuple):
    """Sums beside a normaliser, in each coordinate, through tables of sums."""

    step: Ints  # (states or 1, labels, coordinates): a row of `sums`
    sums: Ints  # (rows, numbers of sums)
    start: Ints  # (coordinates): the number of the empty sum


def no_sums(normaliser: Normaliser) -> Adding:
    """Return sums without coordinates."""
    labels = normaliser.following.shape[1]
    return Adding(np.zeros((1, labels, 0), np.int32), np.zeros((1, 1), np.int32), np.zeros(0, np.int32))


def fold(
    machine: Ints,
    labels: Ints,
    useful: Truths,
    normaliser: Normaliser,
    adding: Adding,
    budget: Budget,
    most: int | None = None,
) -> tuple[Ints, Ints]:
    """Return the reachable (state of a machine, normaliser, sums), and their table: see `loops.folded`.

    Both are empty if there are more than `most`.
    """
    start = np.concatenate([[0, normaliser.start], adding.start]).astype(np.int32)
    given = (machine, labels, useful, np.ascontiguousarray(normaliser.following), adding.step, adding.sums)
    return reached(compiled().folded, given, start, machine.shape[1], budget, most)


def fold_of_any_keys(normaliser: Normaliser, adding: Adding, budget: Budget, most: int) -> tuple[Ints, Ints]:
    """Return the (normaliser, sums) reached by any sequence of keys, and their table; empty if more than `most`."""
    labels = np.arange(normaliser.following.shape[1], dtype=np.int32)[None]
    rows, table = fold(np.zeros_like(labels), labels, np.ones(1, np.bool_), normaliser, adding, budget, most)
    return rows[:, 1:], table


@dataclass(frozen=True, eq=False)
class Reading:
    """A normaliser with the sum of weighted values beside it."""

    normaliser: Normaliser
    right: Truths  # (states): whether the guess is right
    adding: Adding
    mixed: Callable[[Ints], Array]  # from numbers of sums (…, coordinates) to Σ weight ⊗ value (…, value size)
    guess: tuple[float, float]  # the largest score or the normaliser, then the weight; 0 without a guess
    weights: tuple[float, ...] = ()  # the weights of the guess, for equal weights; its normalisers, for softmax
    loose: bool = False  # whether the sum is not tracked, since every sum has the same outcome


def labelled(codes: npt.NDArray[Any], nothing: Truths) -> tuple[Ints, npt.NDArray[np.intp]]:
    """Number the distinct codes (ages, keys, …) except those of keys that change nothing; return an example of each."""
    flat = codes.reshape(nothing.size, -1)
    chosen = np.flatnonzero(~nothing.reshape(-1))
    labels = np.full(nothing.size, NOTHING, np.int32)
    examples, numbers = group_rows(flat[chosen])
    labels[chosen] = numbers
    return labels.reshape(nothing.shape), chosen[examples]


def ranks_of(scores: Array) -> Ints:
    """Return the rank of each score among the distinct ones."""
    return np.unique(scores, return_inverse=True)[1].reshape(scores.shape).astype(np.int32)


def possible_largest(scores: Array, ends: FinalStates, budget: Budget) -> Iterator[float | None]:
    """Return the scores that can be the largest of a query; None for no key."""
    known, ranks = np.unique(scores), ranks_of(scores)
    labels, examples = labelled(ranks[..., None], np.zeros(ranks.shape, np.bool_))
    states = np.arange(len(known) + 1, dtype=np.int32)[:, None]  # 1 + the rank of the largest so far
    budget.room(FOLLOWING_BYTES * len(states) * len(examples), FOLLOWING)
    following = np.maximum(states, ranks.reshape(-1)[examples] + 1).astype(np.int32)
    for state in ends(Normaliser(labels, following, 0)):
        yield None if state == 0 else float(known[state - 1])


def alive(following: Ints, right: Truths) -> Ints:
    """Return `following` with DEAD in place of states from which no right state can be reached."""
    dead = len(following)
    table = np.append(np.where(following == DEAD, dead, following), np.full((1, following.shape[1]), dead), axis=0)
    useful = compiled().leading(table.astype(np.int32), np.append(right, False))
    return only_to(following, useful[:-1])


def only_to(following: Ints, useful: Truths) -> Ints:
    """Return `following` with DEAD in place of states that are not useful."""
    return np.where(np.append(useful, False)[following], following, DEAD).astype(np.int32)


def summed(
    A: Core,
    normaliser: Normaliser,
    right: Truths,
    terms: Array,
    guess: tuple[float, float],
    budget: Budget,
    *,
    weights: tuple[float, ...] = (),
    loose: bool = False,
) -> Reading:
    """Return a reading with the sum of terms[label] (labels, value size)."""
    if not len(terms):  # no key has a label
        coordinates, back = np.zeros((0, 1)), np.zeros(terms.shape[1], np.int32)
    else:
        columns, back = distinct_rows(terms.T)  # coordinates with the same terms have the same sum
        coordinates = columns.T
    live = np.flatnonzero(coordinates.any(axis=0))
    table = sums_for(A, terms, budget)
    values = table.values

    sums, step = table.steps(coordinates[:, live])

    def mixed(sum_ids: Ints) -> Array:
        found = np.zeros((*sum_ids.shape[:-1], coordinates.shape[1]))
        found[..., live] = values[sum_ids]
        result: Array = found[..., back]
        return result

    start = np.full(len(live), table.zero, np.int32)
    return Reading(
        normaliser, right, Adding(np.ascontiguousarray(step[None]), sums, start), mixed, guess, weights, loose
    )


def counting(normaliser: Normaliser, right: Truths, results: Array, first: float) -> Reading:
    """Return a reading of keys that all have one value: the normaliser counts them, and m of them give results[m].

    Its one coordinate is m too.
    """
    more = np.minimum(np.arange(1, len(results) + 1, dtype=np.int32), len(results) - 1)[None]

    def mixed(sum_ids: Ints) -> Array:
        found: Array = results[sum_ids[..., 0]]
        return found

    step = np.zeros((1, normaliser.following.shape[1], 1), np.int32)
    adding = Adding(step, np.ascontiguousarray(more), np.zeros(1, np.int32))
    return Reading(normaliser, right, adding, mixed, (first, 0.0))


def no_key(shape: tuple[int, ...], size: int) -> Reading:
    """Return the reading of a query that sees no key: any key makes the guess wrong, and the sum is empty."""

    def mixed(sum_ids: Ints) -> Array:
        return np.zeros((*sum_ids.shape[:-1], size))

    normaliser = Normaliser(np.zeros(shape, np.int32), np.full((1, 1), DEAD, np.int32), 0)
    return Reading(normaliser, np.ones(1, np.bool_), no_sums(normaliser), mixed, (-np.inf, 0.0))


def chosen(normaliser: Normaliser, right: Truths, values: Array, takes: Truths) -> Reading:
    """Return a reading whose result is the value of one key: the last for which takes[state, label] is true.

    Its one coordinate is 0 for no key, else 1 + the number of the value.
    """
    distinct, value_ids = np.unique(values, axis=0, return_inverse=True)
    rows = [np.arange(len(distinct) + 1, dtype=np.int32)]
    rows += [np.full(len(distinct) + 1, 1 + number, np.int32) for number in range(len(distinct))]
    step = np.where(takes, 1 + value_ids.reshape(1, -1).astype(np.int32), 0)[:, :, None]
    table = np.concatenate([np.zeros((1, values.shape[1])), distinct])

    def mixed(sum_ids: Ints) -> Array:
        result: Array = table[sum_ids[..., 0]]
        return result

    adding = Adding(np.ascontiguousarray(step, np.int32), np.array(rows, np.int32), np.zeros(1, np.int32))
    return Reading(normaliser, right, adding, mixed, (0.0, 0.0))
