"""Numbers for the values of runs, so that two models can be compared: equal numbers mean equal values on every input.

A value is numbered by how it is computed from numbered values, as in a compiler's *value numbering*. 0 is the number of
the value 0. What adds 0 is left out: a product with 0 is 0, a sum with 0 is its other part, and so is a fold without
its zeros. So a lane that nothing has written has the number 0, and the numbers of the others do not depend on it, nor
on their names and places. Different numbers say nothing: the values may still be equal.

In `Native` nothing is left out, because 0 times an overflow is NaN, and a run with NaN is refused. Norms count all
their lanes, and a scheme inside attention all coordinates of a head, so these are compared as a whole.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith import model
from weightsmith.arithmetic import Native, Weights, as_float64
from weightsmith.kernels.packed.program import Program, embedded
from weightsmith.model import Attention, Block, FeedForward, Head, Softmax, Transformer

Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stage:
    """The stream after the embedding, or after a sublayer."""

    lanes: Numbers  # of the value of each lane
    refusals: frozenset[
        int
    ]  # of the steps up to here that may refuse an input: norms, and softmaxes that may not be empty


class Numbering:
    """Numbers of the values of some models in one arithmetic."""

    def __init__(self) -> None:
        """Begin with the number of 0."""
        self._numbers: dict[Hashable, int] = {}

    def stages(self, p: Program, positions: int) -> list[Stage]:
        """Number the stream of a model after the embedding, and after each of the two sublayers of each block."""
        T, vectors = p.transformer, embedded(p, positions)
        keeps_zeros = isinstance(T.arithmetic, Native)
        columns = vectors.swapaxes(0, 1)
        first = [self._of("embedding", lane.tobytes()) if keeps_zeros or lane.any() else 0 for lane in columns]
        stream = _Stream(self, T, keeps_zeros, np.array(first, np.int64))
        found = [stream.stage()]
        for block in T.blocks:
            entry = stream.lanes
            stream.attend(block)
            found.append(stream.stage())
            stream.feed_forward(block, entry if block.reads_entry else stream.lanes)
            found.append(stream.stage())
        return found

    def _of(self, *key: Hashable) -> int:
        """Return the number of a value, which is computed as the key says."""
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    # What is computed from numbered values

    def rows(self, W: Weights, b: Weights | None, x: Numbers, keeps_zeros: bool) -> Numbers:
        """Return the numbers of W x ⊕ b."""
        dense = as_float64(W)
        rows, columns = np.nonzero(np.ones_like(dense) if keeps_zeros else (dense != 0) & (x != 0))
        starts = np.searchsorted(rows, np.arange(len(dense) + 1)).tolist()
        values, of = dense[rows, columns], x[columns]
        found = np.zeros(len(dense), np.int64)
        for r, (start, end) in enumerate(pairwise(starts)):
            if end > start:
                found[r] = self._of("fold", of[start:end].tobytes(), values[start:end].tobytes())
        return self.shifted(found, b)

    def shifted(self, x: Numbers, b: Weights | None) -> Numbers:
        """Return the numbers of x ⊕ b."""
        if b is None or not b.any():
            return x
        pairs = zip(x.tolist(), as_float64(b).tolist(), strict=True)
        return np.array([self._of("shifted", n, shift) if shift else n for n, shift in pairs], np.int64)

    def sums(self, x: Numbers, y: Numbers) -> Numbers:
        """Return the numbers of x ⊕ y."""
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        return np.array([self._of("sum", a, b) if a and b else a or b for a, b in pairs], np.int64)

    def normed(self, norm: model.Norm, x: Numbers, lanes: list[int]) -> tuple[Numbers, int]:
        """Return the numbers of a stream after a norm of some lanes, and that of the norm itself."""
        arrays = (norm.gain, getattr(norm, "bias", None))
        written = [None if array is None else as_float64(array).tobytes() for array in arrays]
        number = self._of("norm", type(norm).__name__, norm.eps, x[lanes].tobytes(), *written)
        found = x.copy()
        found[lanes] = [self._of("normed", number, i) for i in range(len(lanes))]
        return found, number

    def weights(self, head: Head, scheme: model.AttentionPositions | None, q: Numbers, k: Numbers) -> int:
        """Return the number of the weights of a head."""
        asked = np.full(len(q), True) if scheme is not None else (q != 0) & (k != 0)
        return self._of(
            "weights", q[asked].tobytes(), k[asked].tobytes(), head.weighting, head.strict, head.window, scheme
        )

    def mixed(self, weights: int, v: Numbers, offsets: bool) -> Numbers:
        """Return the numbers of weighted values; with offsets by distance, each belongs to its coordinate."""
        keys = ((weights, value, c if offsets else -1) for c, value in enumerate(v.tolist()))
        return np.array([self._of("mixed", *key) if key[1] or offsets else 0 for key in keys], np.int64)

    def activated(self, layer: FeedForward, x: Numbers) -> Numbers:
        """Return the numbers of activations; each is 0 at 0."""
        return np.array([self._of(layer.function, n) if n else 0 for n in x.tolist()], np.int64)

    def products(self, x: Numbers, y: Numbers) -> Numbers:
        """Return the numbers of x ⊗ y."""
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        return np.array([self._of("product", a, b) if a and b else 0 for a, b in pairs], np.int64)


class _Stream:
    """The numbers of one model's stream, sublayer after sublayer."""

    def __init__(self, numbering: Numbering, T: Transformer, keeps_zeros: bool, lanes: Numbers) -> None:
        self.numbering, self.T, self.keeps_zeros, self.lanes = numbering, T, keeps_zeros, lanes
        self.refusals: frozenset[int] = frozenset()
        self.index = {lane: j for j, lane in enumerate(T.lanes)}

    def stage(self) -> Stage:
        return Stage(self.lanes, self.refusals)

    def attend(self, block: Block) -> None:
        attention, before = block.attention, block.norm_placement == "pre"
        if attention is None:
            return
        seen = self._normed(block.attention_norm, self.lanes) if before else self.lanes
        total: Numbers = np.zeros(len(self.lanes), np.int64)
        for i in range(len(attention.heads)):
            total = self.numbering.sums(total, self._head(attention, i, seen))
        self._add(self.numbering.shifted(total, attention.b_O))
        if not before:
            self.lanes = self._normed(block.attention_norm, self.lanes)

    def feed_forward(self, block: Block, source: Numbers) -> None:
        layer, before = block.feed_forward, block.norm_placement == "pre"
        if layer is None:
            return
        seen = self._normed(block.feed_forward_norm, source) if before else source
        neurons = self.numbering.activated(layer, self._rows(layer.W_1, layer.b_1, seen))
        if layer.W_3 is not None:
            neurons = self.numbering.products(neurons, self._rows(layer.W_3, layer.b_3, seen))
        self._add(self._rows(layer.W_2, layer.b_2, neurons))
        if not before:
            self.lanes = self._normed(block.feed_forward_norm, self.lanes)

    def _head(self, attention: Attention, index: int, seen: Numbers) -> Numbers:
        head, scheme = attention.heads[index], attention.positions_of(index, self.T.attention_positions)
        q, k, v = (
            self._rows(W, b, seen) for W, b in ((head.W_Q, head.b_Q), (head.W_K, head.b_K), (head.W_V, head.b_V))
        )
        weights = self.numbering.weights(head, scheme, q, k)
        if isinstance(head.weighting, Softmax) and head.weighting.empty == "error":
            self.refusals |= {weights}
        offsets = scheme is not None and scheme.value_offsets() is not None
        return self._rows(head.W_O, None, self.numbering.mixed(weights, v, offsets))

    def _rows(self, W: Weights, b: Weights | None, x: Numbers) -> Numbers:
        return self.numbering.rows(W, b, x, self.keeps_zeros)

    def _add(self, x: Numbers) -> None:
        self.lanes = self.numbering.sums(self.lanes, x)

    def _normed(self, norm: model.Norm | None, x: Numbers) -> Numbers:
        if norm is None:
            return x
        lanes = [self.index[lane] for lane in (self.T.lanes if norm.lanes is None else norm.lanes)]
        found, number = self.numbering.normed(norm, x, lanes)
        self.refusals |= {number}
        return found
