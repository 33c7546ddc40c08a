"""Two models on the same inputs: what they have in common at the beginning runs once.

One model runs whole. At some stage of it, the stream holds every lane of some stage of the other model; the other one
takes these rows over and goes on from there. Which lanes are equal is known from the numbers of their values: see
`numbering`. So a rewrite that adds lanes and blocks shares the old blocks, and a composition those of its parts.
"""

from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import and_

import numpy as np
import numpy.typing as npt

from weightsmith.kernels.packed.columns import Columns, Start
from weightsmith.kernels.packed.layout import Layout
from weightsmith.kernels.packed.numbering import Numbering, Stage
from weightsmith.kernels.packed.representation import Encoded
from weightsmith.kernels.packed.run import PackedRun
from weightsmith.model import Transformer

KEPT = 8  # pairs of models


@dataclass(frozen=True, eq=False)
class Handover:
    """From a stage of the giver, rows of the stream become the stream at a stage of the taker.

    Stage 0 is the embedding, stage 2b + 1 comes after the attention of block b, 2b + 2 after its feed-forward layer.
    """

    giver: PackedRun
    taker: PackedRun
    given_at: int
    taken_at: int
    rows: npt.NDArray[np.intp]  # for each lane of the taker, a lane of the giver; −1 for a lane that is 0
    swapped: bool  # the giver is the second of the two models

    def evaluate(self, layout: Layout, every: bool = False) -> tuple[Columns, Columns]:
        """Run every column of both models: see `PackedRun.evaluate`."""
        taken: list[Encoded] = []

        def give(stage: int, h: Encoded) -> None:
            if stage == self.given_at:
                taken.append(self._rows_of(h))

        given = self.giver.evaluate(layout, every=every, give=give)
        other = self.taker.evaluate(layout, every=every, start=Start(self.taken_at, taken.pop()))
        return (other, given) if self.swapped else (given, other)

    def _rows_of(self, h: Encoded) -> Encoded:
        result: Encoded = h[self.rows]
        result[self.rows < 0] = 0
        return result

    @property
    def sublayers(self) -> int:
        """How many sublayers of the taker do not run."""
        return _sublayers(self.taker.transformer, self.taken_at)


@lru_cache(maxsize=KEPT)
def handover(first: PackedRun, second: PackedRun, positions: int) -> Handover | None:
    """Return how two models share the beginning of their runs up to a length; None if they share nothing."""
    S, T = first.transformer, second.transformer
    if S.arithmetic != T.arithmetic or S.mask != T.mask or tuple(S.vocabulary) != tuple(T.vocabulary):
        return None
    numbering = Numbering()
    mine, other = (numbering.stages(run.program, positions) for run in (first, second))
    ways = [_way(first, second, mine, other, False), _way(second, first, other, mine, True)]
    best = max(ways, key=lambda way: way.sublayers)  # the first of two equals
    return best if best.sublayers else None


def _way(giver: PackedRun, taker: PackedRun, given: list[Stage], taken: list[Stage], swapped: bool) -> Handover:
    """Find the last stage of the taker whose lanes the giver has at one of its stages.

    A step of the taker before this stage that may refuse an input must be a step of the giver too.
    """
    holding: dict[int, int] = {}  # for each number, the stages of the giver that have it, as bits
    for i, stage in enumerate(given):
        if i == 0 or stage.lanes is not given[i - 1].lanes:
            for number in stage.lanes.tolist():
                holding[number] = holding.get(number, 0) | 1 << i
    for i in range(len(taken) - 1, -1, -1):
        wanted = taken[i]
        if i + 1 < len(taken) and wanted.lanes is taken[i + 1].lanes:
            continue  # nothing lies between them
        stages = reduce(and_, (holding.get(number, 0) for number in wanted.lanes.tolist() if number), -1)
        if stages and _can_begin(taker.transformer, i) and wanted.refusals <= given[-1].refusals:
            at = (stages & -stages).bit_length() - 1
            place = {number: lane for lane, number in enumerate(given[at].lanes.tolist())}
            rows = [place[number] if number else -1 for number in wanted.lanes.tolist()]
            return Handover(giver, taker, at, i, np.array(rows, np.intp), swapped)
    return Handover(giver, taker, 0, 0, np.zeros(0, np.intp), swapped)


def _can_begin(T: Transformer, stage: int) -> bool:
    """Return whether a run can begin at a stage: inside a parallel block the neurons read an earlier one."""
    return stage % 2 == 0 or not T.blocks[stage // 2].reads_entry


def _sublayers(T: Transformer, stage: int) -> int:
    """Count the sublayers up to a stage."""
    parts = [part for block in T.blocks for part in (block.attention, block.feed_forward)]
    return sum(part is not None for part in parts[:stage])
