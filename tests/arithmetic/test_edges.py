"""The edges of the arithmetics: operands that are no members, the fast path, the doubt of exp, extreme laws."""

from typing import Any
from unittest import mock

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Law, Native, TwosComplement, laws
from weightsmith.arithmetic import Arithmetic, fast_rounding, multiplications_to_infinity, saturating


def row(A: Arithmetic, name: str) -> Law:
    return next(law for law in laws(A) if law.name == name)


def test_large_arrays_take_the_fast_path_and_small_ones_the_reference() -> None:
    A = Float(4, 3)
    x = np.random.default_rng(2).normal(size=saturating.FAST_SIZE) * 10
    with mock.patch.object(fast_rounding, "nearest", wraps=fast_rounding.nearest) as fast:
        slowly = np.concatenate([A.round(part) for part in np.split(x, 1 << 10)])
        assert fast.call_count == 0
        assert np.array_equal(A.round(x), slowly)
        assert fast.call_count == 1


@pytest.mark.parametrize("sign", [1, -1])
def test_exp_is_right_even_if_the_machine_errs_by_two_hundred_units(monkeypatch: pytest.MonkeyPatch, sign: int) -> None:
    A, machine = Float(8, 25), np.exp
    x = np.unique(A.round(np.linspace(0.5, 1, 4_000_000)))
    right = A.exp(x)
    monkeypatch.setattr(np, "exp", lambda v: machine(v) * (1 + sign * 200 * 2.0**-53))
    assert np.array_equal(A.exp(x), right)


@pytest.mark.parametrize("operation", ["add", "subtract", "multiply", "divide", "dot", "matvec"])
@pytest.mark.parametrize("side", [0, 1])
def test_every_operand_must_be_a_member(operation: str, side: int) -> None:
    operands = [np.ones((1, 1)), np.ones(1)]
    operands[side] = operands[side] * 0.1
    with pytest.raises(ws.InputError, match=r"0\.1 is not a member of fixed\(4,4\)"):
        getattr(Fixed(4, 4), operation)(*operands)


@pytest.mark.parametrize("operation", ["exp", "sqrt", "sum", "softmax"])
def test_the_operand_must_be_a_member(operation: str) -> None:
    with pytest.raises(ws.InputError, match=r"0\.1 is not a member of fixed\(4,4\)"):
        getattr(Fixed(4, 4), operation)([0.1])


def test_integers_below_minus_2_to_the_53_are_refused() -> None:
    with pytest.raises(ws.InputError, match=r"integers beyond 2\^53"):
        Fixed(4, 4).round([-(2**60) - 1])


@pytest.mark.parametrize("A", [Fixed(4, 4), Float(3, 3), Native("float32"), Native("float64")], ids=str)
def test_nothing_that_is_not_finite_is_a_member(A: Arithmetic) -> None:
    assert A.contains([np.inf, -np.inf, np.nan, 0.0, A.infinity]).tolist() == [False, False, False, True, True]


def test_the_counterexamples_of_the_machine_name_the_extreme_value() -> None:
    A = Native("float32")
    assert str(row(A, "saturation").counterexample).startswith(f"x = {A.infinity!r}: ")
    assert row(A, "growth").counterexample == "∞ ⊗ ∞ overflows to an IEEE infinity"


def test_growth_fails_where_infinity_itself_shrinks() -> None:
    assert multiplications_to_infinity(Fixed(0, 1)) is None


def test_a_wide_twos_complement_range_is_not_symmetric() -> None:
    A = TwosComplement(12, 12)
    assert row(A, "symmetric").counterexample == "4096.0 is not a member, and -4096.0 is"
    assert not row(A, "saturation").holds


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_machines_arithmetic_has_no_minus_zero(dtype: Any) -> None:
    A = Native(dtype)
    for zero in (A.round(-0.0), A.multiply(-1.0, 0.0), A.round(-1e-400), A.sum([-0.0]), A.subtract(-0.0, 0.0)):
        assert not np.signbit(zero)


def test_a_truth_value_is_no_number_of_bits() -> None:
    with pytest.raises(ws.InputError, match="integer_bits=True of Fixed must be a whole number"):
        Fixed(True, 4)


def test_native_exp_is_the_machines_in_its_own_type() -> None:
    x = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    assert np.array_equal(Native("float32").exp(x), np.exp(x).astype(np.float64))
