"""Every activation, every rule inside attention and every bias run in columns as in the reference, in every bit."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.kernels.comparison import assert_equal_runs, assert_hard, counting
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import WEIGHTINGS
from weightsmith import Attention, Native, Softmax, Transformer, parse_arithmetic, run
from weightsmith.arithmetic import Array
from weightsmith.kernels.packed import batch, tree
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.model import added

FORMS = {
    "fixed(4,4)": "int16",
    "fixed(2,3,ties=away)": "int16",
    "fixed(8,8,ties=even)": "int32",
    "float(4,3)": "float32",
    "e4m3(ties=even)": "float32",
    "float16(ties=away)": "float32",
    "float(5,12)": "float64",
    "fixed(12,12,ties=even)": "float64",
}
INPUTS = batch(np.random.default_rng(1).integers(0, 2, (11, 4)))
in_every_carrier = pytest.mark.parametrize("form", FORMS)


@in_every_carrier
def test_the_forms_have_the_carriers_that_they_stand_for(form: str) -> None:
    assert carrier(parse_arithmetic(form)).dtype == FORMS[form]


@pytest.mark.parametrize(
    ("form", "mask"), [*((form, "causal") for form in FORMS), *((form, "full") for form in list(FORMS)[::2])]
)
@pytest.mark.one_in(2)
def test_every_rule_inside_attention_equals_the_definition_in_every_bit(
    form: str, mask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    A, counts = parse_arithmetic(form), Counter[str]()
    for n, rule in enumerate(RULES if mask == "causal" else FULL):
        T = kind_of_model(A, n, rule, heads=1 + n % 3, mask=mask)
        with counting(counts, monkeypatch) if n < 3 else nullcontext():
            assert_equal_runs(T, tree(2, [1], 3) if mask == "causal" and n % 2 else INPUTS, counts)
    assert_hard(counts)


@pytest.mark.parametrize("form", ["fixed(4,4)", "float16(ties=away)"])
def test_every_rule_has_an_effect_so_that_no_comparison_passes_because_both_left_it_out(form: str) -> None:
    for rule in RULES[1:-1]:
        models = [kind_of_model(parse_arithmetic(form), seed, rule, loudness=0.0) for seed in range(4)]
        without = [replace(T, positions=added(T.positions)) for T in models]
        assert any(
            not np.array_equal(run(T, "abba").stream, run(S, "abba").stream)
            for T, S in zip(models, without, strict=True)
        ), rule


@in_every_carrier
def test_every_activation_equals_the_definition_in_every_bit(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    A, counts = parse_arithmetic(form), Counter[str]()
    for n, activation in enumerate(ACTIVATIONS):
        T = kind_of_model(A, n, "none", activation, heads=n % 2, norms=n == 3)
        with counting(counts, monkeypatch) if n < 3 else nullcontext():
            assert_equal_runs(T, INPUTS, counts)
    assert counts["runs"] == len(ACTIVATIONS)
    assert counts["saturated"] > 50, counts
    assert counts["ties"] > 50, counts


@in_every_carrier
def test_biases_of_no_one_and_more_heads_equal_the_definition_in_every_bit(form: str) -> None:
    A, counts = parse_arithmetic(form), Counter[str]()
    for heads in range(4):
        T = kind_of_model(A, heads, heads=heads, norms=heads == 2)
        biased = [replace(block, attention=biases(T, block.attention)) for block in T.blocks]
        assert_equal_runs(replace(T, blocks=biased), INPUTS, counts)
    assert counts["runs"] == 4


def biases(T: Transformer, attention: Attention | None) -> Attention:
    """Give a bias everywhere, larger than most values."""
    assert attention is not None
    A = T.arithmetic
    few: list[Array] = [A.round([0.5, -1, 2, 1.5]), A.round([-0.75, 1, 0, 3]), A.round([1.25, -2, 1])]
    heads = [replace(head, b_Q=few[0], b_K=few[1], b_V=few[2]) for head in attention.heads]
    return replace(attention, heads=heads, b_O=A.round([-1.5, 0, 0.5]))


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
@pytest.mark.parametrize("form", ["fixed(4,4)"])
def test_every_weighting_with_every_rule_equals_the_definition_in_every_bit(form: str, weighting: Any) -> None:
    A, counts = parse_arithmetic(form), Counter[str]()
    for n, rule in enumerate(RULES):
        mask = "full" if rule in FULL and n % 2 else "causal"
        T = kind_of_model(A, n, rule, ACTIVATIONS[n % 6], mask=mask, weighting=weighting)
        assert_equal_runs(T, batch(INPUTS.ids.reshape(4, 11).T[:5, :3]), counts)
    assert counts["runs"] + counts["refused"] == len(RULES)
    assert counts["runs"] > 4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_machines_columns_equal_the_definition_with_left_folds_in_every_bit(dtype: Any) -> None:
    A, counts = Native(dtype), Counter[str]()
    for n, rule in enumerate(RULES):
        weighting = None if n % 3 == 2 else Softmax(shifted=True)
        T = kind_of_model(A, n, rule, ACTIVATIONS[n % 6], heads=1 + n % 3, loudness=0.0, weighting=weighting)
        assert_equal_runs(T, tree(2, [1], 3), counts)
        if rule in FULL:
            T = kind_of_model(A, n, rule, ACTIVATIONS[n % 5], mask="full", loudness=0.0, weighting=weighting)
            assert_equal_runs(T, INPUTS, counts)
    assert counts["runs"] > 10, counts


@pytest.mark.parametrize("form", ["fixed(4,4)", "float32"])
def test_positions_of_more_columns_than_a_tile_are_those_of_the_definition(form: str) -> None:
    A, counts = parse_arithmetic(form), Counter[str]()
    for n, rule in enumerate(("relative values", "halves", "slopes", "one for each head")):
        T = kind_of_model(A, n, rule, "swiglu", loudness=0.0, weighting=Softmax(shifted=True))
        assert_equal_runs(replace(T, blocks=T.blocks[:1]), batch(BITS), counts)
    assert counts["runs"] == 4


BITS = np.arange(600)[:, np.newaxis] >> np.arange(4) & 1
