"""The rounded products of carrier values, single ones or packs: each for what is known of its factors."""

from typing import Any

import numba as nb
import numpy as np
from numba.extending import overload

from weightsmith.kernels.packed.instructions import (
    bits,
    high_half,
    largest,
    least,
    minus,
    most,
    narrowed,
    plus,
    raised,
    shifted,
    smallest_unsigned,
    times,
    value,
    where_equal,
    widened,
    xor,
)
from weightsmith.kernels.packed.operations import WHOLE, clip, on_grid, round_off, to_precision, within
from weightsmith.kernels.packed.rules import Binary, Machine, Whole, WholeToZero


def prepared(y: Any, rule: Any) -> Any:
    """Return the right factor of a product as `multiply` wants it, and `scaled` of floats.

    They round ties to even. For another rule the factor y, of p bits, is first moved by y·2^(1−w) towards or away from
    zero, in a carrier of w bits. That moves the product, of 2p bits, by 1 to 3 units in the last of its w places: for
    w ≥ 2p + 2 this is less than the 4 units that lie between it and any midpoint but its own. So it decides the ties,
    and nothing else. (With y in [1, 1.5] it is one unit of y, above 1.5 it is two; work out both cases for products
    below and above 2: they move by more than ½ and less than 3 units, before they are rounded to whole ones.)
    """


@overload(prepared, strict=False)
def _prepared(y: Any, rule: Any) -> Any:
    if rule.instance_class is Binary:
        return lambda y, rule: times(y, rule.nudge)
    return lambda y, rule: y


def share(y: Any, rule: Any) -> Any:
    """Return a right factor y of at most 1 in absolute value as `scaled` wants it.

    A 16-bit integer with ties to zero is made 2^(15−f) times as large, so that the product has its units at the place
    2^15, and then moved by 1 towards zero. That moves the product by |x| < 2^(i+f) ≤ 2^(14−f), less than the 2^(15−f)
    between it and any midpoint but its own. So it decides the ties, which `high_half` rounds up, and nothing else.
    Even ±1 fits then.
    """


@overload(share, strict=False)
def _share(y: Any, rule: Any) -> Any:
    if rule.instance_class is WholeToZero:
        # y·2^(15−f) less its sign: 1 if it is positive, −1 if negative
        return lambda y, rule: minus(raised(y, rule.up), least(most(y, rule.down), rule.one))
    return lambda y, rule: prepared(y, rule)


def scaled(x: Any, y: Any, rule: Any) -> Any:
    """Return x ⊗ y for a share y: it cannot saturate. For floats, it is enough that x is at most 1."""


