"""How well scores rank the parts of a circuit above all others. A tie counts as a random order of its members."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array

Labels: TypeAlias = npt.NDArray[np.bool_]  # True of a positive: an edge or node of the circuit


@dataclass(frozen=True)
class Ranking:
    """The quality of a ranking, each measure from 0 to 1; None without a positive or without a negative."""

    roc_auc: float | None
    average_precision: float | None
    precision_at_k: float | None  # k: the number of positives
    positives: int
    negatives: int
    curve: tuple[tuple[float, float], ...] = ()  # ROC: false and true positive rates, from (0, 0) to (1, 1)


def ranked(scores: Array, truth: Labels) -> Ranking:
    """Compare scores with the truth."""
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return Ranking(None, None, None, positives, negatives)
    thresholds, group = np.unique(-scores, return_inverse=True)
    hits = np.bincount(group, truth, len(thresholds)).astype(np.float64)  # by threshold, from the highest score down
    misses = np.bincount(group, ~truth, len(thresholds)).astype(np.float64)
    return Ranking(
        _roc_auc(hits, misses), _average_precision(hits, misses), _precision(hits, misses, positives), positives,
        negatives, _roc_curve(hits, misses),
    )  # fmt: skip


def _roc_curve(hits: Array, misses: Array) -> tuple[tuple[float, float], ...]:
    """Return the false and the true positive rate at every threshold."""
    rates = [np.concatenate([[0.0], np.cumsum(counts) / counts.sum()]).tolist() for counts in (misses, hits)]
    return tuple(zip(*rates, strict=True))


def _roc_auc(hits: Array, misses: Array) -> float:
    """Return the share of pairs, a positive and a negative, that are in the right order; a tie counts a half."""
    below = misses.sum() - np.cumsum(misses)
    return float((hits * (below + misses / 2)).sum() / (hits.sum() * misses.sum()))


def _average_precision(hits: Array, misses: Array) -> float:
    """Return Σ (recall − previous recall) · precision over the thresholds."""
    precision = np.cumsum(hits) / np.cumsum(hits + misses)
    return float((hits * precision).sum() / hits.sum())


def _precision(hits: Array, misses: Array, k: int) -> float:
    """Return the share of positives among the k highest scores; where ties cross the end, its expected value."""
    sizes = hits + misses
    taken = np.clip(k - (np.cumsum(sizes) - sizes), 0, sizes)
    return float((hits * taken / sizes).sum() / k)
