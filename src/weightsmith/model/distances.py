"""Rules by which attention itself takes account of where a key stands: relative, rotary, ALiBi."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, immutable
from weightsmith.errors import ModelError, brief
from weightsmith.model.frozen import Frozen

Pairing: TypeAlias = Literal["halves", "neighbours"]
MAX_BASE = 1e30


@dataclass(frozen=True, eq=False)
class Relative(Frozen):
    """A vector for each distance i − j, added to the key: keys[distance, key coordinate].

    The last row serves every distance from there on. With `values`, values[distance, value coordinate] is added to
    the value as well. For causal transformers, where no distance is negative.
    """

    keys: Array
    values: Array | None = None

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        self._arrays(keys=2)
        self._optional_arrays(values=2)
        if len(self.keys) == 0:
            raise ModelError("Relative(keys) needs at least one row, for distance 0")
        if self.values is not None and len(self.values) != len(self.keys):
            raise ModelError(
                f"Relative(keys, values) has {len(self.keys)} rows of keys and {len(self.values)} of values: "
                "write a row of each for every distance"
            )

    @property
    def max_distance(self) -> int:
        """From this distance on the last row is used."""
        return len(self.keys) - 1


@dataclass(frozen=True, eq=False)
class Rotary(Frozen):
    """Queries and keys turned by an angle that grows with their position, pair by pair of coordinates.

    Pair p of position t turns by t / base^(2p/size): (a, b) becomes (a cos ⊖ b sin, b cos ⊕ a sin), with cos and sin
    rounded into the arithmetic. The pairs are coordinates p and p + size/2 for "halves", as in Llama and GPT-NeoX, and
    2p and 2p + 1 for "neighbours", as in RoFormer and GPT-J. `size` is how many coordinates turn, the first ones;
    None means all.
    """

    base: float = 10000.0
    pairing: Pairing = "halves"
    size: int | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no pairs."""
        self._set("base", checked_base(self.base, "Rotary"))
        if self.pairing not in get_args(Pairing):
            raise ModelError(f"Rotary(pairing={self.pairing!r:.80}): write 'halves' or 'neighbours'")
        if self.size is not None and (type(self.size) is not int or self.size < 2 or self.size % 2):
            raise ModelError(f"Rotary(size={brief(self.size)}): coordinates turn in pairs, so write an even number")

    def pairs(self, key_size: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the first and the second coordinates of the pairs."""
        places = np.arange(key_size if self.size is None else self.size)
        half = len(places) // 2
        if self.pairing == "halves":
            return places[:half], places[half:]
        return places[0::2], places[1::2]


@dataclass(frozen=True, eq=False)
class Alibi(Frozen):
    """A penalty for distance: the float64 product −slope·|i − j|, rounded into the arithmetic, is added to the score.

    One slope for each head of a block; None means 2^(−8·1/n), 2^(−8·2/n), … for n heads.
    """

    slopes: Sequence[float] | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a number."""
        if self.slopes is None:
            return
        if not isinstance(self.slopes, list | tuple) or not self.slopes:
            raise ModelError(f"Alibi(slopes={self.slopes!r:.80}): write a tuple of numbers, one for each head")
        for slope in self.slopes:
            if type(slope) not in (int, float) or not 0 <= slope < MAX_BASE:
                raise ModelError(f"Alibi(slopes=…) holds {brief(slope)}: write numbers from 0 on")
        self._set("slopes", tuple(float(slope) for slope in self.slopes))

    def of_head(self, head: int, heads: int) -> "Alibi":
        """Return the rule of one head of several."""
        if self.slopes is None:
            return Alibi((2.0 ** (-8 * (head + 1) / heads),))
        return Alibi((self.slopes[head],))


Distances: TypeAlias = Relative | Rotary | Alibi


def checked_base(base: float, name: str) -> float:
    """Return a base as a float."""
    if type(base) not in (int, float) or not 1 < base < MAX_BASE:
        raise ModelError(f"{name}(base={brief(base)}): write a number above 1")
    return float(base)


def turns(rotary: Rotary, arithmetic: Arithmetic, key_size: int, length: int) -> tuple[Array, Array]:
    """Return the cosines and sines, (positions, pairs), rounded."""
    cos, sin = _turns(rotary, arithmetic, key_size, rounded_up(length))
    return cos[:length], sin[:length]


def rounded_up(length: int) -> int:
    """Return a power of 2: text that grows token by token does not need a new table each time."""
    return 1 << max(length - 1, 0).bit_length()


@lru_cache(maxsize=64)
def _turns(rotary: Rotary, arithmetic: Arithmetic, key_size: int, length: int) -> tuple[Array, Array]:
    pairs = len(rotary.pairs(key_size)[0])
    angle = np.arange(length)[:, np.newaxis] / rotary.base ** (np.arange(pairs) / pairs)
    return immutable(arithmetic.round(np.cos(angle))), immutable(arithmetic.round(np.sin(angle)))


def penalties(alibi: Alibi, arithmetic: Arithmetic, length: int) -> Array:
    """Return what a rule with one slope adds to a score at each distance, (distances)."""
    return _penalties(alibi, arithmetic, rounded_up(length))[:length]


@lru_cache(maxsize=64)
def _penalties(alibi: Alibi, arithmetic: Arithmetic, length: int) -> Array:
    assert alibi.slopes is not None
    return immutable(arithmetic.round(-alibi.slopes[0] * np.arange(length) + 0.0))
