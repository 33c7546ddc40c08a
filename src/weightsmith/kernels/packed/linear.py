"""Loops for matrices. Every array is (rows, columns); a column is one position of one input.

If many entries of a matrix share a lane, it pays to look at the values first. A row is *calm* if they are so small that
no sum saturates.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from weightsmith.kernels.packed.access import entry, load, store
from weightsmith.kernels.packed.instructions import SIMD_BYTES, filled, inlined, internal, minus, most
from weightsmith.kernels.packed.representation import (
    UnitFactor,
    WeightFactor,
    add,
    add_calm,
    factor,
    largest_size,
    multiply,
    multiply_unit,
    multiply_weight,
    table_index,
)

COLUMN_PADDING = 128  # rows have a multiple of it, and as much again: loops end on whole SIMD vectors
TILE_BYTES = 4 * SIMD_BYTES  # of each row in a tile, so that all rows stay in the first-level cache


class EntryKind(IntEnum):
    """What is known of an entry of a matrix: which product its weight is a factor of."""

    ONE = 0
    MINUS_ONE = 1
    UNIT = 2  # at most 1 in absolute value
    LARGE = 3


class Matrix(NamedTuple):
    """A sparse matrix with a bias: row r has the entries from starts[r] to starts[r + 1].

    `calm` is empty if it does not pay to look at the values.
    """

    starts: Any
    lanes: Any  # of each entry, as are the next four
    weights: Any  # values of `UnitFactor` or, where they are LARGE, of `WeightFactor`
    multiples: Any  # of the weights, if they are values of `UnitFactor`
    reach: Any  # the |x| from which on x ⊗ weight saturates
    kinds: Any
    calm: Any  # of each row: how large all |x| may be so that no sum saturates
    bias: Any  # of each row

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.starts.size) - 1


@inlined
def _unit(M: Any, n: int) -> Any:
    return UnitFactor(entry(M.weights, n), entry(M.multiples, n))


@inlined
def _product(M: Any, n: int, x: Any, constants: Any) -> Any:
    """Return the entry n times x."""
    kind = entry(M.kinds, n)
    if kind == EntryKind.ONE:
        return x
    if kind == EntryKind.MINUS_ONE:
        return minus(M.weights.dtype.type(0), x)
    if kind == EntryKind.UNIT:
        return multiply_unit(x, _unit(M, n), constants)
    return multiply_weight(x, WeightFactor(entry(M.weights, n), entry(M.reach, n)), constants)


@internal
def _look(x: Any, first: int, count: int, sizes: Any, constants: Any) -> None:
    """Set `sizes` to the largest absolute value in each SIMD vector of columns of x from `first` on, over all lanes."""
    zero, simd = x.dtype.type(0), SIMD_BYTES // x.itemsize
    for j in range(count // simd):
        high = filled(zero)
        for lane in range(x.shape[0]):
            xs = load(x, lane, first + j * simd)
            high = most(high, most(xs, minus(zero, xs)))
        sizes[j] = largest_size(high, constants)


@inlined
def _calm_row(M: Any, n: int, end: int, x: Any, column: int, o: Any, constants: Any) -> Any:
    """Do as `_row`, where no sum saturates."""
    while n < end:
        while n < end and entry(M.kinds, n) == EntryKind.UNIT:
            o = add_calm(o, multiply_unit(load(x, entry(M.lanes, n), column), _unit(M, n), constants), constants)
            n += 1
        if n < end:
            o = add_calm(o, _product(M, n, load(x, entry(M.lanes, n), column), constants), constants)
            n += 1
    return o


@inlined
def _row(M: Any, n: int, end: int, x: Any, column: int, o: Any, constants: Any) -> Any:
    """Return o ⊕ the entries from n on times x, for the SIMD vector at a column."""
    while n < end:
        while n < end and entry(M.kinds, n) == EntryKind.UNIT:  # most of them: a loop of its own stays in registers
            o = add(o, multiply_unit(load(x, entry(M.lanes, n), column), _unit(M, n), constants), constants)
            n += 1
        if n < end:
            o = add(o, _product(M, n, load(x, entry(M.lanes, n), column), constants), constants)
            n += 1
    return o


@internal
def _fold(
    M: Any, x: Any, first: int, out: Any, target: int, count: int, relu: bool, into: bool, sizes: Any, constants: Any
) -> None:
    """Set columns of out, from `target` on, to M x ⊕ bias for a tile of x from `first` on.

    With `into` the result is added to out.
    """
    zero, simd, looked = x.dtype.type(0), SIMD_BYTES // x.itemsize, M.calm.size > 0
    if looked:
        _look(x, first, count, sizes, constants)
    for r in range(M.starts.size - 1):
        start, end, b = M.starts[r], M.starts[r + 1], M.bias[r]
        for i in range(0, count, simd):
            o, n = filled(zero), start
            if n < end:
                o = _product(M, n, load(x, entry(M.lanes, n), first + i), constants)
                n += 1
            if looked and sizes[i // simd] <= M.calm[r]:
                o = _calm_row(M, n, end, x, first + i, o, constants)
            else:
                o = _row(M, n, end, x, first + i, o, constants)
            if b != 0:
                o = add(o, b, constants)
            if relu:
                o = most(zero, o)  # NaN stays
            if into:
                o = add(load(out, r, target + i), o, constants)
            store(out, r, target + i, o)


def apply(
    M: Any, second: Any, x: Any, first: int, hidden: Any, out: Any, target: int, count: int, into: bool, sizes: Any,
    constants: Any,
) -> None:  # fmt: skip
    """Set `count` columns of out, from `target` on, to M x ⊕ bias for those of x from `first` on.

    With `into` the result is added to out. If the second matrix has rows, it is applied to the result after
    `relu`: a layer of neurons, a tile at a time, so that they need not all be kept; `hidden` has room for those of one.
    `sizes` has room for a number for each SIMD vector of a tile.
    """
    tile, layer, zero = TILE_BYTES // x.itemsize, second.starts.size > 1, np.int64(0)
    for a in range(0, count, tile):
        size = min(tile, count - a)
        # No literal is passed, or Numba would compile the function for it once more.
        if layer:
            _fold(M, x, first + a, hidden, zero, size, layer, not layer, sizes, constants)
            _fold(second, hidden, zero, out, target + a, size, not layer, into, sizes, constants)
        else:
            _fold(M, x, first + a, out, target + a, size, layer, into, sizes, constants)


def accumulate(out: Any, x: Any, bias: Any, constants: Any) -> None:
    """Add x ⊕ bias to out."""
    for r in range(out.shape[0]):
        for i in range(0, out.shape[1], SIMD_BYTES // x.itemsize):
            store(out, r, i, add(load(out, r, i), add(load(x, r, i), bias[r], constants), constants))


def look_up_rows(x: Any, count: int, table: Any, index: Any, constants: Any) -> None:
    """Replace the first columns of x by a function of them."""
    for r in range(x.shape[0]):
        for i in range(count):
            x[r, i] = table[table_index(x[r, i], index, constants)]


def multiply_rows(x: Any, y: Any, count: int, constants: Any) -> None:
    """Replace the first columns of x by x ⊗ y."""
    for r in range(x.shape[0]):
        for i in range(0, count, SIMD_BYTES // x.itemsize):
            store(x, r, i, multiply(load(x, r, i), factor(load(y, r, i), constants), constants))


def embed(vectors: Any, ids: Any, levels: Any, out: Any) -> None:
    """Set each column to the vector of its position and token, vectors[position, lane, token]."""
    for r in range(out.shape[0]):
        for t in range(levels.widths.size):
            for i in range(levels.offsets[t], levels.offsets[t] + levels.widths[t]):
                out[r, i] = vectors[t, r, ids[i]]


def decide(logits: Any, out: Any) -> None:
    """Set out to the first of the largest logits of each column."""
    for i in range(out.size):
        best = 0
        for c in range(1, logits.shape[0]):
            if logits[c, i] > logits[best, i]:
                best = c
        out[i] = best
