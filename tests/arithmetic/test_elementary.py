"""exp and sqrt of all values of small systems and many of wide ones, against 60 digits."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from tests.arithmetic.exactness import LARGE, SMALL
from tests.arithmetic.systems import TIES, saturating, tied
from tests.witness import numbers
from tests.witness.integers import grid
from weightsmith import Float
from weightsmith.arithmetic import correct_rounding, elementary

EVERY_VALUE = [(form, 1) for form in SMALL]
EVERY_17TH = [(form, 17) for form in LARGE]
IN_A_LONG_SEARCH = [pytest.param(form, 1, marks=pytest.mark.long) for form in LARGE]


@pytest.mark.parametrize("function", ["exp", "sqrt"])
@pytest.mark.parametrize(("form", "step"), [*EVERY_VALUE, *EVERY_17TH, *IN_A_LONG_SEARCH])
@pytest.mark.one_in(3)
def test_exp_and_sqrt_of_all_values_are_rounded_correctly(form: str, step: int, function: str) -> None:
    for ties in TIES if form in SMALL else TIES[:1]:
        A, exact = saturating(tied(form, ties)), numbers.system(tied(form, ties))
        members = exact.members if function == "exp" else [x for x in exact.members if x >= 0]
        members = members[::step]
        found = getattr(A, function)(np.array([float(x) for x in members]))
        for x, result in zip(members, found.tolist(), strict=True):
            assert Fraction(result) == getattr(exact, function)(x), (form, ties, function, x)


@pytest.mark.parametrize("form", ["float(8,24)", "float(8,25)", "fixed(12,13)", "fixed(4,20)"])
@pytest.mark.one_in(3)
def test_exp_of_wide_systems_is_rounded_correctly(form: str) -> None:
    A, exact = saturating(form), grid(form, "zero")
    x = np.unique(A.round(np.random.default_rng(3).normal(size=20_000) * 5))
    for value, result in zip(x.tolist(), A.exp(x).tolist(), strict=True):
        power = numbers.exp_to_60_digits(Fraction(value)) * 2**exact.unit
        assert result == exact.value(exact.round(power.numerator, power.denominator)), value


def test_values_in_doubt_are_decided_by_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a doubt as wide as a member's distance, most values go to arbitrary precision, and none changes."""
    A = Float(6, 12)
    x = np.unique(A.round(np.linspace(-20, 20, 2001)))
    quick = A.exp(x)
    monkeypatch.setattr(elementary, "_DOUBT", 2.0**-13)
    with mock.patch.object(correct_rounding, "round_ball", wraps=correct_rounding.round_ball) as decide:
        assert np.array_equal(A.exp(x), quick)
    assert decide.call_count > 500
