"""silu and the tanh form of gelu for large arrays: x / (1 + exp(−y)), which Numba compiles to SIMD and caches on disk.

numpy goes through memory once for each operation, this once in all. The results may differ in the last bits.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic.fast_gelu import Constants, Loop, bits, compiled, polynomial


def _silu(c: Constants) -> Loop:
    return _loop(c, 0.0, -1.0)


def _gelu_tanh(c: Constants) -> Loop:
    return _loop(c, 0.044715, -2 * math.sqrt(2 / math.pi))


def _loop(c: Constants, cubic: float, factor: float) -> Loop:
    """Return the loop for y = −factor·(x + cubic·x³); exp(−y) is 2ⁿ·exp(r), as in `fast_gelu`."""
    real, integer = c.real, c.integer
    exp = tuple(map(real, c.exp))
    curved, a, b = cubic != 0, real(cubic), real(factor)
    whole, ln_2, rest, one, log_2_of_e = map(real, (c.whole, *c.ln_2, 1.0, 1.4426950408889634))
    # Below `least`, 1 + exp is 1; above `most` it overflows. 2ⁿ is made of 2ⁿ⁻¹, which is finite where exp is.
    least, most, infinity = real(-80.0), real(math.log(np.finfo(real).max)), real(np.inf)
    bias, fraction, two = integer(c.bias - 1), integer(c.fraction), real(2.0)

    def loop(x: Any) -> None:
        for i in range(x.size):
            minus_y = ((x[i] * a * x[i] * x[i] + x[i]) if curved else x[i]) * b
            y = max(min(minus_y, most), least)
            shifted = y * log_2_of_e + whole
            n = shifted - whole
            r = (y - n * ln_2) - n * rest
            power = bits(integer((bits(shifted) + bias) << fraction))
            e = polynomial(exp, r) * power * two
            x[i] = x[i] / (one + (infinity if minus_y > most else e))

    return loop


def to_silu(x: npt.NDArray[Any]) -> None:
    """Replace float32 or float64 numbers, a contiguous array, by x / (1 + exp(−x))."""
    compiled(_silu, x.dtype.name)(x.reshape(-1))


def to_gelu_tanh(x: npt.NDArray[Any]) -> None:
    """Replace float32 or float64 numbers, a contiguous array, by the tanh form of gelu."""
    compiled(_gelu_tanh, x.dtype.name)(x.reshape(-1))
