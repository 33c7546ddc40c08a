"""Attention in the machine's own arithmetic: heads of one kind together, every array (…, heads, positions, …)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.kernels.blas.prepared import Floats, Heads, Which, times
from weightsmith.model import Softmax, Transformer
from weightsmith.semantics.attention import empty_error, equal_part, sees, weigh
from weightsmith.semantics.evaluation import HeadRun, KeysAndValues
from weightsmith.semantics.layers import finite

Visible = npt.NDArray[np.bool_]
PER_HEAD = ("weights", "keys", "values", "mixed")  # arrays of a `HeadRun`
NUMBERS_AT_ONCE = 1 << 19  # of scores in one step: they stay in the cache


def run_heads(
    T: Transformer,
    heads: Heads,
    h: Floats,
    past: KeysAndValues | None,
    before: int,
    name: str,
) -> tuple[list[HeadRun], Floats]:
    """Run heads on a stream (…, positions, lanes); return the run of each, and the sum of their outputs."""
    here = before + np.arange(h.shape[-2])
    q = _projected(heads.W_Q, heads.b_Q, heads.count, h)
    k = _projected(heads.W_K, heads.b_K, _different(heads.which_keys, heads.count), h)
    v = _projected(heads.W_V, heads.b_V, _different(heads.which_values, heads.count), h)
    q, k = _rotated(T, heads, q, here), _rotated(T, heads, k, here)
    k, v = _handed_out(k, heads.which_keys), _handed_out(v, heads.which_values)
    if past is not None:
        k, v = _joined([keys for keys, _ in past], k), _joined([values for _, values in past], v)
    distance = here[:, np.newaxis] - np.arange(before + len(here))
    visible = sees(T, heads.strict, distance)
    scores = Scores(T, heads, q, k, distance, visible)
    weights, empty = _weights(T, heads, scores, visible, name)
    mixed = weights @ v
    _add_value_offsets(heads, weights, distance, mixed)
    total = times(np.swapaxes(mixed, -2, -3).reshape(*h.shape[:-1], -1), heads.W_O)
    arrays = dict(zip(PER_HEAD, (weights, k, v, mixed), strict=True))
    runs: list[HeadRun] = [
        LazyHeadRun(scores, i, empty=empty[..., i, :], **{name: x[..., i, :, :] for name, x in arrays.items()})
        for i in range(heads.count)
    ]
    return runs, total


def _finite(T: Transformer, heads: Heads, values: Floats, name: str) -> Floats:
    """Return values (…, heads, positions, any) as they are, or name the first head that overflowed."""
    for i in range(heads.count if not np.isfinite(values).all() else 0):
        finite(T.arithmetic, values[..., i, :, :], f"{name}, head {heads.first + i}")
    return values


def _projected(W: Floats, b: Floats | None, count: int, h: Floats) -> Floats:
    """Return (…, heads, positions, size)."""
    x = times(h, W)
    if b is not None:
        x += b
    return np.swapaxes(x.reshape(*h.shape[:-1], count, -1), -2, -3)


def _different(which: Which | None, count: int) -> int:
    """Return how many different keys or values the heads have."""
    return count if which is None else int(which.max()) + 1


def _handed_out(x: Floats, which: Which | None) -> Floats:
    """Return shared keys or values once for each head, (…, heads, positions, size)."""
    return x if which is None else x[..., which, :, :]


def _joined(past: Sequence[Floats], new: Floats) -> Floats:
    """Return the past of each head (…, positions, size), followed by the new positions."""
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


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of heads. They are computed again on demand, because the weights overwrite them."""

    T: Transformer
    heads: Heads
    q: Floats
    k: Floats
    distance: npt.NDArray[np.intp]
    visible: Visible

    def made(self) -> Floats:
        """Return the scores (…, heads, positions, positions), also where j is not visible from i."""
        heads, q, distance = self.heads, self.q, self.distance
        scores: Floats = q @ np.swapaxes(self.k, -1, -2)
        offsets = stacked([scheme.key_offsets() for scheme in heads.schemes], q.dtype)
        if offsets is not None:
            by_distance = q @ np.swapaxes(offsets, -1, -2)  # (…, heads, positions, distances)
            rows = np.broadcast_to(np.clip(distance, 0, offsets.shape[-2] - 1), scores.shape)
            scores += np.take_along_axis(by_distance, rows, axis=-1)
        length = distance.shape[-1]
        penalties = stacked([scheme.penalties(self.T.arithmetic, length) for scheme in heads.schemes], q.dtype)
        if penalties is not None:
            scores += penalties[:, np.abs(distance)]
        return scores

    @cached_property
    def shown(self) -> Floats:
        """The scores, with 0 where j is not visible from i."""
        with np.errstate(all="ignore"):
            scores = self.made()
        np.copyto(scores, 0, where=~self.visible)
        return scores


