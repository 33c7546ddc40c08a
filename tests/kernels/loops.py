"""The rounded operations on rows, compiled for the tests as the loops compile them."""

from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np

from weightsmith.arithmetic import Array, Saturating, parse_arithmetic
from weightsmith.kernels.packed import operations
from weightsmith.kernels.packed.carrier import Carried, Carrier, carrier
from weightsmith.kernels.packed.instructions import PACK_BYTES, load, store
from weightsmith.kernels.packed.operations import add, subtract
from weightsmith.kernels.packed.products import (
    bounded,
    counterpart,
    fits,
    multiply,
    places_of,
    prepared,
    saturate,
    scaled,
    share,
)
from weightsmith.kernels.packed.rules import Whole, WholeToZero

TIES = ("zero", "even", "away")


def _rows(operation: Any) -> tuple[Callable[..., None], Callable[..., None]]:
    """Give a loop over single values, and one over packs."""

    @nb.njit(error_model="numpy")
    def singly(x: Any, y: Any, reach: Any, out: Any, rule: Any) -> None:
        for i in range(x.shape[1]):
            out[0, i] = operation(x[0, i], y[0, i], reach[0, i], rule)

    @nb.njit(error_model="numpy")
    def in_packs(x: Any, y: Any, reach: Any, out: Any, rule: Any) -> None:
        for i in range(0, x.shape[1], PACK_BYTES // x.itemsize):
            store(out, 0, i, operation(load(x, 0, i), load(y, 0, i), load(reach, 0, i), rule))

    return singly, in_packs


_ROWS = {
    "add": _rows(nb.njit(lambda x, y, reach, rule: add(x, y, rule))),
    "subtract": _rows(nb.njit(lambda x, y, reach, rule: subtract(x, y, rule))),
    "multiply": _rows(nb.njit(lambda x, y, reach, rule: multiply(x, prepared(y, rule), rule))),
    "scaled": _rows(nb.njit(lambda x, y, reach, rule: scaled(x, share(y, rule), rule))),
    "saturate": _rows(nb.njit(lambda x, y, reach, rule: saturate(x, prepared(y, rule), reach, rule))),
}


@nb.njit(error_model="numpy")
def _bounded(x: Any, y: Any, size: Any, out: Any, rule: Any) -> None:
    for i in range(x.size):
        assert fits(size[i], abs(y[i]), rule)
        places = places_of(size[i], rule)
        out[i] = bounded(x[i], counterpart(y[i], places, rule), places, rule)


MEANING = {"scaled": "multiply", "bounded": "multiply", "saturate": "multiply"}


@nb.njit(error_model="numpy")
def _quotients(x: Any, y: Any, exact: Any, rule: Any) -> None:
    operations.quotients(x, y, exact, rule)


def by_loop(A: Saturating, operation: str, x: Array, y: Array) -> Array:
    """Do what the arithmetic's operation does, as a fast run does it, on single values and on packs alike.

    `scaled` is a product where the right factor is at most 1, `bounded` one that fits the carrier, `saturate` one with
    weights as `program.sparse` makes them.
    """
    c = carrier(A)
    u, v = c.encode(x), c.encode(y)
    if operation == "divide":
        _quotients(u, v, c.exact, c.rule)
        return plain(c, u)
    if operation == "bounded":  # as if x were the largest of many factors, and as if others were as large as can be
        alone, among = np.empty_like(u), np.empty_like(u)
        _bounded(u, v, np.abs(u), alone, c.rule)
        _bounded(u, v, np.maximum(np.abs(u), c.encode(_room(A, y))), among, c.rule)
        assert alone.tobytes() == among.tobytes(), A
        return plain(c, alone)
    pack = PACK_BYTES // u.itemsize
    sides = [np.resize(side, (1, -(-side.size // pack) * pack)) for side in (u, v, c.reach(v))]
    singly, in_packs = (np.empty_like(sides[0]) for _ in range(2))
    _ROWS[operation][0](*sides, singly, c.rule)
    _ROWS[operation][1](*sides, in_packs, c.rule)
    assert singly.tobytes() == in_packs.tobytes(), (A, operation)
    return plain(c, singly[0, : x.size])


def plain(c: Carrier, carried: Carried) -> Array:
    """Decode, but keep a −0 so that it is seen."""
    return carried.astype(np.float64) / c.scale


def allowed(A: Saturating, operation: str, x: Array, y: Array) -> tuple[Array, Array]:
    """Keep the pairs that the operation is for."""
    if operation == "divide":
        keep = (x >= 0) & (x <= y) & (y > 0)
    elif operation == "scaled":
        keep = np.abs(y) <= 1
    elif operation == "bounded":
        keep = np.abs(x) <= _room(A, y)
    else:
        keep = np.full(x.shape, True)
    return x[keep], y[keep]


def _room(A: Saturating, y: Array) -> Array:
    """Give the largest factor of y with a product that fits."""
    rule, scale = carrier(A).rule, carrier(A).scale
    if isinstance(rule, Whole | WholeToZero):
        return np.minimum((int(rule.large) - 1) // np.maximum(np.abs(y) * scale, 1) / scale, A.infinity)
    return np.minimum(0.98 * A.infinity / np.maximum(np.abs(y), 1), A.infinity)


def assert_all_equal(A: Saturating, operation: str, x: Array, y: Array) -> int:
    """Compare with the arithmetic in every bit; give the number of pairs."""
    x, y = allowed(A, operation, x, y)
    found = by_loop(A, operation, x, y)
    wanted = getattr(A, MEANING.get(operation, operation))(x, y)
    wrong = (found != wanted) | (np.signbit(found) != np.signbit(wanted))
    assert not wrong.any(), (A, x[wrong][0], operation, y[wrong][0], found[wrong][0], wanted[wrong][0])
    return len(x)


def finite_arithmetic(form: str) -> Saturating:
    A = parse_arithmetic(form)
    assert isinstance(A, Saturating)
    return A
