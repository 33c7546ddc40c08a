"""Where the streams of two transformers first differ on an input."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from weightsmith.errors import shown
from weightsmith.inspect.run import Run
from weightsmith.model.sites import stage_site


@dataclass(frozen=True)
class Divergence:
    """The first stage, position and lane at which the streams of two transformers differ, among their common lanes."""

    stage: str  # "embedding", "block 0 attention", …
    block: int | None  # None for the embedding
    position: int
    lane: str
    values: tuple[float, float]

    def __str__(self) -> str:
        """Return a line of text."""
        first, second = self.values
        return (
            f"the streams part after {self.stage}, position {self.position}, lane {shown(self.lane)}: "
            f"{first:g} and {second:g}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON data."""
        return {**asdict(self), "values": list(self.values)}


def first_divergence(first: Run, second: Run) -> Divergence | None:
    """Return the first divergence of two runs; None for equal streams, or without a common lane."""
    S, T = first.transformer, second.transformer
    positions = min(first.stream.shape[1], second.stream.shape[1])  # one may have a suffix that the other lacks
    common = [lane for lane in S.lanes if lane in T.lanes]
    mine, other = ([list(model.lanes).index(lane) for lane in common] for model in (S, T))
    for stage in range(min(len(first.stream), len(second.stream))):
        a, b = first.stream[stage][:positions, mine], second.stream[stage][:positions, other]
        if (a != b).any():
            position, j = (int(i) for i in np.argwhere(a != b)[0])
            values = (float(a[position, j]), float(b[position, j]))
            return Divergence(first.stages[stage], stage_site(stage).block, position, common[j], values)
    return None
