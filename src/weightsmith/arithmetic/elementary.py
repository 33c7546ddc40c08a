"""Exponential and activation functions, correctly rounded: always the member nearest to the exact real value."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weightsmith.arithmetic.core import Array, Elementary
from weightsmith.arithmetic.correct_rounding import flint, round_correctly
from weightsmith.arithmetic.immutable import immutable
from weightsmith.errors import InputError, brief

if TYPE_CHECKING:
    from weightsmith.arithmetic.saturating import Saturating

# The float64 results below err by a few units in the last place, and by a few thousand where an exponent of a few
# hundred is itself rounded; this allows for far more.
_DOUBT = 2.0**-38
_LARGEST = float(np.finfo(np.float64).max)
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


def known(name: str) -> str:
    """Return the name of a function; refuse a name that no function has."""
    if name not in FUNCTIONS:
        raise InputError(f"there is no function {brief(name)}: the functions are {', '.join(FUNCTIONS)}")
    return name


def apply(name: Elementary, x: Array, nearest: Callable[[Array], Array]) -> Array:
    """Return a function of x, correctly rounded.

    Ziv's method ends: a midpoint is rational, and the exponential, error function and logistic function of a rational
    number other than 0 are not. (For `gelu_tanh`, with its mixture of √(2/π) and e, that is not proved.)
    """
    function = FUNCTIONS[known(name)]
    with np.errstate(all="ignore"):
        close = np.clip(function.close(x), -_LARGEST, _LARGEST)
    close = np.where(x == 0, function.at_zero, close)
    doubt = np.where(x == 0, 0.0, _DOUBT * abs(close))
    return round_correctly(close, doubt, nearest, lambda *index: function.ball(flint().arb(float(x[index]))))
