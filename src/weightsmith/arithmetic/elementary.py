"""Functions that are not rational, rounded correctly: always the member nearest to the exact real value."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weightsmith.arithmetic.core import Array, Elementary
from weightsmith.arithmetic.immutable import immutable

if TYPE_CHECKING:
    from weightsmith.arithmetic.saturating import Saturating

# The float64 results below err by a few units in the last place, and by a few thousand where an exponent of a few
# hundred is itself rounded; this allows for far more.
_DOUBT = 2.0**-38
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


class _Function(NamedTuple):
    """A function, close in float64 and enclosed in a ball."""

    close: Callable[[Array], Array]
    ball: Callable[[Any], Any]
    at_zero: float


def _tanh_argument(x: Any, root: Any) -> Any:
    """Return √(2/π)·(x + 0.044715·x³), where the decimal fraction is meant exactly."""
    return root * (x + x * x * x * 44715 / 1000000)


def _ball_gelu(x: Any) -> Any:
    return x * (-x / type(x)(2).sqrt()).erfc() / 2


def _ball_gelu_tanh(x: Any) -> Any:
    return x / (1 + (-2 * _tanh_argument(x, (2 / type(x).pi()).sqrt())).exp())


# Each is written so that nothing cancels: gelu with erfc, the others as x divided by 1 plus an exponential.
FUNCTIONS: dict[str, _Function] = {
    "exp": _Function(np.exp, lambda x: x.exp(), 1.0),
    "gelu": _Function(lambda x: 0.5 * x * _erfc(-x / math.sqrt(2)), _ball_gelu, 0.0),
    "gelu_tanh": _Function(
        lambda x: x / (1 + np.exp(-2 * _tanh_argument(x, math.sqrt(2 / math.pi)))), _ball_gelu_tanh, 0.0
    ),
    "silu": _Function(lambda x: x / (1 + np.exp(-x)), lambda x: x / (1 + (-x).exp()), 0.0),
}


@lru_cache(maxsize=256)
def table(name: Elementary, arithmetic: "Saturating") -> tuple[Array, Array]:
    """Return all members and the function of each."""
    members = arithmetic.values()
    return immutable(members), immutable(apply(name, members, arithmetic._nearest))


def apply(name: Elementary, x: Array, nearest: Callable[[Array], Array]) -> Array:
    """Return a function of x, correctly rounded.

    Where every value within the doubt of the float64 result rounds to the same member, that is the answer. The few
    others go to ball arithmetic, with more bits until the ball lies on one side of the midpoint. That ends: a
    midpoint is rational, and the exponential, error function and logistic function of a rational number other than
    0 are not. (Of `gelu_tanh`, with its mixture of √(2/π) and e, nobody has proved it.)
    """
    function = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        close = function.close(x)
        one, other = nearest(close * (1 - _DOUBT)), nearest(close * (1 + _DOUBT))
    result = np.where(x == 0, nearest(np.full_like(x, function.at_zero)), one)
    for index in np.argwhere((one != other) & (x != 0)):
        where = tuple(index)
        low, high = sorted((float(one[where]), float(other[where])))
        result[where] = _nearer(function, float(x[where]), low, high)
    return result


def _nearer(function: _Function, x: float, low: float, high: float) -> float:
    """Choose between two neighbouring members; x is not 0."""
    from flint import arb, ctx

    midpoint = (low + high) / 2
    bits = ctx.prec
    try:
        for ctx.prec in (128, 256, 512, 1024, 2048, 4096):
            above = function.ball(arb(x)) - arb(midpoint)
            if above > 0:
                return high
            if above < 0:
                return low
    finally:
        ctx.prec = bits
    raise AssertionError(f"f({x!r}) could not be told from the midpoint {midpoint!r} with 4096 bits")
