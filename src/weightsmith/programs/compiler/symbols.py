"""Symbols: a sequence operation during compilation, as a linear form, as a mean (sum and count), or as a table.

A table says, for one or several variables, to which class each of their codes belongs, and for every combination of
classes the value. Classes that no value tells apart are one, so tables stay small however many codes there are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, TypeAlias

import numpy as np

from weightsmith.programs.budget import VALUE, in_force
from weightsmith.programs.circuit.forms import Codes, Form, Integers, Sizes, TooLargeError, feature
from weightsmith.programs.values import Value, exact, is_number

MOST_COMBINATIONS = 200_000  # of classes in a table
MOST_MEANS = 1 << 20  # pairs of a sum and a count


@dataclass(frozen=True, eq=False)
class Variable:
    """A linear form that tables depend on, with the codes that it can have."""

    form: Form
    codes: Codes

    def __eq__(self, other: object) -> bool:
        """Two are equal if form and codes are."""
        return isinstance(other, Variable) and self._key == other._key

    def __hash__(self) -> int:
        """Return the hash of form and codes."""
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Form, bytes]:
        return self.form, self.codes.tobytes()

    @property
    def is_feature(self) -> bool:
        """Whether it is the token or the position itself: every function of it costs nothing."""
        return self.form.of_token or self.form.of_index


@dataclass(frozen=True, eq=False)
class Affine:
    """A number: a form divided by a scale."""

    form: Form
    scale: int = 1


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean: top / (scale · count), or the default where the count is 0. `pairs` are all possible (top, count)."""

    top: Form
    scale: int
    count: Form
    default: Value
    pairs: Integers  # (pairs, 2)

    def __post_init__(self) -> None:
        """Count its memory."""
        in_force().hold(self.pairs.size, "the sums and counts of a mean")

    @cached_property
    def values(self) -> list[Value]:
        """The value of every pair."""
        in_force().hold(VALUE * self.size + len(self.pairs), f"the {self.size:,} values of a mean")
        known = [self._value(*pair) for pair in self._different[0].tolist()]
        return [known[number] for number in self._different[1].tolist()]

    def different(self) -> Iterator[Value]:
        """Yield every value once; the caller may stop early."""
        return (self._value(*pair) for pair in self._different[0].tolist())

    @property
    def size(self) -> int:
        """How many different values there are; counted without making them."""
        return len(self._different[0])

    @cached_property
    def _different(self) -> tuple[Integers, Integers]:
        """The different quotients top / count in lowest terms, and which of them each pair is."""
        tops, counts = self.pairs.T
        common = np.maximum(np.gcd(tops, counts), 1)
        reduced = np.stack([np.where(counts, tops // common, 0), counts // common], axis=1)
        order = np.lexsort(reduced.T)
        new = np.append(True, (reduced[order[1:]] != reduced[order[:-1]]).any(axis=1))
        which = np.empty(len(order), np.int64)
        which[order] = np.cumsum(new) - 1
        return reduced[order[new]], which

    def _value(self, top: int, count: int) -> Value:
        return exact(Fraction(top, count * self.scale)) if count else self.default

    @property
    def may_be_none(self) -> bool:
        """Whether it is None where nothing is selected, and that may be."""
        return self.default is None and not self.counts_always

    @cached_property
    def counts_always(self) -> bool:
        """Whether something is always selected."""
        return bool(self.pairs[:, 1].min() > 0)


@dataclass(frozen=True, eq=False)
class Table:
    """A function of variables: classes of their codes, and the value of every combination of classes."""

    variables: tuple[Variable, ...]
    classes: tuple[Integers, ...]  # for every variable, the class of each of its codes
    which: Integers  # one axis for each variable: the number of the value
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        """Count its memory."""
        numbers = self.which.size + sum(map(len, self.classes)) + VALUE * len(self.values)
        in_force().hold(numbers, f"a table of {self.which.size:,} combinations")

    @property
    def time(self) -> int:
        """When all variables are there."""
        return max((one.form.time for one in self.variables), default=0)

    def by_code(self) -> list[Value]:
        """Return the value of every code of the one variable."""
        assert len(self.variables) == 1
        return [self.values[n] for n in self.which[self.classes[0]]]


Symbol: TypeAlias = Affine | Mean | Table


def constant(value: Value) -> Table:
    """Return a table without variables: one value."""
    return Table((), (), np.zeros((), np.int64), (value,))


def variable_of(form: Form, sizes: Sizes) -> tuple[Variable, int, int]:
    """Return the variable of a form, and factor and shift: form = factor · variable + shift, but for features."""
    if form.of_token or form.of_index:
        of, count = ("token", sizes.tokens) if form.of_token else ("index", sizes.positions)
        return Variable(feature(list(range(count)), of), np.arange(count)), 0, 0
    factor = form.factor
    bare = divided(form.varying, factor)
    return Variable(bare, bare.codes), factor, form.constant


def divided(form: Form, factor: int) -> Form:
    """Return a form divided by a common divisor of its parts."""
    return Form(
        tuple(one // factor for one in form.token),
        tuple(one // factor for one in form.index),
        tuple((cell, one // factor) for cell, one in form.cells),
        form.constant // factor,
    )


def unary(variable: Variable, values: Sequence[Value]) -> Table:
    """Return the table of a function of one variable, from its value for each code."""
    numbers: dict[Value, int] = {}
    which = np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)
    if len(numbers) == 1:
        return constant(values[0])
    return Table((variable,), (which,), np.arange(len(numbers)), tuple(numbers))


def codes_of(form: Form, variable: Variable, sizes: Sizes) -> Integers:
    """Return the number of a form for every code of its variable."""
    if variable.is_feature:
        entries = form.token or form.index
        return np.array(entries, np.int64) + form.constant
    return variable.codes * form.factor + form.constant


def as_table(symbol: Symbol, sizes: Sizes) -> Table:
    """Return a symbol as a table; of a mean the variable holds sum and count in one number."""
    if isinstance(symbol, Table):
        return symbol
    if isinstance(symbol, Affine):
        if symbol.form.is_constant:
            return constant(exact(Fraction(symbol.form.constant, symbol.scale)))
        variable, _, _ = variable_of(symbol.form, sizes)
        codes = codes_of(symbol.form, variable, sizes)
        return unary(variable, [exact(Fraction(int(code), symbol.scale)) for code in codes])
    if symbol.size > MOST_COMBINATIONS:
        raise TooLargeError(
            f"a mean can be {symbol.size:,} different things: a function of at most {MOST_COMBINATIONS:,} can be "
            "proved; write a smaller max_length, or fewer values"
        )
    radix = int(symbol.pairs[:, 0].max() - symbol.pairs[:, 0].min()) + 1
    codes = symbol.pairs[:, 1] * radix + symbol.pairs[:, 0]
    order = np.argsort(codes)
    form = symbol.count * radix + symbol.top
    values = symbol.values
    return unary(Variable(form.varying, codes[order] - form.constant), [values[n] for n in order])


def require_pairs(count: int) -> None:
    """Refuse a mean with too many pairs of a sum and a count."""
    if count > MOST_MEANS:
        raise TooLargeError(
            f"a mean can be {count:,} different things or more, by its sum and its count: at most {MOST_MEANS:,} can "
            "be proved; write a smaller max_length, or fewer values"
        )


def common_scale(fractions: Sequence[Fraction], bits: int) -> int | None:
    """Return the least number that makes all fractions whole; None where one of them gets more bits than that.

    The common multiple of many denominators is never computed: it stops as soon as it is too large.
    """
    scale, denominators = 1, sorted({one.denominator for one in fractions if one})
    for denominator in denominators:
        scale = lcm(scale, denominator)
        if scale >> bits >= denominators[0]:
            return None
    return scale


def as_affine(table: Table) -> Affine | None:
    """Return a table as a linear form where it is one: a sum of functions, each free or linear in its variable."""
    if not all(is_number(value) for value in table.values):
        return None
    fractions = [Fraction(value) for value in table.values if is_number(value)]
    scale = common_scale(fractions, 60)
    if scale is None:
        return None
    numbers = [int(fraction * scale) for fraction in fractions]
    if max(map(abs, numbers)) >= 1 << 60:
        return None
    parts = additive(np.array(numbers, np.int64)[table.which])
    if parts is None:
        return None
    base, functions = parts
    form = Form(constant=base)
    for variable, classes, function in zip(table.variables, table.classes, functions, strict=True):
        part = linear(variable, function[classes])
        if part is None:
            return None
        form = form + part
    return Affine(form, scale)


def additive(entries: Integers) -> tuple[int, list[Integers]] | None:
    """Return a number and a function for each axis whose sum the entries are, or None."""
    base = int(entries.flat[0])
    functions: list[Integers] = []
    total = np.full(entries.shape, base, np.int64)
    for axis in range(entries.ndim):
        place: list[Any] = [0] * entries.ndim
        place[axis] = slice(None)
        function = entries[tuple(place)] - base
        functions.append(function)
        shape = [1] * entries.ndim
        shape[axis] = -1
        total = total + function.reshape(shape)
    return (base, functions) if np.array_equal(total, entries) else None


def linear(variable: Variable, wanted: Integers) -> Form | None:
    """Return a form that has the wanted number for every code, or None."""
    if variable.is_feature:
        return feature([int(one) for one in wanted], "token" if variable.form.of_token else "index")
    codes = variable.codes
    slope, rest = divmod(int(wanted[-1] - wanted[0]), int(codes[-1] - codes[0]))
    if rest or not np.array_equal(wanted - wanted[0], slope * (codes - codes[0])):
        return None
    return variable.form * slope + Form(constant=int(wanted[0]) - slope * int(codes[0]))
