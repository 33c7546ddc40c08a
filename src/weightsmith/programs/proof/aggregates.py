"""Counts and aggregates: the holding is the number of selected positions, the one selected value, or the mean."""

from fractions import Fraction
from math import gcd

import numpy as np

from weightsmith.programs.form import Aggregate
from weightsmith.programs.proof.holding import Affine, Holding, Mean, Table, constant_of, forms_of
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.selectors import If, Selection
from weightsmith.programs.proof.space import Integers, alike, scaled, step_of
from weightsmith.programs.proof.statement import Gathered, Held
from weightsmith.programs.proof.sums import Sums
from weightsmith.programs.values import Value, exact, is_number


class Aggregates(Sums):
    """Checks counts and aggregates."""

    def _is_count(self, holding: Holding, pairs: Selection) -> Holding:
        if not isinstance(holding, Affine) or holding.scale != 1 or holding.about != "value":
            raise LemmaError("a number of positions is held in another way")
        if not self._counts(holding.form, pairs):
            raise LemmaError("what is held is not the number of selected positions")
        return holding

    def _counts(self, form: Integers, pairs: Selection) -> bool:
        """Return whether a form is the number of positions that are selected."""
        space = self.space
        if space.constant(form):
            low, high = self.counting.bounds(pairs)
            return bool(low == high == form[-1])
        if space.pure_index(form):
            return self._counts_before(form, pairs)
        (cell, factor), *more = space.cells_of(form) or [(0, 0)]
        if more or factor != 1 or np.count_nonzero(form) != 1:
            return False
        made = self.stated.cells[cell].made
        if not isinstance(made, Gathered) or not space.constant(made.value) or made.value[-1] != 1:
            return False
        self.codes_of(cell)  # with the lemma that its heads select what the program selects
        return self._same_pairs(self.selector_of(self.stated.cells[cell]), pairs)

    def _counts_before(self, form: Integers, pairs: Selection) -> bool:
        """Return whether as many positions are selected as come before the query, with itself or not."""
        count = (form[self.space.of_index] + form[-1]).tolist()
        positions = self.space.positions
        if pairs is True:
            return self.stated.causal and count == list(range(1, positions + 1))
        if not isinstance(pairs, If) or not self.space.pure_index(pairs.key) or not self.space.pure_index(pairs.query):
            return False
        keys, queries = (one[self.space.of_index] + one[-1] for one in (pairs.key, pairs.query))
        for query in range(positions):
            holds = pairs.holds(queries[query] - keys)
            if not self.stated.causal and holds[query + 1 :].any():  # how many these are depends on the length
                return False
            if np.count_nonzero(holds[: query + 1]) != count[query]:
                return False
        return True

    def _aggregate(self, node: Aggregate, stated: Held) -> Holding:
        pairs, values = self._selected(node.selector), self._value(self.held[node.values])
        holding, default = stated.holding, node.default
        if pairs is False and holding.about == "value" and not isinstance(holding, Mean):
            return self._is_constant(holding, default)
        low, high = self.counting.bounds(pairs)
        only = self._only_value(values)
        whole = holding.about == "value" and constant_of(holding) == only
        if only is not None and (low or only[0] == default) and whole:
            return self._is_constant(holding, only[0])
        if stated.mean is not None:
            mean = self._is_mean(node, stated.mean, pairs, values)
            return self._is_half(node, mean, holding)
        if isinstance(holding, Mean):
            return self._is_mean(node, holding, pairs, values)
        if holding.about == "truth":
            return self._is_truth(node, holding, pairs, values, low)
        if only is not None and self._is_count_or_default(node, holding, pairs, only[0]):
            return holding
        if high > 1:
            raise LemmaError("a mean over several positions is held as one value")
        return self._is_single(node, holding, pairs, values, low)

    def _only_value(self, holding: Holding) -> tuple[Value] | None:
        if isinstance(holding, Table) and len(set(holding.values)) == 1:
            return (holding.values[0],)
        if isinstance(holding, Mean):
            return self._only_mean(holding)
        return constant_of(holding)

    def _only_mean(self, mean: Mean) -> tuple[Value] | None:
        """Return the one value that a mean always has, in a tuple."""
        some = mean.pairs[mean.pairs[:, 1] > 0]
        if not len(some) or (some[:, 0] * some[0, 1] != some[0, 0] * some[:, 1]).any():
            return None
        value = exact(Fraction(int(some[0, 0]), int(some[0, 1]) * mean.scale))
        return (value,) if mean.always or mean.default == value else None

    def _is_count_or_default(self, node: Aggregate, holding: Holding, pairs: Selection, value: Value) -> bool:
        """Check that one value is held where something is selected, and the default elsewhere."""
        forms = forms_of(holding)
        if len(forms) != 1 or self.space.constant(forms[0]):
            return False
        counts = [self.space.form(cells=[(cell, 1)]) for cell, _ in self.space.cells_of(forms[0])[:1]]
        if self.space.pure_index(forms[0]):
            counts = [self.space.form(index=range(first, first + self.space.positions)) for first in (0, 1)]
        for count in counts:
            if self._counts(count, pairs):
                grid = self._grid([Affine(count)])
                found, asked = grid.ask_form(count), grid.ask(holding)
                ids = self.values.numbers([node.default, value])
                self.require_equal(grid, ids[np.asarray(grid.array(found) > 0, np.int64)], asked.numbers())
                self._lemma(node, "one value where something is selected, and the default elsewhere", grid.cases)
                return True
        return False

    def _is_single(self, node: Aggregate, holding: Holding, pairs: Selection, values: Holding, low: int) -> Holding:
        """Check that the one selected value is held, or the default where none is selected."""
        self._value(holding)
        forms = forms_of(holding)
        if len(forms) != 1 or isinstance(holding, Mean):
            raise LemmaError("one selected value is held in several forms")
        form = forms[0]
        if self.space.constant(form):
            return self._is_single_constant(node, holding, pairs, values, low)
        made = self._sum_in(form, pairs)
        factor = self.space.cells_of(form)[0][1]
        read = scaled(made.value, factor)  # the holding where a position is selected
        read[-1] += form[-1]
        nothing = self.space.form(constant=int(form[-1]))
        if isinstance(holding, Affine) and isinstance(values, Affine):
            if not alike(read, values.scale, values.form, holding.scale):
                raise LemmaError("the value that is gathered is not that of the program")
            cases = 1
        else:
            grid = self._grid([values])
            wanted, found = grid.ask(values), grid.ask(moved(holding, read))
            self.require_equal(grid, wanted.numbers(), found.numbers())
            cases = grid.cases
        if not low:
            grid = self._grid([])
            said = grid.ask(moved(holding, nothing)).numbers()
            self.require_equal(grid, np.full(said.shape, self.values.number(node.default)), said)
        self._lemma(
            node, f"the value of the {low} to 1 positions that are selected is held, or the default", cases + (not low)
        )
        return holding

    def _is_single_constant(
        self, node: Aggregate, holding: Holding, pairs: Selection, values: Holding, low: int
    ) -> Holding:
        """Check that the one selected number is always the same, and so is the default if none is selected."""
        if not isinstance(holding, Affine):
            raise LemmaError("one selected value is held as a constant")
        value, held, default = self._as_form(values, holding.scale), int(holding.form[-1]), node.default
        whole = is_number(default) and (default * holding.scale) == int(default * holding.scale)
        bases = [int(default * holding.scale)] if whole and is_number(default) else []
        for base in [*bases, held][: None if low else len(bases)]:  # where nothing is selected, the default is held
            if (self._sums(pairs, value - self.space.form(constant=base)) + base).tolist() == [held]:
                self._lemma(node, f"the value of the {low} to 1 positions that are selected is always the same", 1)
                return holding
        raise LemmaError("one selected value is held as a constant, and it is none")

    def _is_mean(self, node: Aggregate, mean: Mean, pairs: Selection, values: Holding) -> Mean:
        """Check a mean that is held as sum and count, and find all pairs of them."""
        if mean.about != "value" or mean.default != node.default:
            raise LemmaError("a mean is held with another default")
        if not self._counts(mean.count, pairs):
            raise LemmaError("the count of a mean is not the number of selected positions")
        value = self._gathers_numbers(mean.top, mean.scale, pairs, values)
        counts, codes = self.space.codes(mean.count), self.space.codes(value)
        if self.counting.alike(pairs, value):
            rows = [(v * c, c) for c in counts.tolist() for v in (codes.tolist() if c else [0])]
            found = np.array(rows, np.int64)
        else:
            found = mean_pairs(codes, self.space.codes(mean.top), counts)
        self._lemma(node, "sum and count are held over just the selected positions", len(found))
        self.space.add_joint((mean.top, mean.count), found)
        return Mean(mean.top, mean.scale, mean.count, mean.default, found)

    def _is_half(self, node: Aggregate, mean: Mean, holding: Holding) -> Holding:
        """Check that a mean is held up to halves: the half between two whole numbers for all between them."""
        if holding.about != "half" or not isinstance(holding, Affine):
            raise LemmaError("a mean is held up to more than halves")
        if not mean.always and not isinstance(mean.default, int):
            raise LemmaError("halves of a default that is no whole number")
        grid = self._grid([mean])
        top, count, said = grid.ask_form(mean.top), grid.ask_form(mean.count), grid.ask_form(holding.form)
        found = grid.rows(grid.array(top), grid.array(count), grid.array(said))
        tops, counts, halves = found.T
        below = np.where(counts == 0, 1, scaled(counts, mean.scale))
        twice = tops // below - (-tops // below)
        if not mean.always:
            twice = np.where(counts == 0, 2 * int(mean.default), twice)  # type: ignore[call-overload]
        if not np.array_equal(2 * halves, scaled(twice, holding.scale)):
            raise LemmaError("a mean is on another side of a whole number than what is held")
        self._lemma(node, "the mean is held up to halves, with which whole numbers are compared alike", grid.cases)
        return holding


def moved(holding: Holding, form: Integers) -> Holding:
    """Return a holding of one form with another form in its place."""
    if isinstance(holding, Affine):
        return Affine(form, holding.scale)
    assert isinstance(holding, Table)
    (variable,) = holding.variables
    return Table((variable._replace(form=form),), holding.which, holding.values)


def mean_pairs(values: Integers, tops_of: Integers, counts: Integers) -> Integers:
    """Return all pairs of a sum and its count, and perhaps more."""
    step = step_of(values) or 1
    found = []
    gapless = len(tops_of) > 1 and bool((np.diff(tops_of) == gcd(step, step_of(tops_of))).all())
    for count in counts.tolist():
        tops = np.arange(count * int(values[0]), count * int(values[-1]) + 1, step)
        tops = tops[(tops >= tops_of[0]) & (tops <= tops_of[-1])] if gapless else tops[np.isin(tops, tops_of)]
        found.append(np.stack([tops, np.full_like(tops, count)], axis=1))
    pairs = np.concatenate(found)
    if len(pairs) > 1 << 20:
        raise LemmaError(f"a mean can be {len(pairs):,} different things: that is too many")
    return pairs
