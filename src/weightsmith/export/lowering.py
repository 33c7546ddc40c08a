"""The same transformer without saturation, for targets whose numbers have no such end."""

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weightsmith.arithmetic import Saturating, require
from weightsmith.errors import listed, shown
from weightsmith.export.inputs import some_inputs
from weightsmith.export.saturation import relying_on_saturation
from weightsmith.model import Block, Neuron, Transformer, feed_forward
from weightsmith.model.folds import writers
from weightsmith.model.sites import stage_names, stage_site
from weightsmith.model.transformer import checked
from weightsmith.rewrites.lanes import COPYING, own_complement
from weightsmith.rewrites.vectors import cancelling_block

COMPILED = 'a program compiled with backend="softmax"'


def without_saturation(T: Transformer) -> Transformer:
    """Return a transformer that does without saturation in the stream what this one does by it.

    Requires: an arithmetic with 1, such as `Fixed(4, 4)`. In `Native`, and where nothing saturates, T itself is
      returned.
    Ensures: the logits are the same, bit for bit. A target without saturation gives the same stream where this one
      saturated, on the inputs that were tried: all short ones, and longer ones.
    Exact in: every finite arithmetic with "symmetric", "zero product" and "unit product".
    Because: where `zero_vector` made a vector 0 by saturation, h ⊕ (−h) = 0 does; after every other sublayer that
      relies on saturation, h − relu(h − ∞) + relu(−h − ∞) is h between ±∞, and nothing else is in the arithmetic.
    """
    if not isinstance(checked(T).arithmetic, Saturating):
        return T
    lowered = _kept_within(_cancelling(T))
    if lowered.blocks == T.blocks:
        return T
    return replace(lowered, provenance=(*T.provenance, "portable"))  # a name that saved models have


def portable(T: Transformer) -> Transformer:
    """Return `without_saturation(T)`, which replaces this name in the next version."""
    warnings.warn("write export.without_saturation(T) for portable(T)", DeprecationWarning, stacklevel=2)
    return without_saturation(T)


def _cancelling(T: Transformer) -> Transformer:
    """Turn each three blocks that make a vector 0 by saturation into one that subtracts it."""
    b, complements = 0, dict[str, str]()
    while b < len(T.blocks) - 2:
        found = _zeroed(T, b)
        if found is not None:
            flag, lanes = found
            if flag not in complements:
                T, complements[flag] = own_complement(T, flag)
            block = cancelling_block(T, complements[flag], lanes)
            T = replace(T, blocks=(*T.blocks[:b], block, *T.blocks[b + 3 :]))
        b += 1
    return T


def _kept_within(T: Transformer) -> Transformer:
    """Put a block behind every sublayer that relies on saturation, which keeps the lanes that it wrote between ±∞."""
    relying = set(relying_on_saturation(T, some_inputs(T)))
    if not relying & set(stage_names(T)):
        return T
    require(T.arithmetic, COPYING, "without_saturation", "use an arithmetic with 1, such as Fixed(4, 4)")
    blocks = [_limits(T, list(T.lanes))] if "embedding" in relying else []
    for b, block in enumerate(T.blocks):
        parts = [block]
        if f"block {b} attention" in relying and not block.parallel:
            first, rest = _halves(block)
            parts = [first, _limits(T, _written(T, block.attention))]
            parts += [rest] if block.feed_forward is not None else []
        if f"block {b} feed-forward" in relying:
            parts.append(_limits(T, _written(T, block)))
        blocks += parts
    return replace(T, blocks=tuple(blocks))


def _halves(block: Block) -> tuple[Block, Block]:
    """Return a block with attention alone, and one with the feed-forward layer alone."""
    first = replace(block, feed_forward=None, feed_forward_norm=None)
    return first, replace(block, attention=None, attention_norm=None)


def _written(T: Transformer, part: object) -> list[str]:
    """Return the lanes that a part writes."""
    written = sum((np.abs(array.reshape(len(T.lanes), -1)).sum(axis=1) for array in writers(part)), np.zeros(1))
    return [lane for lane, weight in zip(T.lanes, np.broadcast_to(written, len(T.lanes)), strict=True) if weight]


def _limits(T: Transformer, lanes: Sequence[str]) -> Block:
    """Return the block that keeps lanes between ±∞; there nothing happens to them."""
    shut = -T.arithmetic.infinity
    neurons = [Neuron({lane: sign}, {lane: -sign}, bias=shut) for lane in lanes for sign in (1.0, -1.0)]
    return Block(feed_forward=feed_forward(T.lanes, neurons), origin="keep within ∞")


def _zeroed(T: Transformer, b: int) -> tuple[str, list[str]] | None:
    """Return the flag and the lanes where three blocks from here on add ∞, ∞ and −∞; None where they do not."""
    added = [_constant(T, block) for block in T.blocks[b : b + 3]]
    first = added[0]
    if first is None or first != added[1] or first[2] != T.arithmetic.infinity:
        return None
    flag, lanes, infinity = first
    return (flag, lanes) if added[2] == (flag, lanes, -infinity) else None


def _constant(T: Transformer, block: Block) -> tuple[str, list[str], float] | None:
    """Return the flag, lanes and number of a block that adds one number where a flag is 1; None for other blocks."""
    layer = block.feed_forward
    if layer is None or block.attention is not None or block.feed_forward_norm is not None:
        return None
    if layer.W_1.shape[0] != 1 or layer.activation != "relu" or layer.b_1.any() or layer.b_2.any():
        return None
    reads, writes = np.flatnonzero(layer.W_1[0]), np.flatnonzero(layer.W_2[:, 0])
    values = set(layer.W_2[writes, 0].tolist())
    if len(reads) != 1 or layer.W_1[0, reads[0]] != 1 or len(values) != 1:
        return None
    flag, lanes = T.lanes[int(reads[0])], [T.lanes[j] for j in writes.tolist()]
    return None if flag not in T.flags or set(lanes) & set(T.flags) else (flag, lanes, values.pop())


def advice(T: Transformer, relying: Sequence[str]) -> str:
    """Explain why a target decides otherwise, by the sublayers that rely on saturation, and what to write instead."""
    if not isinstance(T.arithmetic, Saturating):
        return f"Its arithmetic is {T.arithmetic}: write dtype={str(T.arithmetic)!r}."
    if not relying:
        floats = "" if T.readout is None else f", and {COMPILED} is made for floats"
        return f"It does not round as the original does: to_torch(T, exact=True) does{floats}."
    stages, said = stage_names(T), []
    for name in relying:
        b = stage_site(stages.index(name)).block if name in stages else None
        origin = "" if b is None else T.blocks[b].origin
        said.append(f"{name} ({shown(origin)})" if origin else name)
    instead = "without_saturation(T) is the same model without it, and " if without_saturation(T) is not T else ""
    if T.readout is not None:  # a head that adds up does so by saturation within itself, which remains
        instead = f"{COMPILED} does without it, and "
    return f"It relies on saturation: {listed(said)}; {instead}to_torch(T, exact=True) saturates as T does."
