"""A transformer made ready for fast runs: weights in the carrier, zeros left out."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Activation, Array, Native, Saturating
from weightsmith.kernels.packed.attention import AVERAGE, LEFTMOST, RIGHTMOST, SHIFTED, SOFTMAX
from weightsmith.kernels.packed.carrier import Carried, Carrier, carrier
from weightsmith.model import (
    Attention,
    AttentionPositions,
    AverageHard,
    Block,
    LayerNorm,
    LeftmostHard,
    Norm,
    RightmostHard,
    Softmax,
    Transformer,
    Weighting,
    position_table,
)
from weightsmith.model.positions import NO_POSITIONS

PAYS = 8  # so many entries for each lane make a look at its values worth while
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sparse:
    """A matrix with a bias, by rows: see `linear.matvec`."""

    starts: Indices
    lanes: npt.NDArray[np.int32]
    weights: Carried
    reach: Carried
    kinds: npt.NDArray[np.int8]
    calm: Array
    normal: Carried
    bias: Carried

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.starts.size - 1

    @property
    def entries(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays in the order in which the loops take them."""
        return self.starts, self.lanes, self.weights, self.reach, self.kinds, self.calm, self.normal, self.bias


@dataclass(frozen=True, eq=False)
class HeadProgram:
    """One head, without the coordinates that add nothing."""

    W_QKV: Sparse  # the rows of all three
    size: int  # of queries, and of keys
    W_O: Sparse
    relative_keys: Carried  # (distances, key size); no rows without relative positions
    relative_values: Carried  # (distances, value size); likewise
    scheme: AttentionPositions
    weighting: Weighting

    @property
    def kind(self) -> int:
        """The weighting as `attention.attend` knows it."""
        if isinstance(self.weighting, Softmax):
            return SHIFTED if self.weighting.shifted else SOFTMAX
        return {AverageHard: AVERAGE, LeftmostHard: LEFTMOST, RightmostHard: RIGHTMOST}[type(self.weighting)]


@dataclass(frozen=True, eq=False)
class NormProgram:
    """One norm over the places of its lanes."""

    lanes: Indices
    m: float
    eps: float
    centred: bool
    gain: Array  # empty for none
    bias: Array


@dataclass(frozen=True, eq=False)
class BlockProgram:
    """One block; what it lacks is None or empty."""

    attention: bool  # whether there is any
    heads: tuple[HeadProgram, ...]
    b_O: Carried
    W_1: Sparse | None
    W_2: Sparse | None
    W_3: Sparse | None
    function: Activation
    attention_norm: NormProgram | None
    feed_forward_norm: NormProgram | None
    before: bool  # the norms stand before their sublayers


@dataclass(frozen=True, eq=False)
class Program:
    """One transformer."""

    transformer: Transformer
    carrier: Carrier
    blocks: tuple[BlockProgram, ...]
    output: Sparse
    final_norm: NormProgram | None


@lru_cache(maxsize=16)
def program(T: Transformer) -> Program:
    """Make a transformer ready."""
    c = carrier(T.arithmetic)
    blocks = tuple(_block(T, c, block) for block in T.blocks)
    return Program(T, c, blocks, sparse(c, T.output, T.output_bias), _norm(T, T.final_norm))


@lru_cache(maxsize=16)
def embedded(T: Transformer, positions: int) -> Carried:
    """Return the first vector of the stream for each position and token, (positions, lanes, tokens)."""
    table = position_table(T.positions, T.arithmetic, len(T.lanes), positions)
    vectors = np.broadcast_to(T.embedding, (positions, *T.embedding.shape))
    if table is not None:
        vectors = T.arithmetic.add(vectors, table[:, np.newaxis])
    return carrier(T.arithmetic).encode(vectors.swapaxes(1, 2))


@lru_cache(maxsize=64)
def shares(c: Carrier, count: int, weighting: Weighting) -> Carried:
    """Return 0 and the equal parts of one, two, three … positions; zeros where an empty softmax gets none."""
    parts = c.encode(np.concatenate([[0.0], c.arithmetic.round(1 / np.arange(1, count + 1))]))
    return np.zeros_like(parts) if isinstance(weighting, Softmax) and weighting.empty != "uniform" else parts


