"""Floating-point systems, held by floats with at least twice their bits and two, and the machine's own floats.

A number is rounded where the machine rounds its difference from a larger one, to even: see `product_on_grid`. For
another tie rule the right factor of a product is moved a little before (see `Floats.factor`), and sums are rounded on
their bits.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from weightsmith.arithmetic import Native, Saturating
from weightsmith.arithmetic.fast_rounding import away, to_even, to_zero
from weightsmith.arithmetic.rounding import Rule
from weightsmith.kernels.packed.instructions import (
    at_least,
    bits,
    clamped,
    inlined,
    largest,
    masked,
    minus,
    most,
    negative,
    plus,
    times,
    times_plus,
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
    """For a precision of p, in floats of w bits."""

    infinity: Any
    far: Any  # 1.5·2^(w−1) times the smallest number
    raise_by: Any  # 2^(w−p)
    less: Any  # 2^(w−p) − 1


class NudgedConstants(NamedTuple):
    """The first three as in `EvenConstants`."""

    infinity: Any
    far: Any
    raise_by: Any
    bias: Any  # added to the bits of a sum before those that are not kept are dropped
    keep: Any
    nudge: Any  # what factors are multiplied by


@inlined
def product_on_grid(x: Any, y: Any, multiple: Any, constants: Any) -> Any:
    """Round x·y, called t, to its quantum, ties to even; t must not be larger than ∞, and `multiple` is y·2^(w−p).

    A float of w bits that is 2^(w−p) times as large as t, and at least `far`, has the quantum of t as its last bit. So
    t, subtracted from it, is rounded to that quantum, and the second difference is exact. Just above a power of two the
    first difference may lie below one, where floats have a bit more; but there t is less than a quarter of a quantum
    away from the power, for w ≥ 2p + 2, and is rounded to it in any case. (With another sign the large number would not
    do: beyond the next power of two floats have a bit less.) If t is a tie, the large number is an even multiple of the
    quantum, so the result is even where the difference is.
    """
    large = at_least(times(x, multiple), constants.far)
    return minus(large, times_plus(negative(x), y, large))


@inlined
def _to_precision(s: Any, constants: Any) -> Any:
    """Round a float to p bits, on its bits: sign and magnitude, so the carry goes the right way.

    A sum that is smaller than every normal number is a multiple of the quantum, so it has at most p bits and stays.
    """
    return value(masked(plus(bits(s), constants.bias), constants.keep))


@inlined
def _to_even_precision(s: Any, constants: Any) -> Any:
    """Do as `_to_precision`, with ties to even: as in `product_on_grid`, where a product with 2^(w−p) − 1 is the
    first difference.
    """
    return times_plus(s, constants.raise_by, negative(times(s, constants.less)))


def _shared(A: Saturating, dtype: np.dtype[Any]) -> tuple[int, tuple[Any, ...]]:
    """Return the bits of the machine type, w, and the first three constants."""
    bits, number = (24 if dtype == np.float32 else 53), dtype.type
    far = 1.5 * 2.0 ** (bits + A.least_exponent - A.precision)
    return bits, (number(A.infinity), number(far), number(2.0 ** (bits - A.precision)))


class FloatsToEven(Representation):
    """Ties to even, as the machine rounds: no factor is moved."""

    Constants: ClassVar[type[Any]] = EvenConstants

    @staticmethod
    def constants(A: Saturating, dtype: np.dtype[Any]) -> Any:
        _, shared = _shared(A, dtype)
        return EvenConstants._make((*shared, shared[-1] - dtype.type(1)))

    @staticmethod
    def multiples(factors: Encoded, constants: Any) -> Encoded:
        multiples: Encoded = factors * constants.raise_by
        return multiples

    @staticmethod
    def unit_factor(y: Any, constants: Any) -> Any:
        return UnitFactor(y, times(y, constants.raise_by))

    @staticmethod
    def stored_unit(value: Any, constants: Any) -> Any:
        return UnitFactor(value, times(value, constants.raise_by))

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        return clamped(_to_even_precision(plus(x, y), constants), constants.infinity)

    @staticmethod
    def add_calm(x: Any, y: Any, constants: Any) -> Any:
        return _to_even_precision(plus(x, y), constants)

    @staticmethod
    def multiply(x: Any, y: Any, constants: Any) -> Any:
        product = clamped(times(x, y.value), constants.infinity)
        large = at_least(times(product, constants.raise_by), constants.far)
        return minus(large, minus(large, product))

    @staticmethod
    def multiply_unit(x: Any, y: Any, constants: Any) -> Any:
        return product_on_grid(x, y.value, y.multiple, constants)

    @staticmethod
    def multiply_bounded(x: Any, y: Any, constants: Any) -> Any:
        return product_on_grid(x, y.value, times(y.value, constants.raise_by), constants)

    multiply_weight = multiply

    @staticmethod
    def fits(x: Any, y: Any, constants: Any) -> Any:
        return np.float64(x) * np.float64(y) < 0.99 * constants.infinity

    @staticmethod
    def largest_size(x: Any, constants: Any) -> Any:
        zero = constants.infinity - constants.infinity
        return value(largest(bits(most(x, minus(zero, x)))))

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
        w, shared = _shared(A, dtype)
        direction, pattern = A.rounding.direction or 0, np.dtype(f"int{8 * dtype.itemsize}").type
        half = 1 << w - A.precision - 1
        bias, keep = pattern(half - (direction < 0)), pattern(-2 * half)
        return NudgedConstants._make((*shared, bias, keep, dtype.type(1 + direction * 2.0 ** (1 - w))))

    @staticmethod
    def factors(values: Encoded, constants: Any) -> Encoded:
        nudged: Encoded = values * constants.nudge
        return nudged

    unit_factors = factors

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        return clamped(_to_precision(plus(x, y), constants), constants.infinity)

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
        nudged = times(y, constants.nudge)
        return UnitFactor(nudged, times(nudged, constants.raise_by))

    @staticmethod
    def bounded_factor(y: Any, shift: Any, constants: Any) -> Any:
        """Return y, moved as in `factor`."""
        return BoundedFactor(times(y, constants.nudge), shift)

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
    def multiples(factors: Encoded, constants: Any) -> Encoded:
        return factors

    @staticmethod
    def unit_factor(y: Any, constants: Any) -> Any:
        return UnitFactor(y, y)

    @staticmethod
    def stored_unit(value: Any, constants: Any) -> Any:
        return UnitFactor(value, value)

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        return plus(x, y)

    @staticmethod
    def multiply(x: Any, y: Any, constants: Any) -> Any:
        return times(x, y.value)

    add_calm = add
    multiply_unit = multiply_bounded = multiply_weight = multiply

    @staticmethod
    def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
        for i in range(count):
            x[row, i] = x[row, i] / y[0, i]
