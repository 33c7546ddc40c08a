"""Which values each lane can hold at the last stage, at any position of any input: proved from the weights alone.

An abstract interpretation of the model. What is known of a lane is one of three things: a few values, and it holds one
of them; 0 or at least some positive number; or nothing. Lanes are taken to be independent of each other, so what is
said may be too little, and never wrong. Every value is computed with the arithmetic itself, in the order of a run.
"""

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, as_float64
from weightsmith.model import Block, FeedForward, Norm, PositionTable, Transformer, added
from weightsmith.model.folds import selected, writers
from weightsmith.model.frozen import LANES, NEURONS
from weightsmith.semantics.layers import run_neurons

MAX_VALUES = 16  # of one lane; beyond, only the least one is kept
MAX_JOINT = 4096  # combinations of values that are tried together


@dataclass(frozen=True)
class AtLeast:
    """0, or from this positive number up to ∞."""

    least: float


Known: TypeAlias = frozenset[float] | AtLeast | None
ZERO = frozenset([0.0])


def possible_values(T: Transformer) -> list[Known]:
    """Return the possible values of each lane at the last stage; the arithmetic must saturate."""
    known = _embedded(T)
    for block in T.blocks:
        known = _after_attention(T, block, known)
        known = _after_feed_forward(T, block, known)
    return known


def _embedded(T: Transformer) -> list[Known]:
    vectors = added(T.positions)
    if vectors is not None and not isinstance(vectors, PositionTable):
        return [None] * len(T.lanes)
    table = np.zeros((1, len(T.lanes))) if vectors is None else as_float64(vectors.values)
    embedding = as_float64(T.embedding)
    return [_sums(T.arithmetic, embedding[:, j], table[:, j]) for j in range(len(T.lanes))]


def _sums(A: Arithmetic, first: Array, second: Array) -> Known:
    first, second = np.unique(first), np.unique(second)
    if first.size * second.size > MAX_JOINT:
        return None
    return _few(A, A.add(first[:, np.newaxis], second))


def _few(A: Arithmetic, values: Array) -> Known:
    """Return the abstraction of a set of values."""
    distinct = np.unique(values)
    if distinct.size <= MAX_VALUES:
        return frozenset(distinct.tolist())
    return None if distinct[0] < 0 else AtLeast(float(distinct[distinct > 0][0]))


def _from(A: Arithmetic, least: float) -> Known:
    """Return the abstraction of 0 and all numbers from `least` on, which is not negative."""
    least = max(least, A.smallest)
    return frozenset([0.0, A.infinity]) if least == A.infinity else AtLeast(least)


def _after_attention(T: Transformer, block: Block, known: list[Known]) -> list[Known]:
    """Forget the lanes that some head, or a norm after attention, writes to."""
    if block.attention is None:
        return known
    written = _written(T, block)
    if block.norm_placement == "post":
        written |= _normed(T, block.attention_norm)
    return [None if forgotten else before for before, forgotten in zip(known, written, strict=True)]


def _after_feed_forward(T: Transformer, block: Block, known: list[Known]) -> list[Known]:
    if block.feed_forward is None:
        return known
    normed = _normed(T, block.feed_forward_norm)
    pre = block.norm_placement == "pre"
    unlike = normed | _written(T, block) if block.parallel else normed & pre
    layer = _Layer(T.arithmetic, block.feed_forward, known, unlike)
    return [None if normed[j] and not pre else layer.after(j) for j in range(len(T.lanes))]


def _written(T: Transformer, block: Block) -> npt.NDArray[np.bool_]:
    """Say of each lane whether some head writes to it, or b_O."""
    written = np.zeros(len(T.lanes), dtype=np.bool_)
    for array in writers(block.attention):
        written |= array.reshape(len(array), -1).any(axis=1)
    return written


def _normed(T: Transformer, norm: Norm | None) -> npt.NDArray[np.bool_]:
    covered = () if norm is None else T.lanes if norm.lanes is None else norm.lanes
    return np.isin(T.lanes, covered)


class _Layer:
    """A feed-forward layer, after which lanes hold h ⊕ (W_2 z ⊕ b_2), with the possible values of h."""

    def __init__(self, A: Arithmetic, layer: FeedForward, known: list[Known], normed: npt.NDArray[np.bool_]) -> None:
        self.A, self.layer, self.known = A, layer, known
        self.normed = normed  # lanes that the neurons read after a norm
        self.reads = layer.W_1 != 0 if layer.W_3 is None else (layer.W_1 != 0) | (layer.W_3 != 0)
        self.rectified = layer.activation == "relu"  # not gated, monotone, and never negative

    def after(self, lane: int) -> Known:
        """Return the possible values of a lane after the layer."""
        before, neurons = self.known[lane], np.flatnonzero(self.layer.W_2[lane])
        if not neurons.size and self.layer.b_2[lane] == 0:
            return before
        sources = np.flatnonzero(self.reads[neurons].any(axis=0))
        lanes = sorted({lane, *sources.tolist()})
        values = [self.known[j] for j in lanes]
        finite = [each for each in values if isinstance(each, frozenset)]
        if len(finite) == len(values) and not self.normed[sources].any() and prod(map(len, finite)) <= MAX_JOINT:
            return _few(self.A, self._evaluated(lane, neurons, lanes, np.array(list(product(*map(sorted, finite))))))
        if not self.rectified or self.layer.b_2[lane] != 0:
            return None
        if before == ZERO and len(neurons) == 1:
            return self._one_neuron(self.layer.W_2[lane, neurons[0]])
        if sources.tolist() == [lane] and not self.normed[lane] and not self.layer.b_1[neurons].any():
            return self._by_itself(lane, neurons)
        return None

    def _one_neuron(self, weight: float) -> Known:
        """0 ⊕ weight ⊗ relu(anything): 0, or at least weight ⊗ the smallest positive value."""
        return _from(self.A, float(self.A.multiply(weight, self.A.smallest))) if weight > 0 else None

    def _by_itself(self, lane: int, neurons: npt.NDArray[np.intp]) -> Known:
        """A lane that only it itself changes, without biases: it cancels, or grows in a monotone way."""
        before, read, write = self.known[lane], self.layer.W_1[neurons, lane], self.layer.W_2[lane, neurons]
        if sorted(zip(read.tolist(), write.tolist(), strict=True)) == [(-1.0, 1.0), (1.0, -1.0)]:
            return ZERO  # h ⊕ (−h), and one of the two neurons is 0
        if isinstance(before, AtLeast) and (read > 0).all() and (write > 0).all():
            grown = self._evaluated(lane, neurons, [lane], np.array([[before.least]]))
            return _from(self.A, float(grown[0]))
        return None

    def _evaluated(self, lane: int, neurons: npt.NDArray[np.intp], lanes: list[int], h: Array) -> Array:
        """Return a lane after the layer, for vectors (…, lanes) on the lanes that it depends on."""
        A, part = self.A.core, selected(selected(self.layer, NEURONS, neurons), LANES, lanes)
        change = A.add(A.matvec(part.W_2, run_neurons(A, part, h)), part.b_2)
        return A.add(h, change)[:, lanes.index(lane)]
