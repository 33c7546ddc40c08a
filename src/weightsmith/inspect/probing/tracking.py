"""Probing single units: which cell of an LSTM, neuron or lane predicts a feature of the input.

The rule of each unit, and the best unit, are chosen on some inputs and scored on others, which are held out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.inspect.probing.labelled import Feature, Labelled, check_apart, label, read_with, values_of
from weightsmith.inspect.probing.one_input import Track, Tracks
from weightsmith.inspect.probing.rules import Measure, Rules, shuffled, usual_by
from weightsmith.inspect.probing.units import Readable, Unit, UnitKind
from weightsmith.model import Transformer
from weightsmith.tables import MACHINE_NOISE, Page, Style, Table, Tabled

LEAST_GAIN = 0.75
SHUFFLES = 5
KINDS: tuple[UnitKind, ...] = ("cell", "neuron", "lane")


@dataclass(frozen=True)
class Followed:
    """A unit, and its score as the only predictor of the feature."""

    unit: Unit
    chosen_on: float  # score on the inputs on which its rule was fitted
    held_out: float  # score on the held-out inputs
    gain: float | None  # (held_out − best baseline) / (1 − best baseline); None where the baseline is perfect
    _column: int = field(repr=False)  # of the values

    def __str__(self) -> str:
        """Return the name of the unit."""
        return str(self.unit)


@dataclass(frozen=True)
class Baselines:
    """Scores on the held-out inputs of predictions that follow nothing."""

    usual: float  # the best constant: the most frequent value, or the mean
    token: float  # the best constant for each token
    shuffled: float  # the best of all units, for the feature shuffled between inputs

    @property
    def best(self) -> float:
        """The largest of them."""
        return max(self.usual, self.token, self.shuffled)

    @property
    def perfect(self) -> str | None:
        """The name of the first baseline that is perfect up to machine noise; None if none is."""
        names = {"what is usual": self.usual, "the token alone": self.token, "a shuffled feature": self.shuffled}
        return next((name for name, share in names.items() if 1 - share <= MACHINE_NOISE), None)


@dataclass(frozen=True, eq=False)
class Tracking(Tabled):
    """The units of a model, ranked by how well each alone predicts a feature on held-out inputs."""

    model: Transformer | Readable = field(repr=False)
    feature: Feature = field(repr=False)
    name: str  # of the feature
    values: tuple[Any, ...]  # the lower and the higher value of a feature with two; () for one with many
    ranked: tuple[Followed, ...] = field(repr=False)
    baselines: Baselines
    positions: tuple[int, int]  # counts: fitted on, held out
    least: float  # the least gain of a unit that follows the feature
    _rules: Rules = field(repr=False)

    @property
    def kinds(self) -> tuple[UnitKind, ...]:
        """The kinds of units that the model has."""
        there = {followed.unit.kind for followed in self.ranked}
        return tuple(kind for kind in KINDS if kind in there)

    def best(self, kind: UnitKind | None = None) -> Followed:
        """Return the unit (optionally of one kind) with the best score on the inputs that rules were fitted on.

        So its held-out score is that of one unit, and not the largest of many.
        """
        if kind is not None and kind not in self.kinds:
            raise InputError(f"there is no unit of the kind {brief(kind)}: write one of {', '.join(self.kinds)}")
        some = [followed for followed in self.ranked if kind in (None, followed.unit.kind)]
        return max(sorted(some, key=lambda followed: followed._column), key=lambda followed: followed.chosen_on)

    def follows(self, kind: UnitKind | None = None) -> bool:
        """Say whether the best unit (optionally of one kind) follows the feature: its gain is at least `least`."""
        gain = self.best(kind).gain
        return gain is not None and gain >= self.least

    def over(self, tokens: str | Sequence[str], kinds: Sequence[UnitKind] | None = None) -> Tracks:
        """Return the values and predictions of the best unit of each kind along one input, with the feature."""
        reading, values = read_with(self.model, self.feature, tokens, self.name)
        said, leans = self._rules.predict(reading.values), self._rules.decision_function(reading.values)
        tracks = []
        for kind in self.kinds if kinds is None else kinds:
            n = self.best(kind)._column
            what = [self.values[int(x)] for x in said[:, n]] if self.values else said[:, n].tolist()
            columns = tuple(reading.values[:, n].tolist()), tuple(leans[:, n].tolist())
            tracks.append(Track(reading.units[n], *columns, tuple(what)))
        return Tracks(reading.tokens, self.name, tuple(values), tuple(tracks), self.values)

    def table(self, top: int = 3) -> Page:
        """Return a table of the best units of each kind and the baselines, and which units follow the feature."""
        top = whole_number(top, "top", 1, meaning="how many units of each kind to show, 1 or more")
        chosen, held = self.positions
        result = Table("one unit alone", "chosen on", "held out", "gain", right=(1, 2, 3))
        for kind in self.kinds:
            best = self.best(kind)
            others = [one for one in self.ranked if one.unit.kind == kind and one is not best][: top - 1]
            some = sorted([best, *others], key=lambda followed: -followed.held_out)
            for followed in some:
                style: Style = "best" if followed is best else ""
                numbers = (followed.chosen_on, followed.held_out, followed.gain)
                result.add(
                    str(followed),
                    *("–" if number is None else _percent(number) for number in numbers),
                    style=style,
                    ends=followed is some[-1],
                )
        usual = "most frequent value" if self.values else "mean"
        for text, share in (
            (f"none: the {usual}", self.baselines.usual),
            ("none: by the token alone", self.baselines.token),
            ("the best unit, the feature shuffled", self.baselines.shuffled),
        ):
            result.add(text, "", _percent(share), "", style="faint")
        what = "share of positions said right" if self.values else "R² of a line"
        title = f"{self.name}: {what}, chosen on {chosen:,} positions, measured on {held:,} others"
        return Page(title, result, *(self._verdict(kind) for kind in self.kinds))

    def _verdict(self, kind: UnitKind) -> str:
        best = self.best(kind)
        if self.follows(kind):
            return f"{best} follows {self.name}: {_percent(best.held_out)} held out"
        if best.gain is None:
            return f"whether a {kind} follows {self.name} cannot be seen: {self.baselines.perfect} says it"
        gain, least = _percent(best.gain), _percent(self.least)
        return f"no {kind} follows {self.name}: the gain of the best is {gain}; it must be {least}"


def tracking(
    model: Transformer | Readable,
    feature: Feature,
    inputs: Sequence[str | Sequence[str]],
    held_out: Sequence[str | Sequence[str]],
    *,
    least: float = LEAST_GAIN,
) -> Tracking:
    """Rank the units of a model by how well each alone predicts a feature on held-out inputs.

    The units of a transformer are its neurons, and its lanes at every stage; the result of `train.compare` has the
    cells of the LSTM as well. `feature` is a function of a run (or of a `Reading`, if the model is no transformer) that
    returns a value for each position: lambda r: ["1" in r.tokens[: i + 1] for i in range(len(r.tokens))].

    A feature with two values is predicted by a threshold on the unit, fitted on `inputs`; its score is the accuracy on
    `held_out`. More values are numbers, predicted by a line; the score is R². No input may be in both lists. There are
    three baselines: the best constant, the best constant for each token, and the best score of any unit for the feature
    shuffled between inputs, in five shuffles. The gain of a unit is (score − baseline) / (1 − baseline) for the best
    baseline. A unit with a gain of at least `least` follows the feature. A perfect baseline leaves the gain undefined.
    """
    if not isinstance(model, Transformer | Readable):
        raise InputError(f"{brief(model)} has no units to track: write a transformer, or what train.compare gives")
    if not callable(feature):
        raise InputError(f"feature={brief(feature)}: write a function of a run that gives a value for each position")
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 < least <= 1:
        raise InputError(f"least={brief(least)}: write a number above 0, up to 1")
    name = getattr(feature, "__name__", "feature")
    name = "feature" if name == "<lambda>" else name
    chosen = label(model, feature, inputs, name, "inputs")
    held = label(model, feature, held_out, name, "held_out")
    check_apart(chosen, held)
    values, measure = values_of(chosen, held, name)
    y, z = chosen.numbers(values), held.numbers(values)
    usual = measure.usual(y)
    if (np.abs(z - usual) <= MACHINE_NOISE * max(1.0, abs(usual))).all():
        same = brief(held.feature[0])
        raise InputError(f"{name} is {same} everywhere in held_out: hold out inputs in which it changes")
    rules = measure.fit(chosen.values, y)
    on_chosen = measure.score(rules.predict(chosen.values), y, usual)
    on_held = measure.score(rules.predict(held.values), z, usual)
    baselines = _baselines(measure, chosen, held, y, z)
    ranked = [
        Followed(unit, float(on_chosen[n]), float(on_held[n]), _gain(float(on_held[n]), baselines), n)
        for n, unit in enumerate(chosen.units)
    ]
    ranked.sort(key=lambda followed: -followed.held_out)
    positions = len(y), len(z)
    return Tracking(model, feature, name, values, tuple(ranked), baselines, positions, float(least), rules)


def _baselines(measure: Measure, chosen: Labelled, held: Labelled, y: Array, z: Array) -> Baselines:
    """Return the held-out scores of the baselines."""

    def score(said: Iterator[float]) -> float:
        return float(measure.score(np.array(list(said))[:, np.newaxis], z, usual)[0])

    by_token, usual = usual_by(chosen.tokens, y, measure)
    random, best = np.random.default_rng(0), -np.inf
    for _ in range(SHUFFLES):
        other, others = shuffled(y, chosen.positions, random), shuffled(z, held.positions, random)
        said = measure.fit(chosen.values, other).predict(held.values)
        best = max(best, float(measure.score(said, others, usual).max()))
    return Baselines(score(usual for _ in z), score(by_token.get(token, usual) for token in held.tokens), best)


def _gain(score: float, baselines: Baselines) -> float | None:
    """Return (score − baseline) / (1 − baseline) for the best baseline; None where it is perfect."""
    return None if baselines.perfect is not None else (score - baselines.best) / (1 - baselines.best)


def _percent(share: float) -> str:
    """Return a share in per cent; 100 only where it is 1 up to machine noise."""
    tenths = min(round(1000 * share), 999) if share < 1 - MACHINE_NOISE else 1000
    return f"{tenths / 10:.1f} %"
