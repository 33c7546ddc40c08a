"""The rounding of `rounding.py` as a Numba kernel: one pass over memory, no branches, about as fast as copying.

Signatures are explicit and the machine code is cached on disk, so only the first use ever pays for compiling.
No fast-math: every operation is the IEEE one, in the order written.
"""

import math
from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np

from weightsmith.arithmetic.core import Array, Ties

_njit: Callable[..., Callable[[Callable[..., Any]], Any]] = nb.njit
_inlined = _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)  # by LLVM, which compiles faster
_ZERO, _EVEN, _AWAY = 0, 1, 2
_TIES = {"zero": _ZERO, "even": _EVEN, "away": _AWAY}


@_inlined
def _steps(x: float, least_exponent: int, precision: int) -> tuple[float, float]:
    """Return the quantum at x and its reciprocal, from the bits of the exponent of x."""
    exponent = np.maximum((np.float64(x).view(np.int64) >> 52) & 0x7FF, least_exponent + 1023) - (precision - 1)
    return np.int64(exponent << 52).view(np.float64), np.int64((2046 - exponent) << 52).view(np.float64)


@_inlined
def to_zero(x: float, lowest: float, infinity: float, least_exponent: int, precision: int) -> Any:
    """Round one number, ties to zero."""
    clamped = min(max(x, lowest), infinity)
    steps, per_step = _steps(clamped, least_exponent, precision)
    s = clamped * per_step
    return math.copysign(np.ceil(abs(s) - 0.5), s) * steps + 0.0


@_inlined
def to_even(x: float, lowest: float, infinity: float, least_exponent: int, precision: int) -> Any:
    """Round one number, ties to even."""
    clamped = min(max(x, lowest), infinity)
    steps, per_step = _steps(clamped, least_exponent, precision)
    return np.rint(clamped * per_step) * steps + 0.0


@_inlined
def away(x: float, lowest: float, infinity: float, least_exponent: int, precision: int) -> Any:
    """Round one number, ties away from zero."""
    clamped = min(max(x, lowest), infinity)
    steps, per_step = _steps(clamped, least_exponent, precision)
    s = clamped * per_step
    whole = np.trunc(s)
    return (whole + math.copysign(np.float64(abs(s - whole) >= 0.5), s)) * steps + 0.0


def _round_all(
    x: Array, out: Array, lowest: float, infinity: float, least_exponent: int, precision: int, ties: int
) -> None:
    """Round x into out. Each of the three loops has one tie rule, and so no branches."""
    if ties == _ZERO:
        for i in range(x.size):
            out[i] = to_zero(x[i], lowest, infinity, least_exponent, precision)
    elif ties == _EVEN:
        for i in range(x.size):
            out[i] = to_even(x[i], lowest, infinity, least_exponent, precision)
    else:
        for i in range(x.size):
            out[i] = away(x[i], lowest, infinity, least_exponent, precision)


_READ_ONLY = nb.types.Array(nb.float64, 1, "C", readonly=True)  # takes writable arrays too
_SIGNATURE = nb.void(_READ_ONLY, nb.float64[::1], nb.float64, nb.float64, nb.int64, nb.int64, nb.int64)
try:
    _compiled = nb.njit(_SIGNATURE, nogil=True, error_model="numpy", cache=True)(_round_all)
except RuntimeError:  # neither this folder nor the user's cache folder can be written to
    _compiled = nb.njit(_SIGNATURE, nogil=True, error_model="numpy")(_round_all)


def nearest(x: Array, lowest: float, infinity: float, least_exponent: int, precision: int, ties: Ties) -> Array:
    """Do what `rounding.nearest` does, bit for bit."""
    flat = np.ascontiguousarray(x).reshape(-1)
    out = np.empty_like(flat)
    _compiled(flat, out, lowest, infinity, least_exponent, precision, _TIES[ties])
    return out.reshape(x.shape)
