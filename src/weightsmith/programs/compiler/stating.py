"""The statement for the proof: forms, cells and tables as plain data. The proof believes nothing of it."""

from dataclasses import dataclass, field

import numpy as np

from weightsmith.programs.circuit.assembly import Lanes
from weightsmith.programs.circuit.circuit import Boundaries, Boundary, SumHead
from weightsmith.programs.circuit.forms import Cell, Form, Integers
from weightsmith.programs.circuit.selections import Booleans, Both, Condition, Either, Selection, selection_key
from weightsmith.programs.compiler.planner import Planner
from weightsmith.programs.compiler.symbols import Affine, Mean, Symbol, Table
from weightsmith.programs.form import Matrix, Node, Select, SequenceNode
from weightsmith.programs.proof import holding, selectors, statement
from weightsmith.programs.proof.neurons import Part


def state(planner: Planner, lanes: Lanes) -> statement.Statement:
    """Return the statement of a planned program and its lanes."""
    return _Stating(planner).whole(lanes)


@dataclass(eq=False, repr=False)
class _Stating:
    """Writes forms as vectors: an entry for each token, position and cell, and the constant."""

    planner: Planner
    _forms: dict[Form, Integers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = self.planner.sizes
        self.tokens, self.positions = sizes
        self.made = self.planner.cells.made
        self.size = sizes.tokens + sizes.positions + len(self.made) + 1

    def whole(self, lanes: Lanes) -> statement.Statement:
        planner = self.planner
        cells = self._cells()
        held: dict[Node, statement.Held] = {
            node: self._held(node) for node in planner.program.nodes if isinstance(node, SequenceNode)
        }
        own = [node for node in planner.program.nodes if isinstance(node, Select | Matrix)]
        pairs: dict[Node, selectors.Selection] = {node: self._pairs(planner.pairs[node]) for node in own}
        return statement.Statement(
            statement.Parts(planner.program.nodes, planner.program.causal),
            tuple(planner.vocabulary),
            planner.sizes.positions,
            planner.causal,
            cells,
            tuple(tuple((cell.number, factor) for cell, factor in lane.cells) for lane in lanes.lanes),
            held,
            pairs,
        )

    def form(self, form: Form) -> Integers:
        if form not in self._forms:
            found = np.zeros(self.size, np.int64)
            if form.token:
                found[: self.tokens] = form.token
            if form.index:
                found[self.tokens : self.tokens + self.positions] = form.index
            for cell, factor in form.cells:
                found[self.tokens + self.positions + cell.number] = factor
            found[-1] = form.constant
            self._forms[form] = found
        return self._forms[form]

    def _cells(self) -> tuple[statement.Cell, ...]:
        planner = self.planner
        nodes = {selection_key(pairs): node for node, pairs in reversed(list(planner.pairs.items()))}
        made: dict[Cell, statement.Cell] = {}
        for one in planner.gathering.heads:
            assert isinstance(one, SumHead)
            everywhere = one.selection is True and not planner.causal  # as the length is counted
            selector = None if everywhere else nodes[selection_key(one.selection)]
            sums = statement.Gathered(selector, self._heads(one.boundaries), self.form(one.value))
            line = None if one.place is None else one.place.line
            made[one.cell] = statement.Cell(one.cell.time, sums, one.source, line)
        for layer in planner.coder.layers:
            parts = tuple(
                Part(self.form(part.form), tuple((one.direction, one.offset, one.slope) for one in part.kinks))
                for part in layer.parts
            )
            line = None if layer.place is None else layer.place.line
            made[layer.cell] = statement.Cell(layer.cell.time, statement.Layered(parts), layer.source, line)
        return tuple(made[cell] for cell in self.made)

    def _heads(self, heads: Boundaries) -> tuple[tuple[selectors.Boundary, int], ...]:
        return tuple((self._boundary(boundary), sign) for boundary, sign in heads.items())

    def _boundary(self, boundary: Boundary) -> selectors.Boundary:
        of = tuple((self.form(key), self.form(query), weight) for (key, query), weight in boundary.weights)
        return selectors.Boundary(of, boundary.refused, boundary.selected)

    def _pairs(self, pairs: Selection) -> selectors.Selection:
        if isinstance(pairs, bool):
            return pairs
        if isinstance(pairs, Condition):
            difference = pairs.difference
            spans = _spans(difference.codes, pairs.holds)
            return selectors.If(self.form(difference.key), self.form(difference.query), spans)
        if isinstance(pairs, Both | Either):
            kind = selectors.All if isinstance(pairs, Both) else selectors.Some
            return kind(tuple(map(self._pairs, pairs.parts)))
        return selectors.Other(self._pairs(pairs.inner))

    def _held(self, node: Node) -> statement.Held:
        planner = self.planner
        symbol, about = planner.symbols[node], planner.about.get(node, "value")
        recoded = tuple(None if one is None else self._holding(one) for one in planner.recoded.get(node, ()))
        mean = planner.halved.get(node)
        found = None if mean is None else self._holding(mean)
        assert found is None or isinstance(found, holding.Mean)
        return statement.Held(self._holding(symbol, about), recoded, found)

    def _holding(self, symbol: Symbol, about: holding.About = "value") -> holding.Holding:
        if isinstance(symbol, Affine):
            return holding.Affine(self.form(symbol.form), symbol.scale, about)
        if isinstance(symbol, Mean):
            return holding.Mean(
                self.form(symbol.top), symbol.scale, self.form(symbol.count), symbol.default, about=about
            )
        assert isinstance(symbol, Table)
        variables = tuple(
            holding.Variable(self.form(one.form), one.codes, classes)
            for one, classes in zip(symbol.variables, symbol.classes, strict=True)
        )
        return holding.Table(variables, symbol.which, tuple(symbol.values), about)


def _spans(codes: Integers, holds: Booleans) -> Integers:
    """Return the first and last of all runs of codes for which a condition holds."""
    chosen = np.concatenate([[False], holds, [False]])
    starts = np.flatnonzero(chosen[1:-1] & ~chosen[:-2])
    ends = np.flatnonzero(chosen[1:-1] & ~chosen[2:])
    return np.stack([codes[starts], codes[ends]], axis=1)
