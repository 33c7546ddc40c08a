"""A run whose sums are watched: what each fold comes to, at the last position of each input."""

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Core, Saturating, Weights
from weightsmith.export.saturation import Unbounded
from weightsmith.model import Transformer
from weightsmith.semantics import Evaluation, reference
from weightsmith.semantics.evaluation import NOTHING, Ids, Past

WIDE = 16  # coordinates of a sum that are watched one by one; of more, the largest and the smallest


@dataclass(frozen=True, repr=False)
class Watched(Unbounded):
    """A finite arithmetic that keeps what each of its sums came to. It computes as the arithmetic itself does."""

    sums: list[tuple[bool, Array]] = field(
        default_factory=list, compare=False
    )  # whether it is over positions, or lanes

    @property
    def core(self) -> Core:
        """The operations."""
        return _WatchedCore(self.bounded, self.sums)

    def _nearest(self, x: Array) -> Array:
        return self.bounded._nearest(x)


class _WatchedCore(Core):
    def __init__(self, A: Saturating, sums: list[tuple[bool, Array]]) -> None:
        """Take over the operations."""
        super().__init__(A)
        self._sums = sums

    def sum(self, x: Array, axis: int = -1) -> Array:
        """Return a sum over positions or lanes."""
        total = super().sum(x, axis)
        last = _at_the_end(total[..., np.newaxis] if total.ndim == 2 else total)
        kept = list(last.T) if last.shape[1] <= WIDE else [last.max(-1), last.min(-1)]
        self._sums += [(True, each) for each in kept]
        return total

    def dot(self, x: Weights, y: Weights) -> Array:
        """Return a dot product; there is one for each row of a matrix, or for each key."""
        total = super().dot(x, y)
        last = _at_the_end(total)
        self._sums += [(False, each) for each in (last.max(-1, initial=0.0), last.min(-1, initial=0.0))]
        return total


def _at_the_end(total: Array) -> Array:
    """Return what (inputs, positions, …) hold at the last position, (inputs, …); logits are of that one already."""
    if total.ndim == 2:
        return total
    return total[:, -1:].reshape(len(total), math.prod(total[:, -1:].shape[1:]))


class Seen(NamedTuple):
    """What was seen of a run."""

    sums: Array  # (inputs, sums): what each came to at the last position
    over_positions: npt.NDArray[np.bool_]  # (sums): whether it is one over positions, or over the lanes of a norm
    run: Evaluation


def watch(T: Transformer, ids: Ids, past: Past = NOTHING) -> Seen:
    """Run inputs (inputs, positions), and see what their sums come to."""
    assert isinstance(T.arithmetic, Saturating)
    A = Watched(T.arithmetic)
    run = reference.evaluate(replace(T, arithmetic=A), ids, past)
    kept = [(kind, each) for kind, each in A.sums if each.shape == (len(ids),)] or [(False, np.zeros(len(ids)))]
    return Seen(np.stack([each for _, each in kept], axis=-1), np.array([kind for kind, _ in kept]), run)
