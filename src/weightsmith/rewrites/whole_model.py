"""Changes to a model as a whole: further blocks, another arithmetic."""

from collections.abc import Sequence
from dataclasses import replace

from weightsmith.arithmetic import Arithmetic, checked_arithmetic
from weightsmith.errors import cut, whole_number
from weightsmith.model import Block, Transformer
from weightsmith.model.folds import map_arrays
from weightsmith.model.transformer import checked

MOST_BLOCKS = 1 << 16
MAX_LINE = 1000  # characters of a line of provenance; of a longer one its beginning is kept, with … behind it


def append(T: Transformer, blocks: Sequence[Block], made: str) -> Transformer:
    """Return the transformer with further blocks, and say in its provenance how they were made."""
    return replace(checked(T), blocks=(*T.blocks, *blocks), provenance=(*T.provenance, cut(made, MAX_LINE)))


def pad_blocks(T: Transformer, count: int) -> Transformer:
    """Append blocks that do nothing.

    Requires: count ≥ 0.
    Ensures: the last stage of the stream, and so every decision, is the same.
    Exact in: every arithmetic.
    Because: an empty block adds nothing.
    """
    count = whole_number(count, "count", 0, MOST_BLOCKS, "how many blocks to add, 0 or more")
    return append(checked(T), [Block(origin="padding")] * count, f"pad_blocks({count})")


def to_arithmetic(T: Transformer, arithmetic: Arithmetic) -> Transformer:
    """Round every weight into another arithmetic.

    Requires: nothing.
    Ensures: every weight is the nearest member; the structure is the same. Decisions may change: nothing is promised.
    Exact in: every arithmetic that has all the weights already; there nothing is rounded.
    Because: that is what rounding is.
    """
    made = f"to_arithmetic({checked_arithmetic(arithmetic)})"
    return map_arrays(checked(T), arithmetic.round, arithmetic=arithmetic, provenance=(*T.provenance, made))
