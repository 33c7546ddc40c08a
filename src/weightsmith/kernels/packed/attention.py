"""Loops for attention.

Position t has widths[t] columns, from offsets[t] on; its column i sees column i mod widths[s] of position s. Columns
are taken in chunks. A chunk lies within a period of a position with as many columns or more; of positions with fewer,
the columns are repeated to fill a chunk, once for the whole run.

A chunk is taken in packs, and the scores of a pack stay in a near cache until its values are mixed. The last pack of a
chunk runs over its end: it reads and writes what follows. The columns are written in order, so that what was written
too far is written again, and rows are a pack longer than they need to be.
"""

from typing import Any

import numba as nb
import numpy as np

from weightsmith.kernels.packed.instructions import (
    PACK_BYTES,
    address,
    entry,
    filled,
    least,
    load,
    load_at,
    most,
    store,
)
from weightsmith.kernels.packed.operations import add, place_of, quotients, subtract
from weightsmith.kernels.packed.products import (
    bounded,
    counterpart,
    fits,
    multiply,
    places_of,
    prepared,
    scaled,
    share,
)

AVERAGE, LEFTMOST, RIGHTMOST, SOFTMAX, SHIFTED = range(5)  # weightings
ALL, BEFORE, AFTER = range(3)  # stages: everything, or what comes before or after exponentials without a table


def attend(
    q: Any, k: Any, v: Any, tiles: Any, chunk: int, keys: Any, values: Any, penalties: Any, weighting: int,
    table: Any, place: Any, shares: Any, widths: Any, offsets: Any, causal: bool, stage: int, scores: Any, out: Any,
    empty: Any, exact: Any, rule: Any,
) -> int:  # fmt: skip
    """Set out to the values v, weighted by the scores of the keys k for the queries q.

    `keys`, `values` and `penalties` say what belongs to each distance, and have no rows for nothing. `table` and
    `place` give exponentials. Where all weights would be 0, at m visible positions, they become shares[m], and `empty`
    says so of the column. `scores` is written or read by the stages that are not ALL.
    Give a column with a sum that is not finite, or −1 for none.
    """
    pack, wrong = PACK_BYTES // q.itemsize, -1
    weights, total = np.empty((widths.size, pack), q.dtype), np.empty(pack, q.dtype)
    key_tiles, value_tiles = tiles[: widths.size * len(k)], tiles[widths.size * len(k) :]
    key_rows, value_rows = np.empty((2, widths.size), np.int64), np.empty((2, widths.size), np.int64)
    asked, small, places = np.empty((len(k), pack), q.dtype), np.empty(len(k), np.int8), np.empty(len(k), q.dtype)
    if stage != AFTER:
        _spread(k, widths, offsets, chunk, key_tiles)
        for c in range(len(k)):
            size = _size(k, c, offsets[-1] + widths[-1])
            small[c] = keys.shape[0] == 0 and fits(size, _size(q, c, offsets[-1] + widths[-1]), rule)
            places[c] = places_of(size, rule)
    if stage != BEFORE:
        _spread(v, widths, offsets, chunk, value_tiles)
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for a in range(0, widths[t], chunk):
            end = min(chunk, widths[t] - a)
            _find_rows(k, key_tiles, t, a, chunk, widths, offsets, visible, key_rows)
            _find_rows(v, value_tiles, t, a, chunk, widths, offsets, visible, value_rows)
            for i in range(0, end, pack):
                here, count = offsets[t] + a + i, min(pack, end - i)
                if stage != AFTER:
                    for c in range(len(k)):
                        qs = load(q, c, here)
                        store(asked, c, 0, counterpart(qs, places[c], rule) if small[c] else prepared(qs, rule))
                for s in range(visible):
                    if stage == AFTER:
                        store(weights, s, 0, load(scores, s, here))
                        continue
                    rows, step = key_rows[0, s] + i * k.itemsize, key_rows[1, s]
                    if keys.shape[0] == 0:
                        o = _score(asked, k, rows, step, small, places, rule)
                    else:
                        o = _relative_score(asked, k, rows, step, keys[min(t - s, keys.shape[0] - 1)], rule)
                    if penalties.size > 0:
                        o = add(o, penalties[abs(t - s)], rule)
                    store(weights, s, 0, o)
                if stage == BEFORE:
                    for s in range(visible):
                        store(scores, s, here, load(weights, s, 0))
                    continue
                if weighting < SOFTMAX:
                    _choose(weights[:visible], count, weighting, shares)
                else:
                    if stage == ALL:
                        _exponentiate(weights[:visible], count, weighting == SHIFTED, table, place, rule)
                    z, none = total[:count], empty[here : here + count]
                    if not _normalise(weights[:visible], z, none, shares[visible], exact, rule):
                        wrong = here + np.argmin(np.isfinite(z))
                for s in range(visible):
                    store(weights, s, 0, share(load(weights, s, 0), rule))
                for c in range(len(v)):
                    if values.shape[0] == 0:
                        store(out, c, here, _mix(weights, visible, v, value_rows, i, c, rule))
                    else:
                        store(out, c, here, _relative_mix(weights, visible, v, value_rows, i, c, t, values, rule))
    return wrong


