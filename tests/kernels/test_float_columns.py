"""Columns held by float32 and float64 equal the reference in every bit."""

from collections import Counter

import numpy as np
import pytest

from tests.arithmetic.systems import saturating, tied
from tests.kernels.comparison import (
    assert_equal_runs,
    assert_random_models,
    assert_weighting,
)
from tests.kernels.loops import one_tie_rule_each
from tests.kernels.models import WEIGHTINGS, many_heads
from weightsmith.kernels.packed import batch, tree
from weightsmith.model import Weighting

SINGLE = ("float(3,3)", "float(1,2)", "float(2,4)", "float(4,7)", "float16", "float(7,11)", "e4m3", "e5m2")
DOUBLE = ("bfloat16", "float(5,12)", "float(6,20)", "float(10,25)", "float(3,25)", "float(8,2)", "fixed(12,12)",
          "fixed(5,13)", "fixed(0,25)")  # fmt: skip
FORMS = [*(("float32", form) for form in SINGLE), *(("float64", form) for form in DOUBLE)]


@pytest.mark.parametrize(("dtype", "form", "ties"), one_tie_rule_each(FORMS))
@pytest.mark.one_in(3)
def test_random_models_run_as_in_the_reference(
    dtype: str, form: str, ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_random_models(saturating(tied(form, ties)), dtype, monkeypatch)


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
@pytest.mark.parametrize("form", ["e4m3(ties=even)", "float(5,12)"])
def test_every_weighting_under_every_mask_runs_as_in_the_reference(form: str, weighting: Weighting, mask: str) -> None:
    assert_weighting(saturating(form), range(200, 204), weighting, mask)


@pytest.mark.parametrize("form", ["e4m3", "float(5,12)", "float16(ties=even)", "fixed(12,12,ties=even)"])
def test_no_head_sees_what_another_left_behind(form: str) -> None:
    A, counts = saturating(form), Counter[str]()
    for seed in range(3):
        assert_equal_runs(many_heads(A, seed), tree(2, [], 5), counts)
        assert_equal_runs(many_heads(A, seed, "full"), batch(np.array([[0, 1, 1], [1, 0, 1]])), counts)
    assert counts["runs"] == 6
