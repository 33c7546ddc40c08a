"""Positional schemes: vectors added to the embedding, and schemes inside attention.

A scheme is a few tables; their effect on queries, keys, values and scores is defined once, here. Every engine asks for
the same tables, so a new scheme is a new class and nothing else.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Core, Weights, as_float64
from weightsmith.errors import ModelError, brief, is_whole
from weightsmith.model.angles import sines_and_cosines
from weightsmith.model.frozen import LANES, Axes, Frozen

MAX_LENGTH = 1 << 20
MAX_BASE = 1e30
Indices: TypeAlias = npt.NDArray[np.intp]


class AddedPositions(Frozen):
    """A scheme that adds a vector to the embedding of each token."""

    max_length: int

    @abstractmethod
    def vectors(self, arithmetic: Arithmetic, lanes: int, length: int | None = None) -> Array:
        """Return the vectors of the first positions, (length, lanes); None means all positions."""

    @abstractmethod
    def text(self) -> str:
        """Describe the scheme in a few words."""

    def check_lanes(self, lanes: int) -> None:
        """Refuse a number of lanes that does not fit."""


class Rotation(NamedTuple):
    """Pairs of coordinates that turn: (a, b) becomes (a cos ⊖ b sin, b cos ⊕ a sin)."""

    first: Indices  # (pairs): coordinates a
    second: Indices  # (pairs): coordinates b
    cos: Array  # (positions, pairs)
    sin: Array


class AttentionPositions(Frozen):
    """A scheme inside attention: tables of members of the arithmetic, None for a table that it lacks.

    Engines ask for the tables only, so the effect of the tables is fixed: a subclass that overrides it is refused.
    """

    def __init_subclass__(cls) -> None:
        """Refuse a scheme that overrides the effect of the tables."""
        for name in ("rotate", "key", "value", "penalty"):
            if name in vars(cls):
                raise TypeError(f"{cls.__name__}.{name}: a positional scheme consists of its tables; override those")

    # The tables

    def rotation(self, arithmetic: Arithmetic, key_size: int, length: int) -> Rotation | None:
        """Return how queries and keys turn at the first positions."""
        return None

    def key_offsets(self) -> Array | None:
        """Return the offsets of keys, (distances, key size); the last row serves every larger distance."""
        return None

    def value_offsets(self) -> Array | None:
        """Return the offsets of values, (distances, value size), in the same way."""
        return None

    def penalties(self, arithmetic: Arithmetic, length: int) -> Array | None:
        """Return the number added to the score at each distance |i − j|, (length)."""
        return None

    # Their effect

    def rotate(self, A: Core, x: Array, here: Indices) -> Array:
        """Return queries or keys x (…, positions, key size), turned as their positions say."""
        turns = self.rotation(A.arithmetic, x.shape[-1], int(here.max()) + 1)
        if turns is None:
            return x
        a, b, cos, sin = x[..., turns.first], x[..., turns.second], turns.cos[here], turns.sin[here]
        result = x.copy()
        result[..., turns.first] = A.subtract(A.multiply(a, cos), A.multiply(b, sin))
        result[..., turns.second] = A.add(A.multiply(b, cos), A.multiply(a, sin))
        return result

    def key(self, A: Core, k: Array, distance: Indices) -> Array:
        """Return keys k (…, key size) as a query at these distances meets them."""
        return _offset(A, k, self.key_offsets(), distance)

    def value(self, A: Core, v: Array, distance: Indices) -> Array:
        """Return values v (…, value size) as a position at these distances takes them in."""
        return _offset(A, v, self.value_offsets(), distance)

    def penalty(self, A: Core, scores: Array, distance: Indices) -> Array:
        """Return scores (…, positions, positions) with the penalties for their distances."""
        table = self.penalties(A.arithmetic, distance.shape[-1])
        return scores if table is None else A.add(scores, table[np.abs(distance)])

    # Where it belongs

    def of_head(self, head: int, heads: int) -> "AttentionPositions":
        """Return the scheme of one head of several that share this one."""
        return self

    def alike(self) -> object:
        """Return a key that is equal for schemes whose heads can be stacked."""
        return self

    def check_own(self) -> None:
        """Refuse to be the scheme of a single head."""

    def check_shared(self, name: str, heads: int) -> None:
        """Refuse to be shared by this number of heads; `name` is the attention's."""

    def check_mask(self, mask: str) -> None:
        """Refuse a mask."""

    def check_head(self, name: str, key_size: int, value_size: int) -> None:
        """Refuse a head with this name and these sizes."""

    def text(self) -> str:
        """Describe the scheme in a few words."""
        return "none, any length"


NO_POSITIONS = AttentionPositions()  # queries, keys, values and scores stay as they are


def _offset(A: Core, x: Array, table: Array | None, distance: Indices) -> Array:
    return x if table is None else A.add(x, table[np.clip(distance, 0, len(table) - 1)])


