"""Where the positions of an input stand to each other, and what a run keeps on its way."""

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor


@dataclass
class Trace:
    """What a run keeps: each tensor as it is made."""

    stream: list[Tensor] = field(default_factory=list)  # after the embedding and each sublayer
    attention: list[list[Tensor]] = field(default_factory=list)  # [block][head]: (batch, positions, positions)
    activations: list[Tensor] = field(default_factory=list)  # [block]: (batch, positions, neurons)


@dataclass
class Geometry:
    """The positions of an input, as attention sees them."""

    length: int
    causal: bool
    device: torch.device
    shared: tuple[Tensor | None, Tensor | None] = (None, None)  # keys and values by distance that all heads share
    trace: Trace | None = None

    @cached_property
    def distance(self) -> Tensor:
        """i − j, (positions, positions)."""
        here = torch.arange(self.length, device=self.device)
        return here[:, None] - here

    def visible(self, strict: bool) -> Tensor:
        """Return which j each i sees, (positions, positions): of a strict head, under any mask, those before it."""
        if strict:
            return self.distance > 0
        return self.distance >= 0 if self.causal else torch.ones_like(self.distance, dtype=torch.bool)

    def by_distance(self, table: Tensor) -> Tensor:
        """Return rows of a table (…, distances, size) for each i and j; the last row serves every larger distance."""
        return table[..., self.distance.clamp(0, table.shape[-2] - 1), :]
