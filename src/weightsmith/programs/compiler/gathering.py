"""Heads that sum: widths, single values by their codes, means as sum and count."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.circuit.circuit import EVERY, Boundaries, Head, SumHead
from weightsmith.programs.circuit.forms import (
    MOST_CODES,
    Cells,
    Codes,
    Form,
    Integers,
    Sizes,
    TooLargeError,
    cell_form,
    checked,
    distinct,
    feature,
)
from weightsmith.programs.circuit.selections import Condition, Selection, conditions, selection_key
from weightsmith.programs.compiler.boundaries import boundaries_of
from weightsmith.programs.compiler.coding import Coder
from weightsmith.programs.compiler.counting import Counting, selects_first
from weightsmith.programs.compiler.needs import Needs
from weightsmith.programs.compiler.pointwise import Pointwise, simplest
from weightsmith.programs.compiler.symbols import (
    Affine,
    Mean,
    Symbol,
    Table,
    as_table,
    common_scale,
    constant,
    require_pairs,
)
from weightsmith.programs.form import Aggregate, Node
from weightsmith.programs.places import UndecidedError, undecided
from weightsmith.programs.proof.holding import About
from weightsmith.programs.values import Value, is_number, presented


@dataclass(eq=False, repr=False)
class Gathering:
    """Makes the cells that heads write; `heads` are all of them."""

    needs: Needs
    sizes: Sizes
    causal: bool
    cells: Cells
    coder: Coder
    pointwise: Pointwise
    counting: Counting
    symbols: dict[Node, Symbol]
    pairs: dict[Node, Selection]
    names: dict[Node, str]
    about: dict[Node, About]
    heads: list[Head] = field(default_factory=list)
    _counts: dict[Any, Form] = field(default_factory=dict)
    _sums: dict[Any, Form] = field(default_factory=dict)

    def aggregate(self, node: Aggregate) -> Symbol:
        """Return an aggregate: the one selected value, or the mean, or the default."""
        pairs = self.pairs[node.selector]
        if pairs is False:
            return simplest(constant(node.default))
        symbol = self.symbols[node.values]
        low, high = self.bounds(pairs)
        values = as_table(symbol, self.sizes).values if not isinstance(symbol, Affine) else ()
        if len(values) == 1:
            return self._constant_or_default(node, values[0], low)
        if not all(is_number(value) for value in values) or (high == 1 and not is_number(node.default)):
            return self._codes_gathered(node, pairs, symbol, low, high)
        if high == 1:
            return self._one_number(node, pairs, symbol, low)
        return self._mean(node, pairs, symbol, low, high)

    def width(self, selector: Node, node: Node) -> Form:
        """Return the number of positions that a selector selects."""
        pairs = self.pairs[selector]
        if pairs is True and not self.causal:
            return self.length(node)
        known = self._known_count(pairs)
        if known is not None:
            return known
        key = selection_key(pairs)
        if key not in self._counts:
            low, high = self.bounds(pairs)
            heads = boundaries_of(pairs)
            form = self._sum(pairs, heads, Form(constant=1), low, high, node)
            self._counts[key] = form
            if form.cells:
                self.counting.note_width(form.cells[0][0], pairs, heads)
        return self._counts[key]

    def length(self, node: Node) -> Form:
        """Return the number of positions."""
        return self._sum(True, {EVERY: 1}, Form(constant=1), 1, self.sizes.positions, node, length=True)

    def _known_count(self, pairs: Selection) -> Form | None:
        """Return the number of selected positions where it is known from the query's own."""
        if pairs is False:
            return Form()
        indices = feature(list(range(self.sizes.positions)), "index")
        if pairs is True:
            return indices.plus(1) if self.causal else None
        if not isinstance(pairs, Condition) or pairs.difference.key != indices or pairs.difference.query != indices:
            return None
        before = pairs.difference.codes > 0
        if not pairs.holds[before].all() or pairs.holds[pairs.difference.codes < 0].any():
            return None
        return indices.plus(int(pairs.holds[pairs.difference.codes == 0].all()))

    def bounds(self, pairs: Selection) -> tuple[int, int]:
        """Return the number of selected positions, at least and at most."""
        if pairs is False:
            return 0, 0
        low = int(self.counting.at_least_one(pairs))
        return low, 1 if self.counting.at_most_one(pairs) else self.sizes.positions

    def _sum(
        self, pairs: Selection, heads: Boundaries, value: Form, low: int, high: int, node: Node, length: bool = False
    ) -> Form:
        """Return the sum of a form over the selected positions, from `low` to `high` of them."""
        key = (selection_key(pairs), value)
        if key not in self._sums:
            codes = sums(value.codes, low, high)
            if value.of_index:
                least, most = _of_positions(value, selects_first(pairs))
                codes = codes[(codes >= least) & (codes <= most)]
            if len(codes) == 1:
                return Form(constant=int(codes[0]))
            time = max([value.time, *(max(one.key.time, one.query.time) for one in heads)])
            same = not self.causal and all(one.difference.query.everywhere for one in conditions(pairs))
            when, name = time + (2 if time % 2 else 1), self.names[node]
            cell = self.cells.new(codes, when, name, is_length=length, everywhere=same)
            self.heads.append(SumHead(cell, value, name, node.note.place, pairs, heads, low, high))
            self._sums[key] = cell_form(cell)
        return self._sums[key]

    def _constant_or_default(self, node: Aggregate, value: Value, low: int) -> Symbol:
        if low or value == node.default:
            return simplest(constant(value))
        count = self.width(node.selector, node)
        return simplest(as_table(self.pointwise.of_form(count, lambda c: value if c else node.default), self.sizes))

    def _codes_gathered(self, node: Aggregate, pairs: Selection, symbol: Symbol, low: int, high: int) -> Symbol:
        """Return the code of one selected value of any type; no code is that of the default."""
        table = as_table(symbol, self.sizes)
        if high > 1:
            raise no_mean(node, self.names[node], table)
        coded = self.coder.any_code(table)
        default = next((code for code, value in coded.decode.items() if value == node.default), None)
        base = min(coded.decode) - 1 if default is None else default
        base = 0 if low and default is None else base
        value = coded.form.plus(-base)
        form = self._sum(pairs, boundaries_of(pairs), value, low, high, node).plus(base)
        decode = {int(code): coded.decode.get(int(code), node.default) for code in form.codes}
        return self.pointwise.of_codes(form, decode)

    def _one_number(self, node: Aggregate, pairs: Selection, symbol: Symbol, low: int) -> Symbol:
        """Return one selected number, or the default."""
        if isinstance(symbol, Table) and set(symbol.values) <= {0, 1} and node.default in (0, 1):
            return self._codes_gathered(node, pairs, symbol, low, 1)
        form, scale = self._whole(symbol)
        default = Fraction(node.default) if is_number(node.default) else Fraction(0)
        common = lcm(scale, default.denominator)
        base = int(default * common)
        value = (form * (common // scale)).plus(-base)
        return Affine(self._sum(pairs, boundaries_of(pairs), value, low, 1, node).plus(base), common)

    def _mean(self, node: Aggregate, pairs: Selection, symbol: Symbol, low: int, high: int) -> Symbol:
        """Return a mean as sum and count; where only its sign matters, the sum of a form that is positive if true."""
        signs = isinstance(symbol, Table) and set(symbol.values) <= {0, 1} and self.needs.get(node) == "truth"
        if signs and (low or node.default == 0):
            assert isinstance(symbol, Table)
            self.about[node] = "truth"
            top = self._sum(pairs, boundaries_of(pairs), self.coder.positive(symbol), low, high, node)
            return simplest(as_table(self.pointwise.of_form(top, lambda code: int(code > 0)), self.sizes))
        form, scale = self._whole(symbol)
        top = self._sum(pairs, boundaries_of(pairs), form, low, high, node)
        count = self.width(node.selector, node)
        if self.counting.all_alike(pairs, form):
            return Mean(top, scale, count, node.default, _pairs_alike(form.codes, count.codes))
        return Mean(top, scale, count, node.default, _pairs_of(form.codes, top.codes, count.codes))

    def _whole(self, symbol: Symbol) -> tuple[Form, int]:
        """Return numbers as a form and a scale."""
        if isinstance(symbol, Affine):
            return symbol.form, symbol.scale
        table = as_table(symbol, self.sizes)
        numbers = [Fraction(value) for value in table.values if is_number(value)]
        scale = common_scale(numbers, 63)
        if scale is None:
            raise TooLargeError(
                f"the mean of {len(numbers):,} different numbers whose fractions have no common denominator of 63 "
                "bits: write a smaller max_length, or round them first"
            )
        return self.coder.code(
            table, {v: int(n * scale) for v, n in zip(table.values, numbers, strict=True)}
        ).form, scale


def no_mean(node: Node, name: str, table: Table) -> UndecidedError:
    """Return the error that says that values which are no numbers may be selected more than once."""
    other = next(value for value in table.values if not is_number(value))
    return undecided(
        node.note.place,
        f"{name}: values such as {brief(presented(other))} have no mean, and it cannot be shown that at most one "
        "position is selected: compare indices, a rank without ties, or a number in its kind",
    )


def sums(values: Codes, low: int, high: int) -> Codes:
    """Return all sums of `low` to `high` of some numbers, and perhaps more."""
    if high <= 1:
        return distinct(np.concatenate([values, [0]])) if low == 0 else values
    least, most = int(values[0]), int(values[-1])
    step = gcd(*(int(one) for one in distinct(np.abs(np.append(np.diff(values), values[0])))))
    if step == 0:
        return np.zeros(1, np.int64)
    start, stop = min(low * least, high * least), max(low * most, high * most)
    if (stop - start) // step >= MOST_CODES:
        raise TooLargeError(
            f"a sum of up to {high:,} numbers from {least:,} to {most:,} can be {(stop - start) // step + 1:,} "
            f"different ones: at most {MOST_CODES:,} can be proved; write a smaller max_length, or fewer values"
        )
    return checked(np.arange(start, stop + 1, step))


def _of_positions(value: Form, first: bool) -> tuple[int, int]:
    """Return the ends of the sums of a function of the position: each position counts at most once."""
    entries = [one + value.constant for one in value.index]
    always = entries[0] if first else 0
    rest = entries[1:] if first else entries
    return always + sum(one for one in rest if one < 0), always + sum(one for one in rest if one > 0)


def _pairs_alike(values: Codes, counts: Codes) -> Integers:
    """Return all pairs of sum and count where all selected values are the same."""
    require_pairs(len(counts) * len(values))
    tops, of = np.multiply.outer(counts, values), np.broadcast_to(counts[:, None], (len(counts), len(values)))
    found = np.stack([tops.ravel(), of.ravel()], axis=1)
    return np.concatenate([[[0, 0]], found[found[:, 1] != 0]]) if 0 in counts else found


def _pairs_of(values: Codes, tops_of: Codes, counts: Codes) -> Integers:
    """Return all pairs of sum and count."""
    step = int(np.gcd.reduce(np.diff(values), initial=0)) or 1
    least, most = int(values[0]), int(values[-1])
    found, total = list[Integers](), 0
    for count in counts.tolist():
        size = count * (most - least) // step + 1
        if len(tops_of) < size:
            inside = tops_of[(tops_of >= count * least) & (tops_of <= count * most)]
            tops = inside[(inside - count * least) % step == 0]
        else:
            require_pairs(total + size)
            tops = np.arange(count * least, count * most + 1, step)
        total += len(tops)
        require_pairs(total)
        found.append(np.stack([tops, np.full_like(tops, count)], axis=1))
    pairs = np.concatenate(found)
    checked(distinct(pairs[:, 0]))
    return pairs
