"""The rounding of `rounding.py` as a Numba kernel: one pass over memory, no branches, about as fast as copying.

Signatures are explicit and the machine code is cached on disk, so only the first use ever pays for compiling.
No fast-math: every operation is the IEEE one, in the order written.
"""

import math
from collections.abc import Callable

import numba as nb
import numpy as np

from weightsmith.arithmetic.base import Array, Ties

_SIGNATURE = "void(float64[::1], float64[::1], float64, float64, int64, int64)"


def _kernel(round_integer: Callable[[float], float]) -> Callable[..., None]:
    """Build the kernel around one of the three tie rules."""

    @nb.njit(_SIGNATURE, nogil=True, error_model="numpy", cache=True)
    def kernel(x: Array, out: Array, lowest: float, infinity: float, least_exponent: int, precision: int) -> None:
        least = least_exponent + 1023
        for i in range(x.size):
            clamped = min(max(x[i], lowest), infinity)
            exponent = np.maximum((np.float64(clamped).view(np.int64) >> 52) & 0x7FF, least) - (precision - 1)
            steps = np.int64(exponent << 52).view(np.float64)
            per_step = np.int64((2046 - exponent) << 52).view(np.float64)
            out[i] = round_integer(clamped * per_step) * steps + 0.0

    compiled: Callable[..., None] = kernel
    return compiled


@nb.njit(inline="always")
def _to_zero(s: float) -> float:
    return math.copysign(np.ceil(abs(s) - 0.5), s)


@nb.njit(inline="always")
def _to_even(s: float) -> float:
    return float(np.rint(s))


@nb.njit(inline="always")
def _away(s: float) -> float:
    whole = np.trunc(s)
    return float(whole + math.copysign(np.float64(abs(s - whole) >= 0.5), s))


_KERNELS = {"zero": _kernel(_to_zero), "even": _kernel(_to_even), "away": _kernel(_away)}


def nearest(x: Array, lowest: float, infinity: float, least_exponent: int, precision: int, ties: Ties) -> Array:
    """Do what `rounding.nearest` does, bit for bit."""
    flat = np.ascontiguousarray(x).reshape(-1)
    out = np.empty_like(flat)
    _KERNELS[ties](flat, out, lowest, infinity, least_exponent, precision)
    return out.reshape(x.shape)