def sparse(c: Carrier, matrix: Array, bias: Array | None = None) -> Sparse:
    """Leave the zeros out: adding 0 changes nothing.

    Only the machine's arithmetic keeps them: there 0 times an overflow is no number, and the run must be refused.
    """
    rows, lanes = np.nonzero(np.ones_like(matrix) if isinstance(c.arithmetic, Native) else matrix)
    values = matrix[rows, lanes]
    small = np.abs(values) <= 1
    kinds = np.select([values == 1, values == -1, small], [0, 1, 2], 3).astype(np.int8)
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(np.int64)
    weights = c.encode(values)
    shift = c.encode(np.zeros(len(matrix)) if bias is None else bias)
    factors = np.where(small, c.share(weights), c.prepare(weights))
    calm, normal = _bounds(c, rows, values, len(matrix)), _least_normal(c, values)
    if len(values) < PAYS * matrix.shape[1]:
        calm, normal = calm[:0], normal[:0]
    return Sparse(starts, lanes.astype(np.int32), factors, c.reach(weights), kinds, calm, normal, shift)


def _bounds(c: Carrier, rows: Indices, values: Array, count: int) -> Array:
    """Return for each row how large all |x| may be so that no sum saturates.

    A rounding adds no more than half a quantum, or a part in 2^p; each product and each sum is rounded.
    """
    if not isinstance(c.arithmetic, Saturating):
        return np.zeros(0)
    exact, sizes = c.exact, np.bincount(rows, np.abs(values), count)
    entries = np.bincount(rows, minlength=count)
    quantum = 2.0 ** (exact.least_exponent + 1 - exact.precision)
    with np.errstate(over="ignore"):
        growth = (1 + 2.0**-exact.precision) ** (2.0 * entries) if exact.scale == 1 else np.ones(count)
        room = np.maximum(0.99 * exact.infinity / growth - entries * quantum, 0)
        bounds: Array = c.scale * room / np.maximum(sizes, quantum)
    return bounds


def _least_normal(c: Carrier, values: Array) -> Carried:
    """Return for each weight how small |x| may be so that the product is normal; 0 for integers, which have no such."""
    if c.dtype.kind == "i" or not isinstance(c.arithmetic, Saturating):
        return np.zeros(len(values), c.dtype)
    with np.errstate(over="ignore"):
        least: Carried = (1.01 * 2.0**c.exact.least_exponent / np.abs(values)).astype(c.dtype)
    return least


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
    )


def _head(T: Transformer, c: Carrier, attention: Attention, place: int) -> HeadProgram:
    head, scheme = attention.heads[place], attention.positions_of(place, T.attention_positions) or NO_POSITIONS
    by_key = _table(scheme.key_offsets(), len(head.W_Q))
    by_value = _table(scheme.value_offsets(), len(head.W_V))
    # A coordinate of the queries, or of the keys and what is added to them, that is always 0 adds nothing to a score.
    everything = isinstance(c.arithmetic, Native)
    asked = _used(head.W_Q, head.b_Q) & (_used(head.W_K, head.b_K) | by_key.any(axis=0))
    asked = asked | (everything or scheme.rotation(c.arithmetic, len(head.W_Q), 1) is not None)
    passed = (_used(head.W_V, head.b_V) | by_value.any(axis=0)) & head.W_O.any(axis=0) | everything
    shift = attention.b_O if len(attention.heads) == 1 else None  # added at once; with more heads, to the total
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
    )


def _table(offsets: Array | None, size: int) -> Array:
    """Return offsets by distance; no rows where there are none."""
    return np.zeros((0, size)) if offsets is None else offsets


def _used(W: Array, b: Array | None) -> npt.NDArray[np.bool_]:
    """Say of each row whether it can give anything but 0."""
    used: npt.NDArray[np.bool_] = np.any(W, axis=1)
    return used if b is None else np.logical_or(used, b)


def _norm(T: Transformer, norm: Norm | None) -> NormProgram | None:
    if norm is None:
        return None
    place = {lane: j for j, lane in enumerate(T.lanes)}
    lanes = np.array([place[lane] for lane in (T.lanes if norm.lanes is None else norm.lanes)], dtype=np.int64)
    none = np.zeros(0)
    centred = isinstance(norm, LayerNorm)
    bias = norm.bias if isinstance(norm, LayerNorm) else None
    return NormProgram(
        lanes,
        float(T.arithmetic.round(len(lanes))),
        float(T.arithmetic.round(norm.eps)),
        centred,
        none if norm.gain is None else norm.gain.copy(),
        none if bias is None else bias.copy(),
    )
