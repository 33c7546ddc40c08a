"""How a head turns scores into weights."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from weightsmith.errors import ModelError, brief
from weightsmith.model.frozen import Frozen

Empty: TypeAlias = Literal["zero", "uniform", "error"]


@dataclass(frozen=True, eq=False)
class Softmax(Frozen):
    """exp(score) ⊘ Σ exp(score).

    `shifted` first subtracts the largest score. `empty` says what happens when every exponential rounds to 0: no
    attention, the same weight for every visible position, or an error. Where a strict head sees no position at all
    there is nothing to share a weight, so "uniform" is no attention too.
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
class AverageHard(Frozen):
    """1 ⊘ m on each of the m positions with the largest score."""


@dataclass(frozen=True, eq=False)
class LeftmostHard(Frozen):
    """1 on the first position with the largest score."""


@dataclass(frozen=True, eq=False)
class RightmostHard(Frozen):
    """1 on the last position with the largest score."""


Weighting: TypeAlias = Softmax | AverageHard | LeftmostHard | RightmostHard
