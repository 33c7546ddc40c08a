"""The rounding of `rounding.py` as a Numba kernel: one pass over memory, no branches, about as fast as copying.

Signatures are explicit and the machine code is cached on disk, so only the first use ever pays for compiling.
No fast-math: every operation is the IEEE one, in the order written.
"""

import math
from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np

from weightsmith.arithmetic.core import Array
from weightsmith.arithmetic.rounding import Rounding, Rule
from weightsmith.arithmetic.rounding import nearest as readable

_njit: Callable[..., Callable[[Callable[..., Any]], Any]] = nb.njit
_inlined = _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)  # by LLVM, which compiles faster


@_inlined
def _scaled(x: float, r: Rounding) -> tuple[float, float]:
    """Return x, clamped, in units of its quantum, and the quantum, which follows from the bits of its exponent."""
    clamped = min(max(x, r.lowest), r.infinity)
    exponent = np.maximum((np.float64(clamped).view(np.int64) >> 52) & 0x7FF, r.least_exponent + 1023)
    exponent -= r.precision - 1
    return clamped * np.int64((2046 - exponent) << 52).view(np.float64), np.int64(exponent << 52).view(np.float64)


@_inlined
def to_zero(x: float, r: Rounding) -> Any:
    """Round one number, ties to zero."""
    s, steps = _scaled(x, r)
    return math.copysign(np.ceil(abs(s) - 0.5), s) * steps + 0.0


@_inlined
def to_even(x: float, r: Rounding) -> Any:
    """Round one number, ties to even."""
    s, steps = _scaled(x, r)
    return np.rint(s) * steps + 0.0


@_inlined
def away(x: float, r: Rounding) -> Any:
    """Round one number, ties away from zero."""
    s, steps = _scaled(x, r)
    whole = np.trunc(s)
    return (whole + math.copysign(np.float64(abs(s - whole) >= 0.5), s)) * steps + 0.0


def _round_all(
    x: Array, out: Array, lowest: float, infinity: float, least_exponent: int, precision: int, rule: int
) -> None:
    """Round x into out. Each of the three loops has one tie rule, and so no branches."""
    r = Rounding(lowest, infinity, least_exponent, precision, rule, 1.0)
    if rule == Rule.ZERO:
        for i in range(x.size):
            out[i] = to_zero(x[i], r)
    elif rule == Rule.EVEN:
        for i in range(x.size):
            out[i] = to_even(x[i], r)
    else:
        for i in range(x.size):
            out[i] = away(x[i], r)


_READ_ONLY = nb.types.Array(nb.float64, 1, "C", readonly=True)  # takes writable arrays too
_SIGNATURE = nb.void(_READ_ONLY, nb.float64[::1], nb.float64, nb.float64, nb.int64, nb.int64, nb.int64)
try:
    _compiled = nb.njit(_SIGNATURE, nogil=True, error_model="numpy", cache=True)(_round_all)
except RuntimeError:  # neither this folder nor the user's cache folder can be written to
    _compiled = nb.njit(_SIGNATURE, nogil=True, error_model="numpy")(_round_all)


def nearest(x: Array, rounding: Rounding) -> Array:
    """Do what `rounding.nearest` does, bit for bit; leave a rule that is not known here to it."""
    if rounding.direction is None:
        return readable(x, rounding)
    flat = np.ascontiguousarray(x).reshape(-1)
    out = np.empty_like(flat)
    _compiled(flat, out, *rounding[:-1])
    return out.reshape(x.shape)
