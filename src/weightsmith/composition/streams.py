"""The streams of several transformers in one: nothing reads across."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from weightsmith.errors import ModelError, listed
from weightsmith.model import Attention, Block, FeedForward, PositionTable, Transformer, position_table
from weightsmith.model.block import new_arrays
from weightsmith.model.folds import joined, renamed_lanes
from weightsmith.model.frozen import NEURONS
from weightsmith.model.transformer import checked
from weightsmith.rewrites.lanes import own_positions, surround

WRITE = {
    "arithmetic": "; for programs, write compile(…, arithmetic=…) with the larger of the two",
    "mask": "; for programs that look back only, write compile(…, causal=True)",
}


def streams_beside(parts: Sequence[Transformer], names: Sequence[str], **fields: Any) -> Transformer:
    """Return one transformer with the streams of several; `fields` are its classes or readout, and its provenance."""
    parts = [_renamed(part, name) for part, name in zip(parts, names, strict=True)]
    lanes = [tuple(part.lanes) for part in parts]
    wide = [surround(part, sum(lanes[:i], ()), sum(lanes[i + 1 :], ())) for i, part in enumerate(parts)]
    return joined(
        wide,
        "classes",
        embedding=np.sum([part.embedding for part in wide], axis=0),
        positions=summed_table(wide),
        blocks=blocks_beside(wide),
        flags=tuple(flag for part in parts for flag in part.flags),
        edits=(),
        description="",
        **fields,
    )


def common_ground(parts: Sequence[Transformer]) -> list[Transformer]:
    """Return the parts over one vocabulary and up to one length; refuse parts that do not fit."""
    parts = _one_mask([checked(part) for part in parts])
    first = parts[0]
    for part in parts:
        for what in ("arithmetic", "mask"):
            ours, theirs = getattr(first, what), getattr(part, what)
            if ours != theirs:
                raise ModelError(f"the transformers differ in their {what}: {ours} and {theirs}{WRITE[what]}")
    common = min((part.vocabulary for part in parts), key=len)
    for part in parts:
        if not set(common) <= set(part.vocabulary):
            raise ModelError(
                f"the transformers differ in their vocabulary: {listed(common)} and {listed(part.vocabulary)}, "
                "and neither contains the other"
            )
    length = min((part.max_length for part in parts if part.max_length is not None), default=None)
    return [restricted(part, common, length) for part in parts]


def _one_mask(parts: Sequence[Transformer]) -> Sequence[Transformer]:
    """Return the parts, those without attention with the mask of the others: it hides nothing from them."""
    looking = [part for part in parts if any(block.attention is not None for block in part.blocks)]
    mask = (looking or parts)[0].mask
    return [part if any(part is one for one in looking) else replace(part, mask=mask) for part in parts]


def restricted(T: Transformer, vocabulary: Sequence[str], length: int | None) -> Transformer:
    """Return the transformer over fewer tokens, up to a length, with the scheme inside attention at each head."""
    rows = [T.vocabulary.index(token) for token in vocabulary]
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    positions = PositionTable(table[:length]) if table is not None else None
    T = own_positions(T)
    embedding = T.embedding[rows]
    return replace(T, vocabulary=tuple(vocabulary), embedding=embedding, positions=positions, tied=False)


def _renamed(T: Transformer, name: str) -> Transformer:
    """Say of every lane whose it is, and limit every norm to these lanes."""
    return renamed_lanes(T, T.lanes, {lane: f"{name} {lane}" for lane in T.lanes})


def summed_table(parts: Sequence[Transformer]) -> PositionTable | None:
    """Return the position table of transformers over the same lanes: their sum."""
    tables = [
        table
        for part in parts
        if (table := position_table(part.positions, part.arithmetic, len(part.lanes))) is not None
    ]
    return PositionTable(np.sum(tables, axis=0)) if tables else None


def blocks_beside(parts: Sequence[Transformer]) -> tuple[Block, ...]:
    """Make one block of the first blocks, one of the second ones, …; where they cannot be one, one follows the other.

    Norms forbid it, other activations, new arrays, and that only some of those with two sublayers are parallel.
    """
    result: list[Block] = []
    for level in zip_longest(*(part.blocks for part in parts), fillvalue=Block()):
        norms = [norm for block in level for norm in (block.attention_norm, block.feed_forward_norm)]
        layers = [block.feed_forward for block in level if block.feed_forward is not None]
        whole = [block for block in level if block.attention is not None and block.feed_forward is not None]
        can_merge = (
            all(norm is None for norm in norms)
            and len({(type(layer), layer.activation) for layer in layers}) <= 1
            and len({block.parallel for block in whole}) <= 1
            and not any(map(new_arrays, level))
        )
        result += [_merged(level, layers)] if can_merge else level
    return tuple(result)


def _merged(level: Sequence[Block], layers: Sequence[FeedForward]) -> Block:
    attentions = [block.attention for block in level if block.attention is not None]
    origins = dict.fromkeys(block.origin for block in level if block.origin)
    shifts = [part.b_O for part in attentions if part.b_O is not None]
    heads = tuple(head for part in attentions for head in part.heads)
    return Block(
        attention=Attention(heads, np.sum(shifts, axis=0) if shifts else None) if attentions else None,
        feed_forward=_stacked(layers) if layers else None,
        origin=" beside ".join(origins)[:1000],
        parallel=any(block.reads_entry for block in level),  # one with a single sublayer is the same either way
    )


def _stacked(layers: Sequence[FeedForward]) -> FeedForward:
    return joined(layers, NEURONS, b_2=np.sum([layer.b_2 for layer in layers], axis=0))
