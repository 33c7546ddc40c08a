"""Floating-point systems with ties to zero or away from zero, carried by floats with at least twice their bits and two.

Sums are rounded on their bits. Products are rounded by the machine, to even; so that this decides ties as it should,
the right factor of a product is moved a little before: see `factor`.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic.fast_rounding import away, to_zero
from weightsmith.arithmetic.saturating import Saturating
from weightsmith.kernels.packed.exact import Mode
from weightsmith.kernels.packed.instructions import (
    bits,
    inlined,
    largest,
    least,
    masked,
    minus,
    most,
    plus,
    shifted,
    smallest_unsigned,
    times,
    value,
)
from weightsmith.kernels.packed.representations.factors import BoundedFactor, Factor, UnitFactor, WeightFactor

Carried = npt.NDArray[Any]


class Floats(NamedTuple):
    """The constants of a floating-point system; all but ∞ and the nudge are patterns of bits."""

    infinity: Any
    exponent: Any  # the bits of the exponent
    least: Any  # the least exponent
    lift: Any  # from an exponent to 1.5·2^(w−1) quanta: see `on_grid`
    bias: Any  # added to the bits of a sum before those that are not kept are dropped
    keep: Any
    nudge: Any  # what factors are multiplied by
    sign: Any  # the place of the sign


def shared_constants(A: Saturating, dtype: np.dtype[Any]) -> tuple[int, int, Any, tuple[Any, ...]]:
    """Return the carrier's bits after the point, those dropped, its type of bits, and the first six constants."""
    number, pattern = dtype.type, np.dtype(f"int{8 * dtype.itemsize}").type
    fraction, offset = (23, 127) if dtype == np.float32 else (52, 1023)
    dropped = fraction + 1 - A.precision  # bits of the carrier that a normal member leaves at 0
    exponent = pattern((2 * offset + 1) << fraction)
    least = pattern((A.least_exponent + offset) << fraction)
    lift = pattern((dropped << fraction) + (1 << fraction - 1))
    half = 1 << dropped - 1
    bias = pattern(half if A.ties == "away" else half - 1)
    return fraction, dropped, pattern, (number(A.infinity), exponent, least, lift, bias, pattern(-1 << dropped))


def constants(A: Saturating, dtype: np.dtype[Any]) -> Floats:
    """Return the constants of an arithmetic."""
    fraction, _, pattern, shared = shared_constants(A, dtype)
    nudge = 1 + 2.0**-fraction if A.ties == "away" else 1 - 2.0**-fraction
    return Floats._make((*shared, dtype.type(nudge), pattern(8 * dtype.itemsize - 1)))


def factors(values: Carried, constants: Floats) -> Carried:
    """Return values as `factor` does."""
    nudged: Carried = values * constants.nudge
    return nudged


def unit_factors(values: Carried, constants: Floats) -> Carried:
    """Return values of at most 1 as `unit_factor` does."""
    return factors(values, constants)


def reach(values: Carried, constants: Any) -> Carried:
    """Return zeros: products of floats are cut when they are there."""
    return np.zeros_like(values)


@inlined
def on_grid(v: Any, constants: Any) -> Any:
    """Round v to its quantum, ties to even.

    Adding 1.5·2^(w−1) quanta, for a carrier of w bits, pushes everything below the quantum out of it; subtracting
    them again is exact. The quantum follows from the exponent of v, or from the least exponent.
    """
    far = value(plus(most(masked(bits(v), constants.exponent), constants.least), constants.lift))
    return minus(plus(v, far), far)


@inlined
def within(v: Any, constants: Any) -> Any:
    """Cut floats at ±∞."""
    return least(most(v, -constants.infinity), constants.infinity)


@inlined
def to_precision(s: Any, constants: Any) -> Any:
    """Round a float to p bits, on its bits: sign and magnitude, so the carry goes the right way.

    A sum that is smaller than every normal number is a multiple of the quantum, so it has at most p bits and stays.
    """
    return value(masked(plus(bits(s), constants.bias), constants.keep))


