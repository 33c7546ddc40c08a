"""Fixed-point systems, held by the integers k that mean k·2^−shift."""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from weightsmith.arithmetic import Fixed
from weightsmith.kernels.packed.instructions import (
    high_half,
    inlined,
    largest,
    least,
    masked,
    minus,
    most,
    narrowed,
    negative,
    plus,
    raised,
    real,
    shifted,
    times,
    where_equal,
    widened,
    xor,
)
from weightsmith.kernels.packed.representation import (
    BoundedFactor,
    Encoded,
    Factor,
    Representation,
    UnitFactor,
    WeightFactor,
)


class IntegerConstants(NamedTuple):
    """All are of the machine type, except the last two."""

    infinity: Any
    shift: Any  # how many bits there are after the point
    bias: Any  # these three turn a shift, which rounds down, into the tie rule: see `round_off`
    tie: Any
    mask: Any
    sign: Any  # the index of the sign bit
    large: Any  # a power of two, from which on every product saturates
    width: Any  # how many bits there are, as an integer of twice that many
    unit: Any  # 2^shift, a little less or more by the tie rule, as the float in which quotients are computed


@inlined
def clip(k: Any, infinity: Any) -> Any:
    """Clamp integers to ±∞."""
    return least(most(k, negative(infinity)), infinity)


@inlined
def round_off(r: Any, constants: Any) -> Any:
    """Return r·2^−shift, rounded. A shift rounds down; adding a number before it makes it the tie rule.

    That number is 2^(shift−1) − 1 and, for ties to zero, 1 if r is negative; for ties to even, 1 if r rounded down is
    odd. For ties away from zero it is 2^(shift−1), less 1 if r is negative.
    """
    nudged = plus(plus(r, constants.bias), masked(shifted(r, constants.tie), constants.mask))
    return shifted(nudged, constants.shift)


