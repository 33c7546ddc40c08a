"""The meaning of a transformer: one input through every step, written to be read beside the paper.

Every value below is a member of the arithmetic, and every sum is a left fold in index order. This file defines each
bit; faster runs must equal it.
"""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Array, Core, carried
from weightsmith.model import Block, Transformer, position_table
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.model.sites import Site
from weightsmith.semantics.attention import run_head
from weightsmith.semantics.evaluation import (
    NOTHING,
    Change,
    Evaluation,
    HeadRun,
    Ids,
    Past,
    Places,
    unchanged,
)
from weightsmith.semantics.layers import run_neurons, run_norm
from weightsmith.semantics.overflow import finite

SEMANTICS_VERSION = 2  # goes up when a bit of any run changes


def evaluate(T: Transformer, ids: Ids, past: Past = NOTHING, change: Change = unchanged) -> Evaluation:
    """Run on places in the vocabulary, (…, positions), which go on after the positions whose keys and values are past.

    Only a causal transformer has a past that stays as it is.
    """
    A, before = T.arithmetic.core, past.length
    h = carried(T.embedding[ids])
    table = position_table(T.positions, T.arithmetic, len(T.lanes), before + ids.shape[-1])
    if table is not None:
        h = A.add(h, table[before:])
    h = _changed(A, change, Site("embedding"), h)
    stream, heads, activations = [finite(T.arithmetic, h, "embedding")], [], []
    for b, block in enumerate(T.blocks):
        entry = h
        h, block_heads = _attention(T, b, h, past, change)
        h = _changed(A, change, Site("attention", b), h)
        stream.append(finite(T.arithmetic, h, f"block {b} attention"))
        h, active = _feed_forward(T, b, h, entry if block.parallel else h, before, change)
        h = _changed(A, change, Site("feed-forward", b), h)
        stream.append(finite(T.arithmetic, h, f"block {b} feed-forward"))
        heads.append(block_heads)
        activations.append(active)
    return Evaluation(stream, heads, activations, read_off(T, h[..., -1, :]), past)


def _changed(A: Core, change: Change, site: Site, values: Array) -> Array:
    """Return values as someone changed them on their way, which must be members too."""
    new = change(site, values)
    return new if new is values else A.arithmetic.members(new)


def read_off(T: Transformer, h: Array) -> Array:
    """Return the logits of vectors of the stream (…, lanes)."""
    return _logits(T, _final(T, h[..., np.newaxis, :])[..., 0, :])


def read_answers(T: Transformer, h: Array) -> Places:
    """Return what is said at each position of a stream (…, positions, lanes): its place among the answers.

    That is the class of the largest logit, the first one on a tie; with a readout, the value of the code in its lanes,
    and −1 where the code stands for nothing.
    """
    if T.readout is not None:
        return T.readout.places(read_codes(T, h))
    places: Places = np.argmax(_logits(T, _final(T, h)), axis=-1)
    return places


def read_codes(T: Transformer, h: Array) -> Array:
    """Return what the lanes of a readout hold, after the final norm, at each position of a stream (…, lanes)."""
    assert T.readout is not None
    codes: Array = _final(T, h)[..., [T.lanes.index(lane) for lane in T.readout.lanes]]
    return codes


def _final(T: Transformer, h: Array) -> Array:
    return run_norm(T.arithmetic.core, T.final_norm, h, tuple(T.lanes), "final norm")


def _logits(T: Transformer, h: Array) -> Array:
    A = T.arithmetic.core
    logits = A.matvec(T.output, h)
    if T.output_bias is not None:
        logits = A.add(logits, T.output_bias)
    return finite(T.arithmetic, logits, "output")


def _attention(T: Transformer, b: int, h: Array, past: Past, change: Change) -> tuple[Array, tuple[HeadRun, ...]]:
    """Add the heads' outputs, folded in order, to the stream once."""
    attention, name = T.blocks[b].attention, f"block {b}"
    if attention is None:
        return h, ()
    A, shared, before = T.arithmetic.core, T.attention_positions, past.length
    seen = before_attention(T, b, h, before)
    outputs, runs = [], []
    for i, head in enumerate(attention.heads):
        scheme = attention.positions_of(i, shared) or NO_POSITIONS
        found = run_head(T, head, scheme, seen, past.blocks[b][i] if before else None, f"{name}, head {i}")
        output = _changed(A, change, Site("head", b, i), found.output)
        if output is not found.output:
            found = found.with_output(output)
        outputs.append(output)
        runs.append(found)
    return _after_heads(T, b, h, outputs, before), tuple(runs)


def before_attention(T: Transformer, b: int, h: Array, before: int = 0) -> Array:
    """Return what the heads of a block see of a stream, which goes on after `before` positions."""
    return _normed(T, T.blocks[b], "attention", h, before, f"block {b} attention norm", "pre")


def _after_heads(T: Transformer, b: int, h: Array, outputs: Sequence[Array], before: int) -> Array:
    """Add what the heads give, folded in order, to the stream once."""
    A, block = T.arithmetic.core, T.blocks[b]
    total = np.zeros_like(h)
    for output in outputs:
        total = A.add(total, output)
    if block.attention is not None and block.attention.b_O is not None:
        total = A.add(total, block.attention.b_O)
    return _normed(T, block, "attention", A.add(h, total), before, f"block {b} attention norm", "post")


def after_attention(T: Transformer, b: int, h: Array, outputs: Sequence[Array] | None) -> Array:
    """Return vectors (…, lanes) of the stream after a block, from those before it and what its heads give for each.

    Without attention there are no outputs.
    """
    entry = h[..., np.newaxis, :]
    after = entry if outputs is None else _after_heads(T, b, entry, [x[..., np.newaxis, :] for x in outputs], 0)
    return _feed_forward(T, b, after, entry if T.blocks[b].parallel else after, 0, unchanged)[0][..., 0, :]


def _feed_forward(T: Transformer, b: int, h: Array, source: Array, before: int, change: Change) -> tuple[Array, Array]:
    """Add to the stream what the feed-forward layer makes of its source, which is the stream or the block's entry."""
    block, name = T.blocks[b], f"block {b} feed-forward norm"
    if block.feed_forward is None:
        return h, np.zeros((*h.shape[:-1], 0))
    A = T.arithmetic.core
    seen = _normed(T, block, "feed_forward", source, before, name, "pre")
    activations = _changed(A, change, Site("activations", b), run_neurons(A, block.feed_forward, seen))
    h = A.add(h, A.add(A.matvec(block.feed_forward.W_2, activations), block.feed_forward.b_2))
    return _normed(T, block, "feed_forward", h, before, name, "post"), activations


def _normed(T: Transformer, block: Block, sublayer: str, h: Array, before: int, name: str, placement: str) -> Array:
    if block.norm_placement != placement:
        return h
    return run_norm(T.arithmetic.core, getattr(block, f"{sublayer}_norm"), h, tuple(T.lanes), name, before)
