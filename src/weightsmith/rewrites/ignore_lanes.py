"""Blocks that neither read nor write some lanes."""

from collections.abc import Sequence
from dataclasses import replace

from weightsmith.errors import InputError, ModelError, listed, shown
from weightsmith.model import Norm, Transformer, lane_index
from weightsmith.model.folds import without_lanes
from weightsmith.model.places import block_at


def ignore_lanes(T: Transformer, lanes: Sequence[str], blocks: Sequence[int] | None = None) -> Transformer:
    """Make blocks (None: all) neither read nor write these lanes.

    Requires: lanes and blocks that exist; every norm in these blocks limited to other lanes.
    Ensures: these blocks leave the lanes as they are, and do to the others what they would do if the lanes were 0.
    Exact in: every arithmetic with "zero product".
    Because: the lanes' columns of W_Q, W_K, W_V and W_1 are 0, and so are their rows of W_O, b_O, W_2 and b_2.
    """
    if isinstance(lanes, str):
        raise InputError(f"lanes={lanes!r} is one text: write a list of names, [{lanes!r}]")
    places = [lane_index(T, lane) for lane in lanes]
    chosen = range(len(T.blocks)) if blocks is None else list(blocks)
    for b in chosen:
        block = block_at(T, b)
        for norm in (block.attention_norm, block.feed_forward_norm):
            _check_norm(T, norm, lanes, b)
    changed = tuple(without_lanes(block, places) if b in chosen else block for b, block in enumerate(T.blocks))
    return replace(T, blocks=changed, provenance=(*T.provenance, f"ignore_lanes({list(lanes)}, blocks={blocks})"))


def _check_norm(T: Transformer, norm: Norm | None, lanes: Sequence[str], b: int) -> None:
    if norm is None:
        return
    for lane in lanes:
        if norm.lanes is None or lane in norm.lanes:
            rest = [other for other in (norm.lanes or T.lanes) if other not in lanes]
            raise ModelError(
                f"a norm of block {b} covers the lane {shown(lane)}, so the block would still read it: "
                f"limit the norm first, with lanes=[{listed(rest)}]"
            )
