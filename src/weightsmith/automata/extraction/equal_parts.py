"""Readings with equal weights, 1 ⊘ m for each of m keys: m is counted, and the weight is guessed.

Weights that give the same terms for all values are one guess. Weights are merged too if every possible sum has the same
outcome; the sum is then not tracked. A guess about all counts from some number on ends the counting there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Array, Core
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.exploring import Ints, distinct_rows, group_rows
from weightsmith.automata.extraction.folds import (
    FOLLOWING,
    FOLLOWING_BYTES,
    FinalStates,
    Normaliser,
    Reading,
    Truths,
    alive,
    counting,
    fold_of_any_keys,
    labelled,
    summed,
)
from weightsmith.automata.extraction.limits import Limits
from weightsmith.automata.extraction.loops import DEAD
from weightsmith.automata.extraction.outcomes import OutcomeOfSum, head_outputs
from weightsmith.automata.extraction.scores import HeadScores


def equal_parts(
    scored: HeadScores,
    counted: Truths,
    fatal: Truths,
    first: float,
    least: int,
    ends: FinalStates,
    outcome: OutcomeOfSum,
    budget: Budget,
) -> Iterator[Reading]:
    """The normaliser is the number of counted keys, at least `least` at the end; a fatal key makes the guess wrong."""
    A, weights = scored.A, _weights_by_count(scored, budget)  # the last serves every larger count
    nothing, counts = ~counted & ~fatal, np.arange(len(weights))
    values = np.unique(scored.values[scored.newest :][counted[scored.newest :]], axis=0)
    if len(values) == 1:
        sums = _examples(scored, _repeated(A, A.multiply(weights[:, None], values[0]), budget), outcome, budget)
        cap = max(_last_change((sums != sums[-1]).any(axis=1)), least)
        normaliser, _ = _count(fatal, nothing, cap, budget)
        yield counting(normaliser, counts[: cap + 1] >= least, sums[: cap + 1], first)
        return
    kinds = _kinds(scored, weights, values, budget)
    negligible = _negligible(kinds, outcome, budget.limits)
    group = np.array([negligible.get(kind, kind) for kind in range(len(kinds.added))], np.int32)[kinds.of_count]
    group[:least] = -1
    last = _last_change(group != group[-1])
    found = group[ends(_count(fatal, nothing, last, budget)[0])]
    for one in np.unique(found[found >= 0])[::-1]:  # the largest weight tells most values apart
        budget.check()
        fitting, loose = group == one, int(one) in negligible
        cap = last if fitting[-1] else int(np.flatnonzero(fitting)[-1]) + 1
        guessed = np.unique(weights[fitting])
        normaliser, rows = _count(fatal, nothing, cap, budget, A.multiply(guessed[:1] * (not loose), scored.values))
        right = fitting[: cap + 1]
        normaliser = Normaliser(normaliser.labels, alive(normaliser.following, right), 0)
        yield summed(
            A, normaliser, right, rows, (first, float(guessed[0])), budget, weights=tuple(guessed.tolist()), loose=loose
        )


def _last_change(differs: Truths) -> int:
    """Return the first index from which on nothing differs."""
    indices = np.flatnonzero(differs)
    return int(indices[-1]) + 1 if len(indices) else 0


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Weights grouped by the terms that they give for some values."""

    of_count: Ints  # (counts): the kind of the weight 1 ⊘ count; kinds ascend with the weight
    added: list[Array | None]  # by kind: the head's outputs for any number of keys; None for too many


def _kinds(scored: HeadScores, weights: Array, values: Array, budget: Budget) -> _Kinds:
    """Return the kinds of weights: those of a kind give the same terms for all values."""
    key = values.tobytes()
    if key not in scored.cache:
        A = scored.A
        distinct_weights, kind_ids = np.unique(weights, return_inverse=True)
        terms = A.multiply(distinct_weights[:, None, None], values)
        kinds, kind_of = distinct_rows(terms.reshape(len(terms), -1))
        outputs = [_sums(scored, rows, budget) for rows in kinds.reshape(len(kinds), *values.shape)]
        scored.cache[key] = _Kinds(kind_of[kind_ids.reshape(-1)], outputs)
    found: _Kinds = scored.cache[key]
    return found


def _sums(scored: HeadScores, terms: Array, budget: Budget) -> Array | None:
    """Return the head's outputs for all sums of some terms, with the empty sum; None for too many."""
    anything = Normaliser(np.zeros((1, 1), np.int32), np.zeros((1, len(terms)), np.int32), 0)
    reading = summed(scored.A, anything, np.ones(1, np.bool_), terms, (0.0, 0.0), budget)
    rows, _ = fold_of_any_keys(anything, reading.adding, budget, budget.limits.sums)
    return distinct_rows(head_outputs(scored, rows[:, 1:], reading.mixed, budget))[0] if len(rows) else None


def _negligible(kinds: _Kinds, outcome: OutcomeOfSum, limits: Limits) -> dict[int, int]:
    """Return the kinds with one outcome for all sums, each with the first kind that has the same outcome.

    Most kinds have several outcomes, which a sample of sums shows; for the others all sums are compared.
    """
    few = [(kind, outputs) for kind, outputs in enumerate(kinds.added) if outputs is not None]
    few = [few[i] for i in _alike([_sample(outputs, limits.sampled_sums) for _, outputs in few], outcome)]
    alike = _alike([outputs for _, outputs in few], outcome)
    first: dict[bytes, int] = {}
    return {few[i][0]: first.setdefault(outcome_of_kind, few[i][0]) for i, outcome_of_kind in alike.items()}


def _sample(outputs: Array, most: int) -> Array:
    """Return at most `most` rows, evenly spaced."""
    return outputs[:: -(-len(outputs) // most)]


def _alike(several: list[Array], outcome: OutcomeOfSum) -> dict[int, bytes]:
    """Return the indices of arrays whose rows all have one outcome, with that; {} where outcomes are unknown."""
    outcomes = outcome(np.concatenate(several)) if several else None
    if outcomes is None:
        return {}
    each = np.split(outcomes, np.cumsum([len(rows) for rows in several])[:-1])
    return {i: rows[0].tobytes() for i, rows in enumerate(each) if (rows == rows[0]).all()}


def _examples(scored: HeadScores, sums: Array, outcome: OutcomeOfSum, budget: Budget) -> Array:
    """Return for each sum the first sum with the same outcome."""
    outputs, numbers = distinct_rows(head_outputs(scored, sums, lambda some: some, budget))
    outcomes = outcome(outputs)
    if outcomes is None:
        return sums
    examples, classes = group_rows(outcomes[numbers])
    chosen: Array = sums[examples[classes]]
    return chosen


def _count(
    fatal: Truths, nothing: Truths, cap: int, budget: Budget, terms: Array | None = None
) -> tuple[Normaliser, Array]:
    """Return a normaliser that counts keys up to a cap, and the terms of its labels."""
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


def _weights_by_count(scored: HeadScores, budget: Budget) -> Array:
    """Return the weight of each of m keys, for m = 0, 1, 2 …; the last entry, 0, serves all larger m."""
    most, keys = budget.limits.counted_keys, 1
    while keys <= most:
        keys = min(2 * keys, most + 1)
        weights = np.append(0.0, scored.A.round(1 / np.arange(1, keys + 1)))
        if weights[-1] == 0:
            return weights[: int(np.flatnonzero(weights)[-1]) + 2]
    raise budget.stop(f"equal parts of more than {most:,} keys are above 0 in {scored.A.arithmetic}")