def add(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊕ y; what is too large becomes ∞."""
    return within(to_precision(plus(x, y), constants), constants)


def add_calm(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊕ y where it does not saturate."""
    return to_precision(plus(x, y), constants)


def factor(y: Any, constants: Any) -> Any:
    """Return y, moved a little towards or away from zero.

    Products round ties to even. For another tie rule the factor y, of p bits, is first moved by y·2^(1−w) towards or
    away from zero, in a carrier of w bits. That moves the product, of 2p bits, by 1 to 3 units in the last of its w
    places: for w ≥ 2p + 2 this is less than the 4 units that lie between it and any midpoint but its own. So it
    decides the ties, and nothing else. (With y in [1, 1.5] it is one unit of y, above 1.5 it is two; work out both
    cases for products below and above 2: they move by more than ½ and less than 3 units, before they are rounded to
    whole ones.)
    """
    return Factor(times(y, constants.nudge))


def unit_factor(y: Any, constants: Any) -> Any:
    """Return y, moved as in `factor`."""
    return UnitFactor(times(y, constants.nudge))


def bounded_factor(y: Any, places: Any, constants: Any) -> Any:
    """Return y, moved as in `factor`."""
    return BoundedFactor(times(y, constants.nudge), places)


def places(largest: Any, constants: Any) -> Any:
    """Return anything: no left factor is raised."""
    return largest


def multiply(x: Any, y: Factor, constants: Any) -> Any:
    """Return x ⊗ y."""
    return on_grid(within(times(x, y.value), constants), constants)


def multiply_unit(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x ⊗ y, which does not saturate. For that it is enough that x is at most 1."""
    return on_grid(times(x, y.value), constants)


def multiply_normal(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x ⊗ y, which has p bits, whatever its size. The nudge decides the ties here as it does there."""
    return to_precision(times(x, y.value), constants)


def multiply_bounded(x: Any, y: BoundedFactor, constants: Any) -> Any:
    """Return x ⊗ y, which does not saturate."""
    return on_grid(times(x, y.value), constants)


def multiply_weight(x: Any, y: WeightFactor, constants: Any) -> Any:
    """Return x ⊗ y."""
    return on_grid(within(times(x, y.value), constants), constants)


def fits(x: Any, y: Any, constants: Any) -> Any:
    """Say whether products of values up to x with ones up to y do not saturate."""
    return np.float64(x) * np.float64(y) < 0.99 * constants.infinity


def survey(x: Any, constants: Any) -> Any:
    """Return a lower bound for the sizes of the elements that are not 0, NaN if all are, and the largest size."""
    sizes = bits(most(x, minus(constants.infinity - constants.infinity, x)))
    low = smallest_unsigned(plus(sizes, shifted(constants.keep, constants.sign)))  # less 1, so 0 is the largest of all
    return value(low), value(largest(sizes))


def table_index(x: Any, index: Any, constants: Any) -> Any:
    """Return where x stands in a table of all members: by their bits without those that are always 0."""
    magnitude = np.int64(bits(abs(x)) >> index.shift) - index.base
    return max(magnitude, 0) + (index.half if x < 0 else 0)


def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
    """Replace a row of x by x ⊘ y, for 0 ≤ x ≤ y: a quotient in float64 is exact enough to be rounded again."""
    r = rounding
    if r.mode == Mode.TO_ZERO:
        for i in range(count):
            quotient = np.float64(x[row, i]) / np.float64(y[0, i])
            x[row, i] = to_zero(quotient, r.lowest, r.infinity, r.least_exponent, r.precision)
    else:
        for i in range(count):
            quotient = np.float64(x[row, i]) / np.float64(y[0, i])
            x[row, i] = away(quotient, r.lowest, r.infinity, r.least_exponent, r.precision)
