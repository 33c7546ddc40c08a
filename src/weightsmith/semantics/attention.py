"""What a head does: every position weighs the positions that it sees and takes in their values."""

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Core, Weights
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
from weightsmith.semantics.overflow import finite

EMPTY_ERROR = (
    "{}, position {}: every exp(score) rounds to 0 in {}, the largest score is {:g}; write "
    "Softmax(shifted=True), or Softmax(empty='zero') or Softmax(empty='uniform') to say what is meant"
)
UNSEEN_ERROR = (
    "{}, position {}: a strict head sees only what is before, and here that is nothing; write "
    "Softmax(empty='zero'), for no attention there"
)


def run_head(
    T: Transformer, head: Head, scheme: AttentionPositions, h: Array, past: tuple[Array, Array] | None, name: str
) -> HeadRun:
    """Run one head on a stream (…, positions, lanes), which goes on after the positions whose keys and values are past.

    `scheme` is how it takes account of positions.
    """
    A, before = T.arithmetic.core, 0 if past is None else past[0].shape[-2]
    here = before + np.arange(h.shape[-2])
    q, k, v = (_projected(A, W, b, h) for W, b in ((head.W_Q, head.b_Q), (head.W_K, head.b_K), (head.W_V, head.b_V)))
    q, k = scheme.rotate(A, q, here), scheme.rotate(A, k, here)
    if past is not None:
        k, v = np.concatenate([past[0], k], axis=-2), np.concatenate([past[1], v], axis=-2)
    i, j = np.meshgrid(np.arange(len(here)), np.arange(before + len(here)), indexing="ij")
    distance = here[i] - j
    visible = sees(T, head.strict, distance)
    scores = scheme.penalty(A, A.dot(q[..., i, :], scheme.key(A, k[..., j, :], distance)), distance)
    scores = np.where(visible, scores, 0.0)
    weights, empty = weigh(A, head.weighting, finite(T.arithmetic, scores, name), visible, name)
    values = scheme.value(A, v[..., j, :], distance)
    mixed = A.sum(A.multiply(weights[..., np.newaxis], values), axis=-2)  # what is not visible adds 0: nothing
    return HeadRun(weights, empty, k, v, mixed, scores, A.matvec(head.W_O, mixed))


def sees(T: Transformer, strict: bool, distance: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Say of each distance i − j whether a head sees j from i; a strict one sees what is before, under any mask."""
    if strict:
        return distance > 0
    return distance >= 0 if T.mask == "causal" else np.full(distance.shape, True)


def _projected(A: Core, W: Weights, b: Weights | None, h: Array) -> Array:
    product = A.matvec(W, h)
    return product if b is None else A.add(product, b)


def weigh(
    A: Core, weighting: Weighting, scores: Array, visible: npt.NDArray[np.bool_], name: str
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Turn each row of scores into weights on what is visible, and say which rows have an empty softmax."""
    largest = np.where(visible, scores, -np.inf).max(axis=-1, keepdims=True)
    largest = np.where(visible.any(axis=-1, keepdims=True), largest, 0.0)  # whoever sees nothing has no largest score
    if isinstance(weighting, Softmax):
        return softmax(A, weighting, scores, visible, largest, name)
    best = visible & (scores == largest)
    none_empty = np.full(scores.shape[:-1], False)
    if isinstance(weighting, AverageHard):
        return np.where(best, equal_part(A, best), 0.0), none_empty
    if isinstance(weighting, LeftmostHard):
        return np.where(best & (np.cumsum(best, axis=-1) == 1), A.round(1.0), 0.0), none_empty
    assert isinstance(weighting, RightmostHard)
    return np.where(best & (np.cumsum(best[..., ::-1], axis=-1)[..., ::-1] == 1), A.round(1.0), 0.0), none_empty


def softmax(
    A: Core, weighting: Softmax, scores: Array, visible: npt.NDArray[np.bool_], largest: Array, name: str
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return exp(score) ⊘ Σ exp(score), as `weighting.empty` says where that sum is 0."""
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


def empty_error(A: Arithmetic, visible: npt.NDArray[np.bool_], row: int, largest: float, name: str) -> ModelError:
    """Say that a row has no weight, and why."""
    place = visible.shape[-1] - visible.shape[-2] + row  # after the positions that the run goes on from
    if not visible[row].any():
        return ModelError(UNSEEN_ERROR.format(name, place))
    return ModelError(EMPTY_ERROR.format(name, place, A, largest))


def equal_part(A: Core, chosen: npt.NDArray[np.bool_]) -> Array:
    """Return 1 ⊘ m for the m chosen of each row: m is a count, not a member, so this is the exact 1/m, rounded once.

    Where none is chosen there is nobody to have a part, and it is 1.
    """
    return A.round(1 / np.maximum(chosen.sum(axis=-1, keepdims=True), 1))
