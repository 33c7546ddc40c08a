"""A transformer prepared for fast runs: encoded weights without zeros."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weightsmith import model
from weightsmith.arithmetic import Activation, Array, Native, Weights, as_float64
from weightsmith.kernels.packed import attention, weighing
from weightsmith.kernels.packed.carrier import Carrier, carrier
from weightsmith.kernels.packed.linear import Matrix
from weightsmith.kernels.packed.matrices import sparse
from weightsmith.kernels.packed.norms import Norm
from weightsmith.kernels.packed.representation import Encoded
from weightsmith.model import (
    Attention,
    AttentionPositions,
    AverageHard,
    Block,
    LayerNorm,
    LeftmostHard,
    RightmostHard,
    Softmax,
    Transformer,
    Weighting,
    position_table,
)
from weightsmith.model.positions import NO_POSITIONS

WEIGHTINGS: dict[type[Weighting], weighing.Weighting] = {
    Softmax: weighing.Weighting.SOFTMAX,
    AverageHard: weighing.Weighting.AVERAGE,
    LeftmostHard: weighing.Weighting.LEFTMOST,
    RightmostHard: weighing.Weighting.RIGHTMOST,
}


class HeadTables(NamedTuple):
    """The tables of a head for its first positions."""

    rotation: tuple[Encoded, Encoded, Encoded] | None  # pairs of rows, and their cosines and sines as unit factors
    distances: attention.Distances
    equal_parts: Encoded  # see `Weigher.equal_parts`; zeros if an empty softmax gives no attention

    def behind(self, positions: int) -> "HeadTables":
        """Return the tables for runs whose first columns have that position."""
        if self.rotation is None:
            return self
        pairs, cos, sin = self.rotation
        return self._replace(rotation=(pairs, cos[positions:], sin[positions:]))


@dataclass(frozen=True, eq=False)
class HeadProgram:
    """One head, without the coordinates that add nothing."""

    W_QKV: Matrix  # the rows of all three
    size: int  # of queries and of keys
    W_O: Matrix
    relative_keys: Encoded  # (distances, key size); no rows without relative positions
    relative_values: Encoded  # (distances, value size); likewise
    scheme: AttentionPositions
    weighting: Weighting
    strict: bool

    @property
    def kind(self) -> weighing.Weighting:
        """The number of the weighting in the loops."""
        shifted = isinstance(self.weighting, Softmax) and self.weighting.shifted
        return weighing.Weighting.SHIFTED if shifted else WEIGHTINGS[type(self.weighting)]

    def tables(self, c: Carrier, positions: int) -> HeadTables:
        """Return the tables for the first positions."""
        empty = isinstance(self.weighting, Softmax) and self.weighting.empty != "uniform"
        return HeadTables(self._rotation(c, positions), self._distances(c, positions), equal_parts(c, positions, empty))

    def _distances(self, c: Carrier, positions: int) -> attention.Distances:
        penalties = self.scheme.penalties(c.arithmetic, positions)
        by_distance = np.zeros(0, c.dtype) if penalties is None else c.encode(penalties)
        return attention.Distances(self.relative_keys, self.relative_values, by_distance)

    def _rotation(self, c: Carrier, positions: int) -> tuple[Encoded, Encoded, Encoded] | None:
        turns = self.scheme.rotation(c.arithmetic, self.size, positions)
        if turns is None:
            return None
        pairs = np.stack([turns.first, turns.second]).astype(np.int64)
        return pairs, c.unit_factors(c.encode(turns.cos)), c.unit_factors(c.encode(turns.sin))


@dataclass(frozen=True, eq=False)
class BlockProgram:
    """One block; missing parts are None or empty."""

    attention: bool  # whether there is any
    heads: tuple[HeadProgram, ...]
    b_O: Encoded
    W_1: Matrix | None
    W_2: Matrix | None
    W_3: Matrix | None
    function: Activation
    attention_norm: Norm | None
    feed_forward_norm: Norm | None
    before: bool  # the norms stand before their sublayers
    reads_entry: bool  # the neurons read the entry of the block, not the stream after attention


@dataclass(frozen=True, eq=False)
class Program:
    """One transformer."""

    transformer: Transformer
    carrier: Carrier
    blocks: tuple[BlockProgram, ...]
    output: Matrix
    final_norm: Norm | None
    none: Matrix  # without rows


def program(T: Transformer) -> Program:
    """Prepare a transformer."""
    c = carrier(T.arithmetic)
    blocks = tuple(_block(T, c, block) for block in T.blocks)
    output, none = sparse(c, T.output, T.output_bias), sparse(c, np.zeros((0, 0)))
    return Program(T, c, blocks, output, _norm(T, T.final_norm), none)


@lru_cache(maxsize=16)
def embedded(p: Program, positions: int) -> Encoded:
    """Return the first vector of the stream for each position and token, (positions, lanes, tokens)."""
    T = p.transformer
    table = position_table(T.positions, T.arithmetic, len(T.lanes), positions)
    vectors = np.broadcast_to(T.embedding, (positions, *T.embedding.shape))
    if table is not None:
        vectors = T.arithmetic.add(vectors, table[:, np.newaxis])
    return p.carrier.encode(vectors.swapaxes(1, 2))


@lru_cache(maxsize=64)
def equal_parts(c: Carrier, count: int, empty: bool) -> Encoded:
    """Return 0, 1, 1/2, 1/3 … rounded, or as many zeros."""
    parts = c.encode(np.concatenate([[0.0], c.arithmetic.round(1 / np.arange(1, count + 1))]))
    return np.zeros_like(parts) if empty else parts


def _block(T: Transformer, c: Carrier, block: Block) -> BlockProgram:
    attention, layer = block.attention, block.feed_forward
    shift = np.zeros(len(T.lanes)) if attention is None or attention.b_O is None else attention.b_O
    heads = [] if attention is None else [_head(T, c, attention, i) for i in range(len(attention.heads))]
    return BlockProgram(
        attention is not None,
        tuple(heads),
        c.encode(shift),
        None if layer is None else sparse(c, layer.W_1, layer.b_1),
        None if layer is None else sparse(c, layer.W_2, layer.b_2),
        None if layer is None or layer.W_3 is None else sparse(c, layer.W_3, layer.b_3),
        "relu" if layer is None else layer.function,
        _norm(T, block.attention_norm),
        _norm(T, block.feed_forward_norm),
        block.norm_placement == "pre",
        block.reads_entry,
    )


def _head(T: Transformer, c: Carrier, layer: Attention, index: int) -> HeadProgram:
    head, scheme = layer.heads[index], layer.positions_of(index, T.attention_positions) or NO_POSITIONS
    by_key = _table(scheme.key_offsets(), len(head.W_Q))
    by_value = _table(scheme.value_offsets(), len(head.W_V))
    # A coordinate that is always 0 in the queries, or in the keys and their offsets, adds nothing to a score.
    everything = isinstance(c.arithmetic, Native)
    asked = _used(head.W_Q, head.b_Q) & (_used(head.W_K, head.b_K) | by_key.any(axis=0))
    asked = asked | (everything or scheme.rotation(c.arithmetic, len(head.W_Q), 1) is not None)
    passed = (_used(head.W_V, head.b_V) | by_value.any(axis=0)) & head.W_O.any(axis=0) | everything
    shift = layer.b_O if len(layer.heads) == 1 else None  # added at once; with more heads, to the total
    parts = ((head.W_Q, head.b_Q, asked), (head.W_K, head.b_K, asked), (head.W_V, head.b_V, passed))
    biases = [np.zeros(chosen.sum()) if b is None else b[chosen] for _, b, chosen in parts]
    return HeadProgram(
        sparse(c, np.concatenate([W[chosen] for W, _, chosen in parts]), np.concatenate(biases)),
        int(asked.sum()),
        sparse(c, head.W_O[:, passed], shift),
        c.encode(by_key[:, asked]),
        c.encode(by_value[:, passed]),
        scheme,
        head.weighting,
        head.strict,
    )


def _table(offsets: Array | None, size: int) -> Array:
    """Return offsets by distance, without rows if there are none."""
    return np.zeros((0, size)) if offsets is None else offsets


def _used(W: Weights, b: Weights | None) -> npt.NDArray[np.bool_]:
    """Return which rows can be other than 0."""
    used: npt.NDArray[np.bool_] = np.any(W, axis=1)
    return used if b is None else np.logical_or(used, b)


def _norm(T: Transformer, norm: model.Norm | None) -> Norm | None:
    if norm is None:
        return None
    index = {lane: j for j, lane in enumerate(T.lanes)}
    lanes = np.array([index[lane] for lane in (T.lanes if norm.lanes is None else norm.lanes)], dtype=np.int64)
    none = np.zeros(0)
    centred = isinstance(norm, LayerNorm)
    bias = norm.bias if isinstance(norm, LayerNorm) else None
    return Norm(
        lanes,
        float(T.arithmetic.round(len(lanes))),
        float(T.arithmetic.round(norm.eps)),
        centred,
        none if norm.gain is None else as_float64(norm.gain).copy(),
        none if bias is None else as_float64(bias).copy(),
    )
