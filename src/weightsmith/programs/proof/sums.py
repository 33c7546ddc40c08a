"""Sums over the selected positions: what is added up for each of them, and whether a sum is positive."""

from fractions import Fraction

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.form import Aggregate
from weightsmith.programs.proof.holding import Affine, Holding, constant_of, forms_of
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.selectors import Selection
from weightsmith.programs.proof.selects import Selects
from weightsmith.programs.proof.space import Integers, alike, scaled
from weightsmith.programs.proof.statement import Gathered
from weightsmith.programs.values import Value, is_number, presented


class Sums(Selects):
    """Checks sums."""

    def _same_pairs(self, one: Selection, two: Selection) -> bool:
        return one is two or self.differences.identity(one) == self.differences.identity(two)

    def _sum_in(self, form: Integers, pairs: Selection) -> Gathered:
        """Return the sum over the selected positions that a form is, up to a factor and a constant."""
        cells = self.space.cells_of(form)
        if len(cells) == 1 and not self.space.pure_token(form) and not form[: self.space.of_cells.start].any():
            cell = self.stated.cells[cells[0][0]]
            if isinstance(cell.made, Gathered):
                self.codes_of(cells[0][0])
                if self._same_pairs(self.selector_of(cell), pairs):
                    return cell.made
        raise LemmaError("what is held is no sum over the selected positions")

    def _gathers_numbers(self, form: Integers, scale: int, pairs: Selection, values: Holding) -> Integers:
        """Check that a form is the sum of values, times a scale; return the form that is added for each position."""
        if self.space.constant(form):
            value = self._as_form(values, scale)
            if self._sums(pairs, value).tolist() != [int(form[-1])]:
                raise LemmaError("a sum of values is held as a constant, and it is none")
            return value
        made = self._sum_in(form, pairs)
        (_, factor), *_ = self.space.cells_of(form)
        if form[-1]:
            raise LemmaError("a sum of values is held with a constant")
        value = scaled(made.value, factor)
        if isinstance(values, Affine):
            if not alike(value, values.scale, values.form, scale):
                raise LemmaError("the values that are added up are not those of the program")
            return value
        grid = self._grid([values])
        wanted, found = grid.ask(values), grid.ask(Affine(value, scale))
        self.require_equal(grid, wanted.numbers(), found.numbers())
        return value

    def _as_form(self, values: Holding, scale: int) -> Integers:
        """Return numbers, times a scale, as a form: of those that are held as one, or depend on the position alone."""
        if isinstance(values, Affine) and not scale % values.scale:
            return scaled(values.form, scale // values.scale)
        numbers = self._by_position(values)
        known = [] if numbers is None else [self.values.known[n] for n in numbers.tolist()]
        whole = [Fraction(one) * scale for one in known if is_number(one)]
        if not whole or len(whole) < len(known) or any(one != int(one) or abs(one) >= 1 << 40 for one in whole):
            raise LemmaError("a sum of values is held as a constant")
        return self.space.form(index=map(int, whole))

    def _is_truth(self, node: Aggregate, holding: Holding, pairs: Selection, values: Holding, low: int) -> Holding:
        """Check that it is held whether a mean of numbers from 0 on is positive."""
        if not low and node.default != 0:
            raise LemmaError("only the truth of a mean is held, and its default is not 0")
        always = constant_of(holding)
        if always is not None:
            return self._is_always_true(node, holding, pairs, values, always[0])
        forms = forms_of(holding)
        if len(forms) != 1:
            raise LemmaError("the truth of a mean is held in several forms")
        made = self._sum_in(forms[0], pairs)
        grid = self._grid([values])
        asked, flag = grid.ask(values), grid.ask_form(made.value)
        known = self.values.known
        numbers, flags = grid.rows(asked.numbers(), grid.array(flag)).T
        for number in np.unique(numbers).tolist():
            value, found = known[number], flags[numbers == number]
            if not is_number(value) or value < 0 or ((found > 0) != (value > 0)).any() or (found < 0).any():
                raise LemmaError(f"what is added up is not positive just where {brief(presented(value))} is")
        bare = forms[0].copy()
        (_, factor), *_ = self.space.cells_of(forms[0])
        bare[-1] = 0
        sum_grid = self._grid([Affine(bare)])
        top, said = sum_grid.ask_form(bare), sum_grid.ask(holding)
        positive = sum_grid.array(top) * (1 if factor > 0 else -1) > 0
        ids = self.values.numbers([0, 1])
        self.require_equal(sum_grid, ids[np.asarray(positive, np.int64)], said.numbers())
        self._lemma(
            node,
            "it is held whether some selected value is positive, and no more is asked",
            grid.cases + sum_grid.cases,
        )
        return holding

    def _is_always_true(
        self, node: Aggregate, holding: Holding, pairs: Selection, values: Holding, held: Value
    ) -> Holding:
        """Check that a mean of numbers from 0 on is always positive, and held as 1."""
        value = self._as_form(values, 1)
        sums = self._sums(pairs, value)
        if held != 1 or self.space.codes(value)[0] < 0 or sums[0] <= 0:
            raise LemmaError("the truth of a mean is held as a constant, and it is none")
        self._lemma(node, "some selected value is always positive, and no more is asked", len(sums))
        return holding
