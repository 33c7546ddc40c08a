"""Tables as codes in lanes: by the embedding where that will do, else by one feed-forward layer, else by two."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import Layer, Part
from weightsmith.programs.circuit.forms import (
    LARGEST_CODE,
    Cells,
    Form,
    Integers,
    TooLargeError,
    cell_form,
    distinct,
    sums,
)
from weightsmith.programs.circuit.neurons import kinks
from weightsmith.programs.compiler.symbols import Table, Variable, additive, linear
from weightsmith.programs.places import Place
from weightsmith.programs.values import Value

ONE_LAYER = 1024  # combinations of codes that one layer distinguishes
FEW_NEURONS = 48  # in one layer are better than two layers
MOST_NEURONS = 4096


class Coded(NamedTuple):
    """A value as a code: a form, and the value of every code."""

    form: Form
    decode: dict[int, Value]


@dataclass(eq=False, repr=False)
class Coder:
    """Encodes tables; `layers` are the feed-forward layers that write the codes."""

    cells: Cells
    layers: list[Layer] = field(default_factory=list)
    one_layer: int = ONE_LAYER
    source: str = ""
    place: Place | None = None
    _known: dict[Any, Form] = field(default_factory=dict)

    def code(self, table: Table, codes: dict[Value, int] | None = None) -> Coded:
        """Return a table as a form, with a code for every value; without `codes`, with any."""
        if codes is None:
            return self.any_code(table)
        return Coded(self.numbers(table, codes), {codes[value]: value for value in table.values})

    def any_code(self, table: Table) -> Coded:
        """Return a table as a form with whatever codes are cheapest; a value may have several."""
        if len(table.variables) == 1 and not table.variables[0].is_feature:
            variable = table.variables[0]
            decode = dict(zip(map(int, variable.codes), table.by_code(), strict=True))
            if len(decode) <= 4 * len(table.values):
                return Coded(variable.form, decode)
        if len(table.values) == 2 and len(table.variables) > 1:
            for zero in (0, 1):
                form = self.separable(table, zero, clamped=False)
                if form is not None:
                    other = table.values[1 - zero]
                    return Coded(form, {int(c): table.values[zero] if c == 0 else other for c in form.codes})
        return self.code(table, {value: number for number, value in enumerate(table.values)})

    def positive(self, table: Table) -> Form:
        """Return a form that is 0 where the value is false and positive where it is true, small ones if possible."""
        zero = next((number for number, value in enumerate(table.values) if not bool(value)), None)
        if zero is not None and len(table.values) == 2:
            form = self.separable(table, zero, clamped=True)
            if form is not None:
                return form
        return self.numbers(table, {value: int(bool(value)) for value in table.values})

    def separable(self, table: Table, zero: int, clamped: bool) -> Form | None:
        """Return a sum of functions of single variables that is 0 exactly where the table has the value `zero`."""
        inside = _zeros(table, zero)
        if inside is None:
            return None
        total = Form()
        parts: list[Part] = []
        for variable, classes, zeros in zip(table.variables, table.classes, inside, strict=True):
            outside = ~np.isin(classes, zeros)
            form, part = _distance(variable, outside, clamped)
            total = total + form
            parts += [] if part is None else [part]
        return total + self.layer(parts) if parts else total

    def is_cheap(self, table: Table) -> bool:
        """Return whether one layer is enough for a table, however many combinations it has."""
        if additive(table.which) is not None:
            return True
        return len(table.values) == 2 and any(_zeros(table, zero) is not None for zero in (0, 1))

    def numbers(self, table: Table, codes: dict[Value, int]) -> Form:
        """Return a form that has the number `codes[value]` for every value."""
        entries = np.array([codes[value] for value in table.values], np.int64)[table.which]
        found = additive(entries)
        if found is not None:
            base, functions = found
            total, parts = Form(constant=base), list[Part]()
            for variable, classes, function in zip(table.variables, table.classes, functions, strict=True):
                form, part = function_of(variable, function[classes])
                total = total + form
                parts += [] if part is None else [part]
            return total + self.layer(parts) if parts else total
        one, neurons = self._one_layer(table, entries)
        if one is not None and neurons <= FEW_NEURONS:
            return self._directed(one, entries)
        return self._directed(self._class_codes(table, entries), entries)

    def _one_layer(self, table: Table, entries: Integers) -> tuple["_Direction | None", int]:
        """Return the direction that distinguishes all codes at once, and its number of neurons."""
        axes = [_Axis.of_codes(*one) for one in zip(table.variables, table.classes, strict=True)]
        if prod(len(axis.codes) for axis in axes) > self.one_layer:
            return None, 0
        return _best(axes, entries)

    def _class_codes(self, table: Table, entries: Integers) -> "_Direction":
        """Return a direction over classes, which a layer of its own writes where they are no features."""
        axes: list[_Axis] = []
        for variable, classes in zip(table.variables, table.classes, strict=True):
            form, part = function_of(variable, classes)
            form = form if part is None else form + self.layer([part])
            count = int(classes.max()) + 1
            axes.append(_Axis(form, np.arange(count), np.arange(count)))
        direction, _ = _best(axes, entries)
        if direction is None:
            raise TooLargeError(
                f"a function of {len(axes)} operations with {' × '.join(str(len(a.codes)) for a in axes)} classes is "
                "too large a table: write simpler steps"
            )
        return direction

    def _directed(self, direction: "_Direction", entries: Integers) -> Form:
        wanted = direction.wanted(entries)
        constant, found = kinks(direction.codes, wanted)
        return self.layer([Part(direction.form, direction.codes, wanted - constant, tuple(found))]).plus(constant)

    def layer(self, parts: list[Part], known: Integers | None = None) -> Form:
        """Return the sum of some neurons as a cell of the next feed-forward layer; `known` are its possible codes."""
        key = tuple((part.form, part.kinks) for part in parts)
        if key not in self._known:
            if sum(len(part.kinks) for part in parts) > MOST_NEURONS:
                raise TooLargeError(
                    f"a step needs more than {MOST_NEURONS:,} neurons: write a smaller max_length, or simpler steps"
                )
            in_force().hold(2 * sum(len(part.codes) for part in parts), "what its neurons read and add")
            codes = np.zeros(1, np.int64) if known is None else known
            for part in parts if known is None else ():
                codes = sums(codes, distinct(part.wanted))
            time = max(part.form.time for part in parts)
            everywhere = all(part.form.everywhere for part in parts)
            cell = self.cells.new(codes, time + (1 if time % 2 else 2), self.source, everywhere=everywhere)
            self.layers.append(Layer(cell, tuple(parts), self.source, self.place))
            self._known[key] = cell_form(cell)
        return self._known[key]


class _Axis(NamedTuple):
    """One variable in a direction: its form, its codes in ascending order, and the class of each."""

    form: Form
    codes: Integers
    classes: Integers

    @staticmethod
    def of_codes(variable: Variable, classes: Integers) -> "_Axis":
        if variable.is_feature:  # a function of it is free: so classes instead of codes
            form, _ = function_of(variable, classes)
            count = int(classes.max()) + 1
            return _Axis(form, np.arange(count), np.arange(count))
        return _Axis(variable.form, variable.codes, classes)


class _Direction(NamedTuple):
    """A form that distinguishes combinations of classes, as far as necessary."""

    form: Form
    codes: Integers
    classes: Integers  # (codes, axes): a combination of classes for every code

    def wanted(self, entries: Integers) -> Integers:
        """Return the wanted number for every code."""
        return np.asarray(entries[tuple(self.classes.T)])


def _best(axes: list[_Axis], entries: Integers) -> tuple[_Direction | None, int]:
    """Return the direction that needs the fewest neurons."""
    best: tuple[_Direction | None, int] = (None, 0)
    if prod(len(axis.codes) for axis in axes) > MOST_NEURONS or len(axes) > 12:
        return best
    if prod(int(axis.codes[-1] - axis.codes[0]) + 1 for axis in axes) > LARGEST_CODE:
        return best
    codes = [grid.ravel() for grid in np.meshgrid(*(axis.codes for axis in axes), indexing="ij")]
    grids = np.meshgrid(*(axis.classes for axis in axes), indexing="ij")
    classes = np.stack([place.ravel() for place in grids], axis=1)
    wanted = entries[tuple(classes.T)]
    budget = in_force()
    for weights in _weights(axes):
        budget.check()
        direction = _direction(axes, weights, codes, classes, wanted)
        if direction is None:
            continue
        _, found = kinks(direction.codes, direction.wanted(entries))
        if best[0] is None or len(found) < best[1]:
            best = direction, len(found)
    return best


def _weights(axes: list[_Axis]) -> Iterator[tuple[int, ...]]:
    """Yield factors: small ones, which may tell enough apart, and those of a number with several digits."""
    if len(axes) <= 4:
        yield from product((1, -1), repeat=len(axes))
    orders = permutations(range(len(axes))) if len(axes) <= 4 else iter([tuple(range(len(axes)))])
    for order in orders:
        weights, radix = [0] * len(axes), 1
        for axis in order:
            weights[axis] = radix
            radix *= int(axes[axis].codes[-1] - axes[axis].codes[0]) + 1
        yield tuple(weights)


def _direction(
    axes: list[_Axis], weights: tuple[int, ...], by_axis: list[Integers], classes: Integers, wanted: Integers
) -> _Direction | None:
    """Return a direction, or None where it gives one code to different wanted numbers.

    Of every combination, `by_axis` has the codes, `classes` the classes, and `wanted` the numbers to distinguish.
    """
    codes = sum((one * w for one, w in zip(by_axis, weights, strict=True)), np.zeros(len(wanted), np.int64))
    order = np.lexsort((wanted, codes))
    codes, wanted, classes = codes[order], wanted[order], classes[order]
    same = codes[1:] == codes[:-1]
    if np.any(same & (wanted[1:] != wanted[:-1])):
        return None
    keep = np.concatenate([[True], ~same])
    form = Form()
    for axis, weight in zip(axes, weights, strict=True):
        form = form + axis.form * weight
    shift = form.constant - sum(w * a.form.constant for w, a in zip(weights, axes, strict=True))
    assert shift == 0
    return _Direction(form, codes[keep], classes[keep])


def _zeros(table: Table, zero: int) -> list[Integers] | None:
    """Return for every variable the classes in which a value occurs, if it occurs in all combinations of them."""
    where = np.argwhere(table.which == zero)
    inside = [np.unique(where[:, axis]) for axis in range(table.which.ndim)]
    return inside if prod(map(len, inside)) == len(where) else None


def function_of(variable: Variable, wanted: Integers) -> tuple[Form, Part | None]:
    """Return a function of one variable as a form where that is free, and otherwise the neurons that add it."""
    free = linear(variable, wanted)
    if free is not None:
        return free, None
    constant, found = kinks(variable.codes, wanted)
    return Form(constant=constant), Part(variable.form, variable.codes, wanted - constant, tuple(found))


def _distance(variable: Variable, outside: Any, clamped: bool) -> tuple[Form, Part | None]:
    """Return a function that is 0 inside and positive outside: the distance, where the inside is an interval."""
    if not outside.any():
        return Form(), None
    codes = variable.codes
    inside = np.flatnonzero(~outside)
    interval = len(inside) > 0 and not outside[inside[0] : inside[-1] + 1].any()
    if variable.is_feature or clamped or not interval:
        return function_of(variable, outside.astype(np.int64))
    low, high = int(codes[inside[0]]), int(codes[inside[-1]])
    return function_of(variable, np.maximum(codes - high, 0) + np.maximum(low - codes, 0))
