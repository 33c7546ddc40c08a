"""Pointwise functions: the holding gives their value, for all combinations of their arguments."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.form import Apply, Node
from weightsmith.programs.operators import COMPARISONS, Named
from weightsmith.programs.proof import linear
from weightsmith.programs.proof.cells import Cells
from weightsmith.programs.proof.grid import Grid
from weightsmith.programs.proof.holding import Affine, Holding, Mean, Table, constant_of
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.statement import Held
from weightsmith.programs.values import Value, presented

ONLY_TRUTH = ("not", "truth", "bool", "indicator")  # operators to which only the truth of a number matters
SUMS = ("+", "-", "negative")


class Functions(Cells):
    """Checks features, constants and pointwise functions."""

    def _grid(self, holdings: Sequence[Holding]) -> Grid:
        return Grid(self.space, self.layered, self.values, holdings)

    def _value(self, holding: Holding) -> Holding:
        """Return a holding that is stated to be of the value itself; a mean gets the pairs that it can be."""
        if holding.about != "value":
            raise LemmaError("it is not held as it is")
        return holding

    def _is_constant(self, holding: Holding, value: Value) -> Holding:
        found = constant_of(holding)
        if found is None and not isinstance(holding, Mean):  # its forms may be the same for all numbers that occur
            grid = self._grid([holding])
            asked = grid.ask(holding)
            numbers = np.unique(grid.rows(asked.numbers()))
            found = (self.values.known[int(numbers[0])],) if len(numbers) == 1 else None
        if found is None or found[0] != value or holding.about != "value":
            raise LemmaError(f"it is always {brief(presented(value))}, and that is not what is held")
        return holding

    def _is_feature(self, node: Node, holding: Holding, values: Sequence[Value], form: Integers) -> Holding:
        """Check that a holding is a function of token or position with these values."""
        grid = self._grid([Affine(form)])
        place, asked = grid.ask_form(form), grid.ask(self._value(holding))
        wanted = self.values.numbers(values)[grid.array(place)]
        if not np.equal(wanted, asked.numbers()).all():
            raise LemmaError("its values are not those that are held")
        self._lemma(node, "its values are held", grid.cases)
        return holding

    def _apply(self, node: Apply, stated: Held) -> Holding:
        given = [self.held[one] for one in node.arguments]
        arguments = [
            self._recoded(old, new) for old, new in zip(given, stated.recoded or (None,) * len(given), strict=True)
        ]
        result = stated.holding
        symbol = node.operator.symbol if isinstance(node.operator, Named) else ""
        about = self._about(symbol, node, arguments)
        if result.about != about:
            raise LemmaError(f"it is held up to its {result.about}, and known up to its {about}")
        expected = linear.expected(self.space, symbol, arguments)
        if expected is not None and linear.same(expected, result):
            self._lemma(node, "what is held is that combination of what its arguments are held as", 1)
            found = linear.with_pairs(expected, result)
            if isinstance(found, Mean):
                self.space.add_joint((found.top, found.count), found.pairs)
            return found
        if isinstance(result, Mean):
            raise LemmaError("a mean is held that is no combination of its arguments")
        cases = self._compares(symbol, arguments, result) if symbol in COMPARISONS else None
        if cases is None:
            cases = self._evaluates(node, node.operator, arguments, result)
        self._lemma(node, "for all values of its arguments what is held is its value", cases)
        return result

    def _about(self, symbol: str, node: Apply, arguments: Sequence[Holding]) -> str:
        """Return how much of the result is known where not all of an argument is."""
        partial = [n for n, one in enumerate(arguments) if one.about != "value"]
        if not partial:
            return "value"
        rest = [one for n, one in enumerate(arguments) if n not in partial]
        about = arguments[partial[0]].about
        if about == "truth":
            zero = len(rest) == 1 and constant_of(rest[0]) == (0,) and symbol in COMPARISONS
            condition = symbol == "where" and partial == [0]
            if len(partial) == 1 and (symbol in ONLY_TRUTH or zero or condition):
                return "value"
        if about == "half" and len(partial) == 1 and all(map(self._whole, rest)):
            if symbol in SUMS:
                return "half"
            if symbol in COMPARISONS:
                return "value"
        raise LemmaError(f"more is asked of an argument than its {about}")

    def _whole(self, holding: Holding) -> bool:
        """Return whether a value is always a whole number."""
        if isinstance(holding, Affine):
            return not (self.space.codes(holding.form) % holding.scale).any()
        return isinstance(holding, Table) and all(isinstance(value, int) for value in holding.values)

    def _recoded(self, old: Holding, new: Holding | None) -> Holding:
        """Return another holding of the same value, after comparing the two."""
        if new is None:
            return old
        if new.about != "value" or old.about != "value" or isinstance(new, Mean):
            raise LemmaError("a value is given another form, of which less is known")
        grid = self._grid([old])
        before, after = grid.ask(old), grid.ask(new)
        self.require_equal(grid, before.numbers(), after.numbers())
        return new

    def _compares(self, symbol: str, arguments: Sequence[Holding], result: Holding) -> int | None:
        """Check a comparison of two numbers by their difference; None where there is none."""
        difference = linear.difference(self.space, arguments)
        if difference is None:
            return None
        grid = self._grid([Affine(difference)])
        found, asked = grid.ask_form(difference), grid.ask(result)
        holds = COMPARISONS[symbol](grid.array(found), 0)
        truths = self.values.numbers([False, True])
        self.require_equal(grid, truths[np.asarray(holds, np.int64)], asked.numbers())
        return grid.cases

    def _evaluates(
        self, node: Node, function: Callable[..., Any], arguments: Sequence[Holding], result: Holding
    ) -> int:
        """Check a function for all values that its arguments can have together; return how many cases there are."""
        grid = self._grid(arguments)
        asked, said = [grid.ask(one) for one in arguments], grid.ask(result)
        numbers = [one.numbers() for one in asked]
        found = said.numbers()
        if not grid.occurs.all():
            found, *numbers = grid.rows(found, *numbers).T
        self.require_equal(grid, self.asking.applied(node, function, numbers), found)
        return grid.cases

    def require_equal(
        self, grid: Grid, wanted: Integers, found: Integers, says: str = "{} is held where it is {}"
    ) -> None:
        """Refuse arrays of values that differ where a combination occurs."""
        wrong = np.not_equal(wanted, found)
        if wrong.ndim == grid.occurs.ndim:
            wrong = wrong & grid.occurs
        if wrong.any():
            first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            values = [self.values.known[int(np.broadcast_to(one, wrong.shape)[first])] for one in (wanted, found)]
            raise LemmaError(says.format(brief(presented(values[1])), brief(presented(values[0]))))
