"""Where a run begins, and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.kernels.packed.layout import Layout
from weightsmith.kernels.packed.representation import Encoded
from weightsmith.semantics.evaluation import Quantity

Decisions = npt.NDArray[np.int32]


class Start(NamedTuple):
    """Where a run begins if another model has run its first sublayers: see `handover`."""

    stage: int
    stream: Encoded


@dataclass(frozen=True, eq=False)
class Columns:
    """The results of a run for each column, as if the input ended there.

    Without a causal mask they are the answers of the whole input at that position; then an error before the last
    position is raised only if the run reads `every` position.
    """

    decisions: Decisions  # (columns): indices in the answers, −1 for a code that is not in the table
    logits: Encoded  # (classes, columns)
    vectors: Encoded  # (lanes, columns): the last of the stream
    empty_softmax: int  # rows of attention without weight, over all columns
    decode: Callable[[Encoded], Array]

    def values(self, quantity: Quantity, columns: slice) -> npt.NDArray[Any]:
        """Return the decisions of some columns, or as members their "logits" or "vectors", (columns, …)."""
        if quantity in ("decisions", "outputs"):
            return self.decisions[columns]
        return self.decode(getattr(self, quantity)[:, columns]).T

    def of_batch(self, quantity: Quantity, layout: Layout) -> npt.NDArray[Any]:
        """Return a quantity of the inputs of a batch: of the last position, for "outputs", "streams" of each."""
        positions = layout.widths.size
        if quantity == "streams":
            vectors = self.decode(self.vectors[:, : layout.columns]).T
            return vectors.reshape(positions, -1, vectors.shape[-1]).transpose(1, 0, 2)
        if quantity == "outputs":
            return self.decisions.reshape(positions, -1).T
        return self.values(quantity, layout.level(positions - 1))
