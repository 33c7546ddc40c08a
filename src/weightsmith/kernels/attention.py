"""Loops for attention.

Position t has widths[t] columns, from offsets[t] on; its column i sees column i mod widths[s] of position s. Columns
are taken in chunks. A chunk lies within a period of a position with as many columns or more; of positions with fewer,
`spread` repeats the columns to fill a chunk, once for the whole run.

Loops over packs run over the end of a position: they read and write what follows. The positions are written in order,
so that what was written too far is written again, and rows are a pack longer than they need to be.
"""

from typing import Any

import numba as nb
import numpy as np

from weightsmith.kernels.instructions import PACK_BYTES, filled, load, store
from weightsmith.kernels.operations import (
    add,
    bounded,
    fits,
    multiply,
    place_of,
    prepared,
    quotients,
    scaled,
    share,
    subtract,
)

PERIOD = 64
TILE = 2048


def spread(x: Any, widths: Any, offsets: Any, chunk: int, out: Any) -> None:
    """Repeat the columns of each narrow position until they fill a chunk: out[position · rows + row, column]."""
    periods = np.empty(2 * PERIOD, x.dtype)
    for s in range(widths.size):
        width = widths[s]
        if width < chunk:
            size = width if width > PERIOD else width * (1 + PERIOD // width)  # some whole periods, copied as one
            for r in range(x.shape[0]):
                source = x[r, offsets[s] : offsets[s] + width]
                if width <= PERIOD:
                    for i in range(size):
                        periods[i] = source[i % width]
                    source = periods[:size]
                row = out[s * x.shape[0] + r]
                for a in range(0, chunk, size):
                    here = row[a : min(a + size, chunk)]
                    for i in range(here.size):
                        here[i] = source[i]


@nb.njit
def _size(row: Any) -> Any:
    """Give the largest absolute value."""
    least, most = row.dtype.type(0), row.dtype.type(0)
    for i in range(row.size):
        least, most = min(least, row[i]), max(most, row[i])
    return max(-least, most)


@nb.njit
def _places(t: int, a: int, chunk: int, widths: Any, offsets: Any, out: Any) -> None:
    """Say for each position s where the columns from a on at position t begin there; −1 where they are spread."""
    for s in range(widths.size):
        out[s] = -1 if widths[s] < min(chunk, widths[t]) else offsets[s] + a % widths[s]


def score(
    q: Any, k: Any, tiles: Any, chunk: int, relative: Any, widths: Any, offsets: Any, causal: bool, out: Any, rule: Any
) -> None:
    """Set out[s, column] to ⟨q, k_s⟩, or to ⟨q, k_s ⊕ a⟩ with the row `a` of `relative` for the distance.

    What is in q becomes its prepared values.
    """
    zero, pack, size = q.dtype.type(0), PACK_BYTES // q.itemsize, q.shape[0]
    columns = offsets[-1] + widths[-1]
    small = np.empty(size, np.bool_)
    for c in range(size):
        small[c] = fits(_size(q[c, :columns]), _size(k[c, :columns]), rule) and relative.shape[0] == 0
        for i in range(columns):
            q[c, i] = prepared(q[c, i], rule)
    places = np.empty(widths.size, np.int64)
    for t in range(widths.size):
        for a in range(0, widths[t], chunk):
            _places(t, a, chunk, widths, offsets, places)
            for i in range(0, min(chunk, widths[t] - a), pack):
                here = offsets[t] + a + i
                for s in range(t + 1 if causal else widths.size):
                    o, place = filled(zero), places[s]
                    for c in range(size):
                        qs = load(q, c, here)
                        ks = load(tiles, s * size + c, i) if place < 0 else load(k, c, place + i)
                        if small[c]:
                            o = add(o, bounded(ks, qs, rule), rule)
                        elif relative.shape[0] == 0:
                            o = add(o, multiply(ks, qs, rule), rule)
                        else:
                            ks = add(ks, relative[min(t - s, relative.shape[0] - 1), c], rule)
                            o = add(o, multiply(ks, qs, rule), rule)
                    store(out, s, here, o)


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


def penalise(scores: Any, by_distance: Any, widths: Any, offsets: Any, causal: bool, rule: Any) -> None:
    """Add to every score what belongs to its distance."""
    for t in range(widths.size):
        for s in range(t + 1 if causal else widths.size):
            xs = scores[s, offsets[t] : offsets[t] + widths[t]]
            for i in range(xs.size):
                xs[i] = add(xs[i], by_distance[abs(t - s)], rule)


def mix(
    weights: Any, v: Any, tiles: Any, chunk: int, relative: Any, widths: Any, offsets: Any, causal: bool, out: Any,
    rule: Any,
) -> None:  # fmt: skip
    """Set out to Σ weight_s ⊗ v_s, or to Σ weight_s ⊗ (v_s ⊕ a); no weight is above 1."""
    zero, pack, size = v.dtype.type(0), PACK_BYTES // v.itemsize, v.shape[0]
    shares, places = np.empty((widths.size, pack), v.dtype), np.empty(widths.size, np.int64)
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for a in range(0, widths[t], chunk):
            _places(t, a, chunk, widths, offsets, places)
            for i in range(0, min(chunk, widths[t] - a), pack):
                here = offsets[t] + a + i
                for s in range(visible):
                    store(shares, s, 0, share(load(weights, s, here), rule))
                for c in range(size):
                    o = filled(zero)
                    for s in range(visible):
                        place = places[s]
                        vs = load(tiles, s * size + c, i) if place < 0 else load(v, c, place + i)
                        if relative.shape[0] > 0:
                            vs = add(vs, relative[min(t - s, relative.shape[0] - 1), c], rule)
                        o = add(o, scaled(vs, load(shares, s, 0), rule), rule)
                    store(out, c, here, o)


@nb.njit
def _largest(scores: Any, visible: int, here: int, out: Any) -> None:
    out[:] = scores[0, here : here + out.size]
    for s in range(1, visible):
        xs = scores[s, here : here + out.size]
        for i in range(out.size):
            out[i] = max(out[i], xs[i])


def shift(scores: Any, widths: Any, offsets: Any, causal: bool, rule: Any) -> None:
    """Subtract the largest score."""
    scratch = np.empty(TILE, scores.dtype)
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for a in range(0, widths[t], TILE):
            here, most = offsets[t] + a, scratch[: min(TILE, widths[t] - a)]
            _largest(scores, visible, here, most)
            for s in range(visible):
                xs = scores[s, here : here + most.size]
                for i in range(most.size):
                    xs[i] = subtract(xs[i], most[i], rule)


def look_up(scores: Any, widths: Any, offsets: Any, causal: bool, table: Any, place: Any, rule: Any) -> None:
    """Replace scores by their exponentials."""
    for t in range(widths.size):
        for s in range(t + 1 if causal else widths.size):
            xs = scores[s, offsets[t] : offsets[t] + widths[t]]
            for i in range(xs.size):
                xs[i] = table[place_of(xs[i], place, rule)]


def normalise(e: Any, widths: Any, offsets: Any, causal: bool, empty: Any, shares: Any, exact: Any, rule: Any) -> int:
    """Divide exponentials by their sum; say in `empty` of each column whether it was 0, and then give shares[m].

    Give a column whose sum is not finite, or −1 for none.
    """
    wrong = -1
    scratch = np.empty(TILE, e.dtype)
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for a in range(0, widths[t], TILE):
            here, z = offsets[t] + a, scratch[: min(TILE, widths[t] - a)]
            z[:] = 0
            for s in range(visible):
                xs = e[s, here : here + z.size]
                for i in range(z.size):
                    z[i] = add(z[i], xs[i], rule)
            none = empty[here : here + z.size]
            for i in range(z.size):
                none[i] = z[i] == 0
                z[i] = z[i] if z[i] != 0 else e.dtype.type(1)  # all that is divided by it is 0
                wrong = wrong if np.isfinite(z[i]) else here + i
            for s in range(visible):
                xs = e[s, here : here + z.size]
                quotients(xs, z, exact, rule)
                if shares[visible] != 0:
                    for i in range(z.size):
                        xs[i] = shares[visible] if none[i] else xs[i]
    return wrong


def choose(scores: Any, widths: Any, offsets: Any, causal: bool, which: int, shares: Any) -> None:
    """Replace scores by shares[m] on each of the m largest (which = 0), or shares[1] on their first (1) or last (2)."""
    for t in range(widths.size):
        visible = t + 1 if causal else widths.size
        for i in range(offsets[t], offsets[t] + widths[t]):
            most = scores[0, i]
            first, last, count = 0, 0, 1
            for s in range(1, visible):
                if scores[s, i] > most:
                    most, first, last, count = scores[s, i], s, s, 1
                elif scores[s, i] == most:
                    last, count = s, count + 1
            for s in range(visible):
                chosen = scores[s, i] == most if which == 0 else s == (first if which == 1 else last)
                scores[s, i] = shares[count if which == 0 else 1] if chosen else scores.dtype.type(0)
