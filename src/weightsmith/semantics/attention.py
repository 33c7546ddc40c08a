"""What a head does: every position weighs the positions that it sees and takes in their values."""

from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.errors import ModelError
from weightsmith.model import AverageHard, Head, LeftmostHard, Relative, RightmostHard, Transformer, Weighting
from weightsmith.semantics.overflow import finite


@dataclass(frozen=True)
class HeadRun:
    """One head on one input."""

    output: Array  # (positions, lanes): what it adds to the stream
    scores: Array  # (positions, positions); 0 where j is not visible from i
    weights: Array  # (positions, positions)
    empty: int  # how many rows had no weight


def run_head(T: Transformer, head: Head, h: Array, name: str) -> HeadRun:
    """Run one head on a stream (positions, lanes)."""
    A, n = T.arithmetic, len(h)
    q, k, v = A.matvec(head.W_Q, h), A.matvec(head.W_K, h), A.matvec(head.W_V, h)
    scores, weights = np.zeros((n, n)), np.zeros((n, n))
    mixed = np.zeros((n, len(head.W_V)))
    empty = 0
    for i in range(n):
        j = np.arange(i + 1 if T.mask == "causal" else n)
        keys = k[j]
        if isinstance(T.positions, Relative):
            keys = A.add(keys, T.positions.keys[np.minimum(i - j, T.positions.max_distance)])
        scores[i, j] = A.dot(q[i], keys)
        weights[i, j], is_empty = weigh(A, head.weighting, scores[i, j], f"{name}, position {i}")
        mixed[i] = A.sum(A.multiply(weights[i, j][:, np.newaxis], v[j]), axis=0)
        empty += is_empty
    return HeadRun(A.matvec(head.W_O, mixed), scores, weights, empty)


def weigh(A: Arithmetic, weighting: Weighting, scores: Array, name: str) -> tuple[Array, bool]:
    """Turn the scores of the visible positions into weights, and say whether the softmax was empty."""
    largest = np.flatnonzero(finite(A, scores, name) == scores.max())
    if isinstance(weighting, LeftmostHard):
        return one_hot(largest[0], len(scores)), False
    if isinstance(weighting, RightmostHard):
        return one_hot(largest[-1], len(scores)), False
    if isinstance(weighting, AverageHard):
        weights = np.zeros(len(scores))
        weights[largest] = share(A, len(largest))
        return weights, False
    e = A.exp(A.subtract(scores, scores.max()) if weighting.shifted else scores)
    z = A.sum(e)
    if z != 0:
        return A.divide(e, z), False
    if weighting.empty == "error":
        raise ModelError(
            f"{name}: every exp(score) rounds to 0 in {A}, the largest score is {scores.max():g}; write "
            "Softmax(shifted=True), or Softmax(empty='zero') or Softmax(empty='uniform') to say what is meant"
        )
    return np.full(len(scores), share(A, len(scores)) if weighting.empty == "uniform" else 0.0), True


def one_hot(place: int, length: int) -> Array:
    """Give 1 at one place and 0 elsewhere."""
    weights = np.zeros(length)
    weights[place] = 1.0
    return weights


def share(A: Arithmetic, m: int) -> float:
    """Give 1 ⊘ m: m is a count, not a member, so this is the exact 1/m, rounded once."""
    return float(A.round(1 / m))
