"""Activations to 60 digits, by mpmath."""

from collections.abc import Callable
from fractions import Fraction

import mpmath as mp

DIGITS = 60
FAR = 100  # from here on the functions are x or 0 to more digits than any system of the tests has


def fraction(x: mp.mpf) -> Fraction:
    """Give the exact value of a number of mpmath."""
    sign, mantissa, exponent, _ = x._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -magnitude if sign else magnitude


def number(x: Fraction) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


def relu(x: Fraction) -> Fraction:
    return max(x, Fraction(0))


def gelu(x: Fraction) -> Fraction:
    """Give x·Φ(x), with Φ the distribution function of the normal distribution."""
    return _near(x, lambda y: y * mp.erfc(-y / mp.sqrt(2)) / 2)


def gelu_tanh(x: Fraction) -> Fraction:
    """Give x/2·(1 + tanh u), with u = √(2/π)·(x + 0.044715 x³), where 1 + tanh u is 2/(1 + exp(−2u))."""

    def function(y: mp.mpf) -> mp.mpf:
        u = mp.sqrt(2 / mp.pi) * (y + mp.mpf("0.044715") * y**3)
        return y / (1 + mp.exp(-2 * u))

    return _near(x, function)


def silu(x: Fraction) -> Fraction:
    return _near(x, lambda y: y / (1 + mp.exp(-y)), far=1000)


def _near(x: Fraction, function: Callable[[mp.mpf], mp.mpf], far: int = FAR) -> Fraction:
    if x == 0 or x < -far:
        return Fraction(0)
    if x > far:
        return x
    with mp.workdps(DIGITS):
        return fraction(function(number(x)))


GATED = {"reglu": "relu", "swiglu": "silu", "geglu_tanh": "gelu_tanh"}
FUNCTIONS: dict[str, Callable[[Fraction], Fraction]] = {
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
}
