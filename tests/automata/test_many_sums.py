"""Averages of few keys with many sums: as many as are looked at, one less, one more."""

from collections.abc import Iterator
from itertools import product
from math import gcd
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.automata import Automaton
from weightsmith.automata.extraction.equal_parts import _sample
from weightsmith.automata.extraction.limits import Limits, using

NEVER = Automaton(np.array([[0, 0]]), np.array([False]))
STEPS = 255  # ∞ of fixed(4,4), in units of 1/16


def one_sum(a: int, b: int, most: int) -> ws.Transformer:
    """Say YES after just those inputs whose sum is `a` times the part of a token and `b` times that of another.

    In fixed(4,4) the weight of each of 11 to 31 keys is 1/16. The tokens make terms (p/16, 0) and (0, q/16), whose sums
    saturate; p and q are such that there are `most` sums.
    """
    p, q = steps_for(most)
    sums = [a * p / 16, b * q / 16]
    nothing = np.zeros((1, 5))
    values, places = np.eye(5)[:2], np.eye(5)[:, 2:4]
    differences = np.zeros((4, 5))
    differences[[0, 1], 2], differences[[2, 3], 3] = (1.0, -1.0), (1.0, -1.0)
    wrong = np.zeros((5, 4))
    wrong[4] = -STEPS / 16
    return ws.Transformer(
        arithmetic=ws.Fixed(4, 4),
        vocabulary=("a", "b"),
        lanes=("of a", "of b", "sum of a", "sum of b", "wrong"),
        embedding=np.array([[p, 0, 0, 0, 0], [0, q, 0, 0, 0]], np.float64),
        blocks=(
            ws.Block(
                ws.Attention((ws.Head(nothing, nothing, values, places, ws.AverageHard()),)),
                ws.FeedForward(differences, np.array([-sums[0], sums[0], -sums[1], sums[1]]), wrong, np.zeros(5)),
            ),
        ),
        output=np.array([[0, 0, 0, 0, 0], [0, 0, 0, 0, 1]], np.float64),
        output_bias=np.array([0, 1 / 16]),
    )


def count(step: int) -> int:
    """How many sums there are of so many sixteenths each."""
    return 1 + -(-STEPS // step)


def steps_for(sums: int) -> tuple[int, int]:
    found = [(p, q) for p, q in product(range(1, 16), repeat=2) if count(p) * count(q) == sums]
    return min(found, key=lambda steps: abs(steps[0] - steps[1]))


def places(sums: int) -> Iterator[tuple[int, int]]:
    """How often each token stands in inputs of 11 to 31 tokens, whose parts add up without saturating.

    Larger weights, for fewer keys, are multiples of 1/16: what has no common factor is no sum of theirs.
    """
    p, q = steps_for(sums)
    for a, b in product(range(1, 31), repeat=2):
        if 11 <= a + b < 32 and a * p < STEPS and b * q < STEPS and gcd(a, b) == 1:
            yield a, b


def test_a_model_with_500_sums_is_refuted_by_the_one_that_matters() -> None:
    assert steps_for(500) == (11, 14)
    verdict = ws.check.recognizes(one_sum(1, 10, 500), NEVER)
    assert (verdict.holds, verdict.counterexample) == (False, "abbbbbbbbbb")
    assert ws.run(one_sum(1, 10, 500), "abbbbbbbbbb").decision == "YES"
    assert ws.automaton(one_sum(1, 10, 500)).words(2) == ["abbbbbbbbbb", "babbbbbbbbb"]  # which runs nothing


@pytest.mark.parametrize("sums", [486, 500, 525])
def test_each_single_sum_matters(sums: int) -> None:
    """All are looked at, or none; where they are as many as are looked at, one less, one more."""
    for most in (sums - 1, sums, sums + 1):
        for a, b in Random(most).sample(list(places(sums)), 8):
            with using(Limits(sums=most)):
                verdict = ws.check.recognizes(one_sum(a, b, sums), NEVER)
            assert (verdict.holds, verdict.counterexample) == (False, "a" * a + "b" * b)


@pytest.mark.parametrize("most", range(1, 13))
def test_a_sample_has_no_more_rows_than_it_may_and_all_where_they_are_as_many(most: int) -> None:
    for rows in range(1, 40):
        found = _sample(np.arange(float(rows)), most)
        assert 1 <= len(found) <= most
        if rows <= most:
            assert len(found) == rows
