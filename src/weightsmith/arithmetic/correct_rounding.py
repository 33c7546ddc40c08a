"""Correct rounding of a real number from a float64 approximation and an error bound (Ziv's method)."""

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from weightsmith.arithmetic.core import Array, silent

_SPLIT = 2.0**27 + 1


@cache
def flint() -> Any:
    """Return the library of ball arithmetic; it loads with the first number that needs it."""
    import flint  # few numbers need it

    return flint


@silent
def round_correctly(close: Array, doubt: Array, nearest: Callable[[Array], Array], ball: Callable[..., Any]) -> Array:
    """Return the members nearest to real numbers; each number is at most `doubt` away from its float64 value `close`.

    If all numbers within the doubt round to one member, that is the result. For the few others `ball`, called with
    their indices, encloses the number, with more and more bits, until both ends of the ball round to one member. The
    number must not be a midpoint between two members, unless its ball is exact.
    """
    result, other = nearest(close - doubt), nearest(close + doubt)
    for index in np.argwhere(result != other):
        result[tuple(index)] = round_ball(partial(ball, *index.tolist()), nearest)
    return result


def round_ball(ball: Callable[[], Any], nearest: Callable[[Array], Array]) -> float:
    """Return the member nearest to the number that `ball()` encloses with the precision `flint().ctx.prec`."""
    ctx = flint().ctx
    bits = ctx.prec
    try:
        for ctx.prec in (128, 256, 512, 1024, 2048, 4096):
            enclosed = ball()
            low, high = nearest(np.array([_odd(enclosed.lower()), _odd(enclosed.upper())])).tolist()
            if low == high:
                return float(low)
    finally:
        ctx.prec = bits
    raise AssertionError("4096 bits do not separate a number from the midpoint between two members")


def _odd(x: Any) -> float:
    """Return an exact ball truncated to float64; its last bit is 1 if it is inexact, so it is no midpoint."""
    significand, exponent = (int(part) for part in x.man_exp())
    extra = max(0, significand.bit_length() - 53)
    kept = abs(significand) >> extra
    kept |= kept << extra != abs(significand)
    return math.ldexp(kept if significand > 0 else -kept, extra + exponent)


def product_parts(x: float | Array, whole: Array) -> tuple[Array, Array]:
    """Return x times whole numbers below 2^26 as two float64 numbers, whose sum is exact."""
    far = x * _SPLIT
    first = far - (far - x)  # 26 bits of x; the others are in the rest
    high: Array = x * whole
    return high, (first * whole - high) + (x - first) * whole


def odd_product(x: float, whole: Array) -> Array:
    """Return x times whole numbers below 2^26, as float64 with a last bit of 1 where that is not exact.

    Rounding this is rounding the exact product: it lies on the same side of every midpoint between members.
    """
    high, low = product_parts(x, whole)
    even = high.view(np.int64) & 1 == 0
    return np.where((low != 0) & even, np.nextafter(high, np.copysign(np.inf, low)), high)
