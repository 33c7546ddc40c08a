"""Add one vector where a flag is up."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError
from weightsmith.model import Block, Neuron, Transformer, feed_forward
from weightsmith.rewrites.flag import flag_index, refuse_flags
from weightsmith.rewrites.laws_needed import require


def add_vector(T: Transformer, vector: Mapping[str, float] | npt.ArrayLike, at: str) -> Transformer:
    """Append a block that adds a vector at the positions of a flag.

    Requires: `at` is a flag; the vector is a mapping lane → member, or an array over T.lanes, and 0 on every flag.
    Ensures: at flagged positions the last stage is h ⊕ vector; elsewhere, and on every flag, nothing changes.
    Exact in: every arithmetic with "zero product" and "unit product".
    Because: one neuron reads the flag, so it is 1 or 0, and its column of W_2 is the vector.
    """
    require(
        T.arithmetic, ("zero product", "unit product"), "add_vector", "use an arithmetic with 1, such as Fixed(4, 4)"
    )
    flag_index(T, at)
    values = lane_values(T, vector)
    block = Block(feed_forward=feed_forward(T.lanes, [Neuron({at: 1.0}, values)]), origin=f"add a vector at {at}")
    return append(T, [block], f"add_vector({values}, at={at!r})")


def lane_values(T: Transformer, vector: Mapping[str, float] | npt.ArrayLike) -> dict[str, float]:
    """Return a vector as lane → value; refuse unknown lanes, flags, other sizes and values that are not members."""
    if not isinstance(vector, Mapping):
        array = np.asarray(vector, dtype=np.float64)
        if array.shape != (len(T.lanes),):
            raise InputError(f"the vector has shape {array.shape}, and there are {len(T.lanes)} lanes")
        vector = {lane: value for lane, value in zip(T.lanes, array.tolist(), strict=True) if value != 0}
    refuse_flags(T, vector)
    for lane, value in vector.items():
        if not T.arithmetic.contains(value):
            nearest = float(T.arithmetic.round(value))
            raise InputError(f"{lane}: {value!r} is not a member of {T.arithmetic}; the nearest member is {nearest!r}")
    return {lane: float(value) for lane, value in vector.items()}


def append(T: Transformer, blocks: list[Block], made: str) -> Transformer:
    """Return the transformer with further blocks, and say in its provenance how they were made."""
    return replace(T, blocks=(*T.blocks, *blocks), provenance=(*T.provenance, made[:1000]))
