"""The ∞ forms of transformers with two to six classes: ∞ for the decision, and the first of the largest on a tie."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.rewrites.many_classes import MAX_CLASSES

ARITHMETICS = [
    *(ws.Fixed(2, 2), ws.Fixed(4, 4), ws.Fixed(2, 1), ws.Fixed(3, 5)),
    *(ws.Float(4, 3), ws.Float(4, 4), ws.Float.like("e4m3"), ws.Float.like("float16")),
]
INPUTS = [tokens for n in range(1, 5) for tokens in product("01", repeat=n)]


def drawn(seed: int) -> ws.Transformer:
    """Return a random transformer whose logits are often equal: few different weights, or all 0."""
    draw, rng = Random(seed), np.random.default_rng(seed)
    A, classes = ARITHMETICS[seed % len(ARITHMETICS)], draw.randint(2, 6)
    T = ws.random_transformer(
        vocabulary="01", lanes=4, blocks=1, heads=1, neurons=3, max_length=4, arithmetic=A, seed=seed
    )
    size = draw.choice([0, 1, 1, 8])
    output = A.round(rng.integers(-2, 3, size=(classes, 4)) / 2 * size)
    bias = A.round(rng.integers(-1, 2, size=classes) * float(draw.choice([0.0, 1.0])))
    return replace(T, output=output, output_bias=bias, classes=tuple("abcdef"[:classes]))


def check(seed: int) -> bool:
    """Compare the forms with the transformer on every input; return whether two logits were equal somewhere."""
    T = drawn(seed)
    loud, signed, infinity, k = ws.infinity_form(T), ws.signed_infinity_form(T), T.arithmetic.infinity, len(T.classes)
    assert ws.is_infinity_form(loud)
    tied = False
    for tokens in INPUTS:
        before, after, both = (ws.run(form, tokens) for form in (T, loud, signed))
        assert before.decision == after.decision == both.decision
        best = T.classes.index(before.decision)
        tied |= int((before.logits == before.logits.max()).sum()) > 1
        wanted = np.zeros(len(loud.lanes))
        if k == 2:  # the note's own form: 1, and ∞ for the second class
            wanted[:2] = 1.0, infinity * best
        else:
            wanted[best] = infinity
        assert np.array_equal(after.stream[-1][-1], wanted)
        assert np.array_equal(both.stream[-1][-1][:k], np.where(np.arange(k) == best, infinity, -infinity))
        assert not both.stream[-1][-1][k:].any()
    return tied


def test_every_decision_stays_and_just_one_lane_is_loud() -> None:
    tied = [check(seed) for seed in range(8)]
    assert sum(tied) > 2


@pytest.mark.long
def test_two_hundred_transformers() -> None:
    assert sum(check(seed) for seed in range(100, 300)) > 60


def test_a_changed_weight_is_no_infinity_form() -> None:
    T = ws.infinity_form(drawn(1)) if len(drawn(1).classes) > 2 else ws.infinity_form(drawn(3))
    assert len(T.classes) > 2
    for b in range(len(T.blocks) - 3, len(T.blocks)):
        layer = T.blocks[b].feed_forward
        assert layer is not None
        for name in ("W_1", "W_2", "b_1", "b_2"):
            array = getattr(layer, name).copy()
            array.flat[0] -= 1.0
            blocks = list(T.blocks)
            blocks[b] = replace(T.blocks[b], feed_forward=replace(layer, **{name: array}))
            assert not ws.is_infinity_form(replace(T, blocks=tuple(blocks))), (b, name)


def test_the_laws_are_needed_and_so_is_a_number_of_classes() -> None:
    with pytest.raises(ws.LawError):
        ws.infinity_form(ws.to_arithmetic(drawn(1), ws.Native("float32")))
    T = drawn(0)
    many = replace(T, output=np.zeros((MAX_CLASSES + 1, 4)), output_bias=None, classes=[f"c{i}" for i in range(65)])
    with pytest.raises(ws.ModelError, match="^infinity_form is for 2 to 64 classes, and there are 65, c0, c1"):
        ws.infinity_form(many)
