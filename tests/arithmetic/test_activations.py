"""Activations of all values of small systems and many of wide ones, against 60 digits; of the machine, in ulps."""

from fractions import Fraction
from typing import Any
from unittest import mock

import mpmath as mp
import numpy as np
import pytest

from tests.arithmetic.systems import TIES, saturating, tied
from tests.witness import numbers
from tests.witness.functions import FUNCTIONS, fraction
from tests.witness.integers import grid
from weightsmith import Fixed, Float, Native
from weightsmith.arithmetic import correct_rounding, elementary

NAMES: tuple[Any, ...] = ("relu", "gelu", "gelu_tanh", "silu")
SMALL = ("fixed(2,2)", "fixed(4,4)", "fixed(0,4)", "float(3,3)", "float(4,3)", "float(2,4)", "e4m3", "e5m2")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", SMALL)
def test_activations_of_all_values_are_rounded_correctly(form: str, name: Any) -> None:
    members = numbers.system(form).members
    exact = [FUNCTIONS[name](x) for x in members]
    for ties in TIES:
        A, N = saturating(tied(form, ties)), numbers.system(tied(form, ties))
        found = A.activate(name, np.array([float(x) for x in members]))
        assert not np.signbit(found[found == 0]).any()
        assert [Fraction(y) for y in found.tolist()] == [N.round(y) for y in exact], (form, ties, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["float(8,24)", "fixed(4,20)", "float16", "bfloat16"])
def test_activations_of_wide_systems_are_rounded_correctly(form: str, name: Any) -> None:
    A, G = saturating(form), grid(form, "zero")
    random = np.random.default_rng(3)
    x = np.unique(A.round(np.concatenate([random.normal(size=200) * 4, -(2.0 ** random.uniform(-20, 5, 100))])))
    for value, result in zip(x.tolist(), A.activate(name, x).tolist(), strict=True):
        exact = FUNCTIONS[name](Fraction(value)) * 2**G.unit
        assert result == G.value(G.round(exact.numerator, exact.denominator)), value


@pytest.mark.parametrize("name", NAMES[1:])
def test_values_in_doubt_are_decided_by_balls_and_none_changes(name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    A = Float(6, 12)
    x = np.unique(A.round(np.linspace(-20, 20, 801)))
    quick = A.activate(name, x)
    monkeypatch.setattr(elementary, "_DOUBT", 2.0**-13)
    with mock.patch.object(correct_rounding, "round_ball", wraps=correct_rounding.round_ball) as decide:
        assert np.array_equal(A.activate(name, x), quick)
    assert decide.call_count > 100


@pytest.mark.parametrize("name", NAMES)
def test_extreme_members_go_to_themselves_or_to_0(name: Any) -> None:
    for A in (Fixed(12, 12), Float(8, 24), Float(10, 25), Float.like("bfloat16")):
        assert A.activate(name, [A.infinity, 0.0, -A.infinity]).tolist() == [A.infinity, 0, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_the_machines_activations_err_by_a_few_ulps(name: Any, dtype: Any) -> None:
    """exp is the machine's. Far below 0 an error in the argument grows by the argument's size, squared."""
    A = Native(dtype)
    x = A.round(np.concatenate([np.linspace(-6, 6, 241), 2.0 ** np.arange(-20, 7), -(2.0 ** np.arange(-20.0, 2))]))
    exact = np.array([float(FUNCTIONS[name](Fraction(v))) for v in x.tolist()])
    ulp = np.spacing(np.abs(exact).astype(dtype)).astype(np.float64)
    allowed = 4 + 2 * np.where(x < 0, x * x, 0)
    assert (np.abs(A.activate(name, x) - exact) <= allowed * ulp).all()
    assert A.activate(name, [-1e30, 1e30] if dtype == "float64" else [-(2.0**90), 2.0**90]).tolist()[0] == 0


def test_the_exact_value_of_a_number_of_mpmath_is_taken() -> None:
    assert fraction(mp.mpf("-0.375")) == Fraction(-3, 8)
