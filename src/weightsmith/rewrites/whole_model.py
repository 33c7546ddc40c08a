"""Changes to a model as a whole: further blocks, another arithmetic."""

from collections.abc import Sequence
from dataclasses import replace

from weightsmith.arithmetic import Arithmetic, checked_arithmetic
from weightsmith.errors import InputError, brief, cut, whole_number
from weightsmith.model import Block, Transformer
from weightsmith.model.folds import map_arrays
from weightsmith.model.transformer import checked

MOST_BLOCKS = 1 << 16
MAX_LINE = 1000  # characters of a line of provenance; of a longer one its beginning is kept, with … behind it


def append(T: Transformer, blocks: Sequence[Block]) -> Transformer:
    """Add blocks at the end.

    Requires: blocks over the lanes of T, with members as weights, that write to no flag.
    Ensures: every stage of T is the same; the blocks go on from its last stage, and the output reads what they leave.
    Exact in: every arithmetic.
    Because: no block reads what comes after it.
    """
    given = checked_blocks(T, blocks, "append")
    return appended(T, given, f"append({len(given)} blocks)")


def prepend(T: Transformer, blocks: Sequence[Block]) -> Transformer:
    """Add blocks at the beginning.

    Requires: blocks over the lanes of T, with members as weights, that write to no flag.
    Ensures: the blocks of T do to the stream that the new blocks leave what they did to the embedding and the position
      table.
    Exact in: every arithmetic.
    Because: a block depends on the stage before it alone.
    """
    given = checked_blocks(T, blocks, "prepend")
    made = f"prepend({len(given)} blocks)"
    return replace(T, blocks=(*given, *T.blocks), provenance=(*T.provenance, made))


def checked_blocks(T: Transformer, blocks: object, name: str) -> tuple[Block, ...]:
    """Return blocks as a tuple; refuse anything else, and too many."""
    if isinstance(blocks, Block) or not isinstance(blocks, Sequence):
        raise InputError(f"{name}(T, {brief(blocks)}): write a list of blocks, [Block(…)] or S.blocks")
    for block in blocks:
        if not isinstance(block, Block):
            raise InputError(f"{name}: {brief(block)} is no block: write [Block(…)] or S.blocks")
    if len(checked(T).blocks) + len(blocks) > MOST_BLOCKS:
        raise InputError(f"{name}: there would be more than {MOST_BLOCKS:,} blocks: write fewer")
    return tuple(blocks)


def appended(T: Transformer, blocks: Sequence[Block], made: str) -> Transformer:
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
    return appended(checked(T), [Block(origin="padding")] * count, f"pad_blocks({count})")


def to_arithmetic(T: Transformer, arithmetic: Arithmetic) -> Transformer:
    """Round every weight into another arithmetic.

    Requires: nothing.
    Ensures: every weight is the nearest member; the structure is the same. Decisions may change: nothing is promised.
    Exact in: every arithmetic that has all the weights already; there nothing is rounded.
    Because: that is what rounding is.
    """
    made = f"to_arithmetic({checked_arithmetic(arithmetic)})"
    return map_arrays(checked(T), arithmetic.round, arithmetic=arithmetic, provenance=(*T.provenance, made))
