"""Inputs with a common prefix: all continuations, or a selection, in vocabulary order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.model import separator

Input: TypeAlias = str | tuple[str, ...]
Truths: TypeAlias = npt.NDArray[np.bool_]
TokenIds: TypeAlias = npt.NDArray[np.int64]


def written(vocabulary: Sequence[str], ids: Sequence[int]) -> Input:
    """Return an input as one writes it: a text where every token is one character, else a tuple of tokens."""
    tokens = tuple(vocabulary[i] for i in ids)
    return tokens if separator(vocabulary) else "".join(tokens)


def input_text(tokens: Input) -> str:
    """Return an input as a text."""
    return tokens if isinstance(tokens, str) else " ".join(tokens)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The continuations of a stem by `depth` tokens, in vocabulary order: all of them, or the chosen ones."""

    vocabulary: tuple[str, ...]
    stem: Sequence[int]
    depth: int
    chosen: npt.NDArray[np.int64] | None = None  # ranks among all continuations, ascending

    @cached_property
    def length(self) -> int:
        """The number of tokens of each."""
        return len(self.stem) + self.depth

    def __len__(self) -> int:
        """Return the number of inputs."""
        return int(len(self.vocabulary) ** self.depth) if self.chosen is None else len(self.chosen)

    def only(self, wanted: Truths) -> "Inputs":
        """Return the wanted ones of all continuations."""
        return self if wanted.all() else replace(self, chosen=np.flatnonzero(wanted))

    def rank(self, which: int) -> int:
        """Return the rank of an input among all continuations."""
        return which if self.chosen is None else int(self.chosen[which])

    def written(self) -> Iterator[Input]:
        """Return each input as one writes it."""
        if self.chosen is not None:
            return (written(self.vocabulary, ids) for part in self.ids(1024) for ids in part.tolist())
        start = tuple(self.vocabulary[i] for i in self.stem)
        rest = product(self.vocabulary, repeat=self.depth)
        if separator(self.vocabulary):
            return (start + more for more in rest)
        first = "".join(start)
        return (first + "".join(more) for more in rest)

    def ids(self, most: int) -> Iterator[TokenIds]:
        """Return arrays of token ids (inputs, positions) with at most `most` inputs each."""
        size = len(self.vocabulary)
        powers = np.array([size**k for k in range(self.depth - 1, -1, -1)], dtype=np.int64)
        for first in range(0, len(self), most):
            end = min(first + most, len(self))
            rank = np.arange(first, end, dtype=np.int64) if self.chosen is None else self.chosen[first:end]
            stems = np.broadcast_to(np.array(self.stem, dtype=np.int64), (len(rank), len(self.stem)))
            yield np.concatenate([stems, rank[:, np.newaxis] // powers % size], axis=1)
