"""Fixed-point systems in 16 bits with ties to zero: as other integers, but with a machine's own rounded product.

That is `high_half`, which returns (x·y + 2^14) / 2^15 rounded down. It takes the product at the place 2^15, so a factor
is raised until the product has its units there; and it rounds ties up, so a factor is moved by 1 towards zero.
"""

from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic import Fixed
from weightsmith.kernels.packed.instructions import high_half, least, minus, most, negative, raised
from weightsmith.kernels.packed.representations import integers
from weightsmith.kernels.packed.representations.factors import BoundedFactor, UnitFactor
from weightsmith.kernels.packed.representations.integers import Carried, clip

BASE = integers  # what is not here is as there


class Int16ToZero(NamedTuple):
    """The constants of a fixed-point system, as in `Integers`, and those of the rounded product."""

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


def constants(A: Fixed, dtype: np.dtype[Any]) -> Int16ToZero:
    """Return the constants of an arithmetic."""
    plain, shift = integers.constants(A, dtype), A.fraction_bits
    return Int16ToZero._make((*plain, *(np.int16(x) for x in (15 - shift, 1, -1, shift > 0))))


def unit_factors(values: Carried, constants: Int16ToZero) -> Carried:
    """Return values of at most 1 as `unit_factor` does."""
    larger = (values.astype(np.int64) << int(constants.up)) - np.sign(values)
    return larger.astype(values.dtype)


def unit_factor(y: Any, constants: Any) -> Any:
    """Return y, of at most 1, 2^(15−f) times as large, and moved by 1 towards zero.

    So the product has its units at the place 2^15. Moving y moves it by |x| < 2^(i+f) ≤ 2^(14−f), less than the
    2^(15−f) between it and any midpoint but its own: it decides the ties, which `high_half` rounds up, and nothing
    else. Even ±1 fits then.
    """
    sign = least(most(y, constants.minus_one), constants.one)
    return UnitFactor(minus(raised(y, constants.up), sign))


def multiply_unit(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x ⊗ y, which is no larger than x."""
    return high_half(x, y.value)


def multiply_normal(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x ⊗ y as `multiply_unit` does: integers have no subnormal numbers."""
    return high_half(x, y.value)


def places(largest: Any, constants: Any) -> Any:
    """Return by how many places left factors up to the largest are raised: see `bounded_factor`."""
    result = constants.up
    while np.int64(largest) >> (constants.up - result) > 0:
        result = minus(result, constants.one)
    return result


def bounded_factor(y: Any, places: Any, constants: Any) -> Any:
    """Return y, raised by the places by which the left factor is not, and moved by 1 towards zero.

    Let |x| < 2^b for the least b. With x raised by 15 − f − b places and y by b, the product has its units at the
    place 2^15. Both fit, for 2^b·|y| ≤ 2·|x·y| < 2^15. As in `unit_factor`, y is then moved by 1 towards zero. That
    moves the product by less than 2^(15−f), so it decides the ties and nothing else; without places after the point
    there are none.
    """
    nudge = least(most(y, negative(constants.tied)), constants.tied)
    return BoundedFactor(minus(raised(y, minus(constants.up, places)), nudge), places)


def multiply_bounded(x: Any, y: BoundedFactor, constants: Any) -> Any:
    """Return x ⊗ y, where x·y fits the carrier."""
    return clip(high_half(raised(x, y.places), y.value), constants.infinity)
