"""Positional schemes inside attention: relative positions, rotary positions, ALiBi."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Saturating, Weights, as_float64, immutable
from weightsmith.arithmetic.correct_rounding import flint, odd_product, round_correctly
from weightsmith.errors import ModelError, brief, is_whole
from weightsmith.model.angles import sines_and_cosines
from weightsmith.model.frozen import BOTH_OMIT_DEFAULT, Axes
from weightsmith.model.positions import MAX_BASE, AttentionPositions, Indices, Rotation, checked_base, rounded_up

Pairing: TypeAlias = Literal["halves", "neighbours"]
MAX_HEADS = 1 << 16  # of which a slope may be one: as many as a file has parts
LEAST_SCALE = 1e-6  # of angles, which are then as certain as without scales
_DOUBT = 2.0**-45  # of a float64 product, far more than it errs


@dataclass(frozen=True, eq=False)
class Relative(AttentionPositions):
    """A vector for each distance i − j, added to the key: keys[distance, key coordinate].

    The last row serves every distance from there on. With `values`, values[distance, value coordinate] is added to
    the value as well. For causal transformers, where no distance is negative.
    """

    keys: Annotated[Weights, Axes("distances", "key coordinates")]
    values: Annotated[Weights | None, Axes("distances", "value coordinates")] = None

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
        return as_float64(self.keys)

    def value_offsets(self) -> Array | None:
        """Return the values' table."""
        return None if self.values is None else as_float64(self.values)

    def alike(self) -> object:
        """Return the sizes: tables of one size are stacked."""
        return Relative, len(self.keys), self.values is None

    def check_mask(self, mask: str) -> None:
        """Refuse a mask under which distances are negative."""
        if mask != "causal":
            raise ModelError(
                "relative positions need mask='causal': only there is every distance i − j at least 0; under a full "
                "mask write heads.previous(…, places=heads.places(n)), or heads.next"
            )

    def check_head(self, name: str, key_size: int, value_size: int) -> None:
        """Refuse other sizes."""
        if self.keys.shape[1] != key_size:
            raise ModelError(f"{name}.W_K gives keys of size {key_size}, positions.keys has {self.keys.shape[1]}")
        if self.values is not None and self.values.shape[1] != value_size:
            raise ModelError(
                f"{name}.W_V gives values of size {value_size}, positions.values has {self.values.shape[1]}"
            )

    def text(self) -> str:
        """Describe it, with its largest distance."""
        return f"relative, distances 0 to {self.max_distance}"


@dataclass(frozen=True, eq=False)
class Rotary(AttentionPositions):
    """Queries and keys turned by an angle that grows with their position, pair by pair of coordinates.

    Pair p of position t turns by t / base^(2p/size): (a, b) becomes (a cos ⊖ b sin, b cos ⊕ a sin), with cos and sin
    the exact real values, rounded once (in `Native` those of float64). The pairs are coordinates p and p + size/2 for
    "halves", as in Llama and GPT-NeoX, and 2p and 2p + 1 for "neighbours", as in RoFormer and GPT-J. `size` is how many
    coordinates turn, the first ones; None means all. `scales` has a number for each pair, by which its angle is
    multiplied, as in Llama 3; None for 1.
    """

    base: float = 10000.0
    pairing: Pairing = "halves"
    size: int | None = None
    scales: Sequence[float] | None = field(default=None, metadata=BOTH_OMIT_DEFAULT)

    def __post_init__(self) -> None:
        """Refuse what makes no pairs."""
        self._set("base", checked_base(self.base, "Rotary"))
        if self.pairing not in get_args(Pairing):
            raise ModelError(f"Rotary(pairing={brief(self.pairing)}): write 'halves' or 'neighbours'")
        if self.size is not None and (not is_whole(self.size) or self.size < 2 or self.size % 2):
            raise ModelError(f"Rotary(size={brief(self.size)}): coordinates turn in pairs, so write an even number")
        self._set("size", None if self.size is None else int(self.size))
        if self.scales is not None:
            self._set("scales", _checked_scales(self.scales))
            if self.size is not None:
                self._check_scales(self.size)

    def _check_scales(self, size: int) -> None:
        """Refuse another number of scales than there are pairs."""
        if self.scales is not None and len(self.scales) != size // 2:
            raise ModelError(
                f"Rotary(scales=…) has {len(self.scales)} numbers, and {size} coordinates are {size // 2} pairs: write "
                "one for each pair"
            )

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
        size = key_size if self.size is None else self.size
        scales = None if self.scales is None else tuple(self.scales)
        sin, cos = sines_and_cosines(arithmetic, self.base, size, rounded_up(length), scales)
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
        self._check_scales(key_size if self.size is None else self.size)

    def text(self) -> str:
        """Describe it, with its pairing and base."""
        scaled = "" if self.scales is None else ", scaled angles"
        return f"rotary, pairs of {self.pairing}, base {self.base:g}{scaled}"


