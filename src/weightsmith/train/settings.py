"""What is trained, and how: plain numbers, checked once, so that a run can be repeated."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from weightsmith.errors import InputError, brief, whole_number
from weightsmith.model.block import GATED, Activation, Placement

PositionKind: TypeAlias = Literal["table", "sinusoidal", "relative", "rotary", "alibi", "none"]
NormKind: TypeAlias = Literal["layer", "rms", "none"]
NumberKind: TypeAlias = Literal["float32", "float64"]
MOST = 1 << 30  # of any whole number: a seed, a length, a count
MOST_WEIGHTS = 1 << 28


@dataclass(frozen=True)
class Shape:
    """The shape of a transformer that can be trained."""

    lanes: int = 128
    blocks: int = 4
    heads: int = 4
    neurons: int = 512
    context: int = 64  # the longest input
    activation: Activation = "gelu"
    positions: PositionKind = "table"
    max_distance: int = 32  # of relative positions
    norm: NormKind = "layer"
    placement: Placement = "pre"
    tied: bool = True  # for language models: the output is the embedding
    biases: bool = True
    numbers: NumberKind = "float32"

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        for name, least in (("lanes", 1), ("blocks", 0), ("heads", 1), ("neurons", 1), ("context", 1)):
            whole(getattr(self, name), name, least)
        whole(self.max_distance, "max_distance", 1)
        for name, kinds in (
            ("activation", Activation), ("positions", PositionKind), ("norm", NormKind),
            ("placement", Placement), ("numbers", NumberKind),
        ):  # fmt: skip
            if getattr(self, name) not in get_args(kinds):
                raise InputError(f"{name}={getattr(self, name)!r:.80}: write one of {', '.join(get_args(kinds))}")
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
        return self.activation in GATED


@dataclass(frozen=True)
class Course:
    """How training goes: AdamW with warm-up and cosine."""

    steps: int = 2000
    batch: int = 32
    rate: float = 1e-3  # the learning rate at its highest
    warmup: int = 100
    least_rate: float = 0.1  # where the cosine ends, as a share of the highest
    decay: float = 0.1  # weight decay, of matrices
    dropout: float = 0.0
    clip: float = 1.0  # the largest norm of all gradients together
    seed: int = 0
    threads: int = 1  # sums are split among threads, so another number gives other last bits
    evaluate_every: int = 100
    checkpoint_every: int = 100

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        for name, least in (("steps", 1), ("batch", 1), ("warmup", 0), ("seed", 0)):
            whole(getattr(self, name), name, least)
        whole(self.threads, "threads", 1)
        whole(self.evaluate_every, "evaluate_every", 1)
        whole(self.checkpoint_every, "checkpoint_every", 1)
        for name, low, high in (
            ("rate", 0.0, 10.0), ("least_rate", 0.0, 1.0), ("decay", 0.0, 10.0), ("dropout", 0.0, 0.99),
            ("clip", 0.0, 1e9),
        ):  # fmt: skip
            value = getattr(self, name)
            if type(value) not in (int, float) or not low <= value <= high:
                raise InputError(f"{name}={brief(value)}: write a number from {low:g} to {high:g}")


def whole(value: object, name: str, least: int) -> None:
    """Refuse what is not a whole number from `least` on."""
    whole_number(value, name, least, MOST, f"a whole number from {least} on")


def as_data(settings: Shape | Course) -> dict[str, Any]:
    """Return settings as plain data."""
    return asdict(settings)


def differing(a: dict[str, Any], b: dict[str, Any]) -> str | None:
    """Name the first setting in which two differ."""
    return next((name for name in {**a, **b} if a.get(name) != b.get(name)), None)
