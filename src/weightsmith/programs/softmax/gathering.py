"""Aggregates, from heads that give the mean over the selected positions.

Where nothing may be selected, the mean is used only where the count is not 0: a layer reads both in one number.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from weightsmith.programs.circuit.circuit import Part
from weightsmith.programs.circuit.forms import Codes, Form, TooLargeError, checked, distinct
from weightsmith.programs.circuit.selections import Selection
from weightsmith.programs.compiler.gathering import no_mean
from weightsmith.programs.compiler.pointwise import simplest
from weightsmith.programs.compiler.symbols import Affine, Symbol, Table, as_table, constant
from weightsmith.programs.form import Aggregate, Node
from weightsmith.programs.places import refusal
from weightsmith.programs.softmax.averages import Averages
from weightsmith.programs.values import exact, is_number

MOST_MEANS = 20_000  # different means that a lane may hold


@dataclass(frozen=True)
class _MeanOf:
    """The value of which a cell is the mean: cells of one selector can be added before the mean is taken."""

    node: Node
    pairs: Selection
    value: Form
    scale: int  # by which the value is multiplied besides


@dataclass
class Averaging(Averages):
    """Makes symbols of aggregates."""

    _mean_of: dict[Any, _MeanOf] = field(default_factory=dict)

    def aggregate(self, node: Aggregate) -> Symbol:
        """Return an aggregate: the one selected value, or the mean, or the default."""
        pairs, symbol = self.pairs[node.selector], self.symbols[node.values]
        if pairs is False:
            return simplest(constant(node.default))
        low, high = self.bounds(pairs)
        table = None if isinstance(symbol, Affine) else as_table(symbol, self.sizes)
        if table is not None and len(table.values) == 1:
            return self._constant_or_default(node, table.values[0], low)
        if table is not None and not all(map(is_number, table.values)):
            return self._things(node, pairs, table, low, high)
        form, scale = self._whole(symbol)
        return self._numbers(node, pairs, form, scale, low, high)

    def merged(self, symbol: Symbol) -> Symbol:
        """Return a sum of means over the same positions as the mean of the sum, which has fewer values."""
        if not isinstance(symbol, Affine) or len(symbol.form.cells) < 2 or symbol.form.token or symbol.form.index:
            return symbol
        parts = [(self._mean_of.get(cell), factor) for cell, factor in symbol.form.cells]
        first = parts[0][0]
        if first is None or any(one is None or one.pairs is not first.pairs for one, _ in parts):
            return symbol
        total = Form()
        for one, factor in parts:
            assert one is not None
            total = total + one.value * (factor * (one.scale // first.scale))
        form = self._mean_cell(first.node, first.pairs, total, 1, self.bounds(first.pairs)[1], first.scale)
        return Affine(form.plus(symbol.form.constant), symbol.scale)

    def _things(self, node: Aggregate, pairs: Selection, table: Table, low: int, high: int) -> Symbol:
        """Return the code of one selected value of any type."""
        if high > 1:
            raise no_mean(node, self.names[node], table)
        codes = {value: number for number, value in enumerate(table.values)}
        form = self.coder.numbers(table, codes)
        decode: dict[int, Any] = {number: value for value, number in codes.items()}
        raw = self._average(self._score(pairs), form, np.arange(len(codes)), (low, 1), node)
        if low:
            return self.pointwise.of_codes(raw, decode)
        default = codes.get(node.default, -1)
        return self.pointwise.of_codes(self._or_default(raw, node, default), {-1: node.default} | decode)

    def _numbers(self, node: Aggregate, pairs: Selection, form: Form, scale: int, low: int, high: int) -> Symbol:
        """Return the mean of numbers, or the default."""
        times = lcm(*range(1, high + 1)) if high <= 64 else 0
        if not times or max(abs(form.least), abs(form.most), 1) * times > 1 << 40:
            raise refusal(
                node.note.place,
                f"{self.names[node]}: means over up to {high} positions are held as multiples of one small fraction, "
                "which takes numbers beyond 2**40: write a smaller max_length, or selectors that select one position",
            )
        if low:
            raw = self._mean_cell(node, pairs, form, low, high, times)
            return Affine(raw, scale * times)
        if not is_number(node.default):
            raw = self._mean_cell(node, pairs, form, low, high, times)
            decode: dict[int, Any] = {int(code): exact(Fraction(int(code), scale * times)) for code in raw.codes}
            spare = int(raw.codes[0]) - 1
            found = self._or_default(raw, node, spare)
            return self.pointwise.of_codes(found, {spare: node.default} | decode)
        default = Fraction(node.default)
        common = lcm(scale * times, default.denominator)
        factor = common // (scale * times)
        raw = self._mean_cell(node, pairs, form * factor, low, high, times)
        return Affine(self._or_default(raw, node, int(default * common)), common)

    def _mean_cell(self, node: Node, pairs: Selection, form: Form, low: int, high: int, times: int) -> Form:
        """Return the mean of a form, times a number that makes it whole."""
        codes = mean_codes(form, max(low, 1), high, times)
        found = self._average(self._score(pairs), form * times, codes, (low, high), node)
        if low:
            self._mean_of.update({cell: _MeanOf(node, pairs, form, times) for cell, _ in found.cells})
        return found

    def _or_default(self, raw: Form, node: Aggregate, default: int) -> Form:
        """Return a mean where something is selected, and the default elsewhere."""
        count = self.width(node.selector, node)
        some = as_table(self.pointwise.of_form(count, lambda c: c > 0), self.sizes)
        selected = self.coder.numbers(some, {True: 1, False: 0})
        codes = raw.codes
        gap = int(np.diff(codes).min(initial=int(codes[-1] - codes[0]) or 1))
        beyond = int(codes[-1] - codes[0]) + gap
        form = raw + selected * beyond
        read = np.append(codes[-1], codes + beyond)
        wanted = np.append(default, codes) - default
        part = Part(form.varying, read - form.constant, wanted, ())
        return self._layer([part], distinct(wanted)).plus(default)


def mean_codes(form: Form, low: int, high: int, times: int) -> Codes:
    """Return all means of a form, times a number that makes them whole, and perhaps more."""
    values = form.codes
    least, most = int(values[0]), int(values[-1])
    step = gcd(*(int(one) for one in np.diff(values))) or 1
    found: list[Codes] = []
    for count in range(low, high + 1):
        if count * (most - least) // step > MOST_MEANS:
            raise TooLargeError(
                f"a mean over {count} positions can be {count * (most - least) // step:,} different things: at most "
                f"{MOST_MEANS:,} can be distinguished; write a smaller max_length, or fewer values"
            )
        tops = values if count == 1 else np.arange(count * least, count * most + 1, step)
        found.append(tops * (times // count))
    return checked(distinct(np.concatenate(found)))
