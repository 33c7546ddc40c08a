"""Readings with equal parts, 1 ⊘ m for each of m keys: m is counted, and the weight is guessed.

Of many counts it does not matter which of them it is. Weights that make the same terms of all values are one guess. So
are weights with which the outcome is always the same, whatever the terms add up to: then nobody adds them up. Where a
guess is about all counts from some one on, nobody counts any further.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Core
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.limits import Limits
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.meeting import Meeting
from weightsmith.automata.extraction.reading import (
    FOLLOWING,
    FOLLOWING_BYTES,
    Normaliser,
    Reading,
    Truths,
    alive,
    counting,
    fold_of_any_keys,
    labelled,
    summed,
)
from weightsmith.automata.extraction.rows import Ints, different, examples_of
from weightsmith.automata.extraction.slices import in_slices

Ends: TypeAlias = Callable[[Normaliser], Ints]  # the states in which a normaliser can be when such a query reads
Told: TypeAlias = Callable[[Array], Ints | None]  # all that matters of what a head adds, in a row; None if unknown


def equal_parts(
    meeting: Meeting, counted: Truths, fatal: Truths, first: float, least: int, ends: Ends, told: Told, budget: Budget
) -> Iterator[Reading]:
    """The normaliser is how many keys are counted, which is `least` or more in the end; some keys are fatal."""
    A, weights = meeting.A, _weights_by_count(meeting, budget)  # the last serves every larger count
    nothing, counts = ~counted & ~fatal, np.arange(len(weights))
    values = np.unique(meeting.values[meeting.newest :][counted[meeting.newest :]], axis=0)
    if len(values) == 1:
        sums = _examples(meeting, _repeated(A, A.multiply(weights[:, None], values[0]), budget), told, budget)
        cap = max(_last_change((sums != sums[-1]).any(axis=1)), least)
        normaliser, _ = _count(fatal, nothing, cap, budget)
        yield counting(normaliser, counts[: cap + 1] >= least, sums[: cap + 1], first)
        return
    kinds = _kinds(meeting, weights, values, budget)
    negligible = _negligible(kinds, told, budget.limits)
    group = np.array([negligible.get(kind, kind) for kind in range(len(kinds.added))], np.int32)[kinds.of_count]
    group[:least] = -1
    last = _last_change(group != group[-1])
    found = group[ends(_count(fatal, nothing, last, budget)[0])]
    for one in np.unique(found[found >= 0])[::-1]:  # the largest weight tells most values apart
        budget.check()
        fitting, loose = group == one, int(one) in negligible
        cap = last if fitting[-1] else int(np.flatnonzero(fitting)[-1]) + 1
        guessed = np.unique(weights[fitting])
        normaliser, rows = _count(fatal, nothing, cap, budget, A.multiply(guessed[:1] * (not loose), meeting.values))
        right = fitting[: cap + 1]
        normaliser = Normaliser(normaliser.labels, alive(normaliser.following, right), 0)
        yield summed(
            A, normaliser, right, rows, (first, float(guessed[0])), budget, weights=tuple(guessed.tolist()), loose=loose
        )


def _last_change(differs: Truths) -> int:
    """Return the first place from which on nothing differs."""
    places = np.flatnonzero(differs)
    return int(places[-1]) + 1 if len(places) else 0


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Weights by what they make of some values."""

    of_count: Ints  # (counts): the kind of the weight of so many keys; kinds ascend with the weight
    added: list[Array | None]  # by kind: what the head can add, for any number of keys; None for too much


def _kinds(meeting: Meeting, weights: Array, values: Array, budget: Budget) -> _Kinds:
    """Return the kinds of weights: in a kind, all make the same terms of all values."""
    key = values.tobytes()
    if key not in meeting.known:
        A = meeting.A
        different_weights, places = np.unique(weights, return_inverse=True)
        terms = A.multiply(different_weights[:, None, None], values)
        kinds, kind_of = different(terms.reshape(len(terms), -1))
        added = [_sums(meeting, rows, budget) for rows in kinds.reshape(len(kinds), *values.shape)]
        meeting.known[key] = _Kinds(kind_of[places.reshape(-1)], added)
    found: _Kinds = meeting.known[key]
    return found


