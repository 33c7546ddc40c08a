"""The values of programs: None, texts, exact numbers, and whatever else can be hashed.

A program computes with exact numbers: whole ones are ints, the others fractions. `True`, `1` and `1.0` are one value,
as Python has it. A float stands for the simplest fraction that rounds to it: 0.1 is one tenth, and 1/3 is a third. So a
mean over three positions equals what a person writes as 1/3, and values can be shown as floats without losing any. A
`Decimal` is the number that it writes.
"""

from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from types import NoneType
from typing import TypeAlias, TypeGuard

import numpy as np

from weightsmith.errors import InputError, brief

Value: TypeAlias = Hashable
Number: TypeAlias = int | Fraction

LONGEST_NUMBER = 4096  # bits of a numerator or denominator
_SHORT = 1 << 64  # no longer than that for sure
LONGEST_TEXT = 10_000  # characters of a text, or items of a tuple
_PLAIN = frozenset([int, bool, str, NoneType])  # is the type one of these? asking Fraction takes ten times as long
KINDS = {"number": "a number", "text": "a text", "thing": "neither a number nor a text"}


def is_number(value: object) -> TypeGuard[Number]:
    """Return whether an exact value is a number; truth values are numbers."""
    return isinstance(value, int) or (type(value) not in _PLAIN and isinstance(value, Fraction))


def kind(value: Value) -> str | None:
    """Return "number", "text" or "thing"; None has no kind."""
    if value is None:
        return None
    return "number" if is_number(value) else "text" if isinstance(value, str) else "thing"


def exact(value: object) -> Value:
    """Return a value as programs compute with it, or refuse it."""
    if type(value) is int:
        return value if -_SHORT < value < _SHORT else _bounded(value)
    if type(value) is str and len(value) <= LONGEST_TEXT:
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and type(value) is not bool:  # one of a kind of its own is that number
        value = int(value)
    if isinstance(value, str):
        value = str.__str__(value)
    if isinstance(value, float):
        value = _fraction_of(value)
    if isinstance(value, Decimal):
        value = _fraction_of_decimal(value)
    if isinstance(value, Fraction):
        value = value.numerator if value.denominator == 1 else Fraction(value.numerator, value.denominator)
    if isinstance(value, int | Fraction):
        return _bounded(value)
    if isinstance(value, tuple) and type(value) is tuple:
        value = tuple(exact(item) for item in value)
    if isinstance(value, str | tuple) and len(value) > LONGEST_TEXT:
        raise InputError(f"{brief(value)} is too long for a value: {LONGEST_TEXT:,} characters or items at most")
    try:
        hash(value)
    except TypeError:
        raise InputError(
            f"{brief(value)} is no value of a program: it cannot be hashed; write a tuple instead of a list"
        ) from None
    if isinstance(value, complex):
        raise InputError(f"{brief(value)} is no value of a program: numbers are real")
    if not _equals_itself(value):
        raise InputError(f"{brief(value)} is no value of a program: it does not equal itself, so nothing can find it")
    assert isinstance(value, Hashable)
    return value


def presented(value: Value) -> Value:
    """Return an exact value as people and their functions get it: whole numbers as ints, others as floats.

    A fraction that no float stands for stays a fraction; truth values stay truth values.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Fraction):
        return _presented(value)
    return tuple(presented(item) for item in value) if type(value) is tuple else value


@lru_cache(maxsize=1 << 16)
def _presented(value: Fraction) -> float | Fraction:
    short = float(value) if _fits_a_float(value) else 0.0
    return short if isfinite(short) and short and exact(short) == value else value


def _bounded(number: Number) -> Number:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > LONGEST_NUMBER:
        raise InputError(f"a number of more than {LONGEST_NUMBER} bits: programs compute with smaller ones")
    return number


def _equals_itself(value: object) -> bool:
    try:
        return bool(value == value)
    except Exception:  # of a person's class
        return False


def _fraction_of_decimal(number: Decimal) -> Fraction:
    """Return a decimal number exactly; one with too many digits is refused before they are written out."""
    if not number.is_finite():
        raise InputError(f"{number} is no value of a program: numbers are finite")
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    if len(digits) + abs(exponent) > LONGEST_NUMBER:
        raise InputError(
            f"{brief(number)} takes more than {LONGEST_NUMBER} bits: programs compute with smaller numbers"
        )
    return Fraction(number)


def _fits_a_float(value: Fraction) -> bool:
    return value.numerator.bit_length() - value.denominator.bit_length() < 1000


def _fraction_of(number: float) -> Fraction:
    """Return the simplest fraction that rounds to a float: the first such convergent of its continued fraction."""
    if not isfinite(number):
        raise InputError(f"{number} is no value of a program: numbers are finite")
    rest, divisor = number.as_integer_ratio()
    before, (above, below) = (0, 1), (1, 0)
    while True:
        whole, remainder = divmod(rest, divisor)
        before, (above, below) = (above, below), (whole * above + before[0], whole * below + before[1])
        if remainder == 0 or above / below == number:
            return Fraction(above, below)
        rest, divisor = divisor, remainder
