"""Neurons taken out of a feed-forward layer and put into it: what every edit is, and its undoing."""

from dataclasses import replace

import numpy as np

from weightsmith.errors import ModelError
from weightsmith.model import Edit, FeedForward, Transformer, digest
from weightsmith.model.axes import NEURONS
from weightsmith.model.folds import joined, selected
from weightsmith.model.places import block_at, checked


def splice(T: Transformer, block: int, first: int, count: int, new: FeedForward | None, text: str) -> Transformer:
    """Replace `count` neurons of a block, from `first` on, by others, and write down how to undo it."""
    old = block_at(T, block).feed_forward
    layer = empty_layer(T) if old is None else old
    before = cut(layer, first, count) if count else None
    text = text if len(text) <= 1000 else text[:999] + "…"
    edited = _with_layer(T, block, spliced(layer, first, count, new), (*T.provenance, text))
    now = 0 if new is None else len(new.W_1)
    return replace(edited, edits=(*T.edits, Edit(text, int(block), first, now, before, old is None, digest(edited))))


def undo(T: Transformer) -> Transformer:
    """Take back the last edit: weights, names, provenance and edits are as they were before it.

    Refused when something else has changed the model since: what the edit left is not there any more.
    """
    if not checked(T).edits:
        raise ModelError("there is no edit to undo: memory.write and the other edits leave one")
    edit = T.edits[-1]
    if digest(T) != edit.digest:
        raise ModelError(
            f"the last edit was {edit.text!r:.200}, and something else has changed the model since: "
            "undo the edit in the model before that change, and make the change again"
        )
    layer = T.blocks[edit.block].feed_forward if edit.block < len(T.blocks) else None
    if layer is None or edit.first + edit.count > len(layer.W_1) or not _fits(layer, edit.before):
        raise ModelError(f"the edit {edit.text!r:.200} does not fit the model: it was not made by Weightsmith")
    lines = list(T.provenance)
    if edit.text in lines:
        lines.pop(len(lines) - 1 - lines[::-1].index(edit.text))
    restored = None if edit.created else spliced(layer, edit.first, edit.count, edit.before)
    return replace(_with_layer(T, edit.block, restored, tuple(lines)), edits=T.edits[:-1])


def _fits(layer: FeedForward, before: FeedForward | None) -> bool:
    if before is None:
        return True
    return layer.activation == before.activation and layer.W_1.shape[1:] == before.W_1.shape[1:]


def _with_layer(T: Transformer, block: int, layer: FeedForward | None, lines: tuple[str, ...]) -> Transformer:
    changed = replace(T.blocks[block], feed_forward=layer)
    return replace(T, blocks=(*T.blocks[:block], changed, *T.blocks[block + 1 :]), provenance=lines)


def empty_layer(T: Transformer) -> FeedForward:
    """Return a layer with ReLU and without neurons."""
    lanes = len(T.lanes)
    return FeedForward(np.zeros((0, lanes)), np.zeros(0), np.zeros((lanes, 0)), np.zeros(lanes))


def cut(layer: FeedForward, first: int, count: int) -> FeedForward:
    """Return some neurons of a layer as a layer, without its b_2."""
    return selected(layer, NEURONS, slice(first, first + count), b_2=np.zeros_like(layer.b_2))


def spliced(layer: FeedForward, first: int, count: int, new: FeedForward | None) -> FeedForward:
    """Return a layer in which some neurons are replaced by others; its b_2 stays."""
    end = len(layer.W_1)
    parts = [cut(layer, 0, first), *([new] if new is not None else []), cut(layer, first + count, end)]
    return joined(parts, NEURONS, b_2=layer.b_2)
