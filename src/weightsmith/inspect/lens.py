"""The logit lens: the output read after every sublayer."""

from dataclasses import dataclass, field

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import shown
from weightsmith.inspect.arguments import checked_run, target
from weightsmith.inspect.lens_drawing import heat_map
from weightsmith.inspect.run import Run
from weightsmith.inspect.trace import position_text
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer, needs_classes
from weightsmith.model.sites import present_stages
from weightsmith.tables import Cell, Table, Tabled, number


@dataclass(frozen=True, eq=False)
class Lens(Tabled):
    """Decisions and logits at every stage and position, as if the run ended there."""

    transformer: Transformer = field(repr=False)
    stages: tuple[str, ...]
    tokens: tuple[str, ...]
    decisions: tuple[tuple[str, ...], ...]  # [stage][position]
    logits: Array  # (stages, positions, classes)

    def table(self, wanted: str | None = None, over: str | None = None) -> Table:
        """Return a table of the decisions, or of the logits of a class, or of logit differences.

        A row is a stage with a sublayer, a column a position; changes since the row above stand out.
        """
        T, stages = self.transformer, present_stages(self.transformer)
        if wanted is None and over is None:
            title, cells = "", [[shown(name) for name in row] for row in self.decisions]
        else:
            asked = target(T, wanted, over)
            infinity = T.arithmetic.infinity
            title, cells = str(asked), [[number(x, infinity) for x in row] for row in asked.of(self.logits).tolist()]
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

    The last position of the last stage is the run's own decision.
    """
    T = checked_run(run).transformer
    needs_classes(T, "lens")
    logits = read_stream(T, run.stream)
    logits[-1, -1] = run.logits  # the same numbers; in Native perhaps added in another order
    logits.setflags(write=False)
    best = np.argmax(logits, axis=-1)
    decisions = tuple(tuple(T.classes[c] for c in row) for row in best)
    return Lens(T, run.stages, run.tokens, decisions, logits)


def read_stream(T: Transformer, vectors: Array) -> Array:
    """Return the logits of vectors of the stream (…, lanes), through the final norm."""
    return engine_for(T).read_off(vectors).astype(np.float64)