@overload(scaled, strict=False)
def _scaled(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class is WholeToZero:
        return lambda x, y, rule: high_half(x, y)
    if rule.instance_class is Whole:
        return lambda x, y, rule: round_off(times(x, y), rule)
    if rule.instance_class is Machine:
        return lambda x, y, rule: times(x, y)
    return lambda x, y, rule: on_grid(times(x, y), rule)


def normal(x: Any, y: Any, rule: Any) -> Any:
    """Return what `scaled` gives, where no product but 0 is smaller than every normal number.

    So a product has p bits, whatever its size. That `prepared` moved it decides the ties here as it does there.
    """


@overload(normal, strict=False)
def _normal(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class is Binary:
        return lambda x, y, rule: to_precision(times(x, y), rule)
    return lambda x, y, rule: scaled(x, y, rule)


def survey(x: Any, rule: Any) -> Any:
    """Return the size of the largest value of a pack, and before it a lower bound, if `normal` must know it.

    The bound is for those that are not 0; if all are, it is no number.
    """


@overload(survey, strict=False)
def _survey(x: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:
        return lambda x, rule: (rule.infinity, largest(most(x, minus(minus(rule.sign, rule.sign), x))))
    if rule.instance_class is Binary:

        def binary(x: Any, rule: Any) -> Any:
            sizes = bits(most(x, minus(rule.infinity - rule.infinity, x)))
            low = smallest_unsigned(plus(sizes, shifted(rule.keep, rule.sign)))  # less 1, so 0 is the largest of all
            return value(low), value(largest(sizes))

        return binary
    return lambda x, rule: (rule.infinity, value(largest(bits(most(x, minus(rule.infinity - rule.infinity, x))))))


def multiply(x: Any, y: Any, rule: Any) -> Any:
    """Return x ⊗ y for a prepared y."""


@overload(multiply, strict=False)
def _multiply(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:
        # The product as a high and a low half. Where the low half is not all of it, or is so large that the rounding
        # would carry over, it lies beyond ∞.
        def whole(x: Any, y: Any, rule: Any) -> Any:
            low, high = times(x, y), narrowed(shifted(times(widened(x), widened(y)), rule.width))
            rounded = round_off(clip(low, rule.large), rule)
            beyond = xor(shifted(high, rule.sign), rule.infinity)  # ∞, or one below −∞
            return clip(where_equal(high, shifted(low, rule.sign), rounded, beyond), rule.infinity)

        return whole
    if rule.instance_class is Machine:
        return lambda x, y, rule: times(x, y)
    return lambda x, y, rule: on_grid(within(times(x, y), rule), rule)


@nb.njit
def _round_product(x: Any, y: Any, rule: Any) -> Any:
    """Return x ⊗ y for integers whose product fits the carrier."""
    return clip(round_off(times(x, y), rule), rule.infinity)


def fits(x: Any, y: Any, rule: Any) -> Any:
    """Say whether products of values up to x with ones up to y are taken by `bounded`."""


@overload(fits, strict=False)
def _fits(x: Any, y: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:  # they fit the carrier
        return lambda x, y, rule: np.int64(x) * np.int64(y) < np.int64(rule.large)
    return lambda x, y, rule: np.float64(x) * np.float64(y) < 0.99 * rule.infinity  # they do not saturate


def places_of(x: Any, rule: Any) -> Any:
    """Return by how many places `bounded` wants its left factor raised, if it is at most x."""


@overload(places_of, strict=False)
def _places_of(x: Any, rule: Any) -> Any:
    if rule.instance_class is WholeToZero:

        def whole(x: Any, rule: Any) -> Any:
            places = rule.up
            while np.int64(x) >> (rule.up - places) > 0:
                places = minus(places, rule.one)
            return places

        return whole
    return lambda x, rule: x


def counterpart(y: Any, places: Any, rule: Any) -> Any:
    """Return the right factor y of a product as `bounded` wants it, if the left one is raised by so many places.

    For 16-bit integers with ties to zero, let |x| < 2^b for the least b. With x raised by 15 − f − b places and y by
    b, the product has its units at the place 2^15. Both fit, for 2^b·|y| ≤ 2·|x·y| < 2^15. As in `share`, y is then
    moved by 1 towards zero. That moves the product by less than 2^(15−f), so it decides the ties and nothing else;
    without places after the point there are none.
    """


@overload(counterpart, strict=False)
def _counterpart(y: Any, places: Any, rule: Any) -> Any:
    if rule.instance_class is WholeToZero:

        def whole(y: Any, places: Any, rule: Any) -> Any:
            nudge = least(most(y, minus(minus(rule.one, rule.one), rule.tied)), rule.tied)
            return minus(raised(y, minus(rule.up, places)), nudge)

        return whole
    return lambda y, places, rule: prepared(y, rule)


def bounded(x: Any, y: Any, places: Any, rule: Any) -> Any:
    """Return x ⊗ y for a counterpart y, where it fits."""


@overload(bounded, strict=False)
def _bounded(x: Any, y: Any, places: Any, rule: Any) -> Any:
    if rule.instance_class is WholeToZero:
        return lambda x, y, places, rule: clip(high_half(raised(x, places), y), rule.infinity)
    if rule.instance_class is Whole:
        return lambda x, y, places, rule: _round_product(x, y, rule)
    return lambda x, y, places, rule: scaled(x, y, rule)


def saturate(x: Any, y: Any, reach: Any, rule: Any) -> Any:
    """Return x ⊗ y for a prepared weight y above 1. From |x| = reach on it saturates: so cut, the product fits."""


@overload(saturate, strict=False)
def _saturate(x: Any, y: Any, reach: Any, rule: Any) -> Any:
    if rule.instance_class in WHOLE:
        return lambda x, y, reach, rule: _round_product(clip(x, reach), y, rule)
    return lambda x, y, reach, rule: multiply(x, y, rule)
