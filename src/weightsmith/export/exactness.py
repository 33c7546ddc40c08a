"""Whether no sum of a transformer can saturate or round on any input, so that floats compute the very same values.

Every number of a run is followed as a *size*, which it never exceeds, and a *grain*: it is a multiple of 2^grain. A sum
of products is exact in any order, with every partial sum, where the sizes of its terms add up to no more than ∞ and to
no more than 2^(grain + p), p bits being what both the arithmetic and the machine's type hold. Where that is so at every
step, neither the original nor the target rounds or saturates anywhere: both compute the real numbers.

This is said of hard attention to one position, linear maps, relu and gates only. Softmax, averages, norms, rotations
and other activations round; of them nothing is said.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Array, Saturating, Weights
from weightsmith.model import (
    Attention,
    AttentionPositions,
    FeedForward,
    Head,
    LeftmostHard,
    RightmostHard,
    Transformer,
    named_arrays,
    position_table,
)
from weightsmith.model.positions import NO_POSITIONS

BITS = {"float32": 24, "float64": 53}
LEAST = -100  # the smallest grain: the machine's types go on for a while below, and products of two grains with them
COARSE = 1 << 20  # the grain of 0
MOST_WEIGHTS = 10**6


class LostError(Exception):
    """A number may saturate or round."""


@dataclass(frozen=True)
class Numbers:
    """Bounds of some numbers: of each its size and its grain."""

    size: Array
    grain: Array

    @classmethod
    def of(cls, values: Weights, axis: int | None = None) -> "Numbers":
        """Return the bounds of constants; with an axis, one bound for all along it."""
        size, grain = np.abs(values).astype(np.float64), grains(values)
        return cls(size, grain) if axis is None else cls(size.max(axis, initial=0.0), grain.min(axis, initial=COARSE))


@dataclass(frozen=True)
class Bounds:
    """The range and precision that both number systems hold."""

    infinity: float
    smallest: int  # grain of the smallest positive member
    bits: int

    def held(self, x: Numbers) -> Numbers:
        """Return numbers all of which, and all partial sums of which, are held; anything else is lost."""
        fine = (x.size <= self.infinity) & (x.size <= 2.0 ** np.minimum(x.grain + self.bits, 1000))
        if not (fine & (x.grain >= max(self.smallest, LEAST)) | (x.size == 0)).all():
            raise LostError
        return x

    def sum(self, *terms: Numbers) -> Numbers:
        """Add up, in any order."""
        grain = np.min(np.broadcast_arrays(*(term.grain for term in terms)), axis=0)
        size = np.sum(np.broadcast_arrays(*(term.size for term in terms)), axis=0)
        return self.held(Numbers(size, grain))

    def product(self, x: Numbers, y: Numbers) -> Numbers:
        """Multiply."""
        return self.held(_times(x, y))

    def linear(self, W: Weights, x: Numbers, b: Weights | None = None) -> Numbers:
        """Return W x ⊕ b."""
        terms = _times(Numbers.of(W), x)
        total = self.held(Numbers(terms.size.sum(-1), terms.grain.min(-1, initial=COARSE)))
        return total if b is None else self.sum(total, Numbers.of(b))


def _times(x: Numbers, y: Numbers) -> Numbers:
    size = x.size * y.size
    return Numbers(size, np.where(size == 0, COARSE, x.grain + y.grain))


def grains(values: Weights) -> Array:
    """Return of each value the exponent of the power of 2 that it is an odd multiple of."""
    different, place = np.unique(np.abs(values), return_inverse=True)
    found = np.array([_grain(float(value)) for value in different], np.float64)
    return found[place].reshape(np.shape(values))


def _grain(value: float) -> int:
    if value == 0:
        return COARSE
    above, below = value.as_integer_ratio()
    return (above & -above).bit_length() - below.bit_length()


def nothing_is_lost(T: Transformer, dtype: str) -> bool:
    """Return whether no number can saturate or round on any input, in the arithmetic and in a type of the machine."""
    A = T.arithmetic
    if not isinstance(A, Saturating) or dtype not in BITS or T.weights > MOST_WEIGHTS or T.final_norm is not None:
        return False
    with np.errstate(over="ignore"):
        held = all((array.astype(dtype) == array).all() for _, array in named_arrays(T))
    if A.infinity < 1 or not held:
        return False
    bounds = Bounds(A.infinity, _grain(A.smallest), min(A.precision, BITS[dtype]))
    try:
        h = Numbers.of(T.embedding, axis=0)
        table = position_table(T.positions, A, len(T.lanes))
        h = h if table is None else bounds.sum(h, Numbers.of(table, axis=0))
        for block in T.blocks:
            if block.attention_norm is not None or block.feed_forward_norm is not None:
                return False
            entry = h
            if block.attention is not None:
                h = bounds.sum(h, _attention(T, bounds, block.attention, h))
            if block.feed_forward is not None:
                h = bounds.sum(h, _feed_forward(bounds, block.feed_forward, entry if block.parallel else h))
        if T.readout is None:
            bounds.linear(T.output, h, T.output_bias)
    except LostError:
        return False
    return True


def _attention(T: Transformer, bounds: Bounds, attention: Attention, h: Numbers) -> Numbers:
    outputs = [
        _head(T, bounds, head, attention.positions_of(i, T.attention_positions) or NO_POSITIONS, h)
        for i, head in enumerate(attention.heads)
    ]
    nothing = Numbers(np.zeros(len(T.lanes)), np.full(len(T.lanes), float(COARSE)))
    total = bounds.sum(nothing, *outputs)
    return total if attention.b_O is None else bounds.sum(total, Numbers.of(attention.b_O))


def _head(T: Transformer, bounds: Bounds, head: Head, scheme: AttentionPositions, h: Numbers) -> Numbers:
    """Return what a head adds: scores must be exact, because equal ones must be equal in floats as well."""
    if not isinstance(head.weighting, LeftmostHard | RightmostHard):
        raise LostError
    if scheme.rotation(T.arithmetic, len(head.W_K), 1) is not None:
        raise LostError
    q, k, v = (bounds.linear(W, h, b) for W, b in ((head.W_Q, head.b_Q), (head.W_K, head.b_K), (head.W_V, head.b_V)))
    k, v = _offset(bounds, k, scheme.key_offsets()), _offset(bounds, v, scheme.value_offsets())
    terms = _times(q, k)
    score = bounds.held(Numbers(terms.size.sum(keepdims=True), terms.grain.min(keepdims=True, initial=COARSE)))
    if scheme.penalties(T.arithmetic, 1) is not None:
        if T.max_length is None:
            raise LostError  # far enough away every penalty is −∞
        table = scheme.penalties(T.arithmetic, T.max_length)
        assert table is not None
        bounds.sum(score, Numbers.of(table, axis=0))
    return bounds.linear(head.W_O, v)


def _offset(bounds: Bounds, x: Numbers, table: Array | None) -> Numbers:
    return x if table is None else bounds.sum(x, Numbers.of(table, axis=0))


def _feed_forward(bounds: Bounds, layer: FeedForward, h: Numbers) -> Numbers:
    if layer.function != "relu":
        raise LostError
    z = bounds.linear(layer.W_1, h, layer.b_1)
    if layer.W_3 is not None:
        z = bounds.product(z, bounds.linear(layer.W_3, h, layer.b_3))
    return bounds.linear(layer.W_2, z, layer.b_2)


def scope(lengths: Iterable[int | None]) -> str:
    """Return which inputs a proof is about, given the longest input of the model and of the target."""
    known = [length for length in lengths if length is not None]
    return f"up to {min(known)}" if known else "all lengths"
