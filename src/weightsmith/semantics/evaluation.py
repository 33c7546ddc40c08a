"""Every value of a run, for every engine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.model import Transformer

Ids: TypeAlias = npt.NDArray[np.integer]  # of tokens: indices in the vocabulary
AnswerIds: TypeAlias = npt.NDArray[np.intp]  # indices in `Transformer.answers`
KeysAndValues: TypeAlias = Sequence[tuple[Array, Array]]  # [head]
Quantity: TypeAlias = Literal["decisions", "logits", "vectors", "outputs"]  # an engine's results
Sums: TypeAlias = Literal["left", "machine"]  # left folds as defined, or the order in which BLAS adds

NUMBERS_AT_ONCE = 1 << 26  # in the evaluation of inputs that run together: half a gigabyte of float64

# Replaces a value during a run: ("stream", stage, 0), ("head", block, head) for its output, ("activations", block, 0).
Change: TypeAlias = Callable[[str, int, int, Array], Array]


@dataclass(frozen=True, eq=False)
class HeadRun:
    """One head on one input, or on several of the same length: then every array has a further axis in front."""

    score: Callable[[], Array]  # returns the scores
    weights: Array  # (positions, positions); 0 where j is not visible from i
    empty: npt.NDArray[np.bool_]  # (positions): which rows had no weight
    keys: Array  # (positions, key size): after rotation
    values: Array  # (positions, value size)
    mixed: Array  # (positions, value size): Σ weight ⊗ value
    project: Callable[[Array], Array]  # W_O

    @cached_property
    def scores(self) -> Array:
        """The scores (positions, positions); 0 where j is not visible from i."""
        return self.score()

    @cached_property
    def output(self) -> Array:
        """The output (positions, lanes): what the head adds to the stream."""
        return self.project(self.mixed)


@dataclass(frozen=True)
class Past:
    """The positions before those of a run: how many, and their keys and values."""

    length: int
    blocks: Sequence[KeysAndValues]


NOTHING = Past(0, ())


@dataclass(frozen=True)
class Evaluation:
    """Every value of a run, for one input or with a further axis in front for several of the same length."""

    stream: list[Array]
    heads: list[tuple[HeadRun, ...]]
    activations: list[Array]
    logits: Array
    before: Past

    @property
    def past(self) -> Past:
        """The keys and values, for a run that continues from here."""
        length = self.before.length + self.stream[0].shape[-2]
        return Past(length, [[(head.keys, head.values) for head in heads] for heads in self.heads])


def numbers_held(T: Transformer, length: int) -> int:
    """Return roughly how many numbers the evaluation of an input of a length holds."""
    numbers = len(T.lanes)
    for block in T.blocks:
        numbers += 2 * len(T.lanes) + (len(block.feed_forward.W_1) if block.feed_forward else 0)
        for head in block.attention.heads if block.attention else ():
            numbers += 2 * length + len(head.W_K) + 2 * len(head.W_V)
    return length * numbers


def unchanged(kind: str, at: int, head: int, values: Array) -> Array:
    """Change nothing."""
    return values


def with_output(head: HeadRun, output: Array) -> HeadRun:
    """Return the run of a head with another output."""
    return replace(head, project=partial(_first, output))  # a function of this module can be pickled


def _first(output: Array, mixed: Array) -> Array:
    return output
