"""What is stated of every part of a program is what the program means: node by node, from vocabulary and positions.

The numbers that a cell can be are found here, from below; none are taken from what is stated. A function is evaluated
for all values that its arguments can have together, a selector for all pairs of values, and what is stated must say the
same for each. How many positions a selector selects follows from its conditions (see `counting`).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.form import (
    Aggregate,
    Always,
    And,
    Apply,
    Constant,
    Indices,
    Length,
    Matrix,
    Node,
    Not,
    Or,
    Row,
    Select,
    SelectorNode,
    SequenceNode,
    Tokens,
    Width,
)
from weightsmith.programs.naming import part_names
from weightsmith.programs.operators import COMPARISONS, Named
from weightsmith.programs.proof import linear
from weightsmith.programs.proof.asking import Asking
from weightsmith.programs.proof.counting import Counting
from weightsmith.programs.proof.grid import Grid, Part, fired
from weightsmith.programs.proof.holding import Affine, Holding, Mean, Table, Values, constant_of, forms_of
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.selectors import (
    Differences,
    If,
    Pairs,
    conditions,
    every,
    other,
    some,
    truth,
)
from weightsmith.programs.proof.space import (
    Booleans,
    Integers,
    Space,
    alike,
    checked,
    distinct,
    product,
    scaled,
    step_of,
    sums,
)
from weightsmith.programs.proof.statement import Cell, Gathered, Held, Layered, Statement
from weightsmith.programs.values import Value, exact, is_number, presented

MOST_PAIRS = 4_000_000  # of combinations of key and query
FEW_VALUES = 300  # fewer are compared pair by pair
MOST_SUMS = 1 << 22
ONLY_TRUTH = ("not", "truth", "bool", "indicator")  # operators to which only the truth of a number matters
SUMS = ("+", "-", "negative")


class Meaning:
    """Checks a statement against its program; `lemmas` are those that hold."""

    def __init__(self, statement: Statement) -> None:
        """Go through all parts of the program, each after its own."""
        self.stated = statement
        self.program = statement.program
        self.lemmas: list[Lemma] = []
        self.space = Space(len(statement.vocabulary), statement.positions, len(statement.cells), self.codes_of)
        self.values = Values()
        self.asking = Asking(self.values, statement.answers)
        self.differences = Differences(self.space, statement.causal)
        self.counting = Counting(self.space, self.differences, statement.causal)
        self.names = part_names(self.program)
        self.held: dict[Node, Holding] = {}
        self.pairs: dict[Node, Pairs] = {}
        self._codes: dict[int, Integers] = {}
        self._looking_back: set[Node] = set()
        self._seen_or_not: set[Node] = set()  # selects that were compared for all pairs, also those that a mask hides
        self._require_mask()
        for node in self.program.nodes:
            try:
                if isinstance(node, SequenceNode):
                    self.held[node] = self._sequence(node)
                elif isinstance(node, SelectorNode):
                    self.pairs[node] = self._selector(node)
            except LemmaError as error:
                raise LemmaError(f"{self.names[node]}: {error}") from error
        if self.output.about != "value":
            raise LemmaError("the output is not held as it is")

    @property
    def output(self) -> Holding:
        """How the output is held."""
        return self.held[self.program.output]

    def _require_mask(self) -> None:
        if self.program.causal and not self.stated.causal:
            raise LemmaError("the program is causal, and the mask is not")
        if self.stated.causal and any(isinstance(node, Length) for node in self.program.nodes):
            raise LemmaError("with a causal mask the length is not known")

    def _lemma(self, node: Node, statement: str, cases: int) -> None:
        place = node.note.place
        self.lemmas.append(Lemma(self.names[node], statement, cases, None, None if place is None else place.line))

    # Cells

    def codes_of(self, number: int) -> Integers:
        """Return all numbers that a cell can be: found from its definition."""
        if number not in self._codes:
            cell = self.stated.cells[number]
            self._require_order(number, cell)
            gathers = isinstance(cell.made, Gathered)
            found = self._gathered(number, cell) if gathers else self._layered(number, cell)
            self._codes[number] = checked(found)
        return self._codes[number]

    def layered(self, number: int) -> Sequence[Part] | None:
        """Return what neurons read for a cell; None for a sum over positions."""
        made = self.stated.cells[number].made
        return made.parts if isinstance(made, Layered) else None

    def _require_order(self, number: int, cell: Cell) -> None:
        """Refuse a cell that is made of itself, or of what is there too late."""
        made = cell.made
        if isinstance(made, Layered):
            forms = [part.form for part in made.parts]
        else:
            forms = [made.value, *(f for one, _ in made.heads for key, query, _ in one.of for f in (key, query))]
        for form in forms:
            for other_cell, _ in self.space.cells_of(form):
                if other_cell >= number or self.stated.cells[other_cell].time >= cell.time:
                    raise LemmaError(f"{cell.name}: a cell is made of one that comes later")
        if cell.time < 1 or (cell.time % 2 == 1) != isinstance(made, Gathered):
            raise LemmaError(f"{cell.name}: sums come from attention, and the rest from neurons")

    def _layered(self, number: int, cell: Cell) -> Integers:
        assert isinstance(cell.made, Layered)
        parts = cell.made.parts
        if all(self.counting.everywhere(part.form) for part in parts):
            self.counting.same_everywhere.add(number)
        for joint in self.space.joint if len(parts) > 1 else ():
            total = np.zeros(len(joint.rows), np.int64)
            for part in parts:
                if not {c for c, _ in self.space.cells_of(part.form)} <= joint.cells:
                    break
                factors, divisor, rest = joint.span.solve(part.form)
                if divisor != 1 or rest[:-1].any():
                    break
                total = total + fired(part.kinks, product(joint.rows, factors) + rest[-1])
            else:
                return distinct(total)
        found = np.zeros(1, np.int64)
        for group in self._multiples(parts):
            found = sums(found, distinct(group))
        return found

    def _multiples(self, parts: Sequence[Part]) -> list[Integers]:
        """Return what neurons add together, for each number of the form that they read multiples of."""
        added: dict[bytes, Integers] = {}
        for part in parts:
            varying = part.form.copy()
            varying[-1] = 0
            factor = int(np.gcd.reduce(varying)) or 1
            first = varying[np.argmax(varying != 0)]
            factor = -factor if first < 0 else factor
            bare = varying // factor
            one = fired(part.kinks, scaled(self.space.codes(bare), factor) + part.form[-1])
            key = bare.tobytes()
            added[key] = added[key] + one if key in added else one
        return list(added.values())

    def selector_of(self, cell: Cell) -> Pairs:
        """Return which positions a sum is over."""
        assert isinstance(cell.made, Gathered)
        if cell.made.selector is None:
            return True
        if cell.made.selector not in self.pairs:
            raise LemmaError(f"{cell.name}: a sum over positions that are selected later")
        return self.pairs[cell.made.selector]

    def _gathered(self, number: int, cell: Cell) -> Integers:
        """Return what a sum over selected positions can be."""
        assert isinstance(cell.made, Gathered)
        pairs, value, heads = self.selector_of(cell), cell.made.value, list(cell.made.heads)
        cases = self.differences.selects(pairs, heads, cell.name)
        low, high = self.counting.bounds(pairs)
        self.lemmas.append(
            Lemma(
                cell.name,
                f"its heads select just what the program selects, {low} to {high} positions",
                cases,
                None,
                cell.line,
            )
        )
        self.counting.note_everywhere(number, pairs)
        if self.space.constant(value) and value[-1] == 1:
            self.counting.note_count(number, pairs, heads)
        return self._sums(pairs, value)

    def _sums(self, pairs: Pairs, value: Integers) -> Integers:
        """Return what the sum of a form over the selected positions can be."""
        found = total_codes(self.space.codes(value), *self.counting.bounds(pairs))
        if self.space.pure_index(value):
            least, most = self._of_positions(value, self.counting.first(pairs))
            found = found[(found >= least) & (found <= most)]
        return found

    def _of_positions(self, value: Integers, first: bool) -> tuple[int, int]:
        """Return between what the sum of a function of the position lies, for it is added at most once for each."""
        entries = (value[self.space.of_index] + value[-1]).tolist()
        always, rest = (entries[0], entries[1:]) if first else (0, entries)
        return always + sum(one for one in rest if one < 0), always + sum(one for one in rest if one > 0)

    def _require_looks_back(self, selector: Node | None) -> None:
        """Refuse a causal mask where the program selects later positions."""
        if selector is not None and selector not in self._looking_back:
            _, may = self._between_positions(selector)
            if not np.tril(may, -1).any():  # keys after the query
                self._looking_back.add(selector)
        if selector not in self._looking_back:
            raise LemmaError("the mask is causal, and the program may select later positions")

    def _between_positions(self, node: Node) -> tuple[Booleans, Booleans]:
        """Return which keys (rows) queries must and may select, as the program means it, whatever they hold."""
        shape = self.space.positions, self.space.positions
        match node:
            case And(left, right):
                (a, b), (c, d) = self._between_positions(left), self._between_positions(right)
                return a & c, b & d
            case Or(left, right):
                (a, b), (c, d) = self._between_positions(left), self._between_positions(right)
                return a | c, b | d
            case Not(inner):
                must, may = self._between_positions(inner)
                return ~may, ~must
            case Always(selected):
                return np.full(shape, selected), np.full(shape, selected)
            case Matrix(rows):
                given = np.array([row[: shape[0]] for row in rows[: shape[0]]], np.bool_).T
                return given, given
            case Select(keys, queries, comparison):
                if isinstance(self.pairs[node], bool) and node in self._seen_or_not:
                    return np.full(shape, self.pairs[node]), np.full(shape, self.pairs[node])
                numbers = [self._by_position(self.held[one]) for one in (keys, queries)]
                if numbers[0] is not None and numbers[1] is not None:
                    holds = self._compared(node, comparison, numbers[0], numbers[1])
                    return holds, holds
        return np.zeros(shape, np.bool_), np.ones(shape, np.bool_)

    def _by_position(self, holding: Holding) -> Integers | None:
        """Return the values at all positions, where they depend on the position alone."""
        places = all(self.space.pure_index(form) or self.space.constant(form) for form in forms_of(holding))
        if holding.about != "value" or not places:
            return None
        grid = self._grid([Affine(self.space.index)])
        asked, place = grid.ask(holding), grid.ask_form(self.space.index)
        return np.broadcast_to(asked.numbers(), grid.array(place).shape)

    # Sequence operations

    def _grid(self, holdings: Sequence[Holding]) -> Grid:
        return Grid(self.space, self.layered, self.values, holdings)

    def _sequence(self, node: SequenceNode) -> Holding:
        stated = self.stated.held.get(node)
        if stated is None:
            raise LemmaError("it is not stated how it is held")
        match node:
            case Tokens():
                return self._is_feature(node, stated.holding, list(self.stated.vocabulary), self.space.token)
            case Indices():
                return self._is_feature(node, stated.holding, list(range(self.space.positions)), self.space.index)
            case Row(values, only):
                self._require_length(len(values), only)
                return self._is_feature(node, stated.holding, list(values[: self.space.positions]), self.space.index)
            case Constant(value):
                return self._is_constant(stated.holding, value)
            case Length():
                return self._is_count(stated.holding, True)
            case Width(selector):
                return self._is_count(stated.holding, self._selected(selector))
            case Apply():
                return self._apply(node, stated)
            case Aggregate():
                return self._aggregate(node, stated)
        raise LemmaError(f"{brief(node)} is no sequence operation of a program")

    def _require_length(self, given: int, only: bool) -> None:
        if given < self.space.positions or (only and given != self.space.positions):
            raise LemmaError(f"a constant of length {given} for {self.space.positions} positions")

    def _value(self, holding: Holding) -> Holding:
        """Return a holding that is stated to be of the value itself; a mean gets the pairs that it can be."""
        if holding.about != "value":
            raise LemmaError("it is not held as it is")
        return holding

    def _is_constant(self, holding: Holding, value: Value) -> Holding:
        found = constant_of(holding)
        if found is None or found[0] != value or holding.about != "value":
            raise LemmaError(f"it is always {brief(presented(value))}, and that is not what is held")
        return holding

    def _is_feature(self, node: Node, holding: Holding, values: Sequence[Value], form: Integers) -> Holding:
        """Check that what is held is a given function of token or position."""
        grid = self._grid([Affine(form)])
        place, asked = grid.ask_form(form), grid.ask(self._value(holding))
        wanted = np.array([self.values.number(value) for value in values], np.int64)[grid.array(place)]
        if not np.equal(wanted, asked.numbers()).all():
            raise LemmaError("its values are not those that are held")
        self._lemma(node, "its values are held", grid.cases)
        return holding

    def _selected(self, selector: Node) -> Pairs:
        if not self.program.causal and self.stated.causal:
            self._require_looks_back(selector)
        return self.pairs[selector]

    def _is_count(self, holding: Holding, pairs: Pairs) -> Holding:
        if not isinstance(holding, Affine) or holding.scale != 1 or holding.about != "value":
            raise LemmaError("a number of positions is held in another way")
        if not self._counts(holding.form, pairs):
            raise LemmaError("what is held is not the number of selected positions")
        return holding

    def _counts(self, form: Integers, pairs: Pairs) -> bool:
        """Say whether a form is the number of positions that are selected."""
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

    def _same_pairs(self, one: Pairs, two: Pairs) -> bool:
        return one is two or self.differences.identity(one) == self.differences.identity(two)

    def _counts_before(self, form: Integers, pairs: Pairs) -> bool:
        """Say whether as many positions are selected as come before the query, with itself or not."""
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

    # Functions

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
        """Say whether a value is always a whole number."""
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
        truths = np.array([self.values.number(False), self.values.number(True)])
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

    # Aggregates

    def _aggregate(self, node: Aggregate, stated: Held) -> Holding:
        pairs, values = self._selected(node.selector), self._value(self.held[node.values])
        holding, default = stated.holding, node.default
        if pairs is False:
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

    def _sum_in(self, form: Integers, pairs: Pairs) -> Gathered:
        """Return the sum over the selected positions that a form is, up to a factor and a constant."""
        cells = self.space.cells_of(form)
        if len(cells) == 1 and not self.space.pure_token(form) and not form[: self.space.of_cells.start].any():
            cell = self.stated.cells[cells[0][0]]
            if isinstance(cell.made, Gathered):
                self.codes_of(cells[0][0])
                if self._same_pairs(self.selector_of(cell), pairs):
                    return cell.made
        raise LemmaError("what is held is no sum over the selected positions")

    def _is_count_or_default(self, node: Aggregate, holding: Holding, pairs: Pairs, value: Value) -> bool:
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
                ids = np.array([self.values.number(node.default), self.values.number(value)])
                self.require_equal(grid, ids[np.asarray(grid.array(found) > 0, np.int64)], asked.numbers())
                self._lemma(node, "one value where something is selected, and the default elsewhere", grid.cases)
                return True
        return False

    def _is_single(self, node: Aggregate, holding: Holding, pairs: Pairs, values: Holding, low: int) -> Holding:
        """Check that the one selected value is held, or the default where none is selected."""
        self._value(holding)
        forms = forms_of(holding)
        if len(forms) != 1 or isinstance(holding, Mean):
            raise LemmaError("one selected value is held in several forms")
        form = forms[0]
        if self.space.constant(form):
            raise LemmaError("one selected value is held as a constant")
        made = self._sum_in(form, pairs)
        factor = self.space.cells_of(form)[0][1]
        read = scaled(made.value, factor)  # what is held where a position is selected
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

    def _gathers_numbers(self, form: Integers, scale: int, pairs: Pairs, values: Holding) -> Integers:
        """Check that a form is the sum of values, times a scale; return what is added for each position."""
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

    def _is_mean(self, node: Aggregate, mean: Mean, pairs: Pairs, values: Holding) -> Mean:
        """Check a mean that is held as sum and count, and find what these can be together."""
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

    def _is_truth(self, node: Aggregate, holding: Holding, pairs: Pairs, values: Holding, low: int) -> Holding:
        """Check that it is held whether a mean of numbers from 0 on is positive."""
        if not low and node.default != 0:
            raise LemmaError("only the truth of a mean is held, and its default is not 0")
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
        ids = np.array([self.values.number(0), self.values.number(1)])
        self.require_equal(sum_grid, ids[np.asarray(positive, np.int64)], said.numbers())
        self._lemma(
            node,
            "it is held whether some selected value is positive, and no more is asked",
            grid.cases + sum_grid.cases,
        )
        return holding

    # Selectors

    def _selector(self, node: SelectorNode) -> Pairs:
        match node:
            case And(left, right):
                return every(self.pairs[left], self.pairs[right])
            case Or(left, right):
                return some(self.pairs[left], self.pairs[right])
            case Not(inner):
                return self.differences.normal(other(self.pairs[inner]))
            case Always(selected):
                return selected
            case Select(keys, queries, comparison):
                return self._is_select(node, self.held[keys], self.held[queries], comparison)
            case Matrix(rows, only):
                self._require_length(len(rows), only)
                places = Affine(self.space.index)
                return self._is_select(node, places, places, lambda key, query: rows[query][key])
        raise LemmaError(f"{brief(node)} is no selector of a program")

    def _stated_pairs(self, node: Node) -> Pairs:
        if node not in self.stated.pairs:
            raise LemmaError("it is not stated what it selects")
        return self.differences.normal(self.stated.pairs[node])

    def _is_select(self, node: Node, keys: Holding, queries: Holding, comparison: str | Callable[..., Any]) -> Pairs:
        """Check a select: for all pairs of values it selects what the program means."""
        pairs = self._stated_pairs(node)
        self._require_comparable(keys, queries, comparison)
        cases = None
        if isinstance(comparison, str) and isinstance(keys, Affine) and isinstance(queries, Affine):
            cases = self._by_difference(pairs, keys, queries, comparison)
        if cases is None:
            cases = self._pair_by_pair(node, pairs, keys, queries, comparison)
        by_place = [any(form[self.space.of_index].any() for form in forms_of(one)) for one in (keys, queries)]
        if not self.stated.causal or not all(by_place):
            self._seen_or_not.add(node)
        self._lemma(node, "for all pairs of values it selects what the program selects", cases)
        return pairs

    def _require_comparable(self, keys: Holding, queries: Holding, comparison: str | Callable[..., Any]) -> None:
        partial = [one for one in (keys, queries) if one.about != "value"]
        if not partial:
            return
        rest = queries if partial[0] is keys else keys
        halves = len(partial) == 1 and partial[0].about == "half" and self._whole(rest)
        if not halves or not isinstance(comparison, str):
            raise LemmaError(f"more is asked of a key or query than its {partial[0].about}")

    def _by_difference(self, pairs: Pairs, keys: Affine, queries: Affine, comparison: str) -> int | None:
        """Check a comparison of two numbers by their difference; None where the condition is on another one."""
        common = lcm(keys.scale, queries.scale)
        key, query = scaled(keys.form, common // keys.scale), scaled(queries.form, common // queries.scale)
        if isinstance(pairs, bool):
            codes = self.differences.codes(key, query)
            holds = np.full(codes.shape, pairs)
        elif isinstance(pairs, If):
            factor = self._times(pairs, key, query)
            if factor is None:
                return None
            codes = self.differences.codes(pairs.key, pairs.query)
            holds = pairs.holds(codes)
            shift = int(query[-1] - key[-1]) - factor * int(pairs.query[-1] - pairs.key[-1])
            codes = scaled(codes, factor) + shift
        else:
            return None
        if not np.array_equal(holds, COMPARISONS[comparison](0, codes)):
            raise LemmaError("it selects other pairs than the program")
        return len(codes)

    def _times(self, pairs: If, key: Integers, query: Integers) -> int | None:
        """Return by what a condition's forms must be multiplied to be these, up to constants."""
        both, ours = np.append(key[:-1], query[:-1]), np.append(pairs.key[:-1], pairs.query[:-1])
        place = int(np.argmax(ours != 0))
        if not ours[place] or both[place] % ours[place]:
            return None
        factor = int(both[place] // ours[place])
        return factor if alike(ours, factor, both, 1) else None

    def _pair_by_pair(
        self, node: Node, pairs: Pairs, keys: Holding, queries: Holding, comparison: str | Callable[..., Any]
    ) -> int:
        """Check a select for all that keys and queries can hold."""
        if isinstance(pairs, If) and isinstance(comparison, str) and self._in_order(pairs, keys, queries, comparison):
            return len(self.differences.codes(pairs.key, pairs.query))
        leaves = list({one.same: one for one in conditions(pairs)}.values())
        sides = [
            self._side(holding, [one.key if which == 0 else one.query for one in leaves])
            for which, holding in enumerate((keys, queries))
        ]
        of_keys, of_queries = sides
        shape = len(of_keys), len(of_queries)
        if shape[0] * shape[1] > MOST_PAIRS:
            raise LemmaError(f"{shape[0]:,} × {shape[1]:,} pairs of key and query are too many to be gone through")
        place = {one.same: n for n, one in enumerate(leaves)}

        def leaf(one: If) -> Booleans:
            n = 2 + place[one.same]
            return one.holds(of_queries[None, :, n] - of_keys[:, None, n])

        found = truth(pairs, leaf, shape)
        wanted = self._compared(node, comparison, of_keys[:, 1], of_queries[:, 1])
        wrong = found != wanted
        if self.stated.causal:  # later keys are not seen
            seen = (of_keys[:, None, 0] <= of_queries[None, :, 0]) | (of_keys[:, None, 0] < 0)
            wrong = wrong & seen
        if wrong.any():
            raise LemmaError("it selects other pairs than the program")
        return shape[0] * shape[1]

    def _in_order(self, pairs: If, keys: Holding, queries: Holding, comparison: str) -> bool:
        """Say whether a form rises just as the values do that it holds, and the condition is on its sign alone."""
        if keys is not queries or not np.array_equal(pairs.key, pairs.query):
            return False
        if self.space.constant(pairs.key) or self.stated.causal:
            return False
        grid = self._grid([keys])
        found, asked = grid.ask_form(pairs.key), grid.ask(keys)
        if grid.cases < FEW_VALUES:
            return False
        codes, numbers = np.unique(grid.rows(grid.array(found), asked.numbers()), axis=0).T
        ranks = self.asking.ranks(numbers)
        if ranks is None or (np.diff(ranks) <= 0).any() or (np.diff(codes) <= 0).any():
            return False
        differences, holds = self.differences.of(pairs)
        if not np.array_equal(holds, COMPARISONS[comparison](0, np.sign(differences))):
            raise LemmaError("it selects other pairs than the program")
        return True

    def _compared(
        self, node: Node, comparison: str | Callable[..., Any], keys: Integers, queries: Integers
    ) -> Booleans:
        different = [np.unique(one, return_inverse=True) for one in (keys, queries)]
        holds = self.asking.compared(node, comparison, different[0][0], different[1][0])
        return np.asarray(holds[np.ix_(different[0][1], different[1][1])])

    def _side(self, holding: Holding, forms: Sequence[Integers]) -> Integers:
        """Return rows for all that a key or a query can hold: its position (−1 for any), its value, and the forms."""
        grid = self._grid([holding])
        by_place = self.stated.causal and any(axis.feature == "index" for axis in grid.axes)
        place = grid.ask_form(self.space.index) if by_place else None
        asked, found = grid.ask(holding), [grid.ask_form(form) for form in forms]
        columns = [asked.numbers(), *(grid.array(one) for one in found)]
        columns.insert(0, np.full((1,) * grid.rank, -1, np.int64) if place is None else grid.array(place))
        rows = grid.rows(*columns)
        return np.unique(rows, axis=0) if len(rows) > 64 else rows


def moved(holding: Holding, form: Integers) -> Holding:
    """Return a holding of one form with another form in its place."""
    if isinstance(holding, Affine):
        return Affine(form, holding.scale)
    assert isinstance(holding, Table)
    (variable,) = holding.variables
    return Table((variable._replace(form=form),), holding.which, holding.values)


def total_codes(values: Integers, low: int, high: int) -> Integers:
    """Return what the sum of `low` to `high` of some numbers can be, and perhaps more."""
    if high <= 1:
        return distinct(np.append(values, 0)) if low == 0 else values
    least, most = int(values[0]), int(values[-1])
    step = gcd(step_of(values), abs(least))
    if step == 0:
        return np.zeros(1, np.int64)
    start, stop = min(low * least, high * least), max(low * most, high * most)
    if (stop - start) // step > MOST_SUMS:
        raise LemmaError(f"a sum of {high} numbers can be too many different ones")
    return np.arange(start, stop + 1, step)


def mean_pairs(values: Integers, tops_of: Integers, counts: Integers) -> Integers:
    """Return what a sum and its count can be together, and perhaps more."""
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
