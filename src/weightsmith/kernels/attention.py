"""Loops for attention.

Position t has widths[t] columns, from offsets[t] on; its column i sees column i mod widths[s] of position s. Columns
are taken in chunks. A chunk lies within a period of a position with as many columns or more; of positions with fewer,
`spread` repeats the columns to fill a chunk, once for the whole run.
"""

from typing import Any

import numba as nb
import numpy as np

from weightsmith.kernels.linear import TILE, WHOLE
from weightsmith.kernels.operations import (
    add,
    bounded,
    fits,
    multiply,
    place_of,
    prepared,
    quotients,
    scaled,
    subtract,
)


def spread(x: Any, widths: Any, offsets: Any, out: Any) -> None:
    """Repeat the columns of each narrow position until they fill a chunk: out[position, row, column]."""
    chunk = out.shape[2]
    periods = np.empty(2 * WHOLE, x.dtype)
    for s in range(widths.size):
        width = widths[s]
        if width < chunk:
            size = width if width > WHOLE else width * (1 + WHOLE // width)  # some whole periods, copied as one
            for r in range(x.shape[0]):
                source = x[r, offsets[s] : offsets[s] + width]
                if width <= WHOLE:
                    for i in range(size):
                        periods[i] = source[i % width]
                    source = periods[:size]
                row = out[s, r]
                for a in range(0, chunk, size):
                    here = row[a : min(a + size, chunk)]
                    for i in range(here.size):
                        here[i] = source[i]


@nb.njit
def _seen(x: Any, r: int, tiles: Any, s: int, width: int, offset: int, a: int, size: int) -> Any:
    """Give what a chunk of columns from a on sees of row r at position s."""
    if width < size:
        return tiles[s, r, :size]
    start = offset + a % width
    return x[r, start : start + size]


@nb.njit
def _size(row: Any) -> Any:
    """Give the largest absolute value."""
    least, most = row.dtype.type(0), row.dtype.type(0)
    for i in range(row.size):
        least, most = min(least, row[i]), max(most, row[i])
    return max(-least, most)


def score(
    q: Any, k: Any, tiles: Any, relative: Any, widths: Any, offsets: Any, causal: bool, out: Any, rule: Any
) -> None:
    """Set out[s, column] to ⟨q, k_s⟩, or to ⟨q, k_s ⊕ a⟩ with the row `a` of `relative` for the distance."""
    chunk = tiles.shape[2]
    small = np.empty(q.shape[0], np.bool_)
    for c in range(q.shape[0]):
        small[c] = fits(_size(q[c]), _size(k[c]), rule)
    for t in range(widths.size):
        for a in range(0, widths[t], chunk):
            size = min(chunk, widths[t] - a)
            here = offsets[t] + a
            for s in range(t + 1 if causal else widths.size):
                o = out[s, here : here + size]
                for i in range(size):
                    o[i] = 0
                for c in range(q.shape[0]):
                    qs, ks = q[c, here : here + size], _seen(k, c, tiles, s, widths[s], offsets[s], a, size)
                    if relative.shape[0] > 0:
                        distance = relative[min(t - s, relative.shape[0] - 1), c]
                        for i in range(size):
                            o[i] = add(o[i], multiply(qs[i], prepared(add(ks[i], distance, rule), rule), rule), rule)
                    elif small[c]:
                        for i in range(size):
                            o[i] = add(o[i], bounded(qs[i], ks[i], rule), rule)
                    else:
                        for i in range(size):
                            o[i] = add(o[i], multiply(qs[i], prepared(ks[i], rule), rule), rule)


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
    weights: Any, v: Any, tiles: Any, relative: Any, widths: Any, offsets: Any, causal: bool, out: Any, rule: Any
) -> None:
    """Set out to Σ weight_s ⊗ v_s, or to Σ weight_s ⊗ (v_s ⊕ a); no weight is above 1."""
    chunk = tiles.shape[2]
    for t in range(widths.size):
        for a in range(0, widths[t], chunk):
            size = min(chunk, widths[t] - a)
            here = offsets[t] + a
            for c in range(v.shape[0]):
                o = out[c, here : here + size]
                for i in range(size):
                    o[i] = 0
                for s in range(t + 1 if causal else widths.size):
                    ws, vs = weights[s, here : here + size], _seen(v, c, tiles, s, widths[s], offsets[s], a, size)
                    if relative.shape[0] > 0:
                        distance = relative[min(t - s, relative.shape[0] - 1), c]
                        for i in range(size):
                            o[i] = add(o[i], scaled(ws[i], prepared(add(vs[i], distance, rule), rule), rule), rule)
                    else:
                        for i in range(size):
                            o[i] = add(o[i], scaled(ws[i], prepared(vs[i], rule), rule), rule)


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
