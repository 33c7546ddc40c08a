"""Sets that the compiler makes without going through all pairs: equal to those that do."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from weightsmith.programs.circuit import forms, selections
from weightsmith.programs.circuit.forms import Form, distinct, feature
from weightsmith.programs.circuit.neurons import kinks
from weightsmith.programs.circuit.selections import at_distances
from weightsmith.programs.compiler.counting import Counting
from weightsmith.programs.compiler.gathering import _pairs_alike, _pairs_of
from weightsmith.programs.compiler.halves import _twice
from weightsmith.programs.compiler.symbols import Mean

SEEDS = range(200)


def test_neurons_give_what_is_wanted_at_every_code_and_turn_no_more_than_they_must() -> None:
    for seed in SEEDS:
        draw = Random(seed)
        codes = np.array(sorted(draw.sample(range(-30, 30), draw.randint(1, 20))), np.int64)
        wanted = np.array([draw.randint(-4, 4) * draw.choice([1, 3]) for _ in codes], np.int64)
        constant, found = kinks(codes, wanted)
        given = [
            constant + sum(one.slope * max(one.direction * code - one.offset, 0) for one in found) for code in codes
        ]
        assert given == wanted.tolist(), seed
        assert len(found) == min(turns(codes, wanted), turns(-codes[::-1], wanted[::-1])), seed


def turns(codes: np.ndarray, wanted: np.ndarray) -> int:
    """Return how often the slope changes, step by step from the left."""
    slope, count = 0, 0
    for (here, before), (there, after) in pairwise(zip(codes.tolist(), wanted.tolist(), strict=True)):
        straight = (after - before) % (there - here) == 0
        for to in [(after - before) // (there - here)] if straight else [0, after - before]:
            count += to != slope
            slope = to
    return count


@pytest.mark.parametrize("many", [0, 1, 10, 1000])
def test_each_number_once_in_order_by_marks_and_by_sorting(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MANY", many)
    for seed in SEEDS:
        draw = Random(seed)
        numbers = np.array(
            [draw.randint(-(10**9) if seed % 3 else -5, 9) for _ in range(draw.randint(0, 40))], np.int64
        )
        assert distinct(numbers).tolist() == sorted(set(numbers.tolist())), seed


@pytest.mark.parametrize("rows", [1, 2, 64])
def test_differences_of_positions_before_and_after(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selections, "ROWS", rows)
    for seed in SEEDS:
        draw = Random(seed)
        count = draw.randint(1, 9)
        keys, queries = ([draw.randint(-5, 5) for _ in range(count)] for _ in range(2))
        if seed % 3 == 0:
            step = draw.randint(-3, 3)
            keys, queries = ([start + step * n for n in range(count)] for start in (0, draw.randint(-3, 3)))
        before = {queries[i] - keys[j] for i in range(count) for j in range(i + 1)}
        after = {queries[i] - keys[j] for i in range(count) for j in range(i + 1, count)}
        assert at_distances(keys, queries, range(count)).tolist() == sorted(before), seed
        assert at_distances(keys, queries, range(1 - count, 0)).tolist() == sorted(after), seed


def test_positions_differ_where_no_two_of_them_can_be_equal() -> None:
    found = {True: 0, False: 0}
    for seed in SEEDS:
        draw = Random(seed)
        places = [draw.choice([1, 5, 7]) * n + draw.randint(0, 2) for n in range(draw.randint(2, 7))]
        tokens = [draw.choice([0, 1, 3, 11]) for _ in range(3)]
        form = feature(places, "index") + feature(tokens, "token")
        if not form.index:
            continue
        some = [(i, place + token) for i, place in enumerate(places) for token in tokens]
        naive = not any(x == y for i, x in some for j, y in some if i != j)
        assert Counting(causal=False, positions=len(places)).differ(form) == naive, seed
        found[naive] += 1
    assert min(found.values()) > 10


def test_sums_and_counts_of_means_and_their_values() -> None:
    for seed in SEEDS:
        draw = Random(seed)
        values = np.array(sorted(draw.sample(range(-4, 9), draw.randint(2, 4))), np.int64)
        step = int(np.gcd.reduce(np.diff(values)))
        counts = np.arange(draw.randint(0, 1), 5)
        tops_of = np.arange(-16, 33) if seed % 2 else np.arange(-16, 33, 4)
        found = {tuple(pair) for pair in _pairs_of(values, tops_of, counts).tolist()}
        wanted = {(t, c) for c in counts.tolist() for t in range(c * values[0], c * values[-1] + 1, step)}
        short = {c for c in counts.tolist() if len(tops_of) < c * (values[-1] - values[0]) // step + 1}
        assert found == {(t, c) for t, c in wanted if c not in short or t in tops_of}, seed
        alike = {tuple(pair) for pair in _pairs_alike(values, counts).tolist()}
        assert alike == {(value * c, c) for c in counts.tolist() for value in values.tolist()}, seed
        mean = Mean(Form(), draw.choice([1, 2, 3]), Form(), "nothing", np.array(sorted(found), np.int64))
        quotients = [Fraction(t, c * mean.scale) if c else "nothing" for t, c in mean.pairs.tolist()]
        assert mean.values == quotients
        assert len(list(mean.different())) == mean.size == len(set(quotients))
        halves = {q.__floor__() + q.__ceil__() for q in quotients if isinstance(q, Fraction)}
        assert _twice(mean).tolist() == sorted(halves)