class LazyHeadRun(HeadRun):
    """One of several heads; its scores and its output are computed when first read, because few ask for them."""

    def __init__(self, of: Scores, i: int, **arrays: Any) -> None:
        """Take the scores of all heads, and the arrays of this one."""
        self.__dict__.update(arrays, _of=of, _i=i)

    def __getattr__(self, name: str) -> Any:
        """Compute the scores or the output."""
        if name not in ("scores", "output"):
            raise AttributeError(name)
        i, size, W_O = self._i, self.mixed.shape[-1], self._of.heads.W_O
        if name == "scores":
            made = self._of.shown[..., i, :, :]
        else:
            made = times(self.mixed.astype(W_O.dtype, copy=False), W_O[:, i * size : (i + 1) * size])
        self.__dict__[name] = made.astype(self.mixed.dtype, copy=False)
        return self.__dict__[name]

    def as_float64(self) -> HeadRun:
        """Return the head with every number as float64; the output is still computed in the machine's type."""
        arrays = {name: getattr(self, name).astype(np.float64, copy=False) for name in PER_HEAD}
        return LazyHeadRun(self._of, self._i, empty=self.empty, **arrays)


def _add_value_offsets(heads: Heads, weights: Floats, distance: npt.NDArray[np.intp], mixed: Floats) -> None:
    offsets = stacked([scheme.value_offsets() for scheme in heads.schemes], weights.dtype)
    if offsets is not None:
        values = offsets[:, np.clip(distance, 0, offsets.shape[-2] - 1)]
        mixed += np.einsum("...hij,hijd->...hid", weights, values)


def stacked(tables: Sequence[Array | None], dtype: np.dtype[Any]) -> Floats | None:
    """Return the tables of similar heads as one array (heads, …); None if they have none."""
    present = [table for table in tables if table is not None]
    return np.stack(present).astype(dtype) if present else None


def _weights(T: Transformer, heads: Heads, scores: Scores, visible: Visible, name: str) -> tuple[Floats, Visible]:
    weighting, A = heads.weighting, T.arithmetic
    if not isinstance(weighting, Softmax):
        seen = _finite(T, heads, scores.shown, name)
        weights, empty = weigh(A.core, weighting, seen.astype(np.float64), visible, name)
        return weights.astype(seen.dtype), empty
    weights = scores.made()
    if not np.isfinite([weights.min(initial=0), weights.max(initial=0)]).all():
        weights = _finite(T, heads, scores.shown, name).copy()  # invisible scores may be infinite
    hidden = None if visible.all() else np.where(visible, 0, -np.inf).astype(weights.dtype)
    largest, z = (np.empty((*weights.shape[:-1], 1), weights.dtype) for _ in range(2))
    at_once = max(1, NUMBERS_AT_ONCE * heads.count // max(1, weights.size))
    for first in range(0, heads.count, at_once):
        some = (..., slice(first, first + at_once), slice(None), slice(None))
        _exponentials(weights[some], hidden, weighting.shifted, largest[some], z[some])
    return _divided(T, heads, weights, largest, _finite(T, heads, z, name), visible, name)


def _exponentials(x: Floats, hidden: Floats | None, shifted: bool, largest: Floats, z: Floats) -> None:
    """Replace scores by exp(score), or 0 where j is not visible; set the largest score and the sum of each row."""
    if hidden is not None:
        x += hidden  # exp gives 0 there, also where every score is far below 0
    x.max(axis=-1, keepdims=True, out=largest)
    if shifted:
        x -= np.where(largest == -np.inf, 0, largest)  # a row that sees nothing keeps exp(−inf), which is 0
    np.exp(x, out=x)
    x.sum(axis=-1, keepdims=True, out=z)


def _divided(
    T: Transformer, heads: Heads, weights: Floats, largest: Floats, z: Floats, visible: Visible, name: str
) -> tuple[Floats, Visible]:
    """Divide exponentials by their sums in place; rows whose sum is 0 follow `weighting.empty`."""
    weighting, A, empty = heads.weighting, T.arithmetic, z == 0
    assert isinstance(weighting, Softmax)
    weights /= np.where(empty, 1, z)
    if empty.any():
        if weighting.empty == "error":
            row, head = (int(np.argwhere(empty)[0][axis]) for axis in (-2, -3))
            top = float(largest[tuple(np.argwhere(empty)[0])])
            raise empty_error(A, visible, row, top, f"{name}, head {heads.first + head}")
        if weighting.empty == "uniform":
            weights = np.where(empty & visible, equal_part(A.core, visible), weights).astype(weights.dtype)
    return weights, empty[..., 0]
