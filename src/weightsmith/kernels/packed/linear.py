"""Loops for matrices. Every array is (rows, columns); a column is one position of one input.

A matrix is sparse: row r has the entries from starts[r] to starts[r + 1], and an entry says its lane, its prepared
weight, from where on it saturates, and its kind: 0 for +1, 1 for −1, 2 for at most 1, 3 for more.

If many entries share a lane, it pays to look at the values first. A row is *calm* where they are so small that no sum
saturates, and an entry of kind 2 is *normal* where none but 0 is so small that the product has fewer than p bits.
`calm` and `normal` hold these bounds; they are empty where it does not pay.
"""

from typing import Any

import numba as nb
import numpy as np

from weightsmith.kernels.packed.instructions import PACK_BYTES, entry, filled, load, minus, most, store
from weightsmith.kernels.packed.operations import add, calm_sum, place_of
from weightsmith.kernels.packed.products import (
    multiply,
    normal,
    prepared,
    saturate,
    scaled,
    survey,
)

WHOLE = 128  # rows have a multiple of so many columns, and as many more: loops end on whole packs
TILE_BYTES = 4 * PACK_BYTES  # of each row, worked on together, so that all of them stay in a near cache


@nb.njit
def _product(weights: Any, reach: Any, kinds: Any, n: int, x: Any, rule: Any) -> Any:
    kind, w = entry(kinds, n), entry(weights, n)
    if kind == 0:
        return x
    if kind == 1:
        return minus(weights.dtype.type(0), x)
    if kind == 2:
        return scaled(x, w, rule)
    return saturate(x, w, entry(reach, n), rule)


@nb.njit
def _fold(
    starts: Any, lanes: Any, weights: Any, reach: Any, kinds: Any, calm: Any, normals: Any, bias: Any,
    x: Any, first: int, out: Any, target: int, count: int, relu: bool, into: bool, rule: Any,
) -> None:  # fmt: skip
    """Do what `matvec` does, for columns that stay in a near cache."""
    zero, pack = x.dtype.type(0), PACK_BYTES // x.itemsize
    low, high = np.empty(count // pack * len(x), x.dtype), np.empty(count // pack, x.dtype)
    if calm.size > 0:
        for j in range(count // pack):
            high[j] = 0
            for lane in range(len(x)):
                low[j * len(x) + lane], size = survey(load(x, lane, first + j * pack), rule)
                high[j] = max(high[j], size)
    for r in range(starts.size - 1):
        end, b = starts[r + 1], bias[r]
        for i in range(0, count, pack):
            o, n = filled(zero), starts[r]
            if n < end:
                o = _product(weights, reach, kinds, n, load(x, entry(lanes, n), first + i), rule)
                n += 1
            if calm.size > 0 and high[i // pack] <= calm[r]:
                j = i // pack * len(x)
                while n < end:
                    while n < end and entry(kinds, n) == 2 and not entry(low, j + entry(lanes, n)) < entry(normals, n):
                        p = normal(load(x, entry(lanes, n), first + i), entry(weights, n), rule)
                        o = calm_sum(o, p, rule)
                        n += 1
                    if n < end:
                        p = _product(weights, reach, kinds, n, load(x, entry(lanes, n), first + i), rule)
                        o = calm_sum(o, p, rule)
                        n += 1
            while n < end:
                while n < end and entry(kinds, n) == 2:  # most of them: a loop of its own stays in registers
                    o = add(o, scaled(load(x, entry(lanes, n), first + i), entry(weights, n), rule), rule)
                    n += 1
                if n < end:
                    p = _product(weights, reach, kinds, n, load(x, entry(lanes, n), first + i), rule)
                    o = add(o, p, rule)
                    n += 1
            if b != 0:
                o = add(o, b, rule)
            if relu:
                o = most(zero, o)  # what is no number stays so
            if into:
                o = add(load(out, r, target + i), o, rule)
            store(out, r, target + i, o)


def matvec(
    starts: Any, lanes: Any, weights: Any, reach: Any, kinds: Any, calm: Any, normals: Any, bias: Any,
    x: Any, first: int, out: Any, target: int, count: int, into: bool, rule: Any,
) -> None:  # fmt: skip
    """Set `count` columns of out, from `target` on, to M x ⊕ bias for those of x from `first` on.

    With `into` the result is added to what is there.
    """
    tile = TILE_BYTES // x.itemsize
    for a in range(0, count, tile):
        size = min(tile, count - a)
        _fold(
            starts, lanes, weights, reach, kinds, calm, normals, bias, x, first + a, out, target + a, size, False,
            into, rule,
        )  # fmt: skip


def feed_forward(
    starts: Any, lanes: Any, weights: Any, reach: Any, kinds: Any, calm: Any, normals: Any, bias: Any,
    starts_2: Any, lanes_2: Any, weights_2: Any, reach_2: Any, kinds_2: Any, calm_2: Any, normals_2: Any, bias_2: Any,
    x: Any, hidden: Any, out: Any, count: int, rule: Any,
) -> None:  # fmt: skip
    """Add to out a layer of `relu` neurons, a tile at a time: they need not all be kept."""
    tile = TILE_BYTES // x.itemsize
    for a in range(0, count, tile):
        size = min(tile, count - a)
        _fold(
            starts, lanes, weights, reach, kinds, calm, normals, bias, x, a, hidden, 0, size, True, False, rule
        )  # fmt: skip
        _fold(
            starts_2, lanes_2, weights_2, reach_2, kinds_2, calm_2, normals_2, bias_2, hidden, 0, out, a, size, False,
            True, rule,
        )  # fmt: skip


def accumulate(out: Any, x: Any, bias: Any, rule: Any) -> None:
    """Add x ⊕ bias to out."""
    for r in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[r, i] = add(out[r, i], add(x[r, i], bias[r], rule), rule)


def look_up_rows(x: Any, count: int, table: Any, place: Any, rule: Any) -> None:
    """Replace the first columns of x by a function of them."""
    for r in range(x.shape[0]):
        for i in range(count):
            x[r, i] = table[place_of(x[r, i], place, rule)]


def multiply_rows(x: Any, y: Any, count: int, rule: Any) -> None:
    """Replace the first columns of x by x ⊗ y."""
    for r in range(x.shape[0]):
        xs, ys = x[r, :count], y[r, :count]
        for i in range(count):
            xs[i] = multiply(xs[i], prepared(ys[i], rule), rule)


def embed(vectors: Any, ids: Any, widths: Any, offsets: Any, out: Any) -> None:
    """Set each column to the vector of its position and token, vectors[position, lane, token]."""
    for r in range(out.shape[0]):
        for t in range(widths.size):
            row, here = vectors[t, r], ids[offsets[t] : offsets[t] + widths[t]]
            o = out[r, offsets[t] : offsets[t] + widths[t]]
            for i in range(o.size):
                o[i] = row[here[i]]


def decide(logits: Any, out: Any) -> None:
    """Return the first of the largest logits of each column."""
    for i in range(out.size):
        best = 0
        for c in range(1, logits.shape[0]):
            if logits[c, i] > logits[best, i]:
                best = c
        out[i] = best