class Integers(Representation):
    """`Fixed` in int16 or int32."""

    Constants: ClassVar[type[Any]] = IntegerConstants

    @staticmethod
    def constants(A: Fixed, dtype: np.dtype[Any]) -> IntegerConstants:
        number, bits, shift, ties = dtype.type, 8 * dtype.itemsize, A.fraction_bits, A.rounding.direction or 0
        half = 1 << shift >> 1
        bias = half if ties > 0 else max(half - 1, 0)
        mask = 0 if shift == 0 else -1 if ties > 0 else 1
        tie = bits - 1 if ties else shift
        infinity, sign, large = 2**A.precision - 1, bits - 1, 1 << bits - 2
        numbers = (number(x) for x in (infinity, shift, bias, tie, mask, sign, large))
        unit = np.dtype(f"float{2 * bits}").type(2.0**shift * (1 + ties * (2.0**-19 if bits == 16 else 2.0**-40)))
        return IntegerConstants._make((*numbers, np.dtype(f"int{2 * bits}").type(bits), unit))

    @staticmethod
    def reach(values: Encoded, constants: Any) -> Encoded:
        infinity = int(constants.infinity)
        sizes = np.maximum(np.abs(values.astype(np.int64)), 1)
        cut: Encoded = np.minimum(-(-(infinity + 1 << int(constants.shift)) // sizes), infinity).astype(values.dtype)
        return cut

    @staticmethod
    def add(x: Any, y: Any, constants: Any) -> Any:
        """Return x ⊕ y. The sum of two members fits the machine type."""
        return clip(plus(x, y), constants.infinity)

    @staticmethod
    def add_calm(x: Any, y: Any, constants: Any) -> Any:
        return plus(x, y)

    @staticmethod
    def multiply(x: Any, y: Factor, constants: Any) -> Any:
        """Return x ⊗ y, from the product as a high and a low half.

        If the low half is not all of it, or is so large that the rounding would carry over, it lies beyond ∞.
        """
        low = times(x, y.value)
        high = narrowed(shifted(times(widened(x), widened(y.value)), constants.width))
        rounded = round_off(clip(low, constants.large), constants)
        beyond = xor(shifted(high, constants.sign), constants.infinity)  # ∞, or one below −∞
        return clip(where_equal(high, shifted(low, constants.sign), rounded, beyond), constants.infinity)

    @staticmethod
    def multiply_unit(x: Any, y: UnitFactor, constants: Any) -> Any:
        """Return x ⊗ y, which is no larger than x."""
        return round_off(times(x, y.value), constants)

    @staticmethod
    def multiply_bounded(x: Any, y: BoundedFactor, constants: Any) -> Any:
        """Return x ⊗ y, where x·y fits the machine type."""
        return clip(round_off(times(x, y.value), constants), constants.infinity)

    @staticmethod
    def multiply_weight(x: Any, y: WeightFactor, constants: Any) -> Any:
        """Return x ⊗ y. From |x| = reach on it saturates; with x clamped there, the product fits."""
        return clip(round_off(times(clip(x, y.reach), y.value), constants), constants.infinity)

    @staticmethod
    def fits(x: Any, y: Any, constants: Any) -> Any:
        return np.int64(x) * np.int64(y) < np.int64(constants.large)

    @staticmethod
    def largest_size(x: Any, constants: Any) -> Any:
        return largest(most(x, negative(x)))

    @staticmethod
    def table_index(x: Any, index: Any, constants: Any) -> Any:
        return np.int64(x) + index.half

    @staticmethod
    def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
        """Replace a row of x by x ⊘ y, for 0 ≤ x ≤ y.

        The quotient in units, at most 2^f, is at least 1 part in 2^(i + 2f + 1) away from every midpoint but its own: 1
        in 2^15 with int16, in 2^31 with int32. The nudge in `unit` and the error of the floats are far smaller.
        Without integer bits even a quotient of 1 lies beyond ∞.
        """
        for i in range(count):
            quotient = real(x[row, i]) / real(y[0, i]) * constants.unit
            x[row, i] = least(np.rint(quotient), real(constants.infinity))


class Int16Constants(NamedTuple):
    """Those of `IntegerConstants`, and those of the rounded product."""

    infinity: Any
    shift: Any
    bias: Any
    tie: Any
    mask: Any
    sign: Any
    large: Any
    width: Any
    unit: Any
    up: Any  # 15 − shift
    one: Any
    minus_one: Any
    tied: Any  # 1, or 0 if nothing is ever rounded


class Int16ToZero(Integers):
    """`Fixed` in 16 bits with ties to zero: products by one machine instruction.

    That is `high_half`, which returns (x·y + 2^14) / 2^15 rounded down. It takes the product at the bit 2^15, so a
    factor is shifted left until the product has its units there. It rounds ties up, so a factor is moved by 1 towards
    zero.
    """

    Constants = Int16Constants

    @staticmethod
    def constants(A: Fixed, dtype: np.dtype[Any]) -> Int16Constants:  # type: ignore[override]
        plain, shift = Integers.constants(A, dtype), A.fraction_bits
        return Int16Constants._make((*plain, *(np.int16(x) for x in (15 - shift, 1, -1, shift > 0))))

    @staticmethod
    def unit_factors(values: Encoded, constants: Any) -> Encoded:
        larger = (values.astype(np.int64) << int(constants.up)) - np.sign(values)
        return larger.astype(values.dtype)

    @staticmethod
    def unit_factor(y: Any, constants: Any) -> Any:
        """Return y, of at most 1, 2^(15−f) times as large, and moved by 1 towards zero.

        So the product has its units at the bit 2^15. Moving y moves it by |x| < 2^(i+f) ≤ 2^(14−f), less than the
        2^(15−f) between it and any midpoint but its own: it decides the ties, which `high_half` rounds up, and
        nothing else. Even ±1 fits then.
        """
        sign = least(most(y, constants.minus_one), constants.one)
        larger = minus(raised(y, constants.up), sign)
        return UnitFactor(larger, larger)

    @staticmethod
    def multiply_unit(x: Any, y: UnitFactor, constants: Any) -> Any:
        """Return x ⊗ y, which is no larger than x."""
        return high_half(x, y.value)

    @staticmethod
    def left_shift(largest: Any, constants: Any) -> Any:
        """Return by how many bits left factors up to the largest are shifted: see `bounded_factor`."""
        result = constants.up
        while np.int64(largest) >> (constants.up - result) > 0:
            result = minus(result, constants.one)
        return result

    @staticmethod
    def bounded_factor(y: Any, shift: Any, constants: Any) -> Any:
        """Return y, shifted by the bits by which the left factor is not, and moved by 1 towards zero.

        Let |x| < 2^b for the least b. With x shifted by 15 − f − b bits and y by b, the product has its units at the
        bit 2^15. Both fit, for 2^b·|y| ≤ 2·|x·y| < 2^15. As in `unit_factor`, y is then moved by 1 towards zero. That
        moves the product by less than 2^(15−f), so it decides the ties and nothing else; without bits after the point
        there are none.
        """
        nudge = least(most(y, negative(constants.tied)), constants.tied)
        return BoundedFactor(minus(raised(y, minus(constants.up, shift)), nudge), shift)

    @staticmethod
    def multiply_bounded(x: Any, y: BoundedFactor, constants: Any) -> Any:
        """Return x ⊗ y, where x·y fits the machine type."""
        return clip(high_half(raised(x, y.shift), y.value), constants.infinity)
