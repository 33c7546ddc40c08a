"""Functions of symbols: linear ones cost nothing, the others become tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.forms import LARGEST_CODE, Form, Integers, Sizes, distinct, sums
from weightsmith.programs.compiler.symbols import (
    Affine,
    Mean,
    Symbol,
    Table,
    as_affine,
    as_table,
    codes_of,
    constant,
    divided,
    require_pairs,
    unary,
    variable_of,
)
from weightsmith.programs.compiler.tables import MOST_CALLS, TooManyCombinationsError, combined
from weightsmith.programs.functions import attempt
from weightsmith.programs.operators import COMPARISONS, Named, Operator
from weightsmith.programs.places import Note
from weightsmith.programs.values import Value, exact, is_number


@dataclass(frozen=True, eq=False, repr=False)
class Pointwise:
    """Applies operators to symbols."""

    sizes: Sizes

    def apply(self, operator: Operator, arguments: Sequence[Symbol], note: Note) -> Symbol:
        """Return a function of symbols: None where an argument is None."""
        symbol = operator.symbol if isinstance(operator, Named) else ""
        known = self._linear(symbol, arguments) or self._compared(symbol, arguments)
        if known is not None:
            return known
        tables = [self._seen(operator, one, arguments) for one in arguments]
        try:
            table = combined(lambda *values: _result(operator, values, note), tables)
        except TooManyCombinationsError:
            linear = self._of_sum_or_difference(operator, arguments, note)
            if linear is None:
                raise
            return linear
        return simplest(table)

    def _linear(self, symbol: str, arguments: Sequence[Symbol]) -> Symbol | None:
        """Return sums, differences and multiples of numbers and means."""
        if symbol == "negative":
            return _times(arguments[0], Fraction(-1))
        if symbol == "round" and isinstance(arguments[0], Affine) and arguments[0].scale == 1:
            return arguments[0]
        if symbol in ("+", "-"):
            left, right = arguments
            minus = _times(right, Fraction(-1)) if symbol == "-" else right
            return None if minus is None else _sum(left, minus)
        if symbol in ("*", "/"):
            left, right = arguments
            for one, other in ((left, right), (right, left))[: 2 if symbol == "*" else 1]:
                number = _number(other)
                if number is not None and (number or symbol == "*"):
                    return _times(one, 1 / number if symbol == "/" else number)
            return _count_times_mean(left, right) if symbol == "*" else _inverse(left, right)
        return None

    def _compared(self, symbol: str, arguments: Sequence[Symbol]) -> Symbol | None:
        """Return a comparison of numbers or of means as a function of one difference."""
        if symbol not in COMPARISONS:
            return None
        left, right = arguments
        minus = _times(right, Fraction(-1))
        difference = None if minus is None else _sum(left, minus)
        if isinstance(difference, Mean):
            if not difference.counts_always:
                return None
            difference = Affine(difference.top)
        if not isinstance(difference, Affine):
            return None
        return self.of_form(difference.form, lambda code: COMPARISONS[symbol](code, 0))

    def of_form(self, form: Form, function: Callable[[int], Value]) -> Symbol:
        """Return a function of a form."""
        if form.is_constant:
            return constant(function(form.constant))
        variable, _, _ = variable_of(form, self.sizes)
        return unary(variable, [function(int(code)) for code in codes_of(form, variable, self.sizes)])

    def of_codes(self, form: Form, decode: dict[int, Value]) -> Symbol:
        """Return the values for which the codes of a form stand."""
        return simplest(as_table(self.of_form(form, decode.__getitem__), self.sizes))

    def _seen(self, operator: Operator, symbol: Symbol, arguments: Sequence[Symbol]) -> Table:
        """Return an argument as a table; a mean of which the sign alone matters is its sum."""
        if isinstance(symbol, Mean) and len(arguments) == 1 and _sign_matters(operator, symbol):
            standing = {0: 0, 1: 1, -1: -1}
            return as_table(self.of_form(symbol.top, lambda code: standing[(code > 0) - (code < 0)]), self.sizes)
        return as_table(symbol, self.sizes)

    def _of_sum_or_difference(self, operator: Operator, arguments: Sequence[Symbol], note: Note) -> Symbol | None:
        """Return a function of two numbers that depends on their sum or their difference alone."""
        if len(arguments) != 2 or not all(isinstance(one, Affine) for one in arguments):
            return None
        left, right = arguments
        assert isinstance(left, Affine)
        assert isinstance(right, Affine)
        scale = lcm(left.scale, right.scale)
        a, b = left.form * (scale // left.scale), right.form * (scale // right.scale)
        if len(a.codes) * len(b.codes) > MOST_CALLS:
            return None
        for sign in (-1, 1):
            found: dict[int, Value] = {}
            alike = True
            for x in a.codes:
                in_force().check()
                for y in b.codes:
                    value = _result(operator, (exact(Fraction(int(x), scale)), exact(Fraction(int(y), scale))), note)
                    alike = alike and found.setdefault(int(x) + sign * int(y), value) == value
                if not alike:
                    break
            if alike:
                return self.of_form(a + b * sign, lambda code, found=found: found[code])  # type: ignore[misc]
        return None


def simplest(table: Table) -> Symbol:
    """Return a table as a linear form where it is one."""
    return as_affine(table) or table


def _result(operator: Operator, values: Sequence[Value], note: Note) -> Value:
    return None if None in values else attempt(operator, values, note)


def _number(symbol: Symbol) -> Fraction | None:
    """Return the number that a symbol always is."""
    if isinstance(symbol, Affine) and symbol.form.is_constant:
        return Fraction(symbol.form.constant, symbol.scale)
    if isinstance(symbol, Table) and not symbol.variables and is_number(symbol.values[0]):
        return Fraction(symbol.values[0])
    return None


def _as_numbers(symbol: Symbol) -> Affine | Mean | None:
    """Return a symbol as a linear form or a mean, or None."""
    number = _number(symbol)
    if number is not None:
        return Affine(Form(constant=number.numerator), number.denominator)
    return None if isinstance(symbol, Table) else symbol


def _times(symbol: Symbol, factor: Fraction) -> Symbol | None:
    """Return a number or a mean times a constant."""
    one = _as_numbers(symbol)
    if one is None or (isinstance(one, Mean) and one.default is None and not one.counts_always):
        return None
    if factor == 0:
        return Affine(Form())
    if isinstance(one, Affine):
        return Affine(*_reduced(one.form * factor.numerator, one.scale * factor.denominator))
    if not is_number(one.default) and not one.counts_always:
        return None
    default = exact(Fraction(one.default) * factor) if is_number(one.default) else one.default
    if _farthest(one) * abs(factor.numerator) > LARGEST_CODE:
        return None
    pairs = one.pairs * np.array([factor.numerator, 1])
    return Mean(one.top * factor.numerator, one.scale * factor.denominator, one.count, default, pairs)


def _sum(left: Symbol, right: Symbol) -> Symbol | None:
    """Return the sum of two numbers, of two means over the same positions, or of a mean and a constant."""
    one, other = _as_numbers(left), _as_numbers(right)
    if one is None or other is None:
        return None
    if isinstance(one, Affine) and isinstance(other, Affine):
        scale = lcm(one.scale, other.scale)
        return Affine(*_reduced(one.form * (scale // one.scale) + other.form * (scale // other.scale), scale))
    if isinstance(one, Affine):
        one, other = other, one
    assert isinstance(one, Mean)
    if not one.counts_always:
        return None
    if isinstance(other, Affine):
        if not other.form.is_constant:
            return None
        other = Mean(one.count * other.form.constant, other.scale, one.count, one.default, _constant_pairs(one, other))
    if other.count != one.count or not other.counts_always:
        return None
    scale = lcm(one.scale, other.scale)
    a, b = scale // one.scale, scale // other.scale
    if _farthest(one) * a + _farthest(other) * b > LARGEST_CODE:
        return None
    return Mean(one.top * a + other.top * b, scale, one.count, one.default, _added_pairs(one, a, other, b))


def _farthest(mean: Mean) -> int:
    """Return the largest absolute value of a sum."""
    return int(np.abs(mean.pairs[:, 0]).max())


def _constant_pairs(one: Mean, other: Affine) -> Integers:
    counts = distinct(one.pairs[:, 1])
    return np.stack([counts * other.form.constant, counts], axis=1)


def _added_pairs(one: Mean, a: int, other: Mean, b: int) -> Integers:
    """Return all sums over the same positions, count by count, and perhaps more."""
    found, total = list[Integers](), 0
    for count in distinct(one.pairs[:, 1]).tolist():
        left, right = (mean.pairs[mean.pairs[:, 1] == count, 0] for mean in (one, other))
        tops = sums(distinct(left) * a, distinct(right) * b)
        total += len(tops)
        require_pairs(total)
        found.append(np.stack([tops, np.full_like(tops, count)], axis=1))
    return np.concatenate(found)


def _count_times_mean(left: Symbol, right: Symbol) -> Symbol | None:
    """Return a mean times the number of positions that it is over: the sum; where there are none, both are 0."""
    for count, mean in ((left, right), (right, left)):
        if not isinstance(count, Affine) or not isinstance(mean, Mean):
            continue
        if not mean.counts_always and not is_number(mean.default):
            continue
        if count.form == mean.count * count.scale:
            return Affine(*_reduced(mean.top, mean.scale))
    return None


def _inverse(left: Symbol, right: Symbol) -> Symbol | None:
    """Return a constant divided by a mean whose sum is a constant: a multiple of the count."""
    number = _number(left)
    if number is None or not isinstance(right, Mean) or not right.top.is_constant or not right.counts_always:
        return None
    if right.top.constant == 0:
        return None
    return _times(Affine(right.count), number * right.scale / right.top.constant)


def _reduced(form: Form, scale: int) -> tuple[Form, int]:
    """Return form and scale without a common divisor."""
    common = gcd(form.factor, form.constant, scale)
    return (form, scale) if common == 1 else (divided(form, common), scale // common)


def _sign_matters(operator: Operator, mean: Mean) -> bool:
    """Return whether a function of a mean depends on its sign alone."""
    if mean.default != 0 and not mean.counts_always:
        return False
    results: dict[int, Any] = {}
    for value in mean.different():
        in_force().check()
        if not is_number(value):
            return False
        try:
            result = operator(value)
        except Exception:  # which is raised again, with its place, where the function is applied
            return False
        if results.setdefault((value > 0) - (value < 0), result) != result:
            return False
    return _standing(operator, results)


def _standing(operator: Operator, results: dict[int, Any]) -> bool:
    """Return whether −1, 0 and 1 may stand for all numbers of their sign."""
    try:
        return all(operator(sign) == result for sign, result in results.items())
    except Exception:  # the function is not made for them
        return False
