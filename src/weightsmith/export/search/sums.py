"""Words that bring a sum towards an end: each token is the one after which some sum is largest, or smallest."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Core, Saturating, Weights
from weightsmith.errors import ModelError
from weightsmith.export.saturation import Unbounded
from weightsmith.model import Transformer
from weightsmith.semantics import Evaluation, reference
from weightsmith.semantics.evaluation import NOTHING, Ids, Past, numbers_held

WIDE = 16  # coordinates of a sum that are watched one by one; of more, the largest and the smallest
MOST_GOALS = 12
SAMPLE, SAMPLE_LENGTH = 24, 6  # random inputs that show which sums change
MOST_NUMBERS = 1 << 21  # of a step, for all goals and letters: a large model is not searched token by token


@dataclass(frozen=True, repr=False)
class Watched(Unbounded):
    """A finite arithmetic that records its sums. It computes as the arithmetic itself does."""

    sums: list[tuple[bool, Array]] = field(
        default_factory=list, compare=False
    )  # whether it is over positions, or lanes

    @property
    def core(self) -> Core:
        """The operations."""
        return _WatchedCore(self.bounded, self.sums)

    def _nearest(self, x: Array) -> Array:
        return self.bounded._nearest(x)


class _WatchedCore(Core):
    def __init__(self, A: Saturating, sums: list[tuple[bool, Array]]) -> None:
        """Take over the operations."""
        super().__init__(A)
        self._sums = sums

    def sum(self, x: Array, axis: int = -1) -> Array:
        """Return a sum over positions or lanes."""
        total = super().sum(x, axis)
        last = _at_the_end(total[..., np.newaxis] if total.ndim == 2 else total)
        kept = list(last.T) if last.shape[1] <= WIDE else [last.max(-1), last.min(-1)]
        self._sums += [(True, each) for each in kept]
        return total

    def dot(self, x: Weights, y: Weights) -> Array:
        """Return a dot product; there is one for each row of a matrix, or for each key."""
        total = super().dot(x, y)
        last = _at_the_end(total)
        self._sums += [(False, each) for each in (last.max(-1, initial=0.0), last.min(-1, initial=0.0))]
        return total


def _at_the_end(total: Array) -> Array:
    """Return what (inputs, positions, …) hold at the last position, (inputs, …); logits are of that one already."""
    if total.ndim == 2:
        return total
    return total[:, -1:].reshape(len(total), math.prod(total[:, -1:].shape[1:]))


class Seen(NamedTuple):
    """The sums of a run."""

    sums: Array  # (inputs, sums): each sum at the last position
    over_positions: npt.NDArray[np.bool_]  # (sums): whether it is one over positions, or over the lanes of a norm
    run: Evaluation


def watch(T: Transformer, ids: Ids, past: Past = NOTHING) -> Seen:
    """Run inputs (inputs, positions), and record their sums."""
    assert isinstance(T.arithmetic, Saturating)
    A = Watched(T.arithmetic)
    run = reference.evaluate(replace(T, arithmetic=A), ids, past)
    kept = [(kind, each) for kind, each in A.sums if each.shape == (len(ids),)] or [(False, np.zeros(len(ids)))]
    return Seen(np.stack([each for _, each in kept], axis=-1), np.array([kind for kind, _ in kept]), run)


def towards(T: Transformer, letters: Sequence[int], length: int) -> list[Ids]:
    """Return a word for each sum and each of its ends; nothing for a model that sees what comes later."""
    count = len(letters)
    if T.mask != "causal" or MOST_GOALS * count * max(numbers_held(T, length), T.weights) > MOST_NUMBERS:
        return []
    try:
        return _words(T, np.array(letters), length)
    except ModelError:  # a softmax without weight, or a norm's root that is 0: the original has no answer there
        return []


def _words(T: Transformer, letters: Ids, length: int) -> list[Ids]:
    goals = _goals(T, letters, length)
    if not goals:
        return []
    words, past = np.zeros((len(goals), 0), np.int64), NOTHING
    for _ in range(length):
        rows = np.repeat(np.arange(len(goals)), len(letters))
        seen = watch(T, np.tile(letters, len(goals))[:, np.newaxis], _kept(past, rows))
        best = [_best(seen.sums[rows == g, k], sign) for g, (k, sign) in enumerate(goals)]
        words = np.concatenate([words, letters[best][:, np.newaxis]], axis=1)
        past = _kept(seen.run.past, np.arange(len(goals)) * len(letters) + best)
    return list(np.unique(words, axis=0))


def _goals(T: Transformer, letters: Ids, length: int) -> list[tuple[int, float]]:
    """Return sums that are not the same after every input, each with both signs; those over positions first."""
    tried = np.random.default_rng(0).choice(letters, (SAMPLE, min(SAMPLE_LENGTH, length)))
    sums, over_positions, _ = watch(T, tried)
    changing = np.flatnonzero(np.ptp(sums, axis=0) > 0)
    first, others = (changing[over_positions[changing] == kind].tolist() for kind in (True, False))
    most = MOST_GOALS // 2
    columns = [*first[:: 1 + len(first) // (most + 1)], *others[:: 1 + len(others) // (most + 1)]][:most]
    return [(k, sign) for k in columns for sign in (1.0, -1.0)]


def _best(sums: Array, sign: float) -> int:
    return int(np.argmax(sign * sums))


def _kept(past: Past, rows: Ids) -> Past:
    """Return the past of some of the inputs."""
    return Past(past.length, [[(keys[rows], values[rows]) for keys, values in heads] for heads in past.blocks])
