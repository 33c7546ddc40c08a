"""The shape of a model and the course of its training: plain numbers, checked once, for repeatable runs.

The field of a setting holds its default, its bounds and its help text for the command line. This file loads
without numpy, since the command line reads it for every verb.
"""

from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from weightsmith.errors import InputError, brief, whole_number

Activation: TypeAlias = Literal["relu", "gelu", "gelu_tanh", "silu", "reglu", "swiglu", "geglu_tanh"]
PositionKind: TypeAlias = Literal["table", "sinusoidal", "relative", "rotary", "alibi", "none"]
NormKind: TypeAlias = Literal["layer", "rms", "none"]
Placement: TypeAlias = Literal["pre", "post"]
NumberKind: TypeAlias = Literal["float32", "float64"]
MOST_WEIGHTS = 1 << 28
MOST_WHOLE = 1 << 30  # of any whole number: a count, a length, a seed
NEURONS_PER_LANE = 4  # unless said otherwise
SEED = "The same seed gives the same weights, on the same machine with the same PyTorch and --threads; not on others"


class About(NamedTuple):
    """Help and bounds of a setting."""

    help: str  # for the command line; empty where it does not offer the setting
    least: float
    most: float
    unless_given: str  # the default in words, where it is not a fixed value


def says(help: str = "", least: float = 0, most: float = MOST_WHOLE, unless_given: str = "") -> dict[str, About]:
    """Return the metadata of a field; `least` and `most` bound numbers."""
    return {"about": About(help, least, most, unless_given)}


def about(setting: "Field[Any]") -> About:
    """Return the help and bounds of a setting."""
    found: About = setting.metadata["about"]
    return found


@dataclass(frozen=True)
class Shape:
    """The shape of a transformer that can be trained."""

    lanes: int = field(default=128, metadata=says("How many lanes", 1))
    blocks: int = field(default=4, metadata=says("How many blocks", 0))
    heads: int = field(default=4, metadata=says("Heads per block", 1))
    neurons: int = field(default=512, metadata=says("Neurons per block", 1, unless_given="four times the lanes"))
    context: int = field(default=64, metadata=says("Of a text: how many tokens are seen at once", 1))
    activation: Activation = field(default="gelu", metadata=says("What neurons compute"))
    positions: PositionKind = field(default="table", metadata=says("How positions are distinguished"))
    max_distance: int = field(default=32, metadata=says(least=1))  # of relative positions
    norm: NormKind = field(default="layer", metadata=says("Which norm"))
    placement: Placement = field(default="pre", metadata=says("Whether the norm comes before or after a sublayer"))
    tied: bool = field(default=True, metadata=says("Of a text: the output is the embedding"))
    biases: bool = field(default=True, metadata=says())
    numbers: NumberKind = field(default="float32", metadata=says())

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        _check(self)
        if self.weights > MOST_WEIGHTS:
            raise InputError(f"this shape has over {self.weights:,} weights, at most {MOST_WEIGHTS:,} can be trained")
        if self.lanes % self.heads:
            raise InputError(f"lanes={self.lanes} cannot be divided among heads={self.heads}: write a multiple")
        if self.positions == "rotary" and self.lanes // self.heads % 2:
            raise InputError(
                f"rotary positions turn pairs, and each head has {self.lanes // self.heads} of the lanes: "
                "write lanes and heads that give an even number"
            )

    @property
    def weights(self) -> int:
        """How many weights its matrices have, but for those of the vocabulary."""
        matrices = 4 * self.lanes + (3 if self.gated else 2) * self.neurons
        return self.lanes * (self.blocks * matrices + self.context + self.max_distance)

    @property
    def gated(self) -> bool:
        """Whether the activation has a third matrix."""
        return self.activation in ("reglu", "swiglu", "geglu_tanh")


