"""Which single unit of a model follows a feature of what was read: the cells of an LSTM, neurons, lanes at each stage.

Nothing is fitted on what is measured. The rule of each unit, and the best unit, are chosen on some inputs; how well
they do is measured on others, which are held out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.inspect.featured import Feature, Featured, check_apart, featured, read_with, values_of
from weightsmith.inspect.following import Measure, Rules, shuffled, usual_by
from weightsmith.inspect.tracks import Track, Tracks
from weightsmith.inspect.units import Readable, Unit, UnitKind
from weightsmith.model import Transformer
from weightsmith.tables import MACHINE_NOISE, Page, Style, Table, Tabled

LEAST_GAIN = 0.75
SHUFFLES = 5
KINDS: tuple[UnitKind, ...] = ("cell", "neuron", "lane")


@dataclass(frozen=True)
class Followed:
    """A unit, and how well it alone says the feature."""

    unit: Unit
    chosen_on: float  # on the inputs on which its rule was chosen
    held_out: float  # on the inputs held out
    gain: float | None  # on these, the share of what the best baseline lacks that the unit adds; None: it lacks nothing
    _place: int = field(repr=False)

    def __str__(self) -> str:
        """Say which unit it is."""
        return str(self.unit)


@dataclass(frozen=True)
class Baselines:
    """What is reached on the inputs held out without following anything."""

    usual: float  # by saying what is usual everywhere: the most frequent value, or the mean
    token: float  # by saying what is usual for the token that stands there
    shuffled: float  # by the best of all units, where the feature is exchanged between inputs

    @property
    def best(self) -> float:
        """The best of them."""
        return max(self.usual, self.token, self.shuffled)

    @property
    def perfect(self) -> str | None:
        """The first of them that lacks nothing but the machine's noise, in words; None where all lack something."""
        names = {"what is usual": self.usual, "the token alone": self.token, "a shuffled feature": self.shuffled}
        return next((name for name, share in names.items() if 1 - share <= MACHINE_NOISE), None)


