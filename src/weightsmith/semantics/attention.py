"""Attention heads: every position weights the positions that it sees, and adds up their values.

`WEIGHTINGS` says how each weighting turns scores into weights; an engine that computes them in another way must equal
it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Core
from weightsmith.errors import ModelError
from weightsmith.model import (
    AttentionPositions,
    AverageHard,
    Head,
    LeftmostHard,
    RightmostHard,
    Softmax,
    Transformer,
    Weighting,
)
from weightsmith.semantics.evaluation import HeadRun
from weightsmith.semantics.layers import finite

Truths: TypeAlias = npt.NDArray[np.bool_]

EMPTY_ERROR = (
    "{}, position {}: every exp(score) rounds to 0 in {}, the largest score is {:g}; write "
    "Softmax(shifted=True), or Softmax(empty='zero') or Softmax(empty='uniform') to say what is meant"
)
UNSEEN_ERROR = (
    "{}, position {}: a strict head sees only what is before, and here that is nothing; write "
    "Softmax(empty='zero'), for no attention there"
)


def run_head(
    T: Transformer,
    head: Head,
    scheme: AttentionPositions,
    h: Array,
    past: tuple[Array, Array] | None,
    name: str,
    reads: Mapping[str, Array] | None = None,
) -> HeadRun:
    """Run one head, with its positional scheme, on a stream (…, positions, lanes) that follows past keys and values.

    Queries, keys and values may read other streams, which `reads` has under "q", "k" and "v".
    """
    A, before = T.arithmetic.core, 0 if past is None else past[0].shape[-2]
    here, reads = before + np.arange(h.shape[-2]), reads or {}
    q = scheme.rotate(A, A.affine(head.W_Q, reads.get("q", h), head.b_Q), here)
    k = scheme.rotate(A, A.affine(head.W_K, reads.get("k", h), head.b_K), here)
    v = A.affine(head.W_V, reads.get("v", h), head.b_V)
    if past is not None:
        k, v = np.concatenate([past[0], k], axis=-2), np.concatenate([past[1], v], axis=-2)
    i, j = np.meshgrid(np.arange(len(here)), np.arange(before + len(here)), indexing="ij")
    distance = here[i] - j
    visible = sees(T, head, distance)
    scores = scheme.penalty(A, A.dot(q[..., i, :], scheme.key(A, k[..., j, :], distance)), distance)
    scores = np.where(visible, scores, 0.0)
    weights, empty = weigh(A, head.weighting, finite(T.arithmetic, scores, name), visible, name)
    values = scheme.value(A, v[..., j, :], distance)
    mixed = A.sum(A.multiply(weights[..., np.newaxis], values), axis=-2)  # what is not visible adds 0: nothing
    return HeadRun(weights, empty, k, v, mixed, scores, A.matvec(head.W_O, mixed))


class Sight(Protocol):
    """What a head, or several of a kind, say about the positions that they see."""

    @property
    def strict(self) -> bool:
        """Whether they see only earlier positions."""

    @property
    def window(self) -> int | None:
        """How many positions they see, their own included; None for all."""


def sees(T: Transformer, head: Sight, distance: npt.NDArray[np.intp]) -> Truths:
    """Return, for each distance i − j, whether a head sees j from i.

    A strict head sees j < i under any mask. A window hides the positions that are `window` or more before i.
    """
    seen = distance >= 0 if T.mask == "causal" else np.full(distance.shape, True)
    seen = distance > 0 if head.strict else seen
    return seen if head.window is None else seen & (distance < head.window)


def weigh(A: Core, weighting: Weighting, scores: Array, visible: Truths, name: str) -> tuple[Array, Truths]:
    """Return the weights of each row of scores on its visible positions, and which rows have an empty softmax."""
    largest = np.where(visible, scores, -np.inf).max(axis=-1, keepdims=True)
    largest = np.where(visible.any(axis=-1, keepdims=True), largest, 0.0)  # a row that sees nothing has no largest
    return WEIGHTINGS[type(weighting)](A, weighting, scores, visible, largest, name)


def softmax(
    A: Core, weighting: Softmax, scores: Array, visible: Truths, largest: Array, name: str
) -> tuple[Array, Truths]:
    """Return exp(score) ⊘ Σ exp(score); rows whose sum is 0 follow `weighting.empty`."""
    e = np.where(visible, A.exp(A.subtract(scores, largest) if weighting.shifted else scores), 0.0)
    z = finite(A.arithmetic, A.sum(e), name)[..., np.newaxis]
    empty = z == 0
    weights = A.divide(e, np.where(empty, A.infinity, z))
    if empty.any() and weighting.empty == "error":
        where = tuple(np.argwhere(empty)[0])
        raise empty_error(A.arithmetic, visible, int(where[-2]), float(largest[where]), name)
    if weighting.empty == "uniform":
        weights = np.where(empty & visible, equal_part(A, visible), weights)
    return weights, empty[..., 0]


def _average(A: Core, best: Truths) -> Array:
    return np.where(best, equal_part(A, best), 0.0)


def _leftmost(A: Core, best: Truths) -> Array:
    return np.where(best & (np.cumsum(best, axis=-1) == 1), A.round(1.0), 0.0)


def _rightmost(A: Core, best: Truths) -> Array:
    return _leftmost(A, best[..., ::-1])[..., ::-1]


def _hard(choose: Callable[[Core, Truths], Array]) -> Callable[..., tuple[Array, Truths]]:
    """Return a weighting that depends only on which visible positions have the largest score."""

    def weights(A: Core, _: Any, scores: Array, visible: Truths, largest: Array, name: str) -> tuple[Array, Truths]:
        return choose(A, visible & (scores == largest)), np.full(scores.shape[:-1], False)

    return weights


WEIGHTINGS: dict[type[Weighting], Callable[..., tuple[Array, Truths]]] = {
    Softmax: softmax,
    AverageHard: _hard(_average),
    LeftmostHard: _hard(_leftmost),
    RightmostHard: _hard(_rightmost),
}


def empty_error(A: Arithmetic, visible: Truths, row: int, largest: float, name: str) -> ModelError:
    """Return the error for a row of attention without weight, with the reason."""
    position = visible.shape[-1] - visible.shape[-2] + row  # rows begin after the past
    if not visible[row].any():
        return ModelError(UNSEEN_ERROR.format(name, position))
    return ModelError(EMPTY_ERROR.format(name, position, A, largest))


def equal_part(A: Core, chosen: Truths) -> Array:
    """Return 1 ⊘ m for the m chosen positions of each row: the exact 1/m rounded once, for m need not be a member.

    A row without chosen positions has 1.
    """
    return A.round(1 / np.maximum(chosen.sum(axis=-1, keepdims=True), 1))
