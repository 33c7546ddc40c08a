"""How well numbers say a feature: rules that are chosen on some positions and measured on others.

A feature with two values is said by a threshold, and measured by the share of positions that are said right. One with
more is a number, said by a straight line and measured by R²: 1 less the squared errors as a share of those of the mean.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array

Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
Key = TypeVar("Key")
NUMBERS_AT_ONCE = 1 << 22  # of units that are sorted together


class Rules(ABC):
    """A rule for each unit, that was chosen to say a feature as well as the unit can."""

    @abstractmethod
    def says(self, values: Array) -> Array:
        """Return what each unit says, (positions, units), for what it holds."""

    @abstractmethod
    def leans(self, values: Array) -> Array:
        """Return how far each unit is on the side of the feature's higher values; below 0 it is on the other."""


class Measure(ABC):
    """How rules are chosen, and how what they say is measured; the feature is given as numbers."""

    @abstractmethod
    def choose(self, values: Array, feature: Array) -> Rules:
        """Choose the best rule of each unit on its values, (positions, units), beside the feature, (positions)."""

    @abstractmethod
    def score(self, said: Array, feature: Array, usual: float) -> Array:
        """Say how well each unit does, (units); 1 is perfect. `usual` is what one says who knows nothing."""

    @abstractmethod
    def usual(self, feature: Array) -> float:
        """Return what one says best who knows nothing of a position."""


@dataclass(frozen=True, eq=False)
class Thresholds(Rules):
    """Above the threshold, or not above it, a unit says the higher value of the feature."""

    at: Array  # (units)
    above: Flags  # (units): whether the higher value is said above

    def says(self, values: Array) -> Array:
        """Return 1 for the higher value of the feature, 0 for the lower."""
        return np.asarray((values > self.at) == self.above, dtype=np.float64)

    def leans(self, values: Array) -> Array:
        """Return how far each is from its threshold."""
        return np.asarray(np.where(self.above, values - self.at, self.at - values))


class ShareRight(Measure):
    """A feature with two values: the share of positions at which a threshold says it right."""

    def choose(self, values: Array, feature: Array) -> Thresholds:
        """Choose the threshold, half-way between two values, and the side with most positions right."""
        most = max(1, NUMBERS_AT_ONCE // len(feature))
        parts = [_thresholds(values[:, n : n + most], feature) for n in range(0, values.shape[1], most)]
        return Thresholds(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def score(self, said: Array, feature: Array, usual: float) -> Array:
        """Return the share of positions at which each is right."""
        return np.asarray((said == feature[:, np.newaxis]).mean(axis=0))

    def usual(self, feature: Array) -> float:
        """Return the more frequent value, the lower one if both are as frequent."""
        return float(2 * feature.sum() > len(feature))


def _thresholds(values: Array, feature: Array) -> tuple[Array, Flags]:
    """Return the best threshold of each unit, and whether the higher value of the feature is said above it."""
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
    """A unit says slope times what it holds, plus a constant."""

    slope: Array  # (units)
    constant: Array  # (units)
    usual: float  # the mean of the feature

    def says(self, values: Array) -> Array:
        """Return the numbers on the lines."""
        return np.asarray(values * self.slope + self.constant)

    def leans(self, values: Array) -> Array:
        """Return how far above the mean is what each says."""
        return self.says(values) - self.usual


class Explained(Measure):
    """A feature with many values: R² of a line, with the mean of the positions chosen on as what is usual."""

    def choose(self, values: Array, feature: Array) -> Lines:
        """Choose the line with the least squared errors; a unit that never changes says the mean."""
        mean, usual = values.mean(axis=0), self.usual(feature)
        apart, wanted = values - mean, (feature - usual)[:, np.newaxis]
        spread, together = (apart * apart).sum(axis=0), (apart * wanted).sum(axis=0)
        changes = spread > 0
        slope = np.where(changes, together / np.where(changes, spread, 1.0), 0.0)
        return Lines(slope, usual - slope * mean, usual)

    def score(self, said: Array, feature: Array, usual: float) -> Array:
        """Return R² of each."""
        errors = ((said - feature[:, np.newaxis]) ** 2).sum(axis=0)
        return np.asarray(1 - errors / ((feature - usual) ** 2).sum())

    def usual(self, feature: Array) -> float:
        """Return the mean."""
        return float(feature.mean())


def usual_by(keys: Sequence[Key], feature: Array, measure: Measure) -> tuple[Mapping[Key, float], float]:
    """Return what is usual for each key, such as a token, and for one that was never seen."""
    places: dict[Key, list[int]] = {}
    for n, key in enumerate(keys):
        places.setdefault(key, []).append(n)
    return {key: measure.usual(feature[some]) for key, some in places.items()}, measure.usual(feature)


def shuffled(feature: Array, positions: Places, random: np.random.Generator) -> Array:
    """Return the feature with its values exchanged between inputs: each stays at its distance from the beginning.

    So whoever only counts positions does as well as before.
    """
    result = feature.copy()
    for position in np.unique(positions):
        some = np.flatnonzero(positions == position)
        result[some] = feature[random.permutation(some)]
    return result