@dataclass(frozen=True)
class Course:
    """How training goes: AdamW with warm-up and cosine."""

    steps: int = field(default=2000, metadata=says("How many steps", 1))
    batch: int = field(default=32, metadata=says("Inputs per step", 1))
    rate: float = field(default=1e-3, metadata=says("The highest learning rate", 0, 10))
    warmup: int = field(default=100, metadata=says("Steps until it is reached", 0))
    least_rate: float = field(default=0.1, metadata=says(most=1))  # where the cosine ends, as a share of the highest
    decay: float = field(default=0.1, metadata=says("Weight decay, of matrices", 0, 10))
    dropout: float = field(default=0.0, metadata=says("The share of values left out while learning", 0, 0.99))
    clip: float = field(default=1.0, metadata=says("The largest norm of all gradients; 0 for no limit", 0, 1e9))
    seed: int = field(default=0, metadata=says(SEED, 0))
    # sums are split among threads
    threads: int = field(default=1, metadata=says("Threads to compute with, which the last bits depend on", 1))
    evaluate_every: int = field(default=100, metadata=says("Steps between records", 1))
    checkpoint_every: int = field(default=100, metadata=says("Steps between checkpoints", 1))

    def __post_init__(self) -> None:
        """Refuse values out of bounds."""
        _check(self)


def _check(settings: Shape | Course) -> None:
    """Refuse values that a setting does not take."""
    for each in fields(settings):
        value, said = getattr(settings, each.name), about(each)
        if each.type is int:
            object.__setattr__(settings, each.name, whole(value, each.name, int(said.least)))
        elif each.type is float:
            if type(value) not in (int, float) or not said.least <= value <= said.most:
                raise InputError(f"{each.name}={brief(value)}: write a number from {said.least:g} to {said.most:g}")
        elif each.type is not bool and value not in get_args(each.type):
            raise InputError(f"{each.name}={brief(value)}: write one of {', '.join(get_args(each.type))}")


def whole(value: object, name: str, least: int) -> int:
    """Return a whole number from `least` on."""
    return whole_number(value, name, least, MOST_WHOLE, f"a whole number from {least} on")


@dataclass(frozen=True)
class Preset:
    """Shape and course as they are on the command line, unless given."""

    shape: Shape
    course: Course

    def changed(self, given: Mapping[str, Any]) -> tuple[Shape, Course]:
        """Return shape and course with the given settings; neurons default to four times the lanes."""
        neurons = NEURONS_PER_LANE * given.get("lanes", self.shape.lanes)
        mine, course = ({each.name for each in fields(part)} for part in (Shape, Course))
        return (
            replace(self.shape, **{"neurons": neurons, **{name: given[name] for name in given if name in mine}}),
            replace(self.course, **{name: given[name] for name in given if name in course}),
        )


TEXT = Preset(Shape(), Course(steps=1000, rate=2e-3, threads=2, evaluate_every=50))
LABELLED = Preset(
    Shape(lanes=16, blocks=2, heads=2, neurons=64, activation="relu", norm="none"),
    Course(steps=1500, batch=128, rate=1e-2, decay=0.0, evaluate_every=75),
)
EXACT = Preset(
    # a softmax can look at the previous position only if its distance differs from all others, hence 2
    Shape(8, 2, 1, 32, activation="relu", positions="relative", max_distance=2, norm="none"),
    Course(steps=600, batch=24, rate=5e-3, warmup=50, least_rate=0.0, decay=0.0, evaluate_every=30),
)
MOODS = Preset(
    Shape(lanes=16, blocks=2, heads=2, neurons=64, context=12, activation="relu", positions="relative", norm="none"),
    Course(steps=600, batch=64, rate=1e-2, warmup=20, decay=0.0),
)
COMPARISON = Preset(Shape(lanes=64, neurons=256), Course(steps=1000, rate=2e-3, threads=2))


CURVE_POINTS = 20  # records of a training, besides the first: the points of its curve


def as_data(settings: Shape | Course) -> dict[str, Any]:
    """Return settings as plain data."""
    return asdict(settings)


def differing(a: dict[str, Any], b: dict[str, Any]) -> str | None:
    """Name the first setting in which two differ."""
    return next((name for name in {**a, **b} if a.get(name) != b.get(name)), None)
