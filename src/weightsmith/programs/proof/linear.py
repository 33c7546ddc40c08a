"""Sums, differences and multiples of numbers and means, as the forms that are expected."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from weightsmith.programs.proof.holding import Affine, Holding, Mean, constant_of
from weightsmith.programs.proof.space import Integers, Space, alike, distinct, scaled, sums
from weightsmith.programs.values import exact, is_number

LINEAR = ("negative", "round", "+", "-", "*", "/")


def expected(space: Space, symbol: str, arguments: Sequence[Holding]) -> Affine | Mean | None:
    """Return the result of an operator, where that is a combination of its arguments; else None."""
    if symbol not in LINEAR:
        return None
    known = [_numbers(space, one) for one in arguments]
    if any(one is None for one in known) or not known:
        return None
    given = [one for one in known if one is not None]
    match symbol, given:
        case "negative", [one]:
            return times(space, one, Fraction(-1))
        case "round", [Affine(_, 1) as one]:
            return one
        case "+", [left, right]:
            return added(left, right)
        case "-", [left, right]:
            minus = times(space, right, Fraction(-1))
            return None if minus is None else added(left, minus)
        case "*", [left, right]:
            return _product(space, left, right)
        case "/", [left, right]:
            return _quotient(space, left, right)
    return None


def difference(space: Space, arguments: Sequence[Holding]) -> Integers | None:
    """Return a form that has the sign of the difference of two numbers, or of two means over the same positions."""
    left, right = (_numbers(space, one) for one in arguments)
    minus = None if left is None or right is None else times(space, right, Fraction(-1))
    if left is None or minus is None:
        return None
    found = added(left, minus, pairs=False)
    if isinstance(found, Mean):
        return found.top
    return None if found is None else found.form


def _numbers(space: Space, holding: Holding) -> Affine | Mean | None:
    if isinstance(holding, Affine | Mean):
        return holding
    value = constant_of(holding)
    if value is None or not is_number(value[0]):
        return None
    number = Fraction(value[0])
    if max(abs(number.numerator), number.denominator) >= 1 << 40:
        return None
    return Affine(space.form(constant=number.numerator), number.denominator)


def _number(one: Affine | Mean) -> Fraction | None:
    return Fraction(int(one.form[-1]), one.scale) if isinstance(one, Affine) and not one.form[:-1].any() else None


def times(space: Space, one: Affine | Mean, factor: Fraction) -> Affine | Mean | None:
    """Return a number or a mean times a constant."""
    if max(abs(factor.numerator), factor.denominator) >= 1 << 40:
        return None
    if isinstance(one, Affine):
        return _small(one.form, factor.numerator, Affine(one.form * factor.numerator, one.scale * factor.denominator))
    if not one.always and not is_number(one.default):
        return None
    if factor == 0:
        return Affine(space.form())
    default = exact(Fraction(one.default) * factor) if is_number(one.default) else one.default
    pairs = one.pairs * np.array([factor.numerator, 1])
    made = Mean(one.top * factor.numerator, one.scale * factor.denominator, one.count, default, pairs)
    return _small(one.pairs, factor.numerator, made)


def _small(numbers: Integers, factor: int, made: Affine | Mean) -> Affine | Mean | None:
    largest = int(np.abs(numbers).max(initial=0)) * abs(factor)
    return made if max(largest, made.scale) < 1 << 50 else None


def added(one: Affine | Mean, other: Affine | Mean, pairs: bool = True) -> Affine | Mean | None:
    """Return the sum of two numbers, of two means over the same positions, or of a mean and a constant."""
    if isinstance(one, Affine) and isinstance(other, Affine):
        scale = lcm(one.scale, other.scale)
        a, b = scale // one.scale, scale // other.scale
        made = _small(one.form, a, Affine(one.form, scale)), _small(other.form, b, Affine(other.form, scale))
        return None if None in made else Affine(one.form * a + other.form * b, scale)
    if isinstance(one, Affine):
        one, other = other, one
    assert isinstance(one, Mean)
    if not one.always:
        return None
    if isinstance(other, Affine):
        number = _number(other)
        if number is None:
            return None
        counts = distinct(one.pairs[:, 1])
        together = np.stack([counts * number.numerator, counts], axis=1)
        other = Mean(one.count * number.numerator, number.denominator, one.count, one.default, together)
    if not other.always or not np.array_equal(one.count, other.count):
        return None
    scale = lcm(one.scale, other.scale)
    a, b = scale // one.scale, scale // other.scale
    if _small(one.pairs, a, one) is None or _small(other.pairs, b, other) is None:
        return None
    found = _joined(one.pairs, a, other.pairs, b) if pairs else one.pairs
    return Mean(one.top * a + other.top * b, scale, one.count, one.default, found)


def _joined(one: Integers, a: int, other: Integers, b: int) -> Integers:
    """Return all sums over the same positions, count by count."""
    counts, groups = [], []
    for pairs, factor in ((one, a), (other, b)):
        ordered = pairs[np.argsort(pairs[:, 1], kind="stable")]
        starts = np.flatnonzero(np.diff(ordered[:, 1])) + 1
        groups.append(np.split(ordered[:, 0] * factor, starts))
        counts.append(ordered[np.append(0, starts), 1].tolist())
    by_count = dict(zip(counts[1], groups[1], strict=True))
    tops = [sums(distinct(top), distinct(by_count[count])) for count, top in zip(counts[0], groups[0], strict=True)]
    return np.stack([np.concatenate(tops), np.repeat(counts[0], list(map(len, tops)))], axis=1)


def _product(space: Space, left: Affine | Mean, right: Affine | Mean) -> Affine | Mean | None:
    for one, other in ((left, right), (right, left)):
        number = _number(other)
        if number is not None:
            return times(space, one, number)
    for count, mean in ((left, right), (right, left)):
        if not isinstance(count, Affine) or not isinstance(mean, Mean):
            continue
        if (mean.always or is_number(mean.default)) and alike(count.form, 1, mean.count, count.scale):
            return Affine(mean.top, mean.scale)  # the mean times its count: where that is 0, so is the sum
    return None


def _quotient(space: Space, left: Affine | Mean, right: Affine | Mean) -> Affine | Mean | None:
    number = _number(right)
    if number is not None:
        return None if number == 0 else times(space, left, 1 / number)
    number = _number(left)
    if number is None or not isinstance(right, Mean) or not right.always or right.top[:-1].any() or not right.top[-1]:
        return None
    return times(space, Affine(right.count), number * right.scale / int(right.top[-1]))


def same(wanted: Affine | Mean, found: Holding) -> bool:
    """Return whether two numbers or means are held alike."""
    if isinstance(wanted, Affine) and isinstance(found, Affine):
        return alike(wanted.form, found.scale, found.form, wanted.scale)
    if isinstance(wanted, Mean) and isinstance(found, Mean):
        return (
            alike(wanted.top, found.scale, found.top, wanted.scale)
            and np.array_equal(wanted.count, found.count)
            and (wanted.always or wanted.default == found.default)
        )
    return False


def with_pairs(wanted: Affine | Mean, found: Holding) -> Holding:
    """Return the holding, with the pairs of a mean."""
    if not isinstance(found, Mean) or not isinstance(wanted, Mean):
        return found
    tops = scaled(wanted.pairs[:, 0], found.scale)
    assert not (tops % wanted.scale).any()
    pairs = np.stack([tops // wanted.scale, wanted.pairs[:, 1]], axis=1)
    return Mean(found.top, found.scale, found.count, found.default, pairs)
