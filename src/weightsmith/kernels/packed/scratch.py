"""The memory of a run: what each thread keeps for the next one, and how much a run takes."""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.kernels.packed.carrier import carrier, function_table
from weightsmith.kernels.packed.instructions import SIMD_BYTES
from weightsmith.kernels.packed.layout import MAX_CHUNK
from weightsmith.kernels.packed.linear import COLUMN_PADDING, TILE_BYTES
from weightsmith.kernels.packed.representation import Encoded
from weightsmith.model import Transformer

CACHE_LINE = 64  # bytes
KEPT_BYTES = 32 << 20  # as much as the run of a check takes
NEURON_COLUMNS = 2048  # columns of neurons that are held together, where they are not `relu`


def aligned(count: int, width: int, dtype: np.dtype[Any]) -> Encoded:
    """Return zeros, (count, width), that begin where a cache line does, so that no load of a register needs two."""
    size = count * width * dtype.itemsize
    room = np.zeros(size + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size].view(dtype).reshape(count, width)


class Scratch(threading.local):
    """Arrays by name, kept for the next run: allocating them takes as long as a short run."""

    def __init__(self) -> None:
        """Begin with none."""
        self.named: dict[str, npt.NDArray[np.uint8]] = {}

    def rows(self, name: str, count: int, width: int, dtype: np.dtype[Any]) -> Encoded:
        """Return rows with arbitrary values; they overwrite earlier rows of this name."""
        size = count * width * dtype.itemsize
        if name not in self.named or self.named[name].size < size:
            self.named[name] = aligned(1, size, np.dtype(np.uint8))[0]
        return self.named[name][:size].view(dtype).reshape(count, width)

    def shrink(self) -> None:
        """Drop everything, if it is more than `KEPT_BYTES`."""
        if sum(kept.size for kept in self.named.values()) > KEPT_BYTES:
            self.named.clear()


def bytes_needed(T: Transformer, positions: int, columns: int) -> int:
    """Return the bytes of a run on inputs of a length, which have `columns` columns in all."""
    return _fixed_bytes(T, positions) + columns * _column_bytes(T, positions)


def _head_sizes(T: Transformer) -> tuple[int, int]:
    heads = [head for block in T.blocks if block.attention for head in block.attention.heads]
    keys = max((len(head.W_K) for head in heads), default=0)
    return keys, max((len(head.W_V) for head in heads), default=0)


def _column_bytes(T: Transformer, positions: int) -> int:
    """Count the rows that exist at once: three streams, and the entry of a parallel block; a head's queries, keys,
    values and output, and its scores if exponentials have no table; the logits; a decision, a token, an empty flag."""
    keys, values = _head_sizes(T)
    streams = 3 + any(block.reads_entry for block in T.blocks)
    rows = streams * len(T.lanes) + 2 * keys + 2 * values + len(T.classes)
    size = carrier(T.arithmetic).dtype.itemsize
    by_table = function_table(carrier(T.arithmetic), "exp") is not None
    exponentials = 0 if by_table else (size + 32) * positions  # computed as float64
    read = 0 if T.readout is None else (size + 8 * 4) * len(T.readout.lanes)  # a lane, and as float64 to look up
    return rows * size + 8 * 3 + exponentials + read


def _fixed_bytes(T: Transformer, positions: int) -> int:
    """Count what does not depend on the columns.

    That is the neurons of a tile and, for each position, its embedded tokens, also as float64 while they are made,
    the keys and values of narrow positions repeated over a chunk, and a SIMD vector of scores.
    """
    layers = [block.feed_forward for block in T.blocks if block.feed_forward]
    size = carrier(T.arithmetic).dtype.itemsize
    kept = 2 * size * NEURON_COLUMNS
    neurons = max((len(layer.W_1) * (TILE_BYTES + kept * (layer.activation != "relu")) for layer in layers), default=0)
    vectors = len(T.lanes) * len(T.vocabulary) * (16 + size)
    tiles = sum(_head_sizes(T)) * (MAX_CHUNK + COLUMN_PADDING) * size  # rounded up to SIMD vectors
    return neurons + positions * (vectors + tiles + SIMD_BYTES)
