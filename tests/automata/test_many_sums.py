"""Averages of few keys with many sums: as many as are looked at, one less, one more."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.automata import Automaton

NEVER = Automaton([[0, 0]], [False])
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


def words() -> Iterator[tuple[int, int]]:
    """How often each token stands in inputs of 11 to 31 tokens, whose parts add up without saturating."""
    for a in range(1, 18):
        for b in range(max(1, 11 - a), 22 - a):
            yield a, b


def test_a_model_with_500_sums_is_refuted_by_the_one_that_matters() -> None:
    assert steps_for(500) == (11, 14)
    verdict = ws.check.recognizes(one_sum(1, 10, 500), NEVER)
    assert (verdict.holds, verdict.counterexample) == (False, "abbbbbbbbbb")
    assert ws.run(one_sum(1, 10, 500), "abbbbbbbbbb").decision == "YES"


@pytest.mark.parametrize("sums", [486, 500, 525])
def test_each_single_sum_matters(sums: int) -> None:
    """Around the number of sums of which all are looked at."""
    p, q = steps_for(sums)
    for a, b in list(words())[:: 7 if sums == 500 else 29]:
        if a * p > STEPS or b * q > STEPS:
            continue
        verdict = ws.check.recognizes(one_sum(a, b, sums), NEVER)
        assert (verdict.holds, verdict.counterexample) == (False, "a" * a + "b" * b)
