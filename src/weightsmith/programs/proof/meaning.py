"""The statement gives the meaning of the program: node by node, from vocabulary and positions.

The numbers that a cell can be are computed here, bottom-up; none are taken from the statement. A function is evaluated
for all values that its arguments can have together, a selector for all pairs of values, and what is stated must say the
same for each. How many positions a selector selects follows from its conditions (see `counting`).
"""

from weightsmith.errors import brief
from weightsmith.programs.budget import in_force
from weightsmith.programs.form import (
    Aggregate,
    Apply,
    Constant,
    Indices,
    Length,
    Row,
    SelectorNode,
    SequenceNode,
    Tokens,
    Width,
)
from weightsmith.programs.proof.aggregates import Aggregates
from weightsmith.programs.proof.holding import Holding
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.statement import Statement


class Meaning(Aggregates):
    """Checks a statement against its program; `lemmas` are those that hold."""

    def __init__(self, statement: Statement) -> None:
        """Go through all parts of the program, each after its own."""
        super().__init__(statement)
        self._require_mask()
        for node in self.program.nodes:
            in_force().at(f"the proof of {self.names[node]}", node.note.place)
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
