"""How a transformer knows where a token stands."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, immutable
from weightsmith.errors import ModelError
from weightsmith.model.frozen import Frozen
from weightsmith.model.names import brief

MAX_LENGTH = 1 << 20


@dataclass(frozen=True, eq=False)
class Table(Frozen):
    """A vector for each position, written out: values[position, lane]."""

    values: Array

    def __post_init__(self) -> None:
        """Freeze the array."""
        self._arrays(values=2)


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
        if type(self.base) not in (int, float) or not 1 < self.base < 1e30:
            raise ModelError(f"Sinusoidal(base={brief(self.base)}): write a number above 1")
        self._set("base", float(self.base))


@dataclass(frozen=True, eq=False)
class Relative(Frozen):
    """A vector for each distance i − j, added to the key: keys[distance, key coordinate].

    The last row serves every distance from there on. For causal transformers, where no distance is negative.
    """

    keys: Array

    def __post_init__(self) -> None:
        """Freeze the array."""
        self._arrays(keys=2)
        if len(self.keys) == 0:
            raise ModelError("Relative(keys) needs at least one row, for distance 0")

    @property
    def max_distance(self) -> int:
        """From this distance on the last row is used."""
        return len(self.keys) - 1


Positions: TypeAlias = Table | Sinusoidal | Relative


def position_table(
    positions: Positions | None, arithmetic: Arithmetic, lanes: int, length: int | None = None
) -> Array | None:
    """Give what is added to the embedding at the first positions (None: all), (length, lanes); None for nothing."""
    if isinstance(positions, Table):
        return positions.values[:length]
    if isinstance(positions, Sinusoidal):
        return _sinusoids(positions.max_length if length is None else length, positions.base, arithmetic, lanes)
    return None


@lru_cache(maxsize=16)
def _sinusoids(length: int, base: float, arithmetic: Arithmetic, lanes: int) -> Array:
    lane = np.arange(lanes)
    angle = np.arange(length)[:, np.newaxis] / base ** (2 * (lane // 2) / lanes)
    return immutable(arithmetic.round(np.where(lane % 2 == 0, np.sin(angle), np.cos(angle))))
