"""Vectors that are added, or made 0, where a flag is up."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import require
from weightsmith.errors import InputError, brief, named
from weightsmith.model import Block, Neuron, Transformer, feed_forward
from weightsmith.model.members import member
from weightsmith.model.transformer import checked
from weightsmith.rewrites.lanes import COPYING, flag_index, own_complement, plain_lanes, refuse_flags
from weightsmith.rewrites.whole_model import appended

Pattern: TypeAlias = Mapping[str, float] | npt.ArrayLike  # a vector over some lanes, or over all


def add_vector(T: Transformer, vector: Pattern, at: str) -> Transformer:
    """Append a block that adds a vector at the positions of a flag.

    Requires: `at` is a flag; the vector is a mapping lane → member, or an array over T.lanes, and 0 on every flag.
    Ensures: at flagged positions the last stage is h ⊕ vector; elsewhere, and on every flag, nothing changes.
    Exact in: every arithmetic with "zero product" and "unit product".
    Because: one neuron reads the flag, so it is 1 or 0, and its column of W_2 is the vector.
    """
    instead = "use an arithmetic with 1, such as Fixed(4, 4)"
    require(checked(T).arithmetic, ("zero product", "unit product"), "add_vector", instead)
    flag_index(T, at)
    values = lane_values(T, vector)
    block = Block(feed_forward=feed_forward(T.lanes, [Neuron({at: 1.0}, values)]), origin=f"add a vector at {at}")
    return appended(T, [block], f"add_vector({values}, at={at!r})")


def lane_values(T: Transformer, vector: Pattern) -> dict[str, float]:
    """Return a vector as lane → value; refuse unknown lanes, flags, other sizes and values that are not members."""
    by_name = isinstance(vector, Mapping)
    values = {lane: value for lane, value in lane_pairs(T, vector, "the vector") if by_name or value != 0}
    refuse_flags(T, values)
    return {lane: member(T.arithmetic, value, named(lane)) for lane, value in values.items()}


def lane_pairs(T: Transformer, vector: Pattern, name: str) -> Iterable[tuple[str, object]]:
    """Return the lanes and values of a mapping, or of an array over all lanes; refuse arrays of another shape."""
    if isinstance(vector, Mapping):
        return vector.items()
    values = np.asarray(vector, dtype=object)
    if values.shape != (len(T.lanes),):
        raise InputError(
            f"{name} has shape {values.shape}, and there are {len(T.lanes)} lanes: "
            "write a number for each, or a mapping such as {lane: number}"
        )
    return zip(T.lanes, values, strict=True)


def zero_vector(
    T: Transformer, at: str, lanes: Sequence[str] | None = None, method: Literal["saturate", "cancel"] = "saturate"
) -> Transformer:
    """Append blocks that make lanes 0 at the positions of a flag.

    Requires: `at` is a flag; `lanes` are lanes that are not flags (None: all of them).
    Ensures: at flagged positions those lanes are 0 at the last stage; nothing else changes.
    Exact in: "saturate", three blocks, where "saturation" and "cancellation" hold; "cancel", one block and a further
      flag, in every system with "symmetric", "zero product" and "unit product".
    Because: ((h ⊕ ∞) ⊕ ∞) ⊖ ∞ = 0; and h ⊕ (−h) = 0.
    """
    if method not in ("saturate", "cancel"):
        raise InputError(f"method={brief(method)}: write 'saturate' or 'cancel'")
    flag_index(T, at)
    chosen = plain_lanes(T) if lanes is None else list(lanes)
    refuse_flags(T, chosen)
    return _saturate(T, at, chosen) if method == "saturate" else _cancel(T, at, chosen)


def _saturate(T: Transformer, at: str, lanes: list[str]) -> Transformer:
    needed = ("saturation", "cancellation", "zero product", "unit product")
    require(T.arithmetic, needed, "zero_vector", "use zero_vector(…, method='cancel')")
    infinity = T.arithmetic.infinity
    blocks = [
        Block(
            feed_forward=feed_forward(T.lanes, [Neuron({at: 1.0}, dict.fromkeys(lanes, value))]),
            origin=f"zero at {at}: add {'∞' if value > 0 else '−∞'}",
        )
        for value in (infinity, infinity, -infinity)
    ]
    return appended(T, blocks, f"zero_vector(at={at!r}, lanes={lanes})")


def _cancel(T: Transformer, at: str, lanes: list[str]) -> Transformer:
    require(T.arithmetic, COPYING, "zero_vector(method='cancel')", "use an arithmetic with 1, such as Fixed(4, 4)")
    T, elsewhere = own_complement(T, at)
    made = f"zero_vector(at={at!r}, lanes={lanes}, method='cancel')"
    return appended(T, [cancelling_block(T, elsewhere, lanes)], made)


def cancelling_block(T: Transformer, elsewhere: str, lanes: Sequence[str]) -> Block:
    """Subtract h itself: relu(±h ⊖ ∞ ⊗ elsewhere) is ±h where the flag `elsewhere` is 0, and 0 where it is 1."""
    shut = -T.arithmetic.infinity
    neurons = [Neuron({lane: sign, elsewhere: shut}, {lane: -sign}) for lane in lanes for sign in (1.0, -1.0)]
    return Block(feed_forward=feed_forward(T.lanes, neurons), origin=f"zero except where {elsewhere}: subtract")
