"""The rounded operations on rows, compiled for the tests as the loops compile them."""

from collections.abc import Sequence
from typing import Any

import numba as nb
import numpy as np
import pytest

from tests.arithmetic.systems import TIES
from weightsmith.arithmetic import Array, Saturating
from weightsmith.kernels.packed.access import load, store
from weightsmith.kernels.packed.carrier import Carrier, carrier
from weightsmith.kernels.packed.instructions import SIMD_BYTES
from weightsmith.kernels.packed.integers import Integers
from weightsmith.kernels.packed.representation import (
    Encoded,
    WeightFactor,
    add,
    bounded_factor,
    divide,
    factor,
    fits,
    left_shift,
    multiply,
    multiply_bounded,
    multiply_unit,
    multiply_weight,
    subtract,
    unit_factor,
)


def one_tie_rule_each(forms: Sequence[tuple[str, str]]) -> list[Any]:
    """Return (dtype, form, ties) for every form: one tie rule in turn always, the others in long searches."""
    return [
        pytest.param(dtype, form, ties, marks=() if n % 3 == TIES.index(ties) else pytest.mark.long)
        for n, (dtype, form) in enumerate(forms)
        for ties in TIES
    ]


_ROWS = ("add", "subtract", "multiply", "multiply_unit", "multiply_weight")


@nb.njit
def _operate(which: Any, x: Any, y: Any, reach: Any, c: Any) -> Any:
    if which == 0:
        return add(x, y, c)
    if which == 1:
        return subtract(x, y, c)
    if which == 2:
        return multiply(x, factor(y, c), c)
    if which == 3:
        return multiply_unit(x, unit_factor(y, c), c)
    return multiply_weight(x, WeightFactor(factor(y, c).value, reach), c)


@nb.njit(error_model="numpy")
def _rows(which: Any, x: Any, y: Any, reach: Any, singly: Any, in_vectors: Any, constants: Any) -> None:
    """Do an operation on single values and on SIMD vectors: one loop for all, for each takes time to compile."""
    for i in range(x.shape[1]):
        singly[0, i] = _operate(which, x[0, i], y[0, i], reach[0, i], constants)
    for i in range(0, x.shape[1], SIMD_BYTES // x.itemsize):
        store(in_vectors, 0, i, _operate(which, load(x, 0, i), load(y, 0, i), load(reach, 0, i), constants))


@nb.njit(error_model="numpy")
def _bounded(x: Any, y: Any, size: Any, out: Any, constants: Any) -> None:
    for i in range(x.size):
        assert fits(size[i], abs(y[i]), constants)
        right = bounded_factor(y[i], left_shift(size[i], constants), constants)
        out[i] = multiply_bounded(x[i], right, constants)


MEANING = {"multiply_unit": "multiply", "multiply_bounded": "multiply", "multiply_weight": "multiply"}


@nb.njit(error_model="numpy")
def _divide(x: Any, y: Any, rounding: Any, constants: Any) -> None:
    divide(x, 0, y, x.shape[1], rounding, constants)


def by_loop(A: Saturating, operation: str, x: Array, y: Array) -> Array:
    """Do what the arithmetic's operation does, as a fast run does it, on single values and on SIMD vectors alike.

    `multiply_unit` is a product where the right factor is at most 1, `multiply_bounded` one that fits the carrier,
    `multiply_weight` one with weights as `matrices.sparse` makes them.
    """
    c = carrier(A)
    u, v = c.encode(x), c.encode(y)
    if operation == "divide":
        _divide(u.reshape(1, -1), v.reshape(1, -1), c.rounding, c.constants)
        return plain(c, u)
    if (
        operation == "multiply_bounded"
    ):  # as if x were the largest of many factors, and if others were as large as can be
        alone, among = np.empty_like(u), np.empty_like(u)
        _bounded(u, v, np.abs(u), alone, c.constants)
        _bounded(u, v, np.maximum(np.abs(u), c.encode(_room(A, y))), among, c.constants)
        assert alone.tobytes() == among.tobytes(), A
        return plain(c, alone)
    simd = SIMD_BYTES // u.itemsize
    left, right, reach = (np.resize(side, (1, -(-side.size // simd) * simd)) for side in (u, v, c.reach(v)))
    singly, in_vectors = (np.empty_like(left) for _ in range(2))
    _rows(_ROWS.index(operation), left, right, reach, singly, in_vectors, c.constants)
    assert singly.tobytes() == in_vectors.tobytes(), (A, operation)
    return plain(c, singly[0, : x.size])


def plain(c: Carrier, encoded: Encoded) -> Array:
    """Decode, but keep a −0 so that it is seen."""
    return encoded.astype(np.float64) / c.scale


def allowed(A: Saturating, operation: str, x: Array, y: Array) -> tuple[Array, Array]:
    """Keep the pairs that the operation is for."""
    if operation == "divide":
        keep = (x >= 0) & (x <= y) & (y > 0)
    elif operation == "multiply_unit":
        keep = np.abs(y) <= 1
    elif operation == "multiply_bounded":
        keep = np.abs(x) <= _room(A, y)
    else:
        keep = np.full(x.shape, True)
    return x[keep], y[keep]


def _room(A: Saturating, y: Array) -> Array:
    """Give the largest factor of y with a product that fits."""
    constants, scale = carrier(A).constants, carrier(A).scale
    if issubclass(carrier(A).representation, Integers):
        return np.minimum((int(constants.large) - 1) // np.maximum(np.abs(y) * scale, 1) / scale, A.infinity)
    return np.minimum(0.98 * A.infinity / np.maximum(np.abs(y), 1), A.infinity)


def assert_all_equal(A: Saturating, operation: str, x: Array, y: Array) -> int:
    """Compare with the arithmetic in every bit; give the number of pairs."""
    x, y = allowed(A, operation, x, y)
    found = by_loop(A, operation, x, y)
    wanted = getattr(A, MEANING.get(operation, operation))(x, y)
    wrong = (found != wanted) | (np.signbit(found) != np.signbit(wanted))
    assert not wrong.any(), (A, x[wrong][0], operation, y[wrong][0], found[wrong][0], wanted[wrong][0])
    return len(x)
