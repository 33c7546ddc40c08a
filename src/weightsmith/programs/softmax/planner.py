"""The planner of the softmax back end: means over selected positions, and steps."""

from fractions import Fraction
from typing import ClassVar

from weightsmith.programs.circuit.circuit import OutputTable
from weightsmith.programs.circuit.forms import Form, TooLargeError
from weightsmith.programs.compiler.gathering import Gathering
from weightsmith.programs.compiler.planner import Planner
from weightsmith.programs.compiler.symbols import Affine, Mean, Symbol
from weightsmith.programs.form import Apply, SequenceNode
from weightsmith.programs.softmax.gathering import Averaging
from weightsmith.programs.values import exact

MOST_ANSWERS = 4096  # classes of the model


class SoftmaxPlanner(Planner):
    """Plans a program with heads that average."""

    gathers: ClassVar[type[Gathering]] = Averaging
    one_layer: ClassVar[int] = 128  # beyond that, numbers get large, and rounding with them

    def _sequence(self, node: SequenceNode) -> Symbol:
        gathering = self.gathering
        assert isinstance(gathering, Averaging)
        gathering.at = node
        found = super()._sequence(node)
        return gathering.merged(found) if isinstance(node, Apply) else found

    def _output(self) -> tuple[tuple[Form, ...], OutputTable]:
        """Return the form that holds the output, and the value of each code: one code for each value."""
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
                f"the output can be {len(table):,} different things: a softmax model has at most {MOST_ANSWERS:,} "
                "classes; write a smaller max_length, or a function of it with fewer values"
            )
        return (form,), tuple(((code,), value) for code, value in table.items())