def _checked_scales(scales: object) -> tuple[float, ...]:
    """Return the scales of the angles of pairs."""
    if not isinstance(scales, list | tuple) or not scales:
        raise ModelError(f"Rotary(scales={brief(scales)}): write a tuple of numbers, one for each pair, or None")
    for scale in scales:
        if type(scale) not in (int, float) or not LEAST_SCALE <= scale <= 1:
            raise ModelError(f"Rotary(scales=…) holds {brief(scale)}: write numbers from {LEAST_SCALE:g} to 1")
    return tuple(map(float, scales))


@dataclass(frozen=True, eq=False)
class Alibi(AttentionPositions):
    """A penalty for distance: −slope·|i − j| is added to the score, exact and rounded once (in `Native`, by float64).

    One slope for each head of a block; None means 2^(−8·1/n), 2^(−8·2/n), … for n heads: these real numbers, not their
    float64 neighbours (in `Native`, those). A single head has `Alibi((0.5,))`, or `Alibi(place=(2, n))` for the slope
    that `Alibi()` gives head 2 of n.
    """

    slopes: Sequence[float] | None = None
    place: Sequence[int] | None = field(default=None, metadata=BOTH_OMIT_DEFAULT)

    def __post_init__(self) -> None:
        """Check slopes and place."""
        if self.place is not None:
            self._set("place", _checked_place(self.place, self.slopes))
        if self.slopes is None:
            return
        if not isinstance(self.slopes, list | tuple) or not self.slopes:
            raise ModelError(f"Alibi(slopes={brief(self.slopes)}): write a tuple of numbers, one for each head")
        for slope in self.slopes:
            if type(slope) not in (int, float) or not 0 <= slope < MAX_BASE or float(slope) >= MAX_BASE:
                raise ModelError(f"Alibi(slopes=…) holds {brief(slope)}: write numbers from 0 on")
        self._set("slopes", tuple(float(slope) + 0.0 for slope in self.slopes))  # without −0

    def of_head(self, head: int, heads: int) -> "Alibi":
        """Return the scheme of one head of several."""
        if self.slopes is not None:
            return Alibi((self.slopes[head],))
        steps, rest = divmod(8 * (head + 1), heads)
        return Alibi(place=(head, heads)) if rest else Alibi((2.0**-steps,))

    def penalties(self, arithmetic: Arithmetic, length: int) -> Array:
        """Return the penalty of a single slope at each distance."""
        if self.place is None:
            assert self.slopes is not None
            slope, power = self.slopes[0], None
        else:
            head, heads = self.place
            power = (8 * (head + 1), heads)
            slope = 2.0 ** (-power[0] / heads)
        return _penalties(slope, power, arithmetic, rounded_up(length))[:length]

    def alike(self) -> object:
        """Return the kind: tables of penalties have one size."""
        return Alibi

    def check_own(self) -> None:
        """Refuse several slopes."""
        if self.place is None and len(self.slopes or ()) != 1:
            raise ModelError("Head(positions=Alibi(…)) has one slope, for this head: write Alibi((0.5,))")

    def check_shared(self, name: str, heads: int) -> None:
        """Refuse another number of slopes, and the slope of a single head."""
        if self.place is not None:
            raise ModelError(
                f"positions=Alibi(place={self.place}) is the slope of one head: write Head(positions=Alibi(place=…)), "
                "or Alibi() for all heads"
            )
        if self.slopes is not None and len(self.slopes) != heads:
            raise ModelError(
                f"positions has {len(self.slopes)} slopes, and {name} has {heads} heads: "
                "write a slope for each head, or Alibi()"
            )

    def text(self) -> str:
        """Describe it."""
        return "a penalty for distance (ALiBi)"


def _checked_place(place: object, slopes: object) -> tuple[int, int]:
    """Return the number of a head and how many there are."""
    pair = tuple(place) if isinstance(place, list | tuple) else ()
    if slopes is not None or len(pair) != 2 or not all(map(is_whole, pair)):
        raise ModelError(f"Alibi(place={brief(place)}): write the head's number and how many there are, such as (0, 3)")
    if not 0 <= pair[0] < pair[1] <= MAX_HEADS:
        raise ModelError(f"Alibi(place={brief(pair)}): of n heads, the numbers are 0 to n − 1, and n ≤ {MAX_HEADS:,}")
    return int(pair[0]), int(pair[1])


@lru_cache(maxsize=64)
def _penalties(slope: float, power: tuple[int, int] | None, arithmetic: Arithmetic, length: int) -> Array:
    """Return −slope·distance for each distance; where there is a power (a, b), the slope is 2^(−a/b)."""
    distance = np.arange(length, dtype=np.float64)
    if not isinstance(arithmetic, Saturating):
        return immutable(arithmetic.round(-slope * distance + 0.0))
    if power is None:
        return immutable(arithmetic.round(-odd_product(slope, distance)))
    close = -slope * distance
    return immutable(round_correctly(close, _DOUBT * -close, arithmetic._nearest, lambda d: -d * _root_of_2(*power)))


def _root_of_2(a: int, b: int) -> Any:
    """Return a ball around 2^(−a/b)."""
    return (flint().arb.const_log2() * -a / b).exp()
