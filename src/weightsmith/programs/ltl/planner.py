"""A formula as a circuit: every operator that speaks of the past is a head, every connective a layer of neurons.

A cell holds a truth as 0 or 1. A *literal* is the form of a cell, or 1 minus it; `ALWAYS` needs no cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.errors import cut
from weightsmith.model.names import MAX_NAME
from weightsmith.programs.circuit.circuit import Circuit, Head, Layer, OneKeyHead, Part
from weightsmith.programs.circuit.forms import Cell, Form, Sizes, cell_form
from weightsmith.programs.circuit.neurons import Kink
from weightsmith.programs.ltl.cubes import Lane, Letters, Tree, Variable, disjoint_cubes, tokens_of
from weightsmith.programs.ltl.formulas import Connective, Formula, Past, Token, Truth

ALWAYS = Form(constant=1)
TRUTHS = np.array([0, 1])


def opposite(literal: Form) -> Form:
    """Return 1 minus a literal, which costs nothing."""
    return ALWAYS - literal


@dataclass(frozen=True)
class FormulaPlan:
    """The circuit of a formula, the tokens for which the embedding sets a cell, and the formula of each cell."""

    circuit: Circuit
    letters: dict[Cell, frozenset[str]]
    texts: dict[Cell, str]


def plan_formula(formula: Formula, vocabulary: Sequence[str]) -> FormulaPlan:
    """Return the circuit of a formula. Shared subformulas are reused; unused operands are dropped."""
    planner = _Planner(tuple(vocabulary))
    result = planner.literal(formula)
    sizes, cells = Sizes(len(planner.vocabulary), 0), tuple(planner.texts)
    circuit = Circuit(sizes, True, cells, tuple(planner.heads), tuple(planner.layers), (result,)).live()
    texts = {cell: planner.texts[cell] for cell in circuit.cells}
    return FormulaPlan(circuit, {c: tokens for c, tokens in planner.letters.items() if c in texts}, texts)


class _Planner:
    """Plans formulas, and remembers the literal of each."""

    def __init__(self, vocabulary: tuple[str, ...]) -> None:
        self.vocabulary = vocabulary
        self.letters: dict[Cell, frozenset[str]] = {}
        self.heads: list[Head] = []
        self.layers: list[Layer] = []
        self.texts: dict[Cell, str] = {}
        self.named: dict[str, Form] = {}
        self.known: dict[Formula, Form] = {}
        self.of_heads: dict[tuple[object, ...], Form] = {}
        self.of_cubes: dict[object, Form] = {}

    def literal(self, formula: Formula) -> Form:
        """Return the literal that holds a formula."""
        if formula not in self.known:
            self.known[formula] = self._literal(formula)
        return self.known[formula]

    def _literal(self, formula: Formula) -> Form:
        cubes = disjoint_cubes(formula, self.vocabulary, self._found)
        if not cubes.holds or not cubes.fails:
            return ALWAYS if cubes.holds else Form()
        for some, positive in ((cubes.holds, True), (cubes.fails, False)):
            if len(some) == 1 and len(some[0]) == 1:
                variable, holds = some[0][0]
                return self._read(variable, holds == positive)
        fewest = min(len(cubes.holds), len(cubes.fails))
        chosen, positive = (cubes.holds, True) if len(cubes.holds) == fewest else (cubes.fails, False)
        if all(isinstance(variable, Letters) for cube in chosen for variable, _ in cube):
            found = self._letters(tokens_of(chosen, self.vocabulary))
            return found if positive else opposite(found)
        reads = [tuple(self._read(variable, holds) for variable, holds in cube) for cube in chosen]
        key = frozenset(frozenset(cube) for cube in reads)
        if key not in self.of_cubes:
            time = max(literal.time for cube in reads for literal in cube)
            said = formula if positive else Connective("!", (formula,))
            cell = self._cell(said, time + time % 2)
            self.layers.append(Layer(cell, tuple(map(_cube, reads)), self.texts[cell], None))
            self.of_cubes[key] = cell_form(cell)
        found = self.of_cubes[key]
        return found if positive else opposite(found)

    def _read(self, variable: Variable, holds: bool) -> Form:
        found = self._letters(variable.tokens) if isinstance(variable, Letters) else self.named[variable.name]
        return found if holds else opposite(found)

    def _found(self, formula: Past) -> Tree:
        """Return the lane that holds a formula, as cubes are made of it."""
        literal = self._past(formula)
        lane = Lane(literal.cells[0][0].name) if literal.cells else True
        holds = literal.constant == 0 if literal.cells else literal == ALWAYS
        return lane if holds else ("!", (lane,))

    def _letters(self, tokens: frozenset[str]) -> Form:
        """Return the cell of the embedding that is 1 for these tokens, or for all others."""
        others = frozenset(self.vocabulary) - tokens
        for cell, there in self.letters.items():
            if there in (tokens, others):
                return cell_form(cell) if there == tokens else opposite(cell_form(cell))
        few, positive = (tokens, True) if len(tokens) <= len(others) else (others, False)
        said: Formula = Truth(False)
        for name in (token for token in self.vocabulary if token in few):
            said = Token(name) if isinstance(said, Truth) else Connective("|", (said, Token(name)))
        cell = self._cell(said, 0)
        self.letters[cell] = few
        return cell_form(cell) if positive else opposite(cell_form(cell))

    def _past(self, formula: Past) -> Form:
        reads = tuple(self.literal(part) for part in formula.parts)
        operator, said = formula.operator, formula
        if operator == "H":  # the opposite of O
            operator, reads = "O", tuple(map(opposite, reads))
            said = Past("O", (Connective("!", formula.parts),), formula.strict)
        key = operator, formula.strict, reads
        if key not in self.of_heads:
            time = max(literal.time for literal in reads)
            cell = self._cell(said, time + 1 + time % 2)
            keys = {"Y": (), "O": reads, "S": (opposite(reads[0]), reads[-1])}[operator]
            strict = formula.strict or operator == "Y"
            head = OneKeyHead(cell, reads[-1], self.texts[cell], None, keys, operator == "O", operator == "S", strict)
            self.heads.append(head)
            self.of_heads[key] = cell_form(cell)
        found = self.of_heads[key]
        return opposite(found) if formula.operator == "H" else found

    def _cell(self, formula: Formula, time: int) -> Cell:
        """Return a new cell, named after its formula; a long one by its beginning and a number."""
        text, number = str(formula), len(self.texts)
        name = text if text.isprintable() and len(text) <= MAX_NAME // 4 else f"{cut(text, 40)} #{number}"
        cell = Cell(TRUTHS, time, name if name.isprintable() else f"#{number}", number)
        self.texts[cell], self.named[cell.name] = text, cell_form(cell)
        return cell


def _cube(literals: Sequence[Form]) -> Part:
    """Return the neuron that is 1 where all literals hold: relu(Σ positive − Σ negative − (their number − 1))."""
    cells = tuple(one for literal in literals for one in literal.cells)
    positive = sum(factor == 1 for _, factor in cells)
    codes = np.arange(positive - len(cells), positive + 1)
    return Part(Form(cells=cells), codes, np.array(codes == positive, np.int64), (Kink(1, positive - 1, 1),))
