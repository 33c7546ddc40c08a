"""Scores, weights and weighted sums of the heads of one kind, tile by tile.

A tile holds the scores of some inputs and heads, for some queries and for the keys that the last of these sees. It
stays in the cache from the scores to the weighted sums. A pass keeps no tile: scores and weights that somebody reads
later are computed again, by the same operations.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.kernels.blas.prepared import Floats, Heads, stacked
from weightsmith.model import Softmax, Transformer
from weightsmith.semantics.attention import empty_error, equal_part, sees, weigh
from weightsmith.semantics.layers import finite

Visible: TypeAlias = npt.NDArray[np.bool_]
NUMBERS_AT_ONCE = 1 << 18  # of scores in a tile: they stay in the cache
QUERIES_AT_ONCE = 128  # in a tile: more would compute more scores that a causal mask hides


class Tile(NamedTuple):
    """Some inputs, heads and queries, and how many keys the last of these queries sees, which are the first ones."""

    inputs: slice
    heads: slice
    queries: slice
    keys: int


@dataclass(eq=False)
class Weighing:
    """How heads weight the values that they see: arrays are (inputs, heads, positions, size)."""

    T: Transformer
    heads: Heads
    q: Floats
    k: Floats
    v: Floats
    before: int  # how many keys there are before that of the first query
    name: str  # of the block

    def __post_init__(self) -> None:
        """Look up the penalties of the positions, which tiles read again and again."""
        A, length = self.T.arithmetic, self.k.shape[-2]
        self._penalties = stacked([scheme.penalties(A, length) for scheme in self.heads.schemes], self.q.dtype)

    def mixed(self) -> tuple[Floats, Visible]:
        """Return the weighted sums (inputs, positions, heads, size), and which rows of weights are empty."""
        count, heads, length, _ = self.q.shape
        result = np.empty((count, length, heads, self.v.shape[-1]), self.v.dtype)
        sums, empty = np.swapaxes(result, 1, 2), np.empty((count, heads, length), bool)
        for tile in self._tiles():
            place = tile[:3]
            weights, empty[place] = self._weights(tile)
            np.matmul(weights, self.v[tile.inputs, tile.heads, : tile.keys], out=sums[place])
            if self.heads.value_offsets is not None:
                offsets = self.heads.value_offsets[tile.heads]
                offsets = offsets[:, np.clip(self._distance(tile), 0, offsets.shape[-2] - 1)]
                sums[place] += np.einsum("...hij,hijd->...hid", weights, offsets)
        return result, empty

    @cached_property
    def weights(self) -> Floats:
        """The weights (inputs, heads, queries, keys)."""
        result = np.zeros((*self.q.shape[:-1], self.k.shape[-2]), self.q.dtype)
        with np.errstate(all="ignore"):
            for tile in self._tiles():
                result[*tile[:3], : tile.keys] = self._weights(tile)[0]
        return result

    @cached_property
    def scores(self) -> Floats:
        """The scores, with 0 where a key is not visible from a query."""
        with np.errstate(all="ignore"):
            scores = self._scores(self._whole)
        np.copyto(scores, 0, where=~self._visible(self._whole))
        return scores

    @property
    def _whole(self) -> Tile:
        return Tile(slice(None), slice(None), slice(0, self.q.shape[-2]), self.k.shape[-2])

    def _tiles(self) -> Iterator[Tile]:
        count, heads, length, _ = self.q.shape
        keys = max(1, self.k.shape[-2])
        rows = max(1, min(length, QUERIES_AT_ONCE, NUMBERS_AT_ONCE // keys))
        some_heads = max(1, min(heads, NUMBERS_AT_ONCE // (rows * keys)))
        some_inputs = max(1, NUMBERS_AT_ONCE // (some_heads * rows * keys))
        for head in range(0, heads, some_heads):
            for first in range(0, count, some_inputs):
                for row in range(0, length, rows):
                    queries = slice(row, min(row + rows, length))
                    seen = max(1, self._seen_from(queries.stop - 1))
                    yield Tile(slice(first, first + some_inputs), slice(head, head + some_heads), queries, seen)

    def _seen_from(self, query: int) -> int:
        """Return how many keys a query sees: these are the first ones."""
        keys, causal = int(self.k.shape[-2]), self.T.mask == "causal"
        seen = self.before + query + (0 if self.heads.strict else 1)
        return min(keys, seen) if causal or self.heads.strict else keys

    def _hidden_from(self, tile: Tile) -> int:
        """Return the first key of a tile that some of its queries may not see."""
        window, farthest = (
            self.heads.window,
            self.before + tile.queries.stop - 1,
        )  # from the last query to the first key
        return 0 if window is not None and window <= farthest else self._seen_from(tile.queries.start)

    def _distance(self, tile: Tile, first: int = 0) -> npt.NDArray[np.intp]:
        """Return the distances from the queries of a tile to its keys from a first one on."""
        rows = np.arange(tile.queries.start, tile.queries.stop)[:, np.newaxis]
        return self.before + rows - np.arange(first, tile.keys)

    def _visible(self, tile: Tile, first: int = 0) -> Visible:
        return sees(self.T, self.heads, self._distance(tile, first))

    def _scores(self, tile: Tile) -> Floats:
        """Return the scores of a tile, also where a key is not visible from a query."""
        q = self.q[tile[:3]]
        scores: Floats = q @ np.swapaxes(self.k[tile.inputs, tile.heads, : tile.keys], -1, -2)
        if self.heads.key_offsets is not None:
            offsets = self.heads.key_offsets[tile.heads]
            by_distance = q @ np.swapaxes(offsets, -1, -2)  # (inputs, heads, queries, distances)
            rows = np.broadcast_to(np.clip(self._distance(tile), 0, offsets.shape[-2] - 1), scores.shape)
            scores += np.take_along_axis(by_distance, rows, axis=-1)
        if self._penalties is not None:
            scores += self._penalties[tile.heads][:, np.abs(self._distance(tile))]
        return scores

    def _weights(self, tile: Tile) -> tuple[Floats, Visible]:
        """Return the weights of a tile, and which of its rows have an empty softmax."""
        weighting = self.heads.weighting
        if not isinstance(weighting, Softmax):
            seen, visible = self._finite_scores(tile), self._visible(tile)
            weights, empty = weigh(self.T.arithmetic.core, weighting, seen.astype(np.float64), visible, self.name)
            return weights.astype(seen.dtype), empty
        x = self._scores(tile)
        if not isfinite(x.sum()):  # a finite sum has finite terms
            x = self._finite_scores(tile)  # invisible scores may be infinite
        first = self._hidden_from(tile)
        if first < tile.keys:
            np.copyto(x[..., first:], -np.inf, where=~self._visible(tile, first))  # exp gives 0 there
        largest = x.max(axis=-1, keepdims=True)
        if weighting.shifted:
            # a row that sees nothing keeps exp(−inf), which is 0
            x -= largest if first > 0 else np.where(largest == -np.inf, 0, largest)
        np.exp(x, out=x)
        z = self._finite(tile, x.sum(axis=-1, keepdims=True))
        return self._divided(tile, weighting, x, largest, z)

    def _divided(self, tile: Tile, weighting: Softmax, x: Floats, largest: Floats, z: Floats) -> tuple[Floats, Visible]:
        """Divide exponentials by their sums in place; rows whose sum is 0 follow `weighting.empty`."""
        A, empty = self.T.arithmetic, z == 0
        if not empty.any():
            x /= z
            return x, empty[..., 0]
        x /= np.where(empty, 1, z)
        if weighting.empty == "error":
            where = tuple(np.argwhere(empty)[0])
            row, name = tile.queries.start + int(where[-2]), self._name(tile.heads.start + int(where[-3]))
            raise empty_error(A, self._visible(self._whole), row, float(largest[where]), name)
        if weighting.empty == "uniform":
            visible = self._visible(tile)
            x = np.where(empty & visible, equal_part(A.core, visible), x).astype(x.dtype)
        return x, empty[..., 0]

    def _finite_scores(self, tile: Tile) -> Floats:
        """Return the scores of a tile, with 0 where a key is not visible; refuse those that overflowed."""
        scores = self._scores(tile)
        np.copyto(scores, 0, where=~self._visible(tile))
        return self._finite(tile, scores)

    def _finite(self, tile: Tile, values: Floats) -> Floats:
        """Return values of a tile as they are, or name the first head that overflowed."""
        for i in range(values.shape[1] if not np.isfinite(values).all() else 0):
            finite(self.T.arithmetic, values[:, i], self._name(tile.heads.start + i))
        return values

    def _name(self, i: int) -> str:
        return f"{self.name}, head {self.heads.first + i}"
