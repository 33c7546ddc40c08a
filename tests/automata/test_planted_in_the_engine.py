"""Faults that are planted in the engine: the models made for its shortcuts find each of them.

If they did not, nobody would know whether such a fault is there already.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from tests.automata.proving import examined
from weightsmith.automata.extraction import (
    blocks,
    equal_parts,
    moore,
    outcomes,
    scores,
    softmax,
    stream,
    walk,
)
from weightsmith.automata.extraction.compiled import compiled

MODELS = 200  # of each kind, at most
Patch = Callable[[pytest.MonkeyPatch], None]


def put(place: Any, name: str, make: Callable[[Any], Any]) -> Patch:
    """Return what replaces a function by one that is made of it."""
    return lambda patch: patch.setattr(place, name, make(getattr(place, name)))


def every_second_sum(_: Any) -> Any:
    """Return the fault that once was there."""

    def negligible(kinds: Any, told: Any, limits: Any) -> dict[int, int]:
        few, alike = [(kind, added) for kind, added in enumerate(kinds.added) if added is not None], {}
        for most in (limits.sampled_sums, limits.sums):
            alike = equal_parts._alike([added[:: 1 + len(added) // most] for _, added in few], told)
            few = [few[place] for place in alike]
        first: dict[bytes, int] = {}
        return {kind: first.setdefault(row, kind) for (kind, _), row in zip(few, alike.values(), strict=True)}

    return negligible


def first_sum_alone(alike: Any) -> Any:
    return lambda several, told: alike([rows[:1] for rows in several], told)


def shorter_by_one(function: Any) -> Any:
    return lambda *given: function(*given)[:-1]


def less_by_one(function: Any) -> Any:
    return lambda *given: max(0, function(*given) - 1)


def once_added(_: Any) -> Any:
    return lambda A, terms, budget: terms * (np.arange(len(terms)) > 0)[:, None]


def first_outcome_alone(group: Any) -> Any:
    return lambda outcomes, axis: group(outcomes[:, :1, :1] if axis == 0 else outcomes[:1, :, :1], axis)


def first_case_alone(labels_of_sums: Any) -> Any:
    def labels(scored: Any, sums: Any, mixed: Any, outcome: Any, budget: Any) -> Any:
        return labels_of_sums(
            scored, sums, mixed, lambda some: None if (found := outcome(some)) is None else found[:, :1], budget
        )

    return labels


def order_alone(_: Any) -> Any:
    def classes(self: Any, budget: Any) -> Any:
        rows = np.moveaxis(self.scores[self.newest :], 1, 0)
        codes = [np.unique(row, return_inverse=True)[1].tobytes() for row in rows]
        number = {code: n for n, code in enumerate(dict.fromkeys(codes))}
        return np.array([number[code] for code in codes], np.int32)

    return classes


def one_age_less(score_vectors: Any) -> Any:
    def shorter(*given: Any) -> Any:
        found = score_vectors(*given)
        if found.last > found.newest:
            object.__setattr__(found, "scores", found.scores[:-1])
            object.__setattr__(found, "values", found.values[:-1])
        return found

    return shorter


def by_labels_alone(_: Any) -> Any:
    def merged(table: Any, labels: Any, budget: Any) -> Any:
        classes, count = compiled().by_label(labels)
        return compiled().numbered(table, classes, count)

    return merged


def anything_is_coarser(_: Any) -> Any:
    def coarser(self: Any, parts: Any, queries: Any, budget: Any) -> Any:
        for known, _, view in self._finer:
            becomes = np.full(int(known.max()) + 2, stream.NEVER, np.int32)
            becomes[known] = parts
            small = moore.smallest(view.table, 1 + becomes[view.labels], budget)
            return moore.Moore(small.table, small.labels - 1)
        return None

    return coarser


def nothing_ends(default: Any) -> Any:
    return lambda self, parts, queries: default(self, parts, np.zeros_like(queries))


def all_but_the_last(fitting: Any) -> Any:
    return lambda self, machine, vector: fitting(self, machine, vector)[:-1] or fitting(self, machine, vector)


def the_first_of_the_rest(merged: Any) -> Any:
    return lambda A, places, B, guess, rest, told, budget: merged(A, places, B, guess, rest[:1], told, budget)


def the_first_of_the_others(_: Any) -> Any:
    return lambda several: [rows[:1].repeat(prod(map(len, several)), axis=0) for rows in several]


def only_where_it_stays(leads: Any) -> Any:
    return lambda self, wanted: np.isin(np.arange(len(self.normaliser.following)), wanted)


def all_terms_alike(readings: Any) -> Any:
    """Return readings of softmax that take the terms of one guess for those of all."""

    def one_kind(self: Any, found: Any, largest: Any = None) -> Any:
        if len(found):
            z = self.table.values[found // self.states_of_z]
            terms = self.A.multiply(self.A.divide(self.e, max(z[-1:], self.A.round(np.ones(1))))[:, None], self.values)
            yield self._reading(found, z, terms, largest)

    return one_kind


def never_at_rest(_: Any) -> Any:
    return lambda following, right: np.where(np.append(right, False)[following], following, -1).astype(np.int32)


def one_row_less(reached: Any) -> Any:
    """Return a search that takes what it has, where it may go no further."""

    def fewer(loop: Any, given: Any, start: Any, tokens: int, budget: Any, most: Any = None) -> Any:
        rows, table = reached(loop, given, start, tokens, budget, most)
        last = max(1, len(rows) - 1)
        return (rows, table) if len(rows) < 4 else (rows[:last], np.minimum(table[:last], last - 1))

    return fewer


FAULTS: dict[str, tuple[Patch, tuple[str, ...]]] = {
    "every second sum is looked at": (put(equal_parts, "_negligible", every_second_sum), ("one sum",)),
    "one sum is looked at": (put(equal_parts, "_alike", first_sum_alone), ("one sum", "sharing")),
    "a weight is left out": (put(equal_parts, "_weights_by_count", shorter_by_one), ("sharing", "one sum")),
    "a change is left out": (put(equal_parts, "_last_change", less_by_one), ("sharing", "ties")),
    "parts are added once": (put(equal_parts, "_repeated", once_added), ("sharing", "ties")),
    "sums are merged by one outcome": (put(walk, "labels_of_sums", first_case_alone), ("unlike", "positions")),
    "machines are merged by one outcome": (put(outcomes, "_group", first_outcome_alone), ("unlike", "extreme")),
    "softmax looks at the order": (put(scores.HeadScores, "classes", order_alone), ("unlike", "extreme", "norms")),
    "an age is left out": (put(blocks, "score_vectors", one_age_less), ("positions",)),
    "states are merged by labels": (put(moore, "merged_states", by_labels_alone), ("ties",)),
    "folds are merged by labels": (put(walk, "merged_states", by_labels_alone), ("sharing", "ties")),
    "any view is finer": (put(stream.Stream, "_coarser", anything_is_coarser), ("unlike", "equal")),
    "inputs never end": (put(stream.Stream, "_default", nothing_ends), ("table",)),
    "a guess is left out": (put(blocks.HeadMachines, "fitting", all_but_the_last), ("unlike", "extreme")),
    "of the heads that are left one case is looked at": (put(blocks, "merged", the_first_of_the_rest), ("unlike",)),
    "of the heads before one case is looked at": (
        put(blocks, "combinations", the_first_of_the_others), ("unlike", "positions"),
    ),
    "a normaliser leads nowhere": (put(softmax._Fold, "leads_to", only_where_it_stays), ("ties", "unlike")),
    "all normalisers are one guess": (put(softmax._Fold, "readings", all_terms_alike), ("unlike", "extreme")),
    "a guess comes out at once or never": (put(equal_parts, "alive", never_at_rest), ("sharing", "one sum")),
    "a state is left out": (put(walk, "reached", one_row_less), ("positions",)),
    "a pair is left out": (put(moore, "reached", one_row_less), ("unlike", "equal")),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_engine_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, kinds = FAULTS[name]
    plant(monkeypatch)
    for seed in range(MODELS):
        for kind in kinds:
            try:
                examined(kind, seed)
            except Exception:  # it says something wrong, or is refused by the checker, or crashes
                return
    pytest.fail("nobody has seen it")
