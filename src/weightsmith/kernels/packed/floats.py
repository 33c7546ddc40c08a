"""Floating-point systems, held by floats with at least twice their bits and two, and the machine's own floats.

Sums are rounded on their bits. Products are rounded by the machine, to even; for another tie rule the right factor of a
product is moved a little before: see `Floats.factor`.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from weightsmith.arithmetic import Native, Saturating
from weightsmith.arithmetic.fast_rounding import away, to_even, to_zero
from weightsmith.arithmetic.rounding import Rule
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
from weightsmith.kernels.packed.representation import (
    BoundedFactor,
    Encoded,
    Factor,
    Representation,
    UnitFactor,
)


class EvenConstants(NamedTuple):
    """All but ∞ are patterns of bits."""

    infinity: Any
    exponent: Any  # the bits of the exponent
    least: Any  # the least exponent
    lift: Any  # from an exponent to 1.5·2^(w−1) quanta: see `on_grid`
    bias: Any  # added to the bits of a sum before those that are not kept are dropped
    keep: Any
    last: Any  # the index of the last bit that stays
    one: Any


class NudgedConstants(NamedTuple):
    """The first six as in `EvenConstants`."""

    infinity: Any
    exponent: Any
    least: Any
    lift: Any
    bias: Any
    keep: Any
    nudge: Any  # what factors are multiplied by
    sign: Any  # the index of the sign bit


@inlined
def on_grid(v: Any, constants: Any) -> Any:
    """Round v to its quantum, ties to even.

    Adding 1.5·2^(w−1) quanta, for a float of w bits, pushes everything below the quantum out of it; subtracting them
    again is exact. The quantum follows from the exponent of v, or from the least exponent.
    """
    far = value(plus(most(masked(bits(v), constants.exponent), constants.least), constants.lift))
    return minus(plus(v, far), far)


@inlined
def within(v: Any, constants: Any) -> Any:
    """Clamp floats to ±∞."""
    return least(most(v, -constants.infinity), constants.infinity)


@inlined
def _to_precision(s: Any, constants: Any) -> Any:
    """Round a float to p bits, on its bits: sign and magnitude, so the carry goes the right way.

    A sum that is smaller than every normal number is a multiple of the quantum, so it has at most p bits and stays.
    """
    return value(masked(plus(bits(s), constants.bias), constants.keep))


@inlined
def _to_even_precision(s: Any, constants: Any) -> Any:
    """Do as `_to_precision`, with ties to even: by the last bit that stays."""
    u = bits(s)
    odd = masked(shifted(u, constants.last), constants.one)
    return value(masked(plus(plus(u, constants.bias), odd), constants.keep))


def _shared(A: Saturating, dtype: np.dtype[Any]) -> tuple[int, int, Any, tuple[Any, ...]]:
    """Return the machine type's bits after the point, those dropped, its type of bits, and the first six constants."""
    number, pattern = dtype.type, np.dtype(f"int{8 * dtype.itemsize}").type
    fraction, offset = (23, 127) if dtype == np.float32 else (52, 1023)
    dropped = fraction + 1 - A.precision  # bits that a normal member leaves at 0
    exponent = pattern((2 * offset + 1) << fraction)
    least = pattern((A.least_exponent + offset) << fraction)
    lift = pattern((dropped << fraction) + (1 << fraction - 1))
    half = 1 << dropped - 1
    bias = pattern(half if (A.rounding.direction or 0) > 0 else half - 1)
    return fraction, dropped, pattern, (number(A.infinity), exponent, least, lift, bias, pattern(-1 << dropped))


class FloatsToEven(Representation):
    """Ties to even: no factor is moved, since the machine rounds so; a sum is rounded by the last bit that stays."""

    Constants: ClassVar[type[Any]] = EvenConstants

    @staticmethod
    def constants(A: Saturating, dtype: np.dtype[Any]) -> Any:
        _, dropped, pattern, shared = _shared(A, dtype)
        return EvenConstants._make((*shared, pattern(dropped), pattern(1)))

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        return within(_to_even_precision(plus(x, y), constants), constants)

    @staticmethod
    def add_calm(x: Any, y: Any, constants: Any) -> Any:
        return _to_even_precision(plus(x, y), constants)

    @staticmethod
    def multiply(x: Any, y: Any, constants: Any) -> Any:
        return on_grid(within(times(x, y.value), constants), constants)

    @staticmethod
    def multiply_unit(x: Any, y: Any, constants: Any) -> Any:
        return on_grid(times(x, y.value), constants)

    multiply_weight, multiply_bounded = multiply, multiply_unit
    multiply_normal = multiply_unit  # rounding on the bits would not be shorter here

    @staticmethod
    def fits(x: Any, y: Any, constants: Any) -> Any:
        return np.float64(x) * np.float64(y) < 0.99 * constants.infinity

    @staticmethod
    def survey(x: Any, constants: Any) -> Any:
        """Return ∞, for `multiply_normal` needs nothing, and the size of the largest element."""
        zero = constants.infinity - constants.infinity
        return constants.infinity, value(largest(bits(most(x, minus(zero, x)))))

    @staticmethod
    def table_index(x: Any, index: Any, constants: Any) -> Any:
        """Return the index of x in a table of all members: its bits without those that are always 0."""
        magnitude = np.int64(bits(abs(x)) >> index.shift) - index.base
        return max(magnitude, 0) + (index.half if x < 0 else 0)

    @staticmethod
    def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
        """Replace a row of x by x ⊘ y, for 0 ≤ x ≤ y: a quotient in float64 is exact enough to be rounded again."""
        for i in range(count):
            x[row, i] = to_even(np.float64(x[row, i]) / np.float64(y[0, i]), rounding)


