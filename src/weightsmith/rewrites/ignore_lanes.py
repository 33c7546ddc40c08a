"""Blocks that neither read nor write some lanes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weightsmith.errors import InputError, ModelError, listed, shown
from weightsmith.model import Block, Norm, Transformer, lane_index
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
    changed = tuple(_without(block, places) if b in chosen else block for b, block in enumerate(T.blocks))
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


def _without(block: Block, places: list[int]) -> Block:
    attention, layer = block.attention, block.feed_forward
    if attention is not None:
        heads = tuple(
            replace(
                head,
                W_Q=_zeroed(head.W_Q, places, 1),
                W_K=_zeroed(head.W_K, places, 1),
                W_V=_zeroed(head.W_V, places, 1),
                W_O=_zeroed(head.W_O, places, 0),
            )
            for head in attention.heads
        )
        shift = attention.b_O
        attention = replace(attention, heads=heads, b_O=None if shift is None else _zeroed(shift, places, 0))
    if layer is not None:
        layer = replace(
            layer,
            W_1=_zeroed(layer.W_1, places, 1),
            W_3=None if layer.W_3 is None else _zeroed(layer.W_3, places, 1),
            W_2=_zeroed(layer.W_2, places, 0),
            b_2=_zeroed(layer.b_2, places, 0),
            keys=None if layer.keys is None else _zeroed(layer.keys, places, 1),
        )
    return replace(block, attention=attention, feed_forward=layer)


def _zeroed(array: np.ndarray, places: list[int], axis: int) -> np.ndarray:
    result = array.copy()
    if axis == 0:
        result[places] = 0.0
    else:
        result[:, places] = 0.0
    return result
