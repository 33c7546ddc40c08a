"""A program, node by node, as means over selected positions and steps."""

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from weightsmith.programs.compiler.forms import Cell, Form, TooLargeError
from weightsmith.programs.compiler.gathering import Gathering
from weightsmith.programs.compiler.symbols import Affine, Mean, Symbol
from weightsmith.programs.compiler.walk import Walk
from weightsmith.programs.form import Apply, SequenceNode
from weightsmith.programs.graph import Program
from weightsmith.programs.places import refusal
from weightsmith.programs.portable.gathering import Averaging
from weightsmith.programs.portable.plan import PortablePlan
from weightsmith.programs.values import Value, exact

MOST_ANSWERS = 4096  # classes of the model


def portable_plan(program: Program, vocabulary: Sequence[Value], positions: int, causal: bool) -> PortablePlan:
    """Return what a program needs, with heads that average."""
    return PortableWalk.through(program, vocabulary, positions, causal).portable()


class PortableWalk(Walk):
    """Goes through a program once, with heads that average."""

    gathers: ClassVar[type[Gathering]] = Averaging
    one_layer: ClassVar[int] = 128  # where more is told apart, numbers get large, and rounding with them

    def _sequence(self, node: SequenceNode) -> Symbol:
        gathering = self.gathering
        assert isinstance(gathering, Averaging)
        gathering.at = node
        found = super()._sequence(node)
        return gathering.merged(found) if isinstance(node, Apply) else found

    def portable(self) -> PortablePlan:
        """Return the plan."""
        node = self.program.output
        try:
            output, table = self._answers()
            if self._says_truth(node):
                table = {code: bool(value) if value in (0, 1) else value for code, value in table.items()}
        except TooLargeError as error:
            raise refusal(node.note.place, f"{self.names[node]}: {error}") from error
        gathering = self.gathering
        assert isinstance(gathering, Averaging)
        live = self._needed(output, gathering)
        return PortablePlan(
            self.sizes,
            self.causal,
            tuple(cell for cell in self.cells.made if cell in live),
            tuple(one for one in gathering.averaged if one.cell in live),
            tuple(one for one in self.coder.layers if one.cell in live),
            output,
            table,
        )

    def _answers(self) -> tuple[Form, dict[int, Value]]:
        """Return the form that holds the output, and what each code stands for: one code for each value."""
        node = self.program.output
        self.coder.source, self.coder.place = self.names[node], node.note.place
        symbol = self.symbols[node]
        assert not isinstance(symbol, Mean)
        if isinstance(symbol, Affine):
            form = symbol.form
            table = {int(code): exact(Fraction(int(code), symbol.scale)) for code in form.codes}
        else:
            self._require_one_kind(symbol, node)
            form = self.coder.numbers(symbol, {value: number for number, value in enumerate(symbol.values)})
            table = dict(enumerate(symbol.values))
        if len(table) > MOST_ANSWERS:
            raise TooLargeError(
                f"the output can be {len(table):,} different things: a portable model has at most {MOST_ANSWERS:,} "
                "classes; write a smaller max_length, or a function of it with fewer values"
            )
        return form, table

    def _needed(self, output: Form, gathering: Averaging) -> set[Cell]:
        """Return the cells that the output is made of."""
        reads: dict[Cell, list[Form]] = {}
        for one in gathering.averaged:
            reads[one.cell] = [one.value, *(form for pair in one.score.flags for form in pair)]
        for layer in self.coder.layers:
            reads[layer.cell] = [part.form for part in layer.parts]
        live: set[Cell] = set()
        waiting = [output]
        while waiting:
            for cell, _ in waiting.pop().cells:
                if cell not in live:
                    live.add(cell)
                    waiting += reads[cell]
        return live
