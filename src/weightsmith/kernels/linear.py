"""Loops for matrices. Every array is (rows, columns); a column is one position of one input.

Each inner loop runs along contiguous columns without branches, so that LLVM makes vector instructions of it.

A matrix is sparse: row r has the entries from starts[r] to starts[r + 1], and an entry says its lane, its prepared
weight, from where on it saturates, and its kind: 0 for +1, 1 for −1, 2 for at most 1, 3 for more.
"""

from typing import Any

import numba as nb
import numpy as np

from weightsmith.kernels.operations import add, multiply, place_of, prepared, saturate, scaled, subtract

WHOLE = 64  # rows have a multiple of so many columns, the last ones unused: vector instructions leave no rest
TILE = 2048  # columns that are worked on together, so that their rows stay in a near cache


@nb.njit
def _row(
    starts: Any, lanes: Any, weights: Any, reach: Any, kinds: Any, r: int, x: Any, a: int, o: Any, rule: Any
) -> None:
    """Fold row r times the columns of x from a on into o."""
    first, end = starts[r], starts[r + 1]
    if first == end:
        o[:] = 0
        return
    xs, w, far = x[lanes[first], a : a + o.size], weights[first], reach[first]
    if kinds[first] == 0:
        for i in range(o.size):
            o[i] = xs[i]
    elif kinds[first] == 2:
        for i in range(o.size):
            o[i] = scaled(xs[i], w, rule)
    else:
        for i in range(o.size):
            o[i] = saturate(xs[i], w, far, rule)
    n = first + 1
    while n < end:
        xs, w, far = x[lanes[n], a : a + o.size], weights[n], reach[n]
        if n + 1 < end and kinds[n] == 2 and kinds[n + 1] == 2:  # two at once: the row is read and written once
            ys, v = x[lanes[n + 1], a : a + o.size], weights[n + 1]
            for i in range(o.size):
                o[i] = add(add(o[i], scaled(xs[i], w, rule), rule), scaled(ys[i], v, rule), rule)
            n += 1
        elif kinds[n] == 0:
            for i in range(o.size):
                o[i] = add(o[i], xs[i], rule)
        elif kinds[n] == 1:
            for i in range(o.size):
                o[i] = subtract(o[i], xs[i], rule)
        elif kinds[n] == 2:
            for i in range(o.size):
                o[i] = add(o[i], scaled(xs[i], w, rule), rule)
        else:
            for i in range(o.size):
                o[i] = add(o[i], saturate(xs[i], w, far, rule), rule)
        n += 1


def matvec(
    starts: Any, lanes: Any, weights: Any, reach: Any, kinds: Any, bias: Any, x: Any, first: int,
    out: Any, target: int, count: int, relu: bool, into: bool, rule: Any,
) -> None:  # fmt: skip
    """Set `count` columns of out, from `target` on, to M x ⊕ bias for those of x from `first` on.

    With `relu` negative values become 0; with `into` the result is added to what is there.
    """
    scratch = np.empty(TILE, x.dtype)
    for a in range(0, count, TILE):
        size = min(TILE, count - a)
        for r in range(starts.size - 1):
            here = out[r, target + a : target + a + size]
            o = scratch[:size] if into else here
            _row(starts, lanes, weights, reach, kinds, r, x, first + a, o, rule)
            b = bias[r]
            if into and b != 0:
                for i in range(size):
                    here[i] = add(here[i], add(o[i], b, rule), rule)
            elif into and starts[r] < starts[r + 1]:
                for i in range(size):
                    here[i] = add(here[i], o[i], rule)
            elif relu and b != 0:
                for i in range(size):
                    o[i] = max(add(o[i], b, rule), x.dtype.type(0))
            elif relu:
                for i in range(size):
                    o[i] = max(o[i], x.dtype.type(0))
            elif b != 0:
                for i in range(size):
                    o[i] = add(o[i], b, rule)


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
    """Give the first of the largest logits of each column."""
    for i in range(out.size):
        best = 0
        for c in range(1, logits.shape[0]):
            if logits[c, i] > logits[best, i]:
                best = c
        out[i] = best
