"""A transformer made ready for fast runs: weights in the carrier, zeros left out."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Activation, Array, Native
from weightsmith.kernels.carrier import Carried, Carrier, carrier
from weightsmith.model import Block, Head, LayerNorm, Norm, Relative, Transformer, Weighting

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sparse:
    """A matrix with a bias, by rows: see `linear.matvec`."""

    starts: Indices
    lanes: Indices
    weights: Carried
    reach: Carried
    kinds: npt.NDArray[np.int8]
    bias: Carried

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.starts.size - 1

    @property
    def entries(self) -> tuple[Indices, Indices, Carried, Carried, npt.NDArray[np.int8], Carried]:
        """The arrays in the order in which the loops take them."""
        return self.starts, self.lanes, self.weights, self.reach, self.kinds, self.bias


@dataclass(frozen=True, eq=False)
class HeadProgram:
    """One head, without the coordinates that add nothing."""

    W_Q: Sparse
    W_K: Sparse
    W_V: Sparse
    W_O: Sparse
    relative: Carried  # (distances, key size); no rows without relative positions
    weighting: Weighting


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

    heads: tuple[HeadProgram, ...]
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


def sparse(c: Carrier, matrix: Array, bias: Array | None = None) -> Sparse:
    """Leave the zeros out: adding 0 changes nothing.

    Only the machine's arithmetic keeps them: there 0 times an overflow is no number, and the run must be refused.
    """
    rows, lanes = np.nonzero(np.ones_like(matrix) if isinstance(c.arithmetic, Native) else matrix)
    values = matrix[rows, lanes]
    kinds = np.select([values == 1, values == -1, np.abs(values) <= 1], [0, 1, 2], 3).astype(np.int8)
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(np.int64)
    weights = c.encode(values)
    shift = c.encode(np.zeros(len(matrix)) if bias is None else bias)
    return Sparse(starts, lanes.astype(np.int64), c.prepare(weights), c.reach(weights), kinds, shift)


def _block(T: Transformer, c: Carrier, block: Block) -> BlockProgram:
    heads = () if block.attention is None else tuple(_head(T, c, head) for head in block.attention.heads)
    layer = block.feed_forward
    return BlockProgram(
        heads,
        None if layer is None else sparse(c, layer.W_1, layer.b_1),
        None if layer is None else sparse(c, layer.W_2, layer.b_2),
        None if layer is None or layer.W_3 is None else sparse(c, layer.W_3, layer.b_3),
        "relu" if layer is None else layer.function,
        _norm(T, block.attention_norm),
        _norm(T, block.feed_forward_norm),
        block.norm_placement == "pre",
    )


def _head(T: Transformer, c: Carrier, head: Head) -> HeadProgram:
    relative = T.positions.keys if isinstance(T.positions, Relative) else np.zeros((0, len(head.W_Q)))
    # A coordinate of the queries, or of the keys and what is added to them, that is always 0 adds nothing to a score.
    native = isinstance(c.arithmetic, Native)
    asked = native | head.W_Q.any(axis=1) & (head.W_K.any(axis=1) | relative.any(axis=0))
    passed = native | head.W_V.any(axis=1) & head.W_O.any(axis=0)
    return HeadProgram(
        sparse(c, head.W_Q[asked]),
        sparse(c, head.W_K[asked]),
        sparse(c, head.W_V[passed]),
        sparse(c, head.W_O[:, passed]),
        c.encode(relative[:, asked]),
        head.weighting,
    )


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
