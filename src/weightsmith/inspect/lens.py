"""The logit lens: the output read after every sublayer."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.inspect.arguments import checked_run, target
from weightsmith.inspect.lens_drawing import heat_map
from weightsmith.inspect.output import answer, answers_of, read_numbers
from weightsmith.inspect.run import Run
from weightsmith.inspect.trace import position_text
from weightsmith.model import Transformer, value_text
from weightsmith.model.sites import present_stages
from weightsmith.tables import Cell, Table, Tabled, number


@dataclass(frozen=True, eq=False)
class Lens(Tabled):
    """Decisions and logits at every stage and position, as if the run ended there."""

    transformer: Transformer = field(repr=False)
    stages: tuple[str, ...]
    tokens: tuple[str, ...]
    decisions: tuple[tuple[Any, ...], ...]  # [stage][position]; NO_VALUE, shown as ?, for a code without a value
    logits: Array  # (stages, positions, classes); with a readout there are no classes
    codes: Array | None = None  # (stages, positions, lanes of the readout)

    def table(self, wanted: str | None = None, over: str | None = None) -> Table:
        """Return a table of the decisions, or of the logits of a class, or of logit differences.

        With a readout, `wanted` is one of its lanes. A row is a stage with a sublayer, a column a position; changes
        since the row above stand out.
        """
        T, stages = self.transformer, present_stages(self.transformer)
        if wanted is None and over is None:
            title, cells = "", [[value_text(name) for name in row] for row in self.decisions]
        else:
            asked = target(T, wanted, over)
            infinity, numbers = T.arithmetic.infinity, self.logits if self.codes is None else self.codes
            title, cells = str(asked), [[number(x, infinity) for x in row] for row in asked.of(numbers).tolist()]
        columns = [position_text(self.tokens, i) for i in range(len(self.tokens))]
        result = Table("after", *columns, right=range(1, 1 + len(columns)) if title else (), lead=1, title=title)
        for above, s in zip([0, *stages], stages, strict=False):
            new = [text != old for text, old in zip(cells[s], cells[above], strict=True)]
            row = [Cell(text, "new" if changed else "") for text, changed in zip(cells[s], new, strict=True)]
            result.add(self.stages[s], *row)
        return result

    def svg(self) -> str:
        """Return a heat map for papers: stages down, positions across; the darker a cell, the likelier its decision.

        A cell's colour is the softmax of the logits there. A ring marks a decision that the sublayer changed.
        """
        return heat_map(self)


def lens(run: Run) -> Lens:
    """Read every stage of the stream with the final norm and the output, at every position.

    The last position of the last stage is the run's own decision. A readout is read the same way: its lanes hold a code
    at every stage, and a code that is not in its table is shown as ?.
    """
    T = checked_run(run).transformer
    numbers = read_numbers(T, run.stream, run.sums)
    if T.readout is None:
        numbers[-1, -1] = run.logits  # the same numbers; in Native perhaps added in another order
    numbers.setflags(write=False)
    decisions = tuple(tuple(answer(T, n) for n in row) for row in answers_of(T, numbers).tolist())
    logits = numbers if T.readout is None else np.zeros((*numbers.shape[:-1], 0))
    return Lens(T, run.stages, run.tokens, decisions, logits, None if T.readout is None else numbers)
