"""Rules that predict a feature from one unit: fitted on some positions, scored on others.

A feature with two values is predicted by a threshold, and scored by accuracy. A feature with more values is a number,
predicted by a straight line and scored by R²: 1 less the squared errors as a share of those of the mean.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array

Flags = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp]
Key = TypeVar("Key")
NUMBERS_AT_ONCE = 1 << 22  # of units that are sorted together


class Rules(ABC):
    """The fitted rule of each unit."""

    @abstractmethod
    def predict(self, values: Array) -> Array:
        """Return the predictions, (positions, units), for values of the units."""

    @abstractmethod
    def decision_function(self, values: Array) -> Array:
        """Return how far each unit is on the side of the feature's higher values; negative on the other side."""


class Measure(ABC):
    """How rules are fitted and scored; the feature is an array of numbers."""

    @abstractmethod
    def fit(self, values: Array, feature: Array) -> Rules:
        """Fit the rule of each unit to its values, (positions, units), and the feature, (positions)."""

    @abstractmethod
    def score(self, predicted: Array, feature: Array, usual: float) -> Array:
        """Return the score of each unit, (units); 1 is perfect. `usual` is the best constant prediction."""

    @abstractmethod
    def usual(self, feature: Array) -> float:
        """Return the best constant prediction."""


@dataclass(frozen=True, eq=False)
class Thresholds(Rules):
    """A unit predicts the higher value of the feature above its threshold, or below it."""

    at: Array  # (units)
    above: Flags  # (units): whether the higher value is predicted above

    def predict(self, values: Array) -> Array:
        """Return 1 for the higher value of the feature, 0 for the lower."""
        return np.asarray((values > self.at) == self.above, dtype=np.float64)

    def decision_function(self, values: Array) -> Array:
        """Return the distance of each unit to its threshold."""
        return np.asarray(np.where(self.above, values - self.at, self.at - values))


class ShareRight(Measure):
    """Accuracy, for a feature with two values: the share of positions that a threshold predicts correctly."""

    def fit(self, values: Array, feature: Array) -> Thresholds:
        """Fit the threshold, half-way between two values, and the side with the best accuracy."""
        most = max(1, NUMBERS_AT_ONCE // len(feature))
        parts = [_thresholds(values[:, n : n + most], feature) for n in range(0, values.shape[1], most)]
        return Thresholds(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def score(self, predicted: Array, feature: Array, usual: float) -> Array:
        """Return the accuracy of each unit."""
        return np.asarray((predicted == feature[:, np.newaxis]).mean(axis=0))

    def usual(self, feature: Array) -> float:
        """Return the more frequent value, the lower one on a tie."""
        return float(2 * feature.sum() > len(feature))


def _thresholds(values: Array, feature: Array) -> tuple[Array, Flags]:
    """Return the best threshold of each unit, and whether the higher value is predicted above it."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    high = np.cumsum(feature[order], axis=0)  # of the positions so far
    count, total = len(feature), float(feature.sum())
    right = np.arange(1, count + 1)[:, np.newaxis] - high + (total - high)  # cut behind each, higher above
    best_of_both = np.maximum(right, count - right)
    between = np.vstack([ordered[1:] > ordered[:-1], np.full((1, values.shape[1]), True)])
    cut = np.argmax(np.where(between, best_of_both, -1.0), axis=0)[np.newaxis]
    below = np.take_along_axis(ordered, cut, axis=0)[0]
    beyond = np.take_along_axis(ordered, np.minimum(cut + 1, count - 1), axis=0)[0]
    middle = below / 2 + beyond / 2
    at = np.where((below <= middle) & (middle < beyond), middle, below)
    return at, np.take_along_axis(right, cut, axis=0)[0] >= count / 2


@dataclass(frozen=True, eq=False)
class Lines(Rules):
    """A unit predicts slope times its value, plus a constant."""

    slope: Array  # (units)
    constant: Array  # (units)
    usual: float  # the mean of the feature

    def predict(self, values: Array) -> Array:
        """Return the numbers on the lines."""
        return np.asarray(values * self.slope + self.constant)

    def decision_function(self, values: Array) -> Array:
        """Return how far each prediction is above the mean."""
        return self.predict(values) - self.usual


class Explained(Measure):
    """R² of a line, for a feature with many values; the baseline is the mean of the positions fitted on."""

    def fit(self, values: Array, feature: Array) -> Lines:
        """Fit the line with the least squared errors; a constant unit predicts the mean."""
        mean, usual = values.mean(axis=0), self.usual(feature)
        apart, wanted = values - mean, (feature - usual)[:, np.newaxis]
        spread, product = (apart * apart).sum(axis=0), (apart * wanted).sum(axis=0)
        changes = spread > 0
        slope = np.where(changes, product / np.where(changes, spread, 1.0), 0.0)
        return Lines(slope, usual - slope * mean, usual)

    def score(self, predicted: Array, feature: Array, usual: float) -> Array:
        """Return R² of each unit."""
        errors = ((predicted - feature[:, np.newaxis]) ** 2).sum(axis=0)
        return np.asarray(1 - errors / ((feature - usual) ** 2).sum())

    def usual(self, feature: Array) -> float:
        """Return the mean."""
        return float(feature.mean())


def usual_by(keys: Sequence[Key], feature: Array, measure: Measure) -> tuple[Mapping[Key, float], float]:
    """Return the best constant prediction for each key, such as a token, and for an unseen key."""
    rows: dict[Key, list[int]] = {}
    for n, key in enumerate(keys):
        rows.setdefault(key, []).append(n)
    return {key: measure.usual(feature[some]) for key, some in rows.items()}, measure.usual(feature)


def shuffled(feature: Array, positions: Positions, random: np.random.Generator) -> Array:
    """Return the feature with its values exchanged between inputs; each stays at its position.

    So a unit that only encodes the position scores as before.
    """
    result = feature.copy()
    for position in np.unique(positions):
        some = np.flatnonzero(positions == position)
        result[some] = feature[random.permutation(some)]
    return result