@nb.njit
def _spread(x: Any, widths: Any, offsets: Any, chunk: int, out: Any) -> None:
    """Repeat the columns of each narrow position until they fill a chunk: out[position · rows + row, column]."""
    for s in range(widths.size):
        width = widths[s]
        if width < chunk:
            for r in range(x.shape[0]):
                source, row = x[r, offsets[s] : offsets[s] + width], out[s * x.shape[0] + r]
                for i in range(width):
                    row[i] = source[i]
                for i in range(width, chunk):
                    row[i] = row[i - width]


@nb.njit
def _size(x: Any, r: int, columns: int) -> Any:
    """Return the largest absolute value among the first columns of a row."""
    pack, zero = PACK_BYTES // x.itemsize, x.dtype.type(0)
    whole = columns - columns % pack
    low, high = zero, zero
    if whole > 0:
        lows, highs = filled(zero), filled(zero)
        for i in range(0, whole, pack):
            lows, highs = least(lows, load(x, r, i)), most(highs, load(x, r, i))
        ends = np.empty((2, pack), x.dtype)
        store(ends, 0, 0, lows)
        store(ends, 1, 0, highs)
        low, high = ends[0].min(), ends[1].max()
    for i in range(whole, columns):
        low, high = min(low, x[r, i]), max(high, x[r, i])
    return max(-low, high)


@nb.njit
def _find_rows(
    x: Any, tiles: Any, t: int, a: int, chunk: int, widths: Any, offsets: Any, visible: int, out: Any
) -> None:
    """Say for each position s where, for the columns from a on at position t, its first row begins, and the next."""
    for s in range(visible):
        if widths[s] < min(chunk, widths[t]):
            out[0, s], out[1, s] = address(tiles, s * len(x), 0), tiles.shape[1] * x.itemsize
        else:
            out[0, s], out[1, s] = address(x, 0, offsets[s] + a % widths[s]), x.shape[1] * x.itemsize


@nb.njit
def _score(q: Any, k: Any, rows: int, step: int, small: Any, places: Any, rule: Any) -> Any:
    """Return ⟨q, k_s⟩ for a pack of columns."""
    o, c = filled(q.dtype.type(0)), 0
    while c < len(k):
        while c < len(k) and entry(small, c) == 1:  # most of them: a loop of its own stays in registers
            p = bounded(load_at(k, rows + c * step), load(q, c, 0), entry(places, c), rule)
            o = add(o, p, rule)
            c += 1
        if c < len(k):
            o = add(o, multiply(load_at(k, rows + c * step), load(q, c, 0), rule), rule)
            c += 1
    return o


@nb.njit
def _relative_score(q: Any, k: Any, rows: int, step: int, distance: Any, rule: Any) -> Any:
    """Return ⟨q, k_s ⊕ a⟩ for a pack of columns, with the vector `a` for the distance."""
    o = filled(q.dtype.type(0))
    for c in range(len(k)):
        o = add(o, multiply(add(load_at(k, rows + c * step), distance[c], rule), load(q, c, 0), rule), rule)
    return o


