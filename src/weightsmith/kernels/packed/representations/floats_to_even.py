"""Floating-point systems with ties to even: as other floats, but no factor is moved, since the machine rounds so.

A sum is rounded with a look at the last bit that stays.
"""

from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic.fast_rounding import to_even
from weightsmith.arithmetic.saturating import Saturating
from weightsmith.kernels.packed.instructions import (
    bits,
    inlined,
    largest,
    masked,
    minus,
    most,
    plus,
    shifted,
    times,
    value,
)
from weightsmith.kernels.packed.representations import floats
from weightsmith.kernels.packed.representations.factors import BoundedFactor, Factor, UnitFactor
from weightsmith.kernels.packed.representations.floats import Carried, on_grid, shared_constants, within

BASE = floats  # what is not here is as there


class FloatsToEven(NamedTuple):
    """The constants of a floating-point system, the first as in `Floats`."""

    infinity: Any
    exponent: Any
    least: Any
    lift: Any
    bias: Any
    keep: Any
    last: Any  # the place of the last bit that stays
    one: Any


def constants(A: Saturating, dtype: np.dtype[Any]) -> FloatsToEven:
    """Return the constants of an arithmetic."""
    _, dropped, pattern, shared = shared_constants(A, dtype)
    return FloatsToEven._make((*shared, pattern(dropped), pattern(1)))


def factors(values: Carried, constants: FloatsToEven) -> Carried:
    """Return values as they are."""
    return values


def unit_factors(values: Carried, constants: FloatsToEven) -> Carried:
    """Return values as they are."""
    return values


@inlined
def to_precision(s: Any, constants: Any) -> Any:
    """Round a float to p bits, on its bits: see `floats.to_precision`."""
    u = bits(s)
    odd = masked(shifted(u, constants.last), constants.one)
    return value(masked(plus(plus(u, constants.bias), odd), constants.keep))


def add(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊕ y; what is too large becomes ∞."""
    return within(to_precision(plus(x, y), constants), constants)


def add_calm(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊕ y where it does not saturate."""
    return to_precision(plus(x, y), constants)


def factor(y: Any, constants: Any) -> Any:
    """Return y itself."""
    return Factor(y)


def unit_factor(y: Any, constants: Any) -> Any:
    """Return y itself."""
    return UnitFactor(y)


def bounded_factor(y: Any, places: Any, constants: Any) -> Any:
    """Return y itself."""
    return BoundedFactor(y, places)


def multiply_normal(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x ⊗ y as `multiply_unit` does: rounding on the bits would not be shorter here."""
    return on_grid(times(x, y.value), constants)


def survey(x: Any, constants: Any) -> Any:
    """Return ∞, for `multiply_normal` asks for nothing, and the size of the largest element."""
    zero = constants.infinity - constants.infinity
    return constants.infinity, value(largest(bits(most(x, minus(zero, x)))))


def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
    """Replace a row of x by x ⊘ y, for 0 ≤ x ≤ y."""
    r = rounding
    for i in range(count):
        quotient = np.float64(x[row, i]) / np.float64(y[0, i])
        x[row, i] = to_even(quotient, r.lowest, r.infinity, r.least_exponent, r.precision)
