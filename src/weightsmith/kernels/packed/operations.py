"""The rounded operations on carrier values, single ones or packs, which the loops apply to whole rows; see `products`.

What they mean is written in `weightsmith.arithmetic`; why they may be written so is said at each of them. There is no
fast-math: nothing is reordered, and no product is contracted into a sum.
"""

from typing import Any

import numba as nb
import numpy as np
from numba import types
from numba.extending import overload

from weightsmith.arithmetic.fast_rounding import away, to_even, to_zero
from weightsmith.kernels.packed.instructions import bits, least, masked, minus, most, plus, shifted, value
from weightsmith.kernels.packed.rules import Binary, BinaryEven, Machine, Whole, WholeToZero

WHOLE = (Whole, WholeToZero)


@nb.njit
def clip(k: Any, infinity: Any) -> Any:
    """Cut integers at ±∞."""
    return least(most(k, minus(minus(infinity, infinity), infinity)), infinity)


@nb.njit
def round_off(r: Any, rule: Any) -> Any:
    """Return r·2^−shift, rounded. A shift rounds down; what is added before makes it the rule.

    That is 2^(shift−1) − 1 and, for ties to zero, 1 if r is negative; for ties to even, 1 if r rounded down is odd.
    For ties away from zero it is 2^(shift−1), less 1 if r is negative.
    """
    return shifted(plus(plus(r, rule.bias), masked(shifted(r, rule.tie), rule.mask)), rule.shift)


@nb.njit
def on_grid(v: Any, rule: Any) -> Any:
    """Round v to its quantum, ties to even.

    Adding 1.5·2^(w−1) quanta, for a carrier of w bits, pushes everything below the quantum out of it; subtracting
    them again is exact. The quantum follows from the exponent of v, or from the least exponent.
    """
    far = value(plus(most(masked(bits(v), rule.exponent), rule.least), rule.lift))
    return minus(plus(v, far), far)


@nb.njit
def within(v: Any, rule: Any) -> Any:
    """Cut floats at ±∞."""
    return least(most(v, -rule.infinity), rule.infinity)


def add(x: Any, y: Any, rule: Any) -> Any:
    """Return x ⊕ y."""


@overload(add, strict=False)
def _add(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:
        return lambda x, y, rule: clip(plus(x, y), rule.infinity)
    if rule.instance_class is Machine:
        return lambda x, y, rule: plus(x, y)
    return lambda x, y, rule: rounded_sum(plus(x, y), rule)


def subtract(x: Any, y: Any, rule: Any) -> Any:
    """Return x ⊖ y."""


@overload(subtract, strict=False)
def _subtract(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:
        return lambda x, y, rule: clip(minus(x, y), rule.infinity)
    if rule.instance_class is Machine:
        return lambda x, y, rule: minus(x, y)
    return lambda x, y, rule: rounded_sum(minus(x, y), rule)


@nb.njit
def rounded_sum(s: Any, rule: Any) -> Any:
    """Round a float sum of two members; what is too large becomes ∞."""
    return within(to_precision(s, rule), rule)


def to_precision(s: Any, rule: Any) -> Any:
    """Round a float to p bits, on its bits: sign and magnitude, so the carry goes the right way.

    A sum that is smaller than every normal number is a multiple of the quantum, so it has at most p bits and stays.
    """


@overload(to_precision, strict=False)
def _to_precision(s: Any, rule: Any) -> Any:
    if rule.instance_class is Binary:
        return lambda s, rule: value(masked(plus(bits(s), rule.bias), rule.keep))

    def even(s: Any, rule: Any) -> Any:
        u = bits(s)
        up = plus(plus(u, rule.bias), masked(shifted(u, rule.last), rule.one))
        return value(masked(up, rule.keep))

    return even


def calm_sum(x: Any, y: Any, rule: Any) -> Any:
    """Return x ⊕ y where it does not saturate."""


@overload(calm_sum, strict=False)
def _calm_sum(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class in (*WHOLE, Machine):
        return lambda x, y, rule: plus(x, y)
    return lambda x, y, rule: to_precision(plus(x, y), rule)


@nb.njit
def round_exactly(x: Any, exact: Any) -> Any:
    """Round a float64 into the arithmetic."""
    if exact.ties == 0:
        return to_zero(x, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
    if exact.ties == 1:
        return to_even(x, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
    if exact.ties == 2:
        return away(x, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
    return np.float64(np.float32(x)) if exact.ties == 3 else x


def place_of(x: Any, place: Any, rule: Any) -> Any:
    """Return the place of x in a table of a value for every member: see `carrier.places`."""


@overload(place_of, strict=False)
def _place_of(x: Any, place: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:
        return lambda x, place, rule: np.int64(x) + place.half

    def of_float(x: Any, place: Any, rule: Any) -> Any:
        magnitude = np.int64(bits(abs(x)) >> place.shift) - place.base
        return max(magnitude, 0) + (place.half if x < 0 else 0)

    return of_float


def quotients(x: Any, y: Any, exact: Any, rule: Any) -> None:
    """Replace x by x ⊘ y, for 0 ≤ x ≤ y."""


@overload(quotients, strict=False)
def _quotients(x: Any, y: Any, exact: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:
        real = np.float32 if x.dtype == types.int16 else np.float64

        # The quotient in units, at most 2^f, is at least 1 part in 2^(i + 2f + 1) away from every midpoint but its own:
        # in 2^15 with int16, in 2^31 with int32. What the nudge moves, and float32 or float64 err, is far less.
        # Without whole bits even a quotient of 1 lies beyond ∞.
        def whole(x: Any, y: Any, exact: Any, rule: Any) -> None:
            factor = real(exact.scale * exact.nudge)
            for i in range(x.size):
                x[i] = min(np.rint(real(x[i]) / real(y[i]) * factor), real(rule.infinity))

        return whole
    if rule.instance_class is Machine:

        def machine(x: Any, y: Any, exact: Any, rule: Any) -> None:
            for i in range(x.size):
                x[i] = x[i] / y[i]

        return machine
    if rule.instance_class is BinaryEven:

        def even(x: Any, y: Any, exact: Any, rule: Any) -> None:
            for i in range(x.size):
                q = np.float64(x[i]) / np.float64(y[i])
                x[i] = to_even(q, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)

        return even

    def binary(x: Any, y: Any, exact: Any, rule: Any) -> None:
        if exact.ties == 0:
            for i in range(x.size):
                q = np.float64(x[i]) / np.float64(y[i])
                x[i] = to_zero(q, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)
        else:
            for i in range(x.size):
                q = np.float64(x[i]) / np.float64(y[i])
                x[i] = away(q, exact.lowest, exact.infinity, exact.least_exponent, exact.precision)

    return binary