def _sums(meeting: Meeting, terms: Array, budget: Budget) -> Array | None:
    """Return what the head adds for all sums of some terms, the empty one too; None where there are many."""
    anything = Normaliser(np.zeros((1, 1), np.int32), np.zeros((1, len(terms)), np.int32), 0)
    reading = summed(meeting.A, anything, np.ones(1, np.bool_), terms, (0.0, 0.0), budget)
    rows, _ = fold_of_any_keys(anything, reading.adding, budget, budget.limits.sums)
    return different(added_by(meeting, rows[:, 1:], reading.mixed, budget))[0] if len(rows) else None


def added_by(meeting: Meeting, sums: npt.NDArray[Any], mixed: Callable[[Any], Array], budget: Budget) -> Array:
    """Return what the head adds to the stream, for each of some sums; `mixed` says which values these are."""
    lanes, size = meeting.head.W_O.shape
    budget.room(len(sums) * (3 * lanes * 8), "what the head adds")

    def of(some: slice) -> Array:
        return meeting.A.matvec(meeting.head.W_O, mixed(sums[some]))

    return in_slices(of, len(sums), lanes * size, budget)


def _negligible(kinds: _Kinds, told: Told, limits: Limits) -> dict[int, int]:
    """Return the kinds with one outcome, whatever the sum, and for each of them the first with the same outcome.

    Most kinds have several outcomes, and a few sums show that; of the others, every sum is looked at.
    """
    few = [(kind, added) for kind, added in enumerate(kinds.added) if added is not None]
    few = [few[place] for place in _alike([_sample(added, limits.sampled_sums) for _, added in few], told)]
    alike = _alike([added for _, added in few], told)
    first: dict[bytes, int] = {}
    return {few[place][0]: first.setdefault(outcome, few[place][0]) for place, outcome in alike.items()}


def _sample(added: Array, most: int) -> Array:
    """Return no more than so many of some rows, from all over them."""
    return added[:: -(-len(added) // most)]


def _alike(several: list[Array], told: Told) -> dict[int, bytes]:
    """Return the places of arrays whose rows all have the same outcome, with that; none where outcomes are unknown."""
    outcomes = told(np.concatenate(several)) if several else None
    if outcomes is None:
        return {}
    each = np.split(outcomes, np.cumsum([len(rows) for rows in several])[:-1])
    return {place: found[0].tobytes() for place, found in enumerate(each) if (found == found[0]).all()}


def _examples(meeting: Meeting, sums: Array, told: Told, budget: Budget) -> Array:
    """Return for each sum one with the same outcome."""
    added, places = different(added_by(meeting, sums, lambda some: some, budget))
    outcomes = told(added)
    if outcomes is None:
        return sums
    examples, numbers = examples_of(outcomes[places])
    chosen: Array = sums[examples[numbers]]
    return chosen


def _count(
    fatal: Truths, nothing: Truths, cap: int, budget: Budget, terms: Array | None = None
) -> tuple[Normaliser, Array]:
    """Return a normaliser that counts up to a cap, and the terms of its labels."""
    marks = [fatal[..., None]] + ([] if terms is None else [np.where(fatal[..., None], 0.0, terms)])
    codes = np.concatenate(marks, axis=-1).astype(np.float64)
    labels, examples = labelled(codes, nothing)
    rows = codes.reshape(nothing.size, -1)[examples]
    budget.room(FOLLOWING_BYTES * (cap + 1) * len(rows), FOLLOWING)
    counted = np.minimum(np.arange(1, cap + 2, dtype=np.int32), cap)[:, None]
    following = np.where(rows[:, 0] > 0, DEAD, counted).astype(np.int32)
    return Normaliser(labels, np.ascontiguousarray(following), 0), rows[:, 1:]


def _repeated(A: Core, terms: Array, budget: Budget) -> Array:
    """Return the sum of m times terms[m], for each m."""
    total = np.zeros(terms.shape)
    for m in range(1, len(terms)):
        budget.check()
        more = A.add(total[m:], terms[m:])
        if (more == total[m:]).all():
            break
        total[m:] = more
    return total


def _weights_by_count(meeting: Meeting, budget: Budget) -> Array:
    """Return the weight of each of m keys, for m = 0, 1, 2 … up to where it rounds to 0 for ever."""
    most, keys = budget.limits.counted_keys, 1
    while keys <= most:
        keys = min(2 * keys, most + 1)
        weights = np.append(0.0, meeting.A.round(1 / np.arange(1, keys + 1)))
        if weights[-1] == 0:
            return weights[: int(np.flatnonzero(weights)[-1]) + 2]
    raise budget.stop(f"equal parts of more than {most:,} keys are above 0 in {meeting.A.arithmetic}")
