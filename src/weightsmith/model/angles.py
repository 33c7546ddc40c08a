"""Sines and cosines of the angles by which sinusoidal and rotary positions turn."""

from functools import lru_cache
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Saturating, immutable
from weightsmith.arithmetic.correct_rounding import flint, product_parts, round_correctly

# The float64 sines err by a few units in the last place, relative to the sum that they come from; this allows more.
_DOUBT = 2.0**-45


@lru_cache(maxsize=64)
def sines_and_cosines(
    arithmetic: Arithmetic, base: float, size: int, length: int, scales: tuple[float, ...] | None = None
) -> tuple[Array, Array]:
    """Return sin and cos of t / base^(2p/size) for the first positions t and each pair p of lanes, (length, pairs).

    The angles of a pair may be multiplied by a scale.
    In a finite arithmetic each is the exact real value, rounded once. There is an end to that: the sine and the cosine
    of an algebraic number other than 0 are not rational. In `Native` they are what float64 makes of them.
    """
    pair, t = np.arange((size + 1) // 2), np.arange(length, dtype=np.float64)[:, np.newaxis]
    if not isinstance(arithmetic, Saturating):
        angle = t / base ** (2 * pair / size) * (1.0 if scales is None else np.array(scales))
        return immutable(arithmetic.round(np.sin(angle))), immutable(arithmetic.round(np.cos(angle)))
    by = [1.0] * len(pair) if scales is None else scales
    first, rest = np.array([_parts(base, p, size, by[p]) for p in pair.tolist()]).T
    angle, low = product_parts(first, t)
    low += rest * t  # the angle is the sum of both, far closer than float64
    sin, cos = np.sin(angle), np.cos(angle)

    def round_once(name: str, close: Array, doubt: Array) -> Array:
        def ball(t: int, p: int) -> Any:
            return getattr(t * _turn(base, p, size, by[p]), name)()

        return immutable(round_correctly(close, doubt, arithmetic._nearest, ball))

    return (
        round_once("sin", sin + low * cos, _DOUBT * (abs(sin) + abs(low))),
        round_once("cos", cos - low * sin, _DOUBT * (abs(cos) + abs(low))),
    )


def _turn(base: float, pair: int, size: int, scale: float) -> Any:
    """Return a ball around scale · base^(−2p/size)."""
    return (flint().arb(base).log() * (-2 * pair) / size).exp() * scale


def _parts(base: float, pair: int, size: int, scale: float) -> tuple[float, float]:
    """Return scale · base^(−2p/size) as a float64 number and what that leaves."""
    ctx = flint().ctx
    bits = ctx.prec
    try:
        ctx.prec = 192
        turn = _turn(base, pair, size, scale)
        first = float(turn.mid())
        return first, float((turn - first).mid())
    finally:
        ctx.prec = bits
