"""How a head turns scores into weights."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from weightsmith.errors import ModelError, brief
from weightsmith.model.frozen import Frozen

Empty: TypeAlias = Literal["zero", "uniform", "error"]


class Weighting(Frozen):
    """The base of every weighting.

    A new one is a subclass here and its meaning in `semantics.attention.WEIGHTINGS`; engines that lack it refuse it by
    name.
    """


@dataclass(frozen=True, eq=False)
class Softmax(Weighting):
    """exp(score) ⊘ Σ exp(score).

    `shifted` first subtracts the largest score. `empty` says what happens when every exponential rounds to 0: no
    attention, the same weight for every visible position, or an error. Where a strict head sees no position,
    "uniform" means no attention too.
    """

    shifted: bool = False
    empty: Empty = "zero"

    def __post_init__(self) -> None:
        """Refuse other values."""
        if not isinstance(self.shifted, bool):
            raise ModelError(f"Softmax(shifted={brief(self.shifted)}): write True or False")
        if self.empty not in get_args(Empty):
            raise ModelError(f"Softmax(empty={brief(self.empty)}): write one of {', '.join(get_args(Empty))}")


@dataclass(frozen=True, eq=False)
class AverageHard(Weighting):
    """1 ⊘ m on each of the m positions with the largest score."""


@dataclass(frozen=True, eq=False)
class LeftmostHard(Weighting):
    """1 on the first position with the largest score."""


@dataclass(frozen=True, eq=False)
class RightmostHard(Weighting):
    """1 on the last position with the largest score."""
