"""Loops for attention.

Columns are processed in chunks. A chunk lies within a period of a position with as many columns or more; the columns of
narrower positions are repeated to fill a chunk, once for the whole run.

A chunk is processed in SIMD vectors, and the scores of one stay in the cache until its values are mixed. The last
vector of a chunk runs over its end. Columns are written in order, so that columns beyond the end are overwritten later,
and rows have padding.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from weightsmith.kernels.packed.access import address, entry, load, load_at, store
from weightsmith.kernels.packed.instructions import SIMD_BYTES, filled, inlined, internal, minus, most
from weightsmith.kernels.packed.representation import (
    BoundedFactor,
    Factor,
    add,
    bounded_factor,
    factor,
    fits,
    largest_size,
    left_shift,
    multiply,
    multiply_bounded,
    multiply_unit,
    stored_unit,
    subtract,
    unit_factor,
)
from weightsmith.kernels.packed.weighing import Weighting, choose, exponentiate, normalise


class Stage(IntEnum):
    """Which part of attention to do: all, or the part before or after exponentials without a table."""

    ALL = 0
    BEFORE = 1
    AFTER = 2


class Levels(NamedTuple):
    """Position t has widths[t] columns, from offsets[t] on; its column i sees column i mod widths[s] of position s.

    It sees the positions s < t + ahead: with 1 those up to itself, with 0 those before it, with many all of them.
    The positions before `first` have keys and values only: columns of queries are counted from those of `first` on.
    """

    widths: Any
    offsets: Any
    chunk: int  # columns of a chunk
    ahead: int
    first: int


class Rows(NamedTuple):
    """Queries of a head, its keys followed by its values, and its mixed values."""

    q: Any
    kv: Any
    out: Any


class Distances(NamedTuple):
    """Tables by distance; an absent table has no rows."""

    keys: Any  # (distances, key size), added to keys
    values: Any  # (distances, value size), added to values
    penalties: Any  # (distances), added to scores


class Room(NamedTuple):
    """Arrays to work in; a vector is a SIMD vector of columns."""

    tiles: Any  # (positions · (key size + value size), chunk): keys and values of narrow positions, repeated
    scores: Any  # (positions, columns), written or read by the stages that are not ALL
    weights: Any  # (positions, vector)
    total: Any  # (1, vector)
    queries: Any  # (key size, vector): right factors
    bounded: Any  # (key size): whether they are of `multiply_bounded`
    shifts: Any  # (key size): by how many bits its left factors are shifted
    sizes: Any  # (key size): the largest absolute value of keys so far, 0 at the beginning
    addresses: Any  # (2, positions): where keys and values begin, and the bytes to the next row
    empty: Any  # (columns): whether all weights were 0


def attend(
    rows: Any, levels: Any, distances: Any, weigher: Any, room: Any, stage: int, rounding: Any, constants: Any
) -> int:
    """Set rows.out to the values, weighted by the scores of the keys for the queries.

    Return a column with a sum that is not finite, or −1 for none.
    """
    widths, offsets, chunk, positions = levels.widths, levels.offsets, levels.chunk, levels.widths.size
    simd, wrong, before = SIMD_BYTES // rows.q.itemsize, -1, offsets[levels.first]
    _repeat(rows.kv, levels, room.tiles)
    if stage != Stage.AFTER:
        columns = offsets[positions - 1] + widths[positions - 1] - before
        _survey_rows(rows, before, columns, distances.keys.shape[0] > 0, room, constants)
    for t in range(levels.first, positions):
        visible = min(t + levels.ahead, positions)
        for a in range(0, widths[t], chunk):
            end = min(chunk, widths[t] - a)
            _find_rows(rows.kv, t, a, levels, visible, room)
            for i in range(0, end, simd):
                here, count = offsets[t] - before + a + i, min(simd, end - i)
                if stage == Stage.AFTER:
                    for s in range(visible):
                        store(room.weights, s, 0, load(room.scores, s, here))
                else:
                    _score_all(rows, here, i, t, visible, distances, room, constants)
                if stage == Stage.BEFORE:
                    for s in range(visible):
                        store(room.scores, s, here, load(room.weights, s, 0))
                    continue
                if weigher.weighting < Weighting.SOFTMAX:
                    choose(room.weights, visible, count, weigher)
                else:
                    if stage == Stage.ALL:
                        exponentiate(room.weights, visible, count, weigher, constants)
                    bad = normalise(room, here, visible, count, weigher.equal_parts[visible], rounding, constants)
                    wrong = here + bad if bad >= 0 else wrong
                _mix_all(rows, here, i, t, visible, distances.values, room, constants)
    return wrong


@internal
def _repeat(x: Any, levels: Any, out: Any) -> None:
    """Repeat the columns of each narrow position until they fill a chunk: out[position · rows + row, column]."""
    for s in range(levels.widths.size):
        width, offset = levels.widths[s], levels.offsets[s]
        if width < levels.chunk:
            for r in range(x.shape[0]):
                row = s * x.shape[0] + r
                for i in range(width):
                    out[row, i] = x[r, offset + i]
                for i in range(width, levels.chunk):
                    out[row, i] = out[row, i - width]


@internal
def _survey_rows(rows: Any, before: int, columns: int, relative: bool, room: Any, constants: Any) -> None:
    """Note for each coordinate whether all its products are bounded; keys before those of `columns` are noted."""
    for c in range(rows.q.shape[0]):
        size = max(room.sizes[c], _largest(rows.kv, c, before, columns, constants))
        room.sizes[c] = size
        room.bounded[c] = not relative and fits(size, _largest(rows.q, c, np.int64(0), columns, constants), constants)
        room.shifts[c] = left_shift(size, constants)


@internal
def _largest(x: Any, r: int, first: int, columns: int, constants: Any) -> Any:
    """Return the largest absolute value among some columns of a row, or a little beyond them."""
    zero = x.dtype.type(0)
    sizes = filled(zero)
    for i in range(0, columns, SIMD_BYTES // x.itemsize):
        xs = load(x, r, first + i)
        sizes = most(sizes, most(xs, minus(zero, xs)))
    return largest_size(sizes, constants)


@internal
def _find_rows(x: Any, t: int, a: int, levels: Any, visible: int, room: Any) -> None:
    """Say for each position s where, for the columns from a on at position t, its first row begins, and the next."""
    narrow = min(levels.chunk, levels.widths[t])
    for s in range(visible if x.shape[0] > 0 else 0):
        width = levels.widths[s]
        if width < narrow:
            room.addresses[0, s] = address(room.tiles, s * x.shape[0], 0)
            room.addresses[1, s] = room.tiles.shape[1] * x.itemsize
        else:
            room.addresses[0, s] = address(x, 0, levels.offsets[s] + a % width)
            room.addresses[1, s] = x.shape[1] * x.itemsize


@inlined
def _score_all(rows: Any, here: int, i: int, t: int, visible: int, distances: Any, room: Any, constants: Any) -> None:
    """Set the first weights to the scores of all visible positions for the columns from `here` on."""
    relative = distances.keys.shape[0]
    for c in range(rows.q.shape[0]):
        qs = load(rows.q, c, here)
        if room.bounded[c]:
            store(room.queries, c, 0, bounded_factor(qs, room.shifts[c], constants).value)
        else:
            store(room.queries, c, 0, factor(qs, constants).value)
    for s in range(visible):
        if relative == 0:
            o = _score(rows, i, s, room, constants)
        else:
            o = _score_relative(rows, i, s, min(t - s, relative - 1), distances.keys, room, constants)
        if distances.penalties.size > 0:
            o = add(o, distances.penalties[abs(t - s)], constants)
        store(room.weights, s, 0, o)


@inlined
def _score(rows: Any, i: int, s: int, room: Any, constants: Any) -> Any:
    """Return ⟨q, k_s⟩ for a SIMD vector of columns."""
    start, step = room.addresses[0, s] + i * rows.q.itemsize, room.addresses[1, s]
    o, c, size = filled(rows.q.dtype.type(0)), 0, rows.q.shape[0]
    while c < size:
        while c < size and entry(room.bounded, c) == 1:  # most of them: a loop of its own stays in registers
            bounded = BoundedFactor(load(room.queries, c, 0), entry(room.shifts, c))
            o = add(o, multiply_bounded(load_at(rows.kv, room.tiles, start + c * step), bounded, constants), constants)
            c += 1
        if c < size:
            any_factor = Factor(load(room.queries, c, 0))
            o = add(o, multiply(load_at(rows.kv, room.tiles, start + c * step), any_factor, constants), constants)
            c += 1
    return o


@inlined
def _score_relative(rows: Any, i: int, s: int, distance: int, keys: Any, room: Any, constants: Any) -> Any:
    """Return ⟨q, k_s ⊕ the key of the distance⟩ for a SIMD vector of columns."""
    start, step = room.addresses[0, s] + i * rows.q.itemsize, room.addresses[1, s]
    o = filled(rows.q.dtype.type(0))
    for c in range(rows.q.shape[0]):
        k = add(load_at(rows.kv, room.tiles, start + c * step), keys[distance, c], constants)
        o = add(o, multiply(k, Factor(load(room.queries, c, 0)), constants), constants)
    return o


@inlined
def _mix_all(rows: Any, here: int, i: int, t: int, visible: int, relative: Any, room: Any, constants: Any) -> None:
    """Set out to the mixed values in every coordinate, for the columns from `here` on."""
    for s in range(visible):
        store(room.weights, s, 0, unit_factor(load(room.weights, s, 0), constants).value)
    for c in range(rows.out.shape[0]):
        if relative.shape[0] == 0:
            store(rows.out, c, here, _mix(rows, i, c, visible, room, constants))
        else:
            store(rows.out, c, here, _mix_relative(rows, i, c, t, visible, relative, room, constants))


@inlined
def _value(rows: Any, i: int, c: int, s: int, room: Any) -> Any:
    """Return the values at position s in coordinate c."""
    start, step = room.addresses[0, s], room.addresses[1, s]
    return load_at(rows.kv, room.tiles, start + (rows.q.shape[0] + c) * step + i * rows.q.itemsize)


@inlined
def _mix(rows: Any, i: int, c: int, visible: int, room: Any, constants: Any) -> Any:
    """Return Σ weight_s ⊗ v_s for a SIMD vector of columns, in coordinate c; no weight is above 1."""
    o = filled(rows.q.dtype.type(0))
    for s in range(visible):
        weight = stored_unit(load(room.weights, s, 0), constants)
        o = add(o, multiply_unit(_value(rows, i, c, s, room), weight, constants), constants)
    return o


@inlined
def _mix_relative(rows: Any, i: int, c: int, t: int, visible: int, relative: Any, room: Any, constants: Any) -> Any:
    """Return Σ weight_s ⊗ (v_s ⊕ the entry for the distance): a loop of its own, for `_mix` stays in registers so."""
    o = filled(rows.q.dtype.type(0))
    for s in range(visible):
        weight, distance = stored_unit(load(room.weights, s, 0), constants), min(t - s, relative.shape[0] - 1)
        v = add(_value(rows, i, c, s, room), relative[distance, c], constants)
        o = add(o, multiply_unit(v, weight, constants), constants)
    return o


def rotate(x: Any, pairs: Any, cos: Any, sin: Any, levels: Any, constants: Any) -> None:
    """Turn rows pairs[0, p] and pairs[1, p] at position t by the angle whose cosine is the unit factor cos[t, p]."""
    for t in range(levels.widths.size):
        for p in range(pairs.shape[1]):
            first, second = pairs[0, p], pairs[1, p]
            c, s = stored_unit(cos[t, p], constants), stored_unit(sin[t, p], constants)
            for i in range(levels.offsets[t], levels.offsets[t] + levels.widths[t]):
                a, b = x[first, i], x[second, i]
                turned = multiply_unit(a, c, constants), multiply_unit(b, s, constants)
                x[first, i] = subtract(turned[0], turned[1], constants)
                x[second, i] = add(multiply_unit(b, c, constants), multiply_unit(a, s, constants), constants)
