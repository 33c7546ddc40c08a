"""A run whose sums are watched: what each fold comes to, at the last position of each input."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from weightsmith.arithmetic import Array, Core, Saturating, Weights
from weightsmith.export.saturation import Unbounded
from weightsmith.model import Transformer
from weightsmith.semantics import Evaluation, reference
from weightsmith.semantics.evaluation import NOTHING, Ids, Past

WIDE = 16  # coordinates of a sum that are watched one by one; of more, the largest and the smallest


@dataclass(frozen=True, repr=False)
class Watched(Unbounded):
    """A finite arithmetic that keeps what each of its sums came to. It computes as the arithmetic itself does."""

    sums: list[Array] = field(default_factory=list, compare=False)

    @property
    def core(self) -> Core:
        """The operations."""
        return _WatchedCore(self.bounded, self.sums)

    def _nearest(self, x: Array) -> Array:
        return self.bounded._nearest(x)


class _WatchedCore(Core):
    def __init__(self, A: Saturating, sums: list[Array]) -> None:
        """Take over the operations."""
        super().__init__(A)
        self._sums = sums

    def sum(self, x: Array, axis: int = -1) -> Array:
        """Return a sum over positions or lanes."""
        total = super().sum(x, axis)
        last = _at_the_end(total[..., np.newaxis] if total.ndim == 2 else total)
        self._sums += list(last.T) if last.shape[1] <= WIDE else [last.max(-1), last.min(-1)]
        return total

    def dot(self, x: Weights, y: Weights) -> Array:
        """Return a dot product; there is one for each row of a matrix, or for each key."""
        total = super().dot(x, y)
        last = _at_the_end(total)
        self._sums += [last.max(-1, initial=0.0), last.min(-1, initial=0.0)]
        return total


def _at_the_end(total: Array) -> Array:
    """Return what (inputs, positions, …) hold at the last position, (inputs, …); logits are of that one already."""
    if total.ndim == 2:
        return total
    return total[:, -1:].reshape(len(total), math.prod(total[:, -1:].shape[1:]))


def watch(T: Transformer, ids: Ids, past: Past = NOTHING) -> tuple[Array, Evaluation]:
    """Run inputs (inputs, positions) and return what each sum came to at the last position, (inputs, sums)."""
    assert isinstance(T.arithmetic, Saturating)
    A = Watched(T.arithmetic)
    found = reference.evaluate(replace(T, arithmetic=A), ids, past)
    return np.stack(_of_inputs(A.sums, len(ids)), axis=-1), found


def _of_inputs(sums: Iterable[Array], count: int) -> list[Array]:
    """Keep sums that there is one of for each input, and at least a column."""
    return [each for each in sums if each.shape == (count,)] or [np.zeros(count)]