class Floats(FloatsToEven):
    """Ties to zero or away from zero: the right factor of a product is moved before."""

    Constants = NudgedConstants

    @staticmethod
    def constants(A: Saturating, dtype: np.dtype[Any]) -> Any:
        fraction, _, pattern, shared = _shared(A, dtype)
        nudge = dtype.type(1 + (A.rounding.direction or 0) * 2.0**-fraction)
        return NudgedConstants._make((*shared, nudge, pattern(8 * dtype.itemsize - 1)))

    @staticmethod
    def factors(values: Encoded, constants: Any) -> Encoded:
        nudged: Encoded = values * constants.nudge
        return nudged

    unit_factors = factors

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        return within(_to_precision(plus(x, y), constants), constants)

    @staticmethod
    def add_calm(x: Any, y: Any, constants: Any) -> Any:
        return _to_precision(plus(x, y), constants)

    @staticmethod
    def factor(y: Any, constants: Any) -> Any:
        """Return y, moved a little towards or away from zero.

        Products round ties to even. For another tie rule the factor y, of p bits, is first moved by y·2^(1−w) towards
        or away from zero, in a float of w bits. That moves the product, of 2p bits, by 1 to 3 units in the last of its
        w bits: for w ≥ 2p + 2 this is less than the 4 units that lie between it and any midpoint but its own. So it
        decides the ties, and nothing else. (With y in [1, 1.5] it is one unit of y, above 1.5 it is two; work out both
        cases for products below and above 2: they move by more than ½ and less than 3 units, before they are rounded
        to whole ones.)
        """
        return Factor(times(y, constants.nudge))

    @staticmethod
    def unit_factor(y: Any, constants: Any) -> Any:
        """Return y, moved as in `factor`."""
        return UnitFactor(times(y, constants.nudge))

    @staticmethod
    def bounded_factor(y: Any, shift: Any, constants: Any) -> Any:
        """Return y, moved as in `factor`."""
        return BoundedFactor(times(y, constants.nudge), shift)

    @staticmethod
    def multiply_normal(x: Any, y: UnitFactor, constants: Any) -> Any:
        """Return x ⊗ y, which has p bits, whatever its size. The nudge decides the ties here as it does there."""
        return _to_precision(times(x, y.value), constants)

    @staticmethod
    def survey(x: Any, constants: Any) -> Any:
        sizes = bits(most(x, minus(constants.infinity - constants.infinity, x)))
        low = smallest_unsigned(plus(sizes, shifted(constants.keep, constants.sign)))  # less 1, so 0 is the largest
        return value(low), value(largest(sizes))

    @staticmethod
    def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
        """Do as `FloatsToEven.divide`, with a loop for each tie rule: so it has no branches."""
        if rounding.rule == Rule.ZERO:
            for i in range(count):
                x[row, i] = to_zero(np.float64(x[row, i]) / np.float64(y[0, i]), rounding)
        else:
            for i in range(count):
                x[row, i] = away(np.float64(x[row, i]) / np.float64(y[0, i]), rounding)


class MachineConstants(NamedTuple):
    """The largest number; there are no other constants."""

    infinity: Any


class Machine(FloatsToEven):
    """`Native`: nothing is rounded a second time, nothing is clamped, and NaN may occur."""

    Constants = MachineConstants

    @staticmethod
    def constants(A: Native, dtype: np.dtype[Any]) -> Any:  # type: ignore[override]
        return MachineConstants(dtype.type(A.infinity))

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        return plus(x, y)

    @staticmethod
    def multiply(x: Any, y: Any, constants: Any) -> Any:
        return times(x, y.value)

    add_calm = add
    multiply_unit = multiply_normal = multiply_bounded = multiply_weight = multiply

    @staticmethod
    def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
        for i in range(count):
            x[row, i] = x[row, i] / y[0, i]
