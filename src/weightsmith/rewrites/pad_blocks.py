"""Blocks that do nothing."""

from weightsmith.errors import InputError
from weightsmith.model import Block, Transformer
from weightsmith.rewrites.add_vector import append


def pad_blocks(T: Transformer, count: int) -> Transformer:
    """Append blocks that do nothing.

    Requires: count ≥ 0.
    Ensures: the last stage of the stream, and so every decision, is the same.
    Exact in: every arithmetic.
    Because: an empty block adds nothing.
    """
    if type(count) is not int or count < 0:
        raise InputError(f"count={count!r}: write how many blocks to add, 0 or more")
    return append(T, [Block(origin="padding")] * count, f"pad_blocks({count})")
