"""The weights of a transformer in the machine's own type, heads of one kind stacked for one product."""

import math
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Weights
from weightsmith.arithmetic.immutable import neighbours
from weightsmith.model import Attention, AttentionPositions, Transformer, Weighting
from weightsmith.model.frozen import same_memory
from weightsmith.model.head_groups import head_groups

Floats: TypeAlias = npt.NDArray[Any]  # float32 or float64
Which: TypeAlias = npt.NDArray[np.intp]
Pair: TypeAlias = tuple[Weights, Weights | None]  # a matrix and its bias


@dataclass(frozen=True, eq=False)
class Heads:
    """Heads that see the same, with the same sizes, weighting and kind of positions.

    Keys and values that several share are there once.
    """

    first: int  # the place of the first of them in the block
    count: int
    W_Q: Floats  # (heads · key size, lanes)
    W_K: Floats  # (different keys · key size, lanes)
    W_V: Floats  # (different values · value size, lanes)
    W_O: Floats  # (lanes, heads · value size)
    b_Q: Floats | None
    b_K: Floats | None
    b_V: Floats | None
    weighting: Weighting
    strict: bool
    window: int | None
    schemes: tuple[AttentionPositions, ...]
    which_keys: Which | None  # by head, where some are shared
    which_values: Which | None
    key_offsets: Floats | None  # (heads, distances, key size)
    value_offsets: Floats | None


def times(x: Floats, W: Floats) -> Floats:
    """Return W x for vectors (…, columns): one product for all of them, which is faster than one for each input."""
    if x.ndim == 2:
        return x @ W.T
    return (x.reshape(math.prod(x.shape[:-1]), x.shape[-1]) @ W.T).reshape(*x.shape[:-1], len(W))


_KNOWN: dict[int, tuple[tuple[Heads, ...], ...]] = {}  # by the identity of a transformer, as long as that lives


def prepared(T: Transformer) -> tuple[tuple[Heads, ...], ...]:
    """Return the stacked heads of each block, which are made once for a transformer."""
    if id(T) not in _KNOWN:
        dtype = T.arithmetic.stored
        _KNOWN[id(T)] = tuple(groups(T, block.attention, dtype) if block.attention else () for block in T.blocks)
        weakref.finalize(T, _KNOWN.pop, id(T), None)
    return _KNOWN[id(T)]


def groups(T: Transformer, attention: Attention, dtype: np.dtype[Any], shared_once: bool = True) -> tuple[Heads, ...]:
    """Return the heads of a block by kinds: neighbours that are computed together, their weights below each other.

    With `shared_once=False` each head has its own keys and values, also where others have the same.
    """
    result = []
    for group in head_groups(T, attention):
        heads = group.heads
        keys, which_keys = _different([(head.W_K, head.b_K) for head in heads], shared_once)
        values, which_values = _different([(head.W_V, head.b_V) for head in heads], shared_once)

        def stack(arrays: Iterable[Weights], axis: int = 0) -> Floats:
            return joined(list(arrays), axis).astype(dtype, copy=False)

        result.append(
            Heads(
                group.first,
                len(heads),
                stack(head.W_Q for head in heads),
                stack(W for W, _ in keys),
                stack(W for W, _ in values),
                stack((head.W_O for head in heads), axis=1),
                _biases([head.b_Q for head in heads], len(heads[0].W_Q), dtype),
                _biases([b for _, b in keys], len(heads[0].W_K), dtype),
                _biases([b for _, b in values], len(heads[0].W_V), dtype),
                heads[0].weighting,
                heads[0].strict,
                heads[0].window,
                group.schemes,
                which_keys,
                which_values,
                stacked([scheme.key_offsets() for scheme in group.schemes], dtype),
                stacked([scheme.value_offsets() for scheme in group.schemes], dtype),
            )
        )
    return tuple(result)


def stacked(tables: Sequence[Weights | None], dtype: np.dtype[Any]) -> Floats | None:
    """Return the tables of similar heads as one array (heads, …); None if they have none."""
    present = [table for table in tables if table is not None]
    return np.stack(present).astype(dtype) if present else None


def joined(arrays: Sequence[Weights], axis: int) -> Floats:
    """Return arrays one after the other along an axis: those that lie so in memory already are not copied.

    A copy has its columns one after the other, which BLAS multiplies faster: see `times`.
    """
    whole = neighbours(arrays, axis)
    return np.asfortranarray(np.concatenate(arrays, axis=axis)) if whole is None else whole


def _different(pairs: Sequence[Pair], once: bool) -> tuple[Sequence[Pair], Which | None]:
    """Return the different ones of pairs, and which of them each was; None where none repeats, or all are wanted."""
    if not once:
        return pairs, None
    known: dict[object, list[int]] = {}  # places of the different ones, by a part that is quickly looked at
    different, which = list[Pair](), list[int]()
    for pair in pairs:
        alike = known.setdefault((pair[0].shape, pair[0][:1].tobytes()), [])
        place = next((n for n in alike if _equal(different[n], pair)), len(different))
        if place == len(different):
            alike.append(place)
            different.append(pair)
        which.append(place)
    return different, None if len(different) == len(pairs) else np.array(which, np.intp)


def _equal(one: Pair, other: Pair) -> bool:
    both_none = one[1] is None and other[1] is None
    biases = both_none or (one[1] is not None and other[1] is not None and np.array_equal(one[1], other[1]))
    return biases and (same_memory(one[0], other[0]) or np.array_equal(one[0], other[0]))


def _biases(biases: Sequence[Weights | None], size: int, dtype: np.dtype[Any]) -> Floats | None:
    if all(bias is None for bias in biases):
        return None
    return np.concatenate([np.zeros(size, dtype) if bias is None else bias.astype(dtype) for bias in biases])
