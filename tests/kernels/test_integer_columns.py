"""Columns held by int16 and int32 equal the reference in every bit."""

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

SIXTEEN = (
    "fixed(4,4)",
    "fixed(2,2)",
    "fixed(1,1)",
    "fixed(0,3)",
    "fixed(0,7)",
    "fixed(14,0)",
    "fixed(4,5)",
    "fixed(1,6)",
)
THIRTY_TWO = ("fixed(8,8)", "fixed(3,12)", "fixed(10,10)", "fixed(0,15)", "fixed(25,0)", "fixed(0,8)")
FORMS = [*(("int16", form) for form in SIXTEEN), *(("int32", form) for form in THIRTY_TWO)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("dtype", "form", "ties"), one_tie_rule_each(FORMS))
def test_random_models_run_as_in_the_reference(
    dtype: str, form: str, ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_random_models(saturating(tied(form, ties)), dtype, monkeypatch)


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["fixed(2,3)", "fixed(6,8,ties=away)"])
def test_every_weighting_under_every_mask_runs_as_in_the_reference(form: str, weighting: Weighting, mask: str) -> None:
    assert_weighting(saturating(form), range(200, 204), weighting, mask)


@pytest.mark.parametrize("form", ["fixed(4,4)", "fixed(8,9)"])
def test_no_head_sees_what_another_left_behind(form: str) -> None:
    A, counts = saturating(form), Counter[str]()
    for seed in range(3):
        assert_equal_runs(many_heads(A, seed), tree(2, [], 5), counts)
        assert_equal_runs(many_heads(A, seed, "full"), batch(np.array([[0, 1, 1], [1, 0, 1]])), counts)
    assert counts["runs"] == 6
