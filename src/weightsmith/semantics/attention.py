"""What a head does: every position weighs the positions that it sees and takes in their values."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.errors import ModelError
from weightsmith.model import AverageHard, Head, LeftmostHard, Relative, RightmostHard, Softmax, Transformer, Weighting
from weightsmith.semantics.overflow import finite


@dataclass(frozen=True, eq=False)
class HeadRun:
    """One head on one input, or on several of the same length: then every array has a further axis in front."""

    output: Array  # (positions, lanes): what it adds to the stream
    scores: Array  # (positions, positions); 0 where j is not visible from i
    weights: Array  # (positions, positions); 0 where j is not visible from i
    empty: npt.NDArray[np.bool_]  # (positions): which rows had no weight


def run_head(T: Transformer, head: Head, h: Array, name: str) -> HeadRun:
    """Run one head on a stream (…, positions, lanes)."""
    A, i, j = T.arithmetic, *np.indices((h.shape[-2], h.shape[-2]))
    visible = j <= i if T.mask == "causal" else np.full(i.shape, True)
    q, k, v = A.matvec(head.W_Q, h), A.matvec(head.W_K, h), A.matvec(head.W_V, h)
    keys = k[..., j, :]
    if isinstance(T.positions, Relative):
        keys = A.add(keys, T.positions.keys[np.clip(i - j, 0, T.positions.max_distance)])
    scores = finite(A, np.where(visible, A.dot(q[..., i, :], keys), 0.0), name)
    weights, empty = weigh(A, head.weighting, scores, visible, name)
    mixed = A.sum(A.multiply(weights[..., np.newaxis], v[..., j, :]), axis=-2)  # what is not visible adds 0: nothing
    return HeadRun(A.matvec(head.W_O, mixed), scores, weights, empty)


def weigh(
    A: Arithmetic, weighting: Weighting, scores: Array, visible: npt.NDArray[np.bool_], name: str
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Turn each row of scores into weights on what is visible, and say which rows have an empty softmax."""
    largest = np.where(visible, scores, -np.inf).max(axis=-1, keepdims=True)
    if isinstance(weighting, Softmax):
        return softmax(A, weighting, scores, visible, largest, name)
    best = visible & (scores == largest)
    none_empty = np.full(scores.shape[:-1], False)
    if isinstance(weighting, AverageHard):
        return np.where(best, share(A, best), 0.0), none_empty
    if isinstance(weighting, LeftmostHard):
        return np.where(best & (np.cumsum(best, axis=-1) == 1), A.round(1.0), 0.0), none_empty
    assert isinstance(weighting, RightmostHard)
    return np.where(best & (np.cumsum(best[..., ::-1], axis=-1)[..., ::-1] == 1), A.round(1.0), 0.0), none_empty


def softmax(
    A: Arithmetic, weighting: Softmax, scores: Array, visible: npt.NDArray[np.bool_], largest: Array, name: str
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Give exp(score) ⊘ Σ exp(score), by the rule for empty rows where that sum is 0."""
    e = np.where(visible, A.exp(A.subtract(scores, largest) if weighting.shifted else scores), 0.0)
    z = finite(A, A.sum(e), name)[..., np.newaxis]
    empty = z == 0
    weights = A.divide(e, np.where(empty, A.infinity, z))
    if empty.any() and weighting.empty == "error":
        where = tuple(np.argwhere(empty)[0])
        raise ModelError(
            f"{name}, position {where[-2]}: every exp(score) rounds to 0 in {A}, "
            f"the largest score is {largest[where]:g}; write "
            "Softmax(shifted=True), or Softmax(empty='zero') or Softmax(empty='uniform') to say what is meant"
        )
    if weighting.empty == "uniform":
        weights = np.where(empty & visible, share(A, visible), weights)
    return weights, empty[..., 0]


def share(A: Arithmetic, chosen: npt.NDArray[np.bool_]) -> Array:
    """Give 1 ⊘ m for the m chosen of each row: m is a count, not a member, so this is the exact 1/m, rounded once."""
    return A.round(1 / chosen.sum(axis=-1, keepdims=True))
