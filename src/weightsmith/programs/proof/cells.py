"""The numbers that cells can be, computed bottom-up from their definitions, the vocabulary and the positions."""

from collections.abc import Sequence
from math import gcd

import numpy as np

from weightsmith.programs.form import Node
from weightsmith.programs.listing import part_names
from weightsmith.programs.proof.asking import Asking
from weightsmith.programs.proof.counting import Counting
from weightsmith.programs.proof.holding import Holding, Values
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.neurons import Part, fired
from weightsmith.programs.proof.selectors import Differences, Selection
from weightsmith.programs.proof.space import Integers, Space, checked, distinct, scaled, step_of, sums
from weightsmith.programs.proof.statement import Cell, Gathered, Layered, Statement

MOST_SUMS = 1 << 22  # numbers that a sum can be


class Cells:
    """The statement of cells, and the numbers that they can be."""

    def __init__(self, statement: Statement) -> None:
        """Begin with nothing that is known."""
        self.stated = statement
        self.program = statement.program
        self.lemmas: list[Lemma] = []
        self.space = Space(len(statement.vocabulary), statement.positions, len(statement.cells), self.codes_of)
        self.values = Values()
        self.asking = Asking(self.values, statement.answers)
        self.differences = Differences(self.space, statement.causal)
        self.counting = Counting(self.space, self.differences, statement.causal, self.layered)
        self.names = part_names(self.program)
        self.held: dict[Node, Holding] = {}
        self.pairs: dict[Node, Selection] = {}
        self._codes: dict[int, Integers] = {}
        self._looking_back: set[Node] = set()
        self._seen_or_not: set[Node] = set()  # selects that were compared for all pairs, also those that a mask hides

    def _lemma(self, node: Node, statement: str, cases: int) -> None:
        place = node.note.place
        self.lemmas.append(Lemma(self.names[node], statement, cases, None, None if place is None else place.line))

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
        """Return the neurons of a cell; None for a sum over positions."""
        made = self.stated.cells[number].made
        return made.parts if isinstance(made, Layered) else None

    def _require_order(self, number: int, cell: Cell) -> None:
        """Refuse a cell that is made of itself, or of later cells."""
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
                known = self.space.along(joint, part.form)
                if known is None or known[1][:-1].any():
                    break
                total = total + fired(part.kinks, known[0] + known[1][-1])
            else:
                return distinct(total)
        found = np.zeros(1, np.int64)
        for group in self._multiples(parts):
            found = sums(found, distinct(group))
        return found

    def _multiples(self, parts: Sequence[Part]) -> list[Integers]:
        """Return the sums of neurons that read multiples of one form, for each of its numbers."""
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

    def selector_of(self, cell: Cell) -> Selection:
        """Return which positions a sum is over."""
        assert isinstance(cell.made, Gathered)
        if cell.made.selector is None:
            return True
        if cell.made.selector not in self.pairs:
            raise LemmaError(f"{cell.name}: a sum over positions that are selected later")
        return self.pairs[cell.made.selector]

    def _gathered(self, number: int, cell: Cell) -> Integers:
        """Return all sums over the selected positions."""
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

    def _sums(self, pairs: Selection, value: Integers) -> Integers:
        """Return all sums of a form over the selected positions."""
        found = total_codes(self.space.codes(value), *self.counting.bounds(pairs))
        if self.space.pure_index(value):
            least, most = self._of_positions(value, self.counting.first(pairs))
            found = found[(found >= least) & (found <= most)]
        return found

    def _of_positions(self, value: Integers, first: bool) -> tuple[int, int]:
        """Return the ends of the sums of a function of the position: each position counts at most once."""
        entries = (value[self.space.of_index] + value[-1]).tolist()
        always, rest = (entries[0], entries[1:]) if first else (0, entries)
        return always + sum(one for one in rest if one < 0), always + sum(one for one in rest if one > 0)


def total_codes(values: Integers, low: int, high: int) -> Integers:
    """Return all sums of `low` to `high` of some numbers, and perhaps more."""
    if high == 0:
        return np.zeros(1, np.int64)
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
