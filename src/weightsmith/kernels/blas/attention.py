"""Attention in the machine's own arithmetic: heads of one kind together, every array (…, heads, positions, …)."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.errors import ModelError
from weightsmith.kernels.blas.prepared import Floats, Heads, Which, times
from weightsmith.model import Softmax, Transformer
from weightsmith.semantics.attention import EMPTY_ERROR, equal_part, weigh
from weightsmith.semantics.evaluation import HeadRun, KeysAndValues
from weightsmith.semantics.overflow import finite

Visible = npt.NDArray[np.bool_]


def run_heads(
    T: Transformer,
    heads: Heads,
    h: Floats,
    past: KeysAndValues | None,
    before: int,
    name: str,
) -> tuple[list[HeadRun], Floats]:
    """Run heads on a stream (…, positions, lanes); give each of them, and what they add together."""
    here = before + np.arange(h.shape[-2])
    q = _projected(heads.W_Q, heads.b_Q, heads.count, h)
    k = _projected(heads.W_K, heads.b_K, _different(heads.which_keys, heads.count), h)
    v = _projected(heads.W_V, heads.b_V, _different(heads.which_values, heads.count), h)
    q, k = _rotated(T, heads, q, here), _rotated(T, heads, k, here)
    k, v = _handed_out(k, heads.which_keys), _handed_out(v, heads.which_values)
    if past is not None:
        k, v = _joined([keys for keys, _ in past], k), _joined([values for _, values in past], v)
    distance = here[:, np.newaxis] - np.arange(before + len(here))
    visible = distance >= 0 if T.mask == "causal" else np.full(distance.shape, True)
    scores = _scores(T, heads, q, k, distance)
    np.copyto(scores, 0, where=~visible)
    weights, empty = _weights(T, heads, _finite(T, heads, scores, name), visible, name)
    mixed = weights @ v
    _add_value_offsets(heads, weights, distance, mixed)
    total = times(np.swapaxes(mixed, -2, -3).reshape(*h.shape[:-1], -1), heads.W_O)
    size = v.shape[-1]
    runs = [
        HeadRun(
            scores[..., i, :, :],
            weights[..., i, :, :],
            empty[..., i, :],
            k[..., i, :, :],
            v[..., i, :, :],
            mixed[..., i, :, :],
            partial(_project, heads.W_O[:, i * size : (i + 1) * size]),
        )
        for i in range(heads.count)
    ]
    return runs, total


def _finite(T: Transformer, heads: Heads, values: Floats, name: str) -> Floats:
    """Return values (…, heads, positions, any) as they are, or name the first head that overflowed."""
    for i in range(heads.count if not np.isfinite(values).all() else 0):
        finite(T.arithmetic, values[..., i, :, :], f"{name}, head {heads.first + i}")
    return values


def _project(W_O: Floats, mixed: Floats) -> Floats:
    return times(mixed, W_O)


def _projected(W: Floats, b: Floats | None, count: int, h: Floats) -> Floats:
    """Return (…, heads, positions, size)."""
    x = times(h, W)
    if b is not None:
        x += b
    return np.swapaxes(x.reshape(*h.shape[:-1], count, -1), -2, -3)


def _different(which: Which | None, count: int) -> int:
    """Return how many different keys or values so many heads have."""
    return count if which is None else int(which.max()) + 1


def _handed_out(x: Floats, which: Which | None) -> Floats:
    """Give each head what it shares with others, (…, heads, positions, size)."""
    return x if which is None else x[..., which, :, :]


def _joined(past: Sequence[Floats], new: Floats) -> Floats:
    """Put what each head has from earlier positions (…, positions, size) in front of what is new."""
    before = past[0].shape[-2]
    result = np.empty((*new.shape[:-2], before + new.shape[-2], new.shape[-1]), new.dtype)
    for i, there in enumerate(past):
        result[..., i, :before, :] = there
    result[..., before:, :] = new
    return result


def _rotated(T: Transformer, heads: Heads, x: Floats, here: npt.NDArray[np.intp]) -> Floats:
    turns = heads.schemes[0].rotation(T.arithmetic, x.shape[-1], int(here[-1]) + 1)
    if turns is None:
        return x
    cos, sin = (table[here].astype(x.dtype) for table in (turns.cos, turns.sin))
    a, b, result = x[..., turns.first], x[..., turns.second], x.copy()
    result[..., turns.first], result[..., turns.second] = a * cos - b * sin, b * cos + a * sin
    return result


def _scores(T: Transformer, heads: Heads, q: Floats, k: Floats, distance: npt.NDArray[np.intp]) -> Floats:
    scores: Floats = q @ np.swapaxes(k, -1, -2)
    offsets = stacked([scheme.key_offsets() for scheme in heads.schemes], q.dtype)
    if offsets is not None:
        by_distance = q @ np.swapaxes(offsets, -1, -2)  # (…, heads, positions, distances)
        rows = np.broadcast_to(np.clip(distance, 0, offsets.shape[-2] - 1), scores.shape)
        scores += np.take_along_axis(by_distance, rows, axis=-1)
    length = distance.shape[-1]
    penalties = stacked([scheme.penalties(T.arithmetic, length) for scheme in heads.schemes], q.dtype)
    if penalties is not None:
        scores += penalties[:, np.abs(distance)]
    return scores


def _add_value_offsets(heads: Heads, weights: Floats, distance: npt.NDArray[np.intp], mixed: Floats) -> None:
    offsets = stacked([scheme.value_offsets() for scheme in heads.schemes], weights.dtype)
    if offsets is not None:
        values = offsets[:, np.clip(distance, 0, offsets.shape[-2] - 1)]
        mixed += np.einsum("...hij,hijd->...hid", weights, values)


def stacked(tables: Sequence[Array | None], dtype: np.dtype[Any]) -> Floats | None:
    """Return the tables of heads that are alike as one array, (heads, …); None where they have none."""
    present = [table for table in tables if table is not None]
    return np.stack(present).astype(dtype) if present else None


def _weights(T: Transformer, heads: Heads, scores: Floats, visible: Visible, name: str) -> tuple[Floats, Visible]:
    weighting, A = heads.weighting, T.arithmetic
    if not isinstance(weighting, Softmax):
        weights, empty = weigh(A.core, weighting, scores.astype(np.float64), visible, name)
        return weights.astype(scores.dtype), empty
    weights = np.where(visible, scores, -np.inf)  # exp gives 0 there, also where every score is far below 0
    largest = weights.max(axis=-1, keepdims=True)
    if weighting.shifted:
        weights -= largest
    np.exp(weights, out=weights)
    z = _finite(T, heads, weights.sum(axis=-1, keepdims=True), name)
    empty = z == 0
    weights /= np.where(empty, 1, z)
    if empty.any():
        if weighting.empty == "error":
            place, head = (int(np.argwhere(empty)[0][axis]) for axis in (-2, -3))
            top = float(largest[tuple(np.argwhere(empty)[0])])
            place += visible.shape[-1] - visible.shape[-2]  # positions that the run goes on from
            raise ModelError(EMPTY_ERROR.format(f"{name}, head {heads.first + head}", place, A, top))
        if weighting.empty == "uniform":
            weights = np.where(empty & visible, equal_part(A.core, visible), weights).astype(scores.dtype)
    return weights, empty[..., 0]
