"""The exact gelu of whole arrays, which numpy lacks: Numba compiles it to SIMD, and caches it on disk.

With t = |x| it is max(x, 0) − t·Q(t), and Q(t) = erfc(t/√2)/2 = exp(−t²/2)·R(t). Nothing cancels, because Q is at most
½; so it is also right where gelu is tiny, to a few units in the last place.

- R(t)·(t + a) is smooth up to t = ∞ as a function of u = 1 − 2a/(t + a), so a polynomial in u gives R.
- t² is rounded, which would show in exp. So t = s + d, with s short enough for s² to be exact, and t² = s² + d·(t + s).
- exp(−s²/2) is 2ⁿ·exp(r) with n whole, and exp(r − d·(t + s)/2) is a polynomial too.

The coefficients are those of the polynomials that agree with the functions at the zeros of a Chebyshev polynomial,
computed with 40 digits; each errs by less than a tenth of a unit in the last place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import numba as nb
import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

_intrinsic: Callable[..., Any] = intrinsic
Function = TypeVar("Function", bound=Callable[..., Any])
_njit: Callable[..., Any] = nb.njit
Loop: TypeAlias = Callable[[npt.NDArray[Any]], None]  # replaces the numbers of an array of one axis
_inlined: Callable[[Function], Function] = _njit(inline="always")


@dataclass(frozen=True)
class Constants:
    """What depends on the type; coefficients go from the highest power, which is even in R, to the lowest."""

    real: Any
    integer: Any
    R: list[float]
    exp: list[float]
    largest: float  # t from which on t·Q(t) is 0
    a: float
    short: float  # t plus this, less this, is s
    whole: float  # y plus this, less this, is n, and n stands in the last bits of y plus this
    ln_2: tuple[float, float]  # a short number and the rest: n times the first is exact
    raised: int  # 2ⁿ is made 2^raised times as large, so that it is normal, and lowered at the end, which rounds once
    bias: int  # of exponents
    fraction: int  # how many bits there are behind an exponent


FLOAT32 = Constants(
    np.float32, np.int32,
    [5.5491873e-05, 0.00013332395, -0.0002447093, -0.0010344766, 0.0010241573, 0.0069699204, -0.010462289,
     -0.04726276, 0.23001768, -0.509332, 0.7290837],
    [0.0013951688, 0.008383598, 0.041666213, 0.16666304, 0.5, 1.0000001, 1.0],
    largest=15.0, a=3.0, short=1.5 * 2.0**15, whole=1.5 * 2.0**23, ln_2=(0.693145751953125, 1.4286068203094173e-06),
    raised=64, bias=127, fraction=23,
)  # fmt: skip
FLOAT64 = Constants(
    np.float64, np.int64,
    [-1.0635630585342086e-09, -6.438336372641427e-09, -8.814032479961225e-09, 2.385803751653267e-08,
     8.731990198155856e-08, 4.27991708027605e-08, -2.6587047236644446e-07, -5.91967772049511e-07,
     3.952346723912107e-09, 2.254955686637451e-06, 3.641383233793666e-06, -3.516682499653724e-06,
     -2.0689410256486858e-05, -1.3246424575831198e-05, 7.881270504746799e-05, 0.00015439455042396238,
     -0.0002565753486691885, -0.0010458286334176037, 0.0010275922592083914, 0.006972621241171381,
     -0.010462867023314575, -0.047263025142992514, 0.2300177199746038, -0.5093319819174893, 0.729083690133373],
    [2.5118143557416653e-08, 2.7643181095616684e-07, 2.7557217481360604e-06, 2.480145500325412e-05,
     0.00019841269913505407, 0.001388888898282117, 0.008333333333310154, 0.041666666666365246, 0.16666666666666693,
     0.5000000000000036, 1.0, 1.0],
    largest=39.0, a=3.0, short=1.5 * 2.0**42, whole=1.5 * 2.0**52, ln_2=(0.6931471805592082, 7.371002565167799e-13),
    raised=600, bias=1023, fraction=52,
)  # fmt: skip


@_intrinsic
def bits(_typing: Any, x: Any) -> Any:
    """Return the bits of a float as an integer, or those of an integer as a float."""
    pairs: dict[Any, Any] = {types.float32: types.int32, types.float64: types.int64, types.int32: types.float32}
    result = pairs.get(x, types.float64)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return result(x), code


@_inlined
def polynomial(coefficients: Any, x: Any) -> Any:
    """Return the polynomial with these coefficients, from the highest power to the lowest, at x."""
    total = coefficients[0]
    for k in range(1, len(coefficients)):
        total = total * x + coefficients[k]
    return total


def _loop(c: Constants) -> Loop:
    """Return the loop that replaces the numbers of an array of one axis by their gelu."""
    real, integer = c.real, c.integer
    even, odd, exp = (tuple(map(real, numbers)) for numbers in (c.R[::2], c.R[1::2], c.exp))
    largest, a, short, whole, ln_2, rest = map(real, (c.largest, c.a, c.short, c.whole, *c.ln_2))
    zero, half, one, twice_a, log_2_of_e = map(real, (0.0, 0.5, 1.0, 2 * c.a, 1.4426950408889634))
    bias, fraction, lowered = integer(c.bias + c.raised), integer(c.fraction), real(2.0**-c.raised)

    def loop(x: Any) -> None:
        for i in range(x.size):
            t = min(abs(x[i]), largest)
            s = (t + short) - short
            w = one / (t + a)
            u = one - twice_a * w
            R = w * (polynomial(even, u * u) + u * polynomial(odd, u * u))
            y = -half * s * s
            shifted = y * log_2_of_e + whole
            n = shifted - whole
            r = ((y - n * ln_2) - n * rest) - half * (t - s) * (t + s)
            power = bits(integer((bits(shifted) + bias) << fraction))
            tail = t * R * polynomial(exp, r) * power * lowered
            x[i] = (x[i] if x[i] > zero else zero) - tail  # NaN stays, in the tail

    return loop


@lru_cache
def compiled(make: Callable[[Constants], Loop], dtype: str) -> Loop:
    """Compile a loop for a type, or take it from the cache. A fused product and sum is welcome: it errs less."""
    loop, how = make(FLOAT32 if dtype == "float32" else FLOAT64), {"error_model": "numpy", "fastmath": {"contract"}}
    signature = types.void(types.Array(nb.from_dtype(np.dtype(dtype)), 1, "C"))
    try:
        found: Loop = _njit(signature, cache=True, **how)(loop)
    except RuntimeError:  # neither this folder nor the user's cache folder can be written to
        found = _njit(signature, **how)(loop)
    return found


def to_gelu(x: npt.NDArray[Any]) -> None:
    """Replace float32 or float64 numbers, a contiguous array, by x·Φ(x)."""
    compiled(_loop, x.dtype.name)(x.reshape(-1))


def gelu(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return x·Φ(x) of float32 or float64 numbers, in their type."""
    result = np.array(x, order="C")
    to_gelu(result)
    return result
