"""Functions that are not rational, rounded correctly: always the member nearest to the exact real value."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic.base import Array, immutable

if TYPE_CHECKING:
    from weightsmith.arithmetic.saturating import Saturating

# numpy's exp errs by a few units in the last place of 53 bits; this allows for hundreds.
_DOUBT = 2.0**-44


@lru_cache(maxsize=64)
def exp_table(arithmetic: "Saturating") -> tuple[Array, Array]:
    """Give all members and the exp of each."""
    members = arithmetic.values()
    table = exp(members, arithmetic._nearest)
    return immutable(members), immutable(table)


def exp(x: Array, nearest: Callable[[Array], Array]) -> Array:
    """Give exp(x), correctly rounded.

    Where every value within the doubt of the float64 result rounds to the same member, that is the answer. The few
    others go to ball arithmetic, with more bits until the ball lies on one side of the midpoint. That ends: exp of a
    non-zero rational is irrational, so it is never a midpoint.
    """
    with np.errstate(all="ignore"):
        close = np.exp(x)
        low, high = nearest(close * (1 - _DOUBT)), nearest(close * (1 + _DOUBT))
    result = np.where(x == 0, nearest(np.ones_like(x)), low)
    for index in np.argwhere((low != high) & (x != 0)):
        where = tuple(index)
        result[where] = _nearer_to_exp(float(x[where]), float(low[where]), float(high[where]))
    return result


def _nearer_to_exp(x: float, low: float, high: float) -> float:
    """Choose between two neighbouring members; x is not 0."""
    from flint import arb, ctx

    midpoint = (low + high) / 2
    bits = ctx.prec
    try:
        for ctx.prec in (128, 256, 512, 1024, 2048, 4096):
            above = arb(x).exp() - arb(midpoint)
            if above > 0:
                return high
            if above < 0:
                return low
    finally:
        ctx.prec = bits
    raise AssertionError(f"exp({x!r}) could not be told from the midpoint {midpoint!r} with 4096 bits")
