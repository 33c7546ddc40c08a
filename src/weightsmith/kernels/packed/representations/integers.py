"""Fixed-point systems, carried by the integers k that mean k·2^−shift."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Fixed
from weightsmith.kernels.packed.instructions import (
    inlined,
    largest,
    least,
    masked,
    most,
    narrowed,
    negative,
    plus,
    real,
    shifted,
    times,
    where_equal,
    widened,
    xor,
)
from weightsmith.kernels.packed.representations.factors import BoundedFactor, Factor, UnitFactor, WeightFactor

Carried = npt.NDArray[Any]


class Integers(NamedTuple):
    """The constants of a fixed-point system; all are of the carrier's type, except the last two."""

    infinity: Any
    shift: Any  # how many bits there are after the point
    bias: Any  # these three make a shift, which rounds down, the tie rule: see `round_off`
    tie: Any
    mask: Any
    sign: Any  # the place of the sign
    large: Any  # a power of two, from which on every product saturates
    width: Any  # how many bits there are, as an integer of twice that many
    unit: Any  # 2^shift, a little less or more by the tie rule, as the float in which quotients are computed


def constants(A: Fixed, dtype: np.dtype[Any]) -> Integers:
    """Return the constants of an arithmetic."""
    number, bits, shift = dtype.type, 8 * dtype.itemsize, A.fraction_bits
    half = 1 << shift >> 1
    bias = half if A.ties == "away" else max(half - 1, 0)
    mask = 0 if shift == 0 else -1 if A.ties == "away" else 1
    tie = shift if A.ties == "even" else bits - 1
    infinity, sign, large = 2**A.precision - 1, bits - 1, 1 << bits - 2
    numbers = (number(x) for x in (infinity, shift, bias, tie, mask, sign, large))
    nudge = {"zero": -1, "even": 0, "away": 1}[A.ties] * (2.0**-19 if bits == 16 else 2.0**-40)
    unit = np.dtype(f"float{2 * bits}").type(2.0**shift * (1 + nudge))
    return Integers._make((*numbers, np.dtype(f"int{2 * bits}").type(bits), unit))


def factors(values: Carried, constants: Integers) -> Carried:
    """Return values as the factors that `multiply` and `multiply_weight` take."""
    return values


def unit_factors(values: Carried, constants: Integers) -> Carried:
    """Return values of at most 1 as `unit_factor` does."""
    return values


def reach(values: Carried, constants: Any) -> Carried:
    """Return for each weight the |x| from which on x ⊗ weight saturates."""
    infinity = int(constants.infinity)
    sizes = np.maximum(np.abs(values.astype(np.int64)), 1)
    cut: Carried = np.minimum(-(-(infinity + 1 << int(constants.shift)) // sizes), infinity).astype(values.dtype)
    return cut


@inlined
def clip(k: Any, infinity: Any) -> Any:
    """Cut integers at ±∞."""
    return least(most(k, negative(infinity)), infinity)


@inlined
def round_off(r: Any, constants: Any) -> Any:
    """Return r·2^−shift, rounded. A shift rounds down; what is added before makes it the tie rule.

    That is 2^(shift−1) − 1 and, for ties to zero, 1 if r is negative; for ties to even, 1 if r rounded down is odd.
    For ties away from zero it is 2^(shift−1), less 1 if r is negative.
    """
    nudged = plus(plus(r, constants.bias), masked(shifted(r, constants.tie), constants.mask))
    return shifted(nudged, constants.shift)


def add(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊕ y. The sum of two members fits the carrier."""
    return clip(plus(x, y), constants.infinity)


def add_calm(x: Any, y: Any, constants: Any) -> Any:
    """Return x ⊕ y, which is x + y where it does not saturate."""
    return plus(x, y)


def factor(y: Any, constants: Any) -> Any:
    """Return y itself."""
    return Factor(y)


def unit_factor(y: Any, constants: Any) -> Any:
    """Return y itself."""
    return UnitFactor(y)


def bounded_factor(y: Any, places: Any, constants: Any) -> Any:
    """Return y itself."""
    return BoundedFactor(y, places)


def places(largest: Any, constants: Any) -> Any:
    """Return anything: no left factor is raised."""
    return largest


def multiply(x: Any, y: Factor, constants: Any) -> Any:
    """Return x ⊗ y, from the product as a high and a low half.

    Where the low half is not all of it, or is so large that the rounding would carry over, it lies beyond ∞.
    """
    low = times(x, y.value)
    high = narrowed(shifted(times(widened(x), widened(y.value)), constants.width))
    rounded = round_off(clip(low, constants.large), constants)
    beyond = xor(shifted(high, constants.sign), constants.infinity)  # ∞, or one below −∞
    return clip(where_equal(high, shifted(low, constants.sign), rounded, beyond), constants.infinity)


def multiply_unit(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x ⊗ y, which is no larger than x."""
    return round_off(times(x, y.value), constants)


def multiply_normal(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x ⊗ y as `multiply_unit` does: integers have no subnormal numbers."""
    return round_off(times(x, y.value), constants)


def multiply_bounded(x: Any, y: BoundedFactor, constants: Any) -> Any:
    """Return x ⊗ y, where x·y fits the carrier."""
    return clip(round_off(times(x, y.value), constants), constants.infinity)


def multiply_weight(x: Any, y: WeightFactor, constants: Any) -> Any:
    """Return x ⊗ y. From |x| = reach on it saturates: so cut, the product fits."""
    return clip(round_off(times(clip(x, y.reach), y.value), constants), constants.infinity)


def fits(x: Any, y: Any, constants: Any) -> Any:
    """Say whether products of values up to x with ones up to y fit the carrier."""
    return np.int64(x) * np.int64(y) < np.int64(constants.large)


def survey(x: Any, constants: Any) -> Any:
    """Return ∞, for no product is subnormal, and the size of the largest element."""
    return constants.infinity, largest(most(x, negative(x)))


def table_index(x: Any, index: Any, constants: Any) -> Any:
    """Return where x stands in a table of all members, in their order."""
    return np.int64(x) + index.half


def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
    """Replace a row of x by x ⊘ y, for 0 ≤ x ≤ y.

    The quotient in units, at most 2^f, is at least 1 part in 2^(i + 2f + 1) away from every midpoint but its own: in
    2^15 with int16, in 2^31 with int32. What the nudge in `unit` moves, and float32 or float64 err, is far less.
    Without whole bits even a quotient of 1 lies beyond ∞.
    """
    for i in range(count):
        quotient = real(x[row, i]) / real(y[0, i]) * constants.unit
        x[row, i] = least(np.rint(quotient), real(constants.infinity))