@dataclass(frozen=True, eq=False)
class Tracking(Tabled):
    """The units of a model by how well each alone says a feature on inputs held out, the best first."""

    model: Transformer | Readable = field(repr=False)
    feature: Feature = field(repr=False)
    name: str  # of the feature
    values: tuple[Any, ...]  # the lower and the higher value of a feature with two; () for one with many
    ranked: tuple[Followed, ...] = field(repr=False)
    baselines: Baselines
    positions: tuple[int, int]  # how many the rules were chosen on, how many are held out
    least: float  # the gain from which on a unit follows the feature
    _rules: Rules = field(repr=False)

    @property
    def kinds(self) -> tuple[UnitKind, ...]:
        """The kinds of units that the model has."""
        there = {followed.unit.kind for followed in self.ranked}
        return tuple(kind for kind in KINDS if kind in there)

    def best(self, kind: UnitKind | None = None) -> Followed:
        """Return the best unit, or the best of a kind, as the inputs say on which rules were chosen.

        So its measure on the inputs held out is that of one unit, and not the largest of many.
        """
        if kind is not None and kind not in self.kinds:
            raise InputError(f"there is no unit of the kind {brief(kind)}: write one of {', '.join(self.kinds)}")
        some = [followed for followed in self.ranked if kind in (None, followed.unit.kind)]
        return max(sorted(some, key=lambda followed: followed._place), key=lambda followed: followed.chosen_on)

    def follows(self, kind: UnitKind | None = None) -> bool:
        """Say whether the best unit, or the best of a kind, follows the feature: whether its gain is large enough."""
        gain = self.best(kind).gain
        return gain is not None and gain >= self.least

    def over(self, tokens: str | Sequence[str], kinds: Sequence[UnitKind] | None = None) -> Tracks:
        """Return what the best unit of each kind holds and says along one input, beside the feature itself."""
        reading, values = read_with(self.model, self.feature, tokens, self.name)
        said, leans = self._rules.says(reading.values), self._rules.leans(reading.values)
        tracks = []
        for kind in self.kinds if kinds is None else kinds:
            n = self.best(kind)._place
            what = [self.values[int(x)] for x in said[:, n]] if self.values else said[:, n].tolist()
            columns = tuple(reading.values[:, n].tolist()), tuple(leans[:, n].tolist())
            tracks.append(Track(reading.units[n], *columns, tuple(what)))
        return Tracks(reading.tokens, self.name, tuple(values), tuple(tracks), self.values)

    def table(self, top: int = 3) -> Page:
        """Return the best units of each kind as a table, then what is reached without them, and who follows."""
        whole_number(top, "top", 1, meaning="how many units of each kind to show, 1 or more")
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
    """Rank the units of a model by how well each alone follows a feature on inputs held out.

    The units of a transformer are its neurons, and its lanes at every stage; those of what `train.compare` gives are
    the cells of the LSTM besides. `feature` is a function of a run (of a reading, where the model is no transformer),
    that gives a value for each of its positions: lambda r: ["1" in r.tokens[: i + 1] for i in range(len(r.tokens))].

    With two values, a unit says which by a threshold that is chosen on `inputs`, and is measured by the share of
    positions of `held_out` at which it is right. With more, they are numbers, said by a line and measured by R². No
    input may be in both. Three baselines stand beside it: what is usual everywhere, what is usual for the token that
    stands there, and the best that any unit reaches for the feature exchanged between inputs, in five shuffles. The
    gain is the share of what the best baseline lacks that the unit adds. From `least` on the unit follows the feature.
    Where a baseline lacks nothing there is no gain, and nothing shows whether a unit follows.
    """
    if not isinstance(model, Transformer | Readable):
        raise InputError(f"{brief(model)} has no units to track: write a transformer, or what train.compare gives")
    if not callable(feature):
        raise InputError(f"feature={brief(feature)}: write a function of a run that gives a value for each position")
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 < least <= 1:
        raise InputError(f"least={brief(least)}: write a number above 0, up to 1")
    name = getattr(feature, "__name__", "feature")
    name = "feature" if name == "<lambda>" else name
    chosen = featured(model, feature, inputs, name, "inputs")
    held = featured(model, feature, held_out, name, "held_out")
    check_apart(chosen, held)
    values, measure = values_of(chosen, held, name)
    y, z = chosen.numbers(values), held.numbers(values)
    usual = measure.usual(y)
    if (z == usual).all():
        same = brief(held.feature[0])
        raise InputError(f"{name} is {same} everywhere in held_out: hold out inputs in which it changes")
    rules = measure.choose(chosen.values, y)
    on_chosen = measure.score(rules.says(chosen.values), y, usual)
    on_held = measure.score(rules.says(held.values), z, usual)
    baselines = _baselines(measure, chosen, held, y, z)
    ranked = [
        Followed(unit, float(on_chosen[n]), float(on_held[n]), _gain(float(on_held[n]), baselines), n)
        for n, unit in enumerate(chosen.units)
    ]
    ranked.sort(key=lambda followed: -followed.held_out)
    positions = len(y), len(z)
    return Tracking(model, feature, name, values, tuple(ranked), baselines, positions, float(least), rules)


def _baselines(measure: Measure, chosen: Featured, held: Featured, y: Array, z: Array) -> Baselines:
    """Measure, on what is held out, what can be said without a unit that follows the feature."""

    def score(said: Iterator[float]) -> float:
        return float(measure.score(np.array(list(said))[:, np.newaxis], z, usual)[0])

    by_token, usual = usual_by(chosen.tokens, y, measure)
    random, best = np.random.default_rng(0), -np.inf
    for _ in range(SHUFFLES):
        other, others = shuffled(y, chosen.positions, random), shuffled(z, held.positions, random)
        said = measure.choose(chosen.values, other).says(held.values)
        best = max(best, float(measure.score(said, others, usual).max()))
    return Baselines(score(usual for _ in z), score(by_token.get(token, usual) for token in held.tokens), best)


def _gain(score: float, baselines: Baselines) -> float | None:
    """Return the share of what the best baseline lacks that a score adds; None where it lacks nothing."""
    return None if baselines.perfect is not None else (score - baselines.best) / (1 - baselines.best)


def _percent(share: float) -> str:
    """Return a share in per cent; 100 only where nothing but the machine's noise is lacking."""
    tenths = min(round(1000 * share), 999) if share < 1 - MACHINE_NOISE else 1000
    return f"{tenths / 10:.1f} %"
