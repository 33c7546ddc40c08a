"""Numbers that a person writes, as members of an arithmetic."""

import math
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import InputError, brief


def member(A: Arithmetic, value: Any, what: str) -> float:
    """Return a number that is a member, or say which member is nearest."""
    number = real(value, what)
    if not A.contains(number):
        raise InputError(
            f"{what}: {brief(value)} is not a member of {A}; the nearest member is {brief(float(A.round(number)))}"
        )
    return number


def real(value: Any, what: str) -> float:
    """Return a finite number; refuse truth values, texts and nan."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{what}: {brief(value)} is not a number: write one such as 1.0")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{what}: {brief(value)} is not a finite number: write one such as 1.0")
    return number
