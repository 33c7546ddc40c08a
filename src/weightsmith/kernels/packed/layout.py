"""Layouts: which column of a fast run is which position of which input."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

MAX_CHUNK = 512  # columns of a chunk
MIN_FILL = 0.75  # the least part of its SIMD vectors that a chunk should fill
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Position t has widths[t] columns, one after the other; its column i sees column i mod widths[s] of position s.

    A *tree* shares prefixes: an input's last position is a column, and its other positions are columns of its
    prefixes. Among the columns of a position the first token changes fastest, which makes that true.
    In a *batch* every position has a column for every input.
    """

    ids: Indices  # (columns): indices in the vocabulary
    widths: Indices  # (positions)
    offsets: Indices  # (positions)
    step: int  # a position is this many times as wide as the one before, once they are wider than 1

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.ids.size

    def level(self, position: int) -> slice:
        """Return the columns of a position."""
        return slice(self.offsets[position], self.offsets[position] + self.widths[position])

    def chunk(self, simd: int) -> int:
        """Choose the size of a chunk, for SIMD vectors of a size.

        The width of each position is a multiple or a divisor of it; if no two positions have different widths above 1,
        any size will do. Small is better, because narrow positions are repeated to fill a chunk.
        """
        widths: set[int] = set(self.widths.tolist())
        if len(widths - {1}) < 2:
            return min(simd, max(widths))
        divisors = [d for d in range(1, self.step) if self.step % d == 0]
        choices = sorted(c for c in {d * w for d in divisors for w in widths} if c <= min(MAX_CHUNK, max(widths)))

        def fill(columns: int) -> float:
            return columns / (-(-columns // simd) * simd)

        return next((c for c in choices if fill(c) >= MIN_FILL), max(choices, key=fill))

    def input_at(self, column: int, whole: bool = False) -> list[int]:
        """Return the tokens up to and including a column; in a batch, if asked, the whole input that contains it."""
        position = int(np.searchsorted(self.offsets, column, side="right")) - 1
        within = column - int(self.offsets[position])
        positions = range(self.widths.size if whole else position + 1)
        return [int(self.ids[self.offsets[s] + within % self.widths[s]]) for s in positions]


def tree(vocabulary: int, stem: Sequence[int], depth: int, suffix: Sequence[int] = ()) -> Layout:
    """Lay out a stem and all its continuations by up to `depth` tokens, the longest ones with a suffix."""
    last = vocabulary**depth
    widths = [1] * len(stem) + [vocabulary**k for k in range(1, depth + 1)] + [last] * len(suffix)
    behind = np.repeat(np.asarray(suffix, dtype=np.int64), last)
    ids = np.concatenate([np.asarray(stem, dtype=np.int64), _continuations(vocabulary, depth), behind])
    return _layout(ids, widths, vocabulary)


@lru_cache(maxsize=16)
def _continuations(vocabulary: int, depth: int) -> Indices:
    levels = [np.repeat(np.arange(vocabulary), vocabulary**k) for k in range(depth)]
    return np.concatenate([np.zeros(0, np.int64), *levels])


def batch(ids: Indices) -> Layout:
    """Lay out inputs of one length, (inputs, positions)."""
    inputs, positions = ids.shape
    return _layout(np.ascontiguousarray(ids.T, dtype=np.int64).reshape(-1), [inputs] * positions, 1)


def _layout(ids: Indices, widths: list[int], step: int) -> Layout:
    sizes = np.array(widths, dtype=np.int64)
    return Layout(ids, sizes, np.cumsum(sizes) - sizes, step)


@lru_cache(maxsize=64)
def ranks(vocabulary: int, depth: int) -> Indices:
    """Return the rank in vocabulary order of each column of a tree's level, `depth` below the stem."""
    result = np.zeros(1, dtype=np.int64)
    for _ in range(depth if vocabulary > 1 else 0):
        result = (result * vocabulary + np.arange(vocabulary)[:, np.newaxis]).reshape(-1)
    return result
