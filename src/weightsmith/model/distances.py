"""The schemes inside attention that there are: relative positions, rotary positions, ALiBi."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, immutable
from weightsmith.errors import ModelError, brief
from weightsmith.model.axes import Axes
from weightsmith.model.positions import MAX_BASE, AttentionPositions, Indices, Rotation, checked_base, rounded_up

Pairing: TypeAlias = Literal["halves", "neighbours"]


@dataclass(frozen=True, eq=False)
class Relative(AttentionPositions):
    """A vector for each distance i − j, added to the key: keys[distance, key coordinate].

    The last row serves every distance from there on. With `values`, values[distance, value coordinate] is added to
    the value as well. For causal transformers, where no distance is negative.
    """

    keys: Annotated[Array, Axes("distances", "key coordinates")]
    values: Annotated[Array | None, Axes("distances", "value coordinates")] = None

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        self._freeze()
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

    def key_offsets(self) -> Array:
        """Return the keys' table."""
        return self.keys

    def value_offsets(self) -> Array | None:
        """Return the values' table."""
        return self.values

    def alike(self) -> object:
        """Return the sizes: tables of one size are stacked."""
        return Relative, len(self.keys), self.values is None

    def check_mask(self, mask: str) -> None:
        """Refuse a mask under which distances are negative."""
        if mask != "causal":
            raise ModelError("relative positions need mask='causal': only there is every distance i − j at least 0")

    def check_head(self, name: str, key_size: int, value_size: int) -> None:
        """Refuse other sizes."""
        if self.keys.shape[1] != key_size:
            raise ModelError(f"{name}.W_K gives keys of size {key_size}, positions.keys has {self.keys.shape[1]}")
        if self.values is not None and self.values.shape[1] != value_size:
            raise ModelError(
                f"{name}.W_V gives values of size {value_size}, positions.values has {self.values.shape[1]}"
            )

    def text(self) -> str:
        """Say how far it goes."""
        return f"relative, distances 0 to {self.max_distance}"


@dataclass(frozen=True, eq=False)
class Rotary(AttentionPositions):
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
            raise ModelError(f"Rotary(pairing={brief(self.pairing)}): write 'halves' or 'neighbours'")
        if self.size is not None and (type(self.size) is not int or self.size < 2 or self.size % 2):
            raise ModelError(f"Rotary(size={brief(self.size)}): coordinates turn in pairs, so write an even number")

    def pairs(self, key_size: int) -> tuple[Indices, Indices]:
        """Return the first and the second coordinates of the pairs."""
        coordinates = np.arange(key_size if self.size is None else self.size)
        half = len(coordinates) // 2
        if self.pairing == "halves":
            return coordinates[:half], coordinates[half:]
        return coordinates[0::2], coordinates[1::2]

    def rotation(self, arithmetic: Arithmetic, key_size: int, length: int) -> Rotation | None:
        """Return the pairs with the cosines and sines of their angles; None without coordinates."""
        if key_size == 0:
            return None
        cos, sin = _angles(self, arithmetic, key_size, rounded_up(length))
        return Rotation(*self.pairs(key_size), cos[:length], sin[:length])

    def check_head(self, name: str, key_size: int, value_size: int) -> None:
        """Refuse a key size that makes no pairs."""
        if self.size is None and key_size % 2:
            some = f", or Rotary(size={key_size - 1})" if key_size > 1 else ""
            raise ModelError(
                f"{name}.W_K gives keys of size {key_size}, and rotary positions turn pairs: "
                f"write an even key size{some}"
            )
        if self.size is not None and self.size > key_size:
            raise ModelError(
                f"{name}.W_K gives keys of size {key_size}, and Rotary(size={self.size}) turns more than that"
            )

    def text(self) -> str:
        """Say which pairs turn, and the base."""
        return f"rotary, pairs of {self.pairing}, base {self.base:g}"


@lru_cache(maxsize=64)
def _angles(rotary: Rotary, arithmetic: Arithmetic, key_size: int, length: int) -> tuple[Array, Array]:
    pairs = len(rotary.pairs(key_size)[0])
    angle = np.arange(length)[:, np.newaxis] / rotary.base ** (np.arange(pairs) / pairs)
    return immutable(arithmetic.round(np.cos(angle))), immutable(arithmetic.round(np.sin(angle)))


@dataclass(frozen=True, eq=False)
class Alibi(AttentionPositions):
    """A penalty for distance: the float64 product −slope·|i − j|, rounded into the arithmetic, is added to the score.

    One slope for each head of a block; None means 2^(−8·1/n), 2^(−8·2/n), … for n heads.
    """

    slopes: Sequence[float] | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a number."""
        if self.slopes is None:
            return
        if not isinstance(self.slopes, list | tuple) or not self.slopes:
            raise ModelError(f"Alibi(slopes={brief(self.slopes)}): write a tuple of numbers, one for each head")
        for slope in self.slopes:
            if type(slope) not in (int, float) or not 0 <= slope < MAX_BASE:
                raise ModelError(f"Alibi(slopes=…) holds {brief(slope)}: write numbers from 0 on")
        self._set("slopes", tuple(float(slope) for slope in self.slopes))

    def of_head(self, head: int, heads: int) -> "Alibi":
        """Return the scheme of one head of several."""
        if self.slopes is None:
            return Alibi((2.0 ** (-8 * (head + 1) / heads),))
        return Alibi((self.slopes[head],))

    def penalties(self, arithmetic: Arithmetic, length: int) -> Array:
        """Return what a single slope adds to a score at each distance."""
        return _penalties(self, arithmetic, rounded_up(length))[:length]

    def alike(self) -> object:
        """Return the kind: tables of penalties have one size."""
        return Alibi

    def check_own(self) -> None:
        """Refuse several slopes."""
        if len(self.slopes or ()) != 1:
            raise ModelError("Head(positions=Alibi(…)) has one slope, for this head: write Alibi((0.5,))")

    def check_shared(self, name: str, heads: int) -> None:
        """Refuse another number of slopes."""
        if self.slopes is not None and len(self.slopes) != heads:
            raise ModelError(
                f"positions has {len(self.slopes)} slopes, and {name} has {heads} heads: "
                "write a slope for each head, or Alibi()"
            )

    def text(self) -> str:
        """Say what it is."""
        return "a penalty for distance (ALiBi)"


@lru_cache(maxsize=64)
def _penalties(alibi: Alibi, arithmetic: Arithmetic, length: int) -> Array:
    assert alibi.slopes is not None
    return immutable(arithmetic.round(-alibi.slopes[0] * np.arange(length) + 0.0))
