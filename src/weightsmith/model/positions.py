"""How a transformer knows where a token stands: vectors that are added to the embedding, and rules inside attention."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, immutable
from weightsmith.errors import ModelError, brief
from weightsmith.model.distances import Alibi, Distances, Relative, Rotary, checked_base, rounded_up
from weightsmith.model.frozen import Frozen

MAX_LENGTH = 1 << 20


@dataclass(frozen=True, eq=False)
class PositionTable(Frozen):
    """A vector for each position, written out: values[position, lane]."""

    values: Array

    def __post_init__(self) -> None:
        """Freeze the array."""
        self._arrays(values=2)

    @classmethod
    def stored_as(cls) -> str:
        """Return the name in files and digests."""
        return "Table"


@dataclass(frozen=True, eq=False)
class Sinusoidal(Frozen):
    """Interleaved sines and cosines: lane 2i of position t is sin(t / base^(2i/d)), lane 2i + 1 the cosine.

    d is the number of lanes. The float64 values are rounded into the arithmetic.
    """

    max_length: int
    base: float = 10000.0

    def __post_init__(self) -> None:
        """Refuse sizes that make no sense or no table."""
        if type(self.max_length) is not int or not 1 <= self.max_length <= MAX_LENGTH:
            raise ModelError(
                f"Sinusoidal(max_length={brief(self.max_length)}): write a whole number from 1 to {MAX_LENGTH}"
            )
        self._set("base", checked_base(self.base, "Sinusoidal"))


Added: TypeAlias = PositionTable | Sinusoidal
Scheme: TypeAlias = Added | Distances
Positions: TypeAlias = Scheme | tuple[Scheme, ...]  # one, or one of each kind: (PositionTable(…), Rotary())


def checked_positions(positions: Positions | None) -> Positions | None:
    """Return a scheme, or a pair with what is added to the embedding in front; refuse anything else."""
    schemes = tuple(positions) if isinstance(positions, list | tuple) else (positions,)
    for scheme in schemes:
        if scheme is not None and not isinstance(scheme, Scheme):
            raise ModelError(
                f"positions={scheme!r:.80}: write PositionTable(…), Sinusoidal(…), Relative(…), Rotary(…), Alibi(…), "
                "a pair of them such as (PositionTable(…), Rotary()), or None"
            )
    vectors = [scheme for scheme in schemes if isinstance(scheme, Added)]
    rules = [scheme for scheme in schemes if isinstance(scheme, Distances)]
    if len(vectors) > 1 or len(rules) > 1:
        names = " and ".join(type(scheme).__name__ for scheme in schemes)
        raise ModelError(
            f"positions=({names}): one of PositionTable and Sinusoidal goes with one of Relative, Rotary and Alibi; "
            "two tables become one by adding them up"
        )
    both = (*vectors, *rules)
    return both if len(both) == 2 else both[0] if both else None


def added(positions: Positions | None) -> Added | None:
    """Return what is added to the embedding."""
    schemes = positions if isinstance(positions, tuple) else (positions,)
    return next((scheme for scheme in schemes if isinstance(scheme, Added)), None)


def attending(positions: Positions | None) -> Distances | None:
    """Return the rule inside attention."""
    schemes = positions if isinstance(positions, tuple) else (positions,)
    return next((scheme for scheme in schemes if isinstance(scheme, Distances)), None)


def position_table(
    positions: Positions | None, arithmetic: Arithmetic, lanes: int, length: int | None = None
) -> Array | None:
    """Return what is added to the embedding at the first positions (None: all), (length, lanes); None for nothing."""
    scheme = added(positions)
    if isinstance(scheme, PositionTable):
        return scheme.values[:length]
    if isinstance(scheme, Sinusoidal):
        count = scheme.max_length if length is None else length
        return _sinusoids(rounded_up(count), scheme.base, arithmetic, lanes)[:count]
    return None


@lru_cache(maxsize=16)
def _sinusoids(length: int, base: float, arithmetic: Arithmetic, lanes: int) -> Array:
    lane = np.arange(lanes)
    angle = np.arange(length)[:, np.newaxis] / base ** (2 * (lane // 2) / lanes)
    return immutable(arithmetic.round(np.where(lane % 2 == 0, np.sin(angle), np.cos(angle))))


__all__ = [
    "Added",
    "Alibi",
    "Distances",
    "PositionTable",
    "Positions",
    "Relative",
    "Rotary",
    "Sinusoidal",
    "added",
    "attending",
    "checked_positions",
    "position_table",
]
