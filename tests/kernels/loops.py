"""The rounded operations on rows, compiled for the tests as the loops compile them."""

from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np

from weightsmith.arithmetic import Array, Saturating, parse_arithmetic
from weightsmith.kernels import operations
from weightsmith.kernels.carrier import Carried, Carrier, carrier
from weightsmith.kernels.operations import add, multiply, prepared, saturate, scaled, subtract

TIES = ("zero", "even", "away")


@nb.njit(error_model="numpy")
def _add(x: Any, y: Any, out: Any, rule: Any) -> None:
    for i in range(x.size):
        out[i] = add(x[i], y[i], rule)


@nb.njit(error_model="numpy")
def _subtract(x: Any, y: Any, out: Any, rule: Any) -> None:
    for i in range(x.size):
        out[i] = subtract(x[i], y[i], rule)


@nb.njit(error_model="numpy")
def _multiply(x: Any, y: Any, out: Any, rule: Any) -> None:
    for i in range(x.size):
        out[i] = multiply(x[i], prepared(y[i], rule), rule)


@nb.njit(error_model="numpy")
def _scaled(x: Any, y: Any, out: Any, rule: Any) -> None:
    for i in range(x.size):
        out[i] = scaled(x[i], prepared(y[i], rule), rule)


@nb.njit(error_model="numpy")
def _saturate(x: Any, weights: Any, reach: Any, out: Any, rule: Any) -> None:
    for i in range(x.size):
        out[i] = saturate(x[i], weights[i], reach[i], rule)


@nb.njit(error_model="numpy")
def _quotients(x: Any, y: Any, exact: Any, rule: Any) -> None:
    operations.quotients(x, y, exact, rule)


def by_loop(A: Saturating, operation: str, x: Array, y: Array) -> Array:
    """Do what the arithmetic's operation does, as a fast run does it.

    `scaled` is a product where a factor is at most 1, `saturate` a product with weights as `program.sparse` makes them.
    """
    c = carrier(A)
    u, v = c.encode(x), c.encode(y)
    if operation == "divide":
        _quotients(u, v, c.exact, c.rule)
        return plain(c, u)
    out = np.empty_like(u)
    if operation == "saturate":
        _saturate(u, c.prepare(v), c.reach(v), out, c.rule)
    else:
        _ROWS[operation](u, v, out, c.rule)
    return plain(c, out)


_ROWS: dict[str, Callable[..., None]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "scaled": _scaled,
}
MEANING = {"scaled": "multiply", "saturate": "multiply"}


def plain(c: Carrier, carried: Carried) -> Array:
    """Decode, but keep a −0 so that it is seen."""
    return carried.astype(np.float64) / c.scale


def allowed(operation: str, x: Array, y: Array) -> tuple[Array, Array]:
    """Keep the pairs that the operation is for."""
    if operation == "divide":
        keep = (x >= 0) & (x <= y) & (y > 0)
    elif operation == "scaled":
        keep = (np.abs(x) <= 1) | (np.abs(y) <= 1)
    else:
        keep = np.full(x.shape, True)
    return x[keep], y[keep]


def assert_all_equal(A: Saturating, operation: str, x: Array, y: Array) -> int:
    """Compare with the arithmetic in every bit; give the number of pairs."""
    x, y = allowed(operation, x, y)
    found = by_loop(A, operation, x, y)
    wanted = getattr(A, MEANING.get(operation, operation))(x, y)
    wrong = (found != wanted) | (np.signbit(found) != np.signbit(wanted))
    assert not wrong.any(), (A, x[wrong][0], operation, y[wrong][0], found[wrong][0], wanted[wrong][0])
    return len(x)


def finite_arithmetic(form: str) -> Saturating:
    A = parse_arithmetic(form)
    assert isinstance(A, Saturating)
    return A
