"""Attention in the machine's own arithmetic: heads of one kind together, every array (…, heads, positions, …)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.kernels.blas.prepared import Floats, Heads, Which, times
from weightsmith.kernels.blas.weighing import Visible, Weighing
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import HeadRun, KeysAndValues


def run_heads(
    T: Transformer,
    heads: Heads,
    h: Floats,
    past: KeysAndValues | None,
    before: int,
    name: str,
) -> tuple[list[HeadRun], Floats]:
    """Run heads on a stream (…, positions, lanes); return the run of each, and the sum of their outputs."""
    *several, length, _ = h.shape
    here = before + np.arange(length)
    q = _projected(heads.W_Q, heads.b_Q, heads.count, h)
    k = _projected(heads.W_K, heads.b_K, _different(heads.which_keys, heads.count), h)
    v = _projected(heads.W_V, heads.b_V, _different(heads.which_values, heads.count), h)
    q, k = _rotated(T, heads, q, here), _rotated(T, heads, k, here)
    k, v = _handed_out(k, heads.which_keys), _handed_out(v, heads.which_values)
    if past is not None:
        k, v = _joined([keys for keys, _ in past], k), _joined([values for _, values in past], v)
    each = [x.reshape(math.prod(several), *x.shape[-3:]) for x in (q, k, v)]
    weighing = Weighing(T, heads, each[0], each[1], each[2], before, name)
    mixed, empty = weighing.mixed()
    total = times(mixed.reshape(*h.shape[:-1], mixed.shape[-2] * mixed.shape[-1]), heads.W_O)
    mixed = np.swapaxes(mixed, 1, 2).reshape(*several, heads.count, length, -1)
    empty = empty.reshape(*several, heads.count, length)
    arrays = {"keys": k, "values": v, "mixed": mixed}
    runs: list[HeadRun] = [
        LazyHeadRun(weighing, i, empty[..., i, :], {name: x[..., i, :, :] for name, x in arrays.items()})
        for i in range(heads.count)
    ]
    return runs, total


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


class LazyHeadRun(HeadRun):
    """One of several heads; its scores, weights and output are computed when first read, because few ask for them."""

    def __init__(self, of: Weighing, i: int, empty: Visible, arrays: dict[str, Array]) -> None:
        """Take what all heads have, and those arrays of this one that are there already."""
        self.__dict__.update(arrays, empty=empty, _of=of, _i=i, _arrays=arrays)

    def __getattr__(self, name: str) -> Any:
        """Compute the scores, the weights or the output."""
        if name not in ("scores", "weights", "output"):
            raise AttributeError(name)
        i, size, W_O = self._i, self.mixed.shape[-1], self._of.heads.W_O
        if name == "output":
            made = times(self.mixed.astype(W_O.dtype, copy=False), W_O[:, i * size : (i + 1) * size])
        else:
            made = getattr(self._of, name)[:, i].reshape(*self.mixed.shape[:-1], -1)
        self.__dict__[name] = made.astype(self.mixed.dtype, copy=False)
        return self.__dict__[name]

    def as_float64(self) -> HeadRun:
        """Return the head with every number as float64; what is not there yet is computed in the machine's type."""
        if self.mixed.dtype == np.float64:
            return self
        arrays = {name: x.astype(np.float64, copy=False) for name, x in self._arrays.items()}
        return LazyHeadRun(self._of, self._i, self.empty, arrays)

    def with_output(self, output: Array) -> HeadRun:
        """Return the head with its output replaced."""
        return LazyHeadRun(self._of, self._i, self.empty, {**self._arrays, "output": output})
