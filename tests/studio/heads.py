"""Models with many heads, whose weights are neither 0 nor 1."""

from dataclasses import replace

import numpy as np

import weightsmith as ws
from weightsmith.arithmetic import Array

WORDS = ["the", "cat", "sat", "on", "mat", "and", "then"]
TEXT = [WORDS[n] for n in (0, 1, 2, 3, 0, 4, 5, 6, 0, 1, 2, 3)]


def many_heads(
    blocks: int, heads: int, lanes: int = 16, still: int | None = None, sharp: float = 0.15
) -> ws.Transformer:
    """Return a model whose queries are small, so that weights are spread; head `still` of each block moves nothing."""
    T = ws.random_transformer(
        WORDS, lanes, blocks, heads, 2 * lanes, 64, ws.Native("float64"), seed=4, weighting=ws.Softmax(shifted=True)
    )
    changed = []
    for n, block in enumerate(T.blocks):
        assert block.attention is not None
        assert block.feed_forward is not None
        old = block.attention.heads
        new = [replace(h, W_Q=h.W_Q * sharp, W_O=h.W_O * (1e-9 if m == still else 0.05)) for m, h in enumerate(old)]
        layer = replace(block.feed_forward, W_2=block.feed_forward.W_2 * 0.02)
        attention = replace(block.attention, heads=tuple(new))
        changed.append(replace(block, attention=attention, feed_forward=layer, origin=f"part {n}"))
    return replace(T, blocks=tuple(changed))


def two_writers() -> ws.Transformer:
    """Return a model whose first lane is written by both heads of its block, and whose second by head 1 alone."""
    T = many_heads(1, 2, lanes=8)
    attention = T.blocks[0].attention
    assert attention is not None
    written = [np.isin(np.arange(8), lanes)[:, None] for lanes in ([0], [0, 1])]
    heads = tuple(replace(h, W_O=np.where(rows, h.W_O, 0)) for h, rows in zip(attention.heads, written, strict=True))
    return replace(T, blocks=(replace(T.blocks[0], attention=replace(attention, heads=heads)),))


def written_by(r: ws.Run, block: int) -> Array:
    """Return what each head of a block adds to the stream, (heads, positions, lanes)."""
    return np.array([head.output for head in r.heads[block]])
