"""The planner: a program, node by node, as cells, heads and layers, and the forms that hold its output."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import Circuit, OutputTable
from weightsmith.programs.circuit.forms import Cells, Form, Sizes, TooLargeError, feature
from weightsmith.programs.circuit.selections import Selection, at_distances, both, either, opposite
from weightsmith.programs.compiler.coding import ONE_LAYER, Coder
from weightsmith.programs.compiler.counting import Counting, conjuncts
from weightsmith.programs.compiler.gathering import Gathering
from weightsmith.programs.compiler.halves import by_halves
from weightsmith.programs.compiler.needs import SUMS, Needs
from weightsmith.programs.compiler.pointwise import Pointwise, simplest
from weightsmith.programs.compiler.selecting import Selecting
from weightsmith.programs.compiler.symbols import Affine, Mean, Symbol, Table, constant, unary, variable_of
from weightsmith.programs.compiler.tables import TooManyCombinationsError
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
from weightsmith.programs.functions import Function
from weightsmith.programs.graph import Program
from weightsmith.programs.listing import part_names
from weightsmith.programs.operators import Named
from weightsmith.programs.places import Note, refusal
from weightsmith.programs.proof.holding import About
from weightsmith.programs.values import Value, exact, kind, presented

TOO_LARGE = (
    "whole numbers of more than 63 bits are needed to hold its values: write a smaller max_length, or simpler steps"
)
MOST_READ = 1 << 16  # codes of the output
MOST_CLASSES = 512  # combinations in a table before its parts become lanes


@dataclass(eq=False, repr=False)
class Planner:
    """Plans a program once."""

    gathers: ClassVar[type[Gathering]] = Gathering
    one_layer: ClassVar[int] = ONE_LAYER
    program: Program
    needs: Needs
    vocabulary: Sequence[Value]
    sizes: Sizes
    causal: bool
    cells: Cells = field(default_factory=Cells)
    symbols: dict[Node, Symbol] = field(default_factory=dict)
    pairs: dict[Node, Selection] = field(default_factory=dict)
    about: dict[Node, About] = field(default_factory=dict)  # how much of a value is held, where that is not all
    recoded: dict[Node, tuple[Symbol | None, ...]] = field(default_factory=dict)  # arguments that became lanes
    halved: dict[Node, Mean] = field(default_factory=dict)  # means that are held up to halves

    def __post_init__(self) -> None:
        """Compute the symbols of all nodes, each after its parts."""
        self.names = part_names(self.program)
        self.coder = Coder(self.cells, one_layer=self.one_layer)
        self.pointwise = Pointwise(self.sizes)
        self.selecting = Selecting(self.sizes, self.causal, self.coder)
        counting = Counting(self.causal, self.sizes.positions, written=lambda: self.coder.layers)
        self.gathering = self.gathers(
            self.needs,
            self.sizes,
            self.causal,
            self.cells,
            self.coder,
            self.pointwise,
            counting,
            self.symbols,
            self.pairs,
            self.names,
            self.about,
        )
        budget = in_force()
        budget.held = 0  # the cells of another planner are not kept
        for node in self.program.nodes:
            self.coder.source, self.coder.place = self.names[node], node.note.place
            budget.at(self.names[node], node.note.place)
            try:
                if isinstance(node, SequenceNode):
                    self.symbols[node] = self._sequence(node)
                elif isinstance(node, SelectorNode):
                    self.pairs[node] = self._selector(node)
            except TooLargeError as error:
                raise refusal(node.note.place, f"{self.names[node]}: {error}") from error
            except OverflowError as error:
                raise refusal(node.note.place, f"{self.names[node]}: {TOO_LARGE}") from error

    @classmethod
    def through(cls, program: Program, needs: Needs, vocabulary: Sequence[Value], positions: int) -> Self:
        """Plan a program: with the causal mask if it is causal, or if nothing later is selected."""
        sizes = Sizes(len(vocabulary), positions)
        if not program.causal:
            planner = cls(program, needs, vocabulary, sizes, causal=False)
            if not planner.looks_back_only():
                return planner
        return cls(program, needs, vocabulary, sizes, causal=True)

    def looks_back_only(self) -> bool:
        """Return whether no selector selects a later position."""
        used = {part for node in self.program.nodes if isinstance(node, Aggregate | Width) for part in node.parts}
        selectors = [node for node in used if isinstance(node, SelectorNode)]
        length = any(isinstance(node, Length) for node in self.program.nodes)
        return not length and all(_looks_back(self.pairs[node]) for node in selectors)

    def plan(self) -> Circuit:
        """Return the circuit."""
        node = self.program.output
        in_force().at(self.names[node], node.note.place)
        try:
            outputs, table = self._output()
            if self._says_truth(node):
                table = tuple((codes, bool(value) if value in (0, 1) else value) for codes, value in table)
        except TooLargeError as error:
            raise refusal(node.note.place, f"{self.names[node]}: {error}") from error
        layers = tuple(self.coder.layers)
        cells, heads = tuple(self.cells.made), tuple(self.gathering.heads)
        return Circuit(self.sizes, self.causal, cells, heads, layers, outputs, table).live()

    def _sequence(self, node: SequenceNode) -> Symbol:
        match node:
            case Tokens():
                return self._of_feature(list(self.vocabulary), "token")
            case Indices():
                return Affine(feature(list(range(self.sizes.positions)), "index"))
            case Length():
                return Affine(self.gathering.length(node))
            case Constant(value):
                return simplest(constant(value))
            case Row(values, only):
                return self._row(values, only, node.note)
            case Apply():
                return self._apply(node)
            case Width(selector):
                return Affine(self.gathering.width(selector, node))
            case Aggregate():
                found = self.gathering.aggregate(node)
                if isinstance(found, Mean) and self.needs.get(node) == "half":
                    return self._halved(node, found)
                return found
        raise refusal(node.note.place, f"{brief(node)} is no sequence operation of a program")

    def _halved(self, node: Aggregate, mean: Mean) -> Symbol:
        """Return a mean up to halves, where that is possible."""
        found = by_halves(mean, self.coder, self.sizes)
        if not isinstance(found, Mean):
            self.about[node], self.halved[node] = "half", mean
        return found

    def _of_feature(self, values: list[Value], of: str) -> Symbol:
        form = feature(list(range(len(values))), of)
        if form.is_constant:
            return simplest(constant(values[0]))
        variable, _, _ = variable_of(form, self.sizes)
        return simplest(unary(variable, values))

    def _row(self, values: tuple[Value, ...], only: bool, note: Note) -> Symbol:
        self._require_length(len(values), only, note)
        return self._of_feature(list(values[: self.sizes.positions]), "index")

    def _require_length(self, given: int, only: bool, note: Note) -> None:
        if given < self.sizes.positions or (only and given != self.sizes.positions):
            raise refusal(
                note.place, f"a constant of length {given} and max_length={self.sizes.positions}: make them equal"
            )

    def _apply(self, node: Apply) -> Symbol:
        arguments = [self.symbols[one] for one in node.arguments]
        halves = any(self.about.get(one) == "half" for one in node.arguments)
        if halves and isinstance(node.operator, Named) and node.operator.symbol in SUMS:
            self.about[node] = "half"
        try:
            result = self.pointwise.apply(node.operator, arguments, node.note)
            if not isinstance(result, Table) or result.which.size <= MOST_CLASSES or self.coder.is_cheap(result):
                return result
        except TooManyCombinationsError:
            result = None
        smaller = [self._as_lane(one) for one in arguments]
        if result is not None and all(new is old for new, old in zip(smaller, arguments, strict=True)):
            return result
        pairs = zip(smaller, arguments, strict=True)
        self.recoded[node] = tuple(None if new is old else new for new, old in pairs)
        return self.pointwise.apply(node.operator, smaller, node.note)

    def _as_lane(self, symbol: Symbol) -> Symbol:
        """Return a table of several variables as one of a single variable, which a layer writes."""
        if not isinstance(symbol, Table) or len(symbol.variables) < 2:
            return symbol
        coded = self.coder.any_code(symbol)
        return self.pointwise.of_codes(coded.form, coded.decode)

    def _selector(self, node: SelectorNode) -> Selection:
        match node:
            case Select(keys, queries, comparison):
                return self.selecting.select(self.symbols[keys], self.symbols[queries], comparison, node.note)
            case And(left, right):
                return both(self.pairs[left], self.pairs[right])
            case Or(left, right):
                return either(self.pairs[left], self.pairs[right])
            case Not(inner):
                return opposite(self.pairs[inner])
            case Always(selected):
                return selected
            case Matrix(rows, only):
                self._require_length(len(rows), only, node.note)
                indices = Affine(feature(list(range(self.sizes.positions)), "index"))
                function = Function(lambda key, query: rows[query][key], "given pairs", node.note.place)
                return self.selecting.select(indices, indices, function, node.note)
        raise refusal(node.note.place, f"{brief(node)} is no selector of a program")

    def _output(self) -> tuple[tuple[Form, ...], OutputTable]:
        """Return the forms that hold the output, and the value of each code."""
        node = self.program.output
        self.coder.source, self.coder.place = self.names[node], node.note.place
        symbol = self.symbols[node]
        if isinstance(symbol, Mean):
            self._require_readable(len(symbol.pairs))
            entries = zip(map(tuple, symbol.pairs.tolist()), symbol.values, strict=True)
            found = tuple((tuple(map(int, pair)), value) for pair, value in entries)
            return (symbol.top, symbol.count), found
        if isinstance(symbol, Affine):
            decode: dict[int, Value] = {int(c): exact(Fraction(int(c), symbol.scale)) for c in symbol.form.codes}
            return (symbol.form,), tuple(((code,), value) for code, value in decode.items())
        self._require_one_kind(symbol, node)
        coded = self.coder.any_code(symbol)
        self._require_readable(len(coded.decode))
        return (coded.form,), tuple(((code,), value) for code, value in coded.decode.items())

    def _require_readable(self, codes: int) -> None:
        """Refuse an output with too many codes, before their values are made."""
        if codes > MOST_READ:
            raise refusal(
                self.program.output.note.place,
                f"the output has {codes:,} codes: at most {MOST_READ:,} can be read out; write a smaller max_length",
            )

    def _says_truth(self, node: Node) -> bool:
        """Return whether a node gives truth values, or None: equal to 0 and 1, and shown otherwise."""
        match node:
            case Constant(value):
                return isinstance(value, bool)
            case Apply(Named("and" | "or"), arguments):
                return all(map(self._says_truth, arguments))
            case Apply(Named("where"), (_, yes, no)):
                return self._says_truth(yes) and self._says_truth(no)
            case Apply(operator):
                return operator.gives_truth
            case Aggregate(selector, values, default):
                once = self.gathering.bounds(self.pairs[selector])[1] == 1
                return once and (default is None or isinstance(default, bool)) and self._says_truth(values)
        return False

    def _require_one_kind(self, table: Table, node: Node) -> None:
        kinds = {found: value for value in table.values if (found := kind(value)) is not None}
        if len(kinds) > 1:
            one, other, *_ = kinds.values()
            raise refusal(
                node.note.place,
                f"the outputs{'' if node.note.name is None else f' of {node.note.name!r}'} mix kinds: "
                f"{brief(presented(one))} and {brief(presented(other))}; write numbers alone or texts alone, also "
                "as the default of an aggregate",
            )


def _looks_back(pairs: Selection) -> bool:
    """Return whether only positions up to the query's own are selected."""
    if pairs is False:
        return True
    for part in conjuncts(pairs):
        difference = part.difference
        if difference.key.of_index and difference.query.of_index:
            key, query = difference.key.index, difference.query.index
            later = at_distances(key, query, range(1 - len(key), 0))
            if not part.holds[np.searchsorted(difference.codes, later)].any():
                return True
    return False