@nb.njit
def _exponentiate(scores: Any, count: int, shifted: bool, table: Any, place: Any, rule: Any) -> None:
    """Replace scores, less the largest of them if they are to be shifted, by their exponentials."""
    if shifted:
        largest = load(scores, 0, 0)
        for s in range(1, len(scores)):
            largest = most(largest, load(scores, s, 0))
        for s in range(len(scores)):
            store(scores, s, 0, subtract(load(scores, s, 0), largest, rule))
    for s in range(len(scores)):
        for i in range(count):
            scores[s, i] = table[place_of(scores[s, i], place, rule)]


@nb.njit
def _normalise(e: Any, z: Any, none: Any, part: Any, exact: Any, rule: Any) -> bool:
    """Divide exponentials by their sums z, and say where there are none: there they become `part`.

    Say whether all sums are finite.
    """
    finite = True
    z[:] = 0
    for s in range(len(e)):
        row = e[s]
        for i in range(z.size):
            z[i] = add(z[i], row[i], rule)
    for i in range(z.size):
        none[i] = z[i] == 0
        finite = finite and np.isfinite(z[i])
        z[i] = z[i] if z[i] != 0 else e.dtype.type(1)  # all that is divided by it is 0
    for s in range(len(e)):
        row = e[s][: z.size]
        quotients(row, z, exact, rule)
        if part != 0:
            for i in range(z.size):
                row[i] = part if none[i] else row[i]
    return finite


@nb.njit
def _choose(scores: Any, count: int, weighting: int, shares: Any) -> None:
    """Replace scores by shares[m] on each of the m largest, or by shares[1] on the first or last of them."""
    for i in range(count):
        most = scores[0, i]
        first, last, equal = 0, 0, 1
        for s in range(1, len(scores)):
            if scores[s, i] > most:
                most, first, last, equal = scores[s, i], s, s, 1
            elif scores[s, i] == most:
                last, equal = s, equal + 1
        for s in range(len(scores)):
            if weighting == AVERAGE:
                scores[s, i] = shares[equal] if scores[s, i] == most else scores.dtype.type(0)
            else:
                scores[s, i] = shares[1] if s == (first if weighting == LEFTMOST else last) else scores.dtype.type(0)


@nb.njit
def _mix(weights: Any, visible: int, v: Any, rows: Any, i: int, c: int, rule: Any) -> Any:
    """Return Σ weight_s ⊗ v_s for a pack of columns, in coordinate c; no weight is above 1."""
    o = filled(v.dtype.type(0))
    for s in range(visible):
        vs = load_at(v, rows[0, s] + c * rows[1, s] + i * v.itemsize)
        o = add(o, scaled(vs, load(weights, s, 0), rule), rule)
    return o


@nb.njit
def _relative_mix(
    weights: Any, visible: int, v: Any, rows: Any, i: int, c: int, t: int, relative: Any, rule: Any
) -> Any:
    """Return Σ weight_s ⊗ (v_s ⊕ a), with the row `a` of `relative` for the distance."""
    o = filled(v.dtype.type(0))
    for s in range(visible):
        distance = relative[min(t - s, relative.shape[0] - 1), c]
        vs = add(load_at(v, rows[0, s] + c * rows[1, s] + i * v.itemsize), distance, rule)
        o = add(o, scaled(vs, load(weights, s, 0), rule), rule)
    return o


def rotate(x: Any, first: Any, second: Any, cos: Any, sin: Any, widths: Any, offsets: Any, rule: Any) -> None:
    """Turn rows first[p] and second[p] at position t by the angle whose prepared cosine is cos[t, p]."""
    for t in range(widths.size):
        for p in range(first.size):
            xs = x[first[p], offsets[t] : offsets[t] + widths[t]]
            ys = x[second[p], offsets[t] : offsets[t] + widths[t]]
            c, s = cos[t, p], sin[t, p]
            for i in range(xs.size):
                turned = subtract(scaled(xs[i], c, rule), scaled(ys[i], s, rule), rule)
                ys[i] = add(scaled(ys[i], c, rule), scaled(xs[i], s, rule), rule)
                xs[i] = turned