@dataclass(frozen=True, eq=False)
class PositionTable(AddedPositions):
    """A vector for each position, written out: values[position, lane]."""

    values: Annotated[Weights, Axes("max_length", LANES)]

    def __post_init__(self) -> None:
        """Freeze the array."""
        self._freeze()

    @classmethod
    def stored_as(cls) -> str:
        """Return the name in files and digests."""
        return "Table"

    @property
    def max_length(self) -> int:  # type: ignore[override]
        """The longest input."""
        return len(self.values)

    def vectors(self, arithmetic: Arithmetic, lanes: int, length: int | None = None) -> Array:
        """Return the first rows."""
        return as_float64(self.values[:length])

    def text(self) -> str:
        """Describe it, with its length."""
        return f"table for {len(self.values)}"

    def check_lanes(self, lanes: int) -> None:
        """Refuse a table without rows, or for other lanes."""
        if self.values.shape[1] != lanes:
            shape = self.values.shape
            raise ModelError(f"positions has shape {shape}, and it must be (any, {lanes}): (max_length, lanes)")
        if len(self.values) == 0:
            raise ModelError("positions is a table without rows: at least one position is needed")


@dataclass(frozen=True, eq=False)
class Sinusoidal(AddedPositions):
    """Interleaved sines and cosines: lane 2i of position t is sin(t / base^(2i/d)), lane 2i + 1 the cosine.

    d is the number of lanes. In a finite arithmetic each is the exact real value, rounded once; see `angles`.
    """

    max_length: int
    base: float = 10000.0

    def __post_init__(self) -> None:
        """Refuse sizes that make no sense or no table."""
        if not is_whole(self.max_length) or not 1 <= self.max_length <= MAX_LENGTH:
            raise ModelError(
                f"Sinusoidal(max_length={brief(self.max_length)}): write a whole number from 1 to {MAX_LENGTH}"
            )
        self._set("max_length", int(self.max_length))
        self._set("base", checked_base(self.base, "Sinusoidal"))

    def vectors(self, arithmetic: Arithmetic, lanes: int, length: int | None = None) -> Array:
        """Return the sines and cosines, rounded."""
        count = self.max_length if length is None else length
        sin, cos = sines_and_cosines(arithmetic, self.base, lanes, rounded_up(count))
        return np.stack([sin[:count], cos[:count]], axis=-1).reshape(count, -1)[:, :lanes]

    def text(self) -> str:
        """Describe it, with its length and base."""
        return f"sinusoidal for {self.max_length}, base {self.base:g}"


def checked_base(base: float, name: str) -> float:
    """Return a base as a float."""
    if type(base) not in (int, float) or not 1 < base < MAX_BASE or float(base) >= MAX_BASE:
        raise ModelError(f"{name}(base={brief(base)}): write a number above 1")
    return float(base)


def rounded_up(length: int) -> int:
    """Return a power of 2: text that grows token by token does not need a new table each time."""
    return 1 << max(length - 1, 0).bit_length()


# Of a transformer

Scheme: TypeAlias = AddedPositions | AttentionPositions
Positions: TypeAlias = Scheme | tuple[Scheme, ...]  # one, or one of each kind: (PositionTable(…), Rotary())


def checked_positions(positions: Positions | None) -> Positions | None:
    """Return a scheme, or a pair with the added scheme in front; refuse anything else."""
    schemes = tuple(positions) if isinstance(positions, list | tuple) else (positions,)
    for scheme in schemes:
        if scheme is not None and not isinstance(scheme, Scheme):
            raise ModelError(
                f"positions={brief(scheme)}: write PositionTable(…), Sinusoidal(…), Relative(…), Rotary(…), Alibi(…), "
                "a pair of them such as (PositionTable(…), Rotary()), or None"
            )
    vectors = [scheme for scheme in schemes if isinstance(scheme, AddedPositions)]
    inside = [scheme for scheme in schemes if isinstance(scheme, AttentionPositions)]
    if len(vectors) > 1 or len(inside) > 1:
        names = " and ".join(type(scheme).__name__ for scheme in schemes)
        raise ModelError(
            f"positions=({names}): one of PositionTable and Sinusoidal goes with one of Relative, Rotary and Alibi; "
            "two tables become one by adding them up"
        )
    both: tuple[Scheme, ...] = (*vectors, *inside)
    return both if len(both) == 2 else both[0] if both else None


def added(positions: Positions | None) -> AddedPositions | None:
    """Return the scheme that adds to the embedding."""
    schemes = positions if isinstance(positions, tuple) else (positions,)
    return next((scheme for scheme in schemes if isinstance(scheme, AddedPositions)), None)


def attending(positions: Positions | None) -> AttentionPositions | None:
    """Return the scheme inside attention."""
    schemes = positions if isinstance(positions, tuple) else (positions,)
    return next((scheme for scheme in schemes if isinstance(scheme, AttentionPositions)), None)


def position_table(
    positions: Positions | None, arithmetic: Arithmetic, lanes: int, length: int | None = None
) -> Array | None:
    """Return the vectors that are added to the embedding at the first positions, (length, lanes); None for none."""
    scheme = added(positions)
    return None if scheme is None else scheme.vectors(arithmetic, lanes, length)


def position_text(positions: Positions | None) -> str:
    """Describe the positions of a transformer."""
    schemes = positions if isinstance(positions, tuple) else (positions,)
    return "; ".join(scheme.text() for scheme in schemes if scheme is not None) or "none, any length"
