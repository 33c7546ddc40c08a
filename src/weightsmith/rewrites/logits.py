"""The two ways to bring the logits into the stream."""

from dataclasses import replace

import numpy as np

from weightsmith.errors import InputError, ModelError, shown
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward
from weightsmith.rewrites.add_vector import add_vector
from weightsmith.rewrites.flag import drop_flags, plain_lanes, with_table
from weightsmith.rewrites.laws_needed import require
from weightsmith.rewrites.linear_map import ROUTING, lay_route, routed_head
from weightsmith.rewrites.widen import widen
from weightsmith.rewrites.zero_vector import cancelling_block

END = "END"


def by_feed_forward(T: Transformer, names: list[str]) -> Transformer:
    """One block, at every position: new lanes in front take output · h ⊕ bias, and the old lanes cancel.

    With a final norm the layer reads the normed stream, so the old lanes cancel in a second block.
    """
    old, plain, norm = list(T.lanes), plain_lanes(T), T.final_norm
    weights, bias = T.output, np.zeros(len(names)) if T.output_bias is None else T.output_bias
    T = widen(T, names, where="front")
    writes = [dict(zip(names, column.tolist(), strict=True)) for column in weights.T]
    cancel = [{lane: -1.0} if lane in plain else {} for lane in old]
    adds = dict(zip(names, bias.tolist(), strict=True))
    if norm is None:
        steps = [[{**logit, **away} for logit, away in zip(writes, cancel, strict=True)]]
    else:
        steps = [writes, cancel]
    blocks: list[Block] = []
    for step in steps:
        neurons = [neuron for lane, to in zip(old, step, strict=True) for neuron in Neuron.pair(lane, to)]
        first = not blocks
        blocks.append(
            Block(
                feed_forward=feed_forward(T.lanes, neurons, adds if first else {}),
                feed_forward_norm=T.final_norm if first else None,
                origin="logits into the stream" if first else "clear the other lanes",
            )
        )
    return replace(T, blocks=(*T.blocks, *blocks))


def by_attention(T: Transformer, names: list[str], length: int | None) -> Transformer:
    """Write to a further position, that of an END token, through an attention head; the inputs have one length."""
    if T.mask != "causal":
        raise ModelError("lowering='attention' needs mask='causal': END must not be seen from before")
    if type(length) is not int or length < 1:
        raise InputError(f"lowering='attention' needs the length of the inputs, and length={length!r}: write length=4")
    if T.max_length is not None and length > T.max_length:
        raise InputError(f"length={length} is beyond the position table, which holds {T.max_length}")
    if END in T.vocabulary:
        raise ModelError(f"the vocabulary has the token {shown(END)} already: use lowering='feedforward'")
    require(T.arithmetic, ROUTING, "lowering='attention'", "use lowering='feedforward'")
    old, output, bias = list(T.lanes), T.output, T.output_bias
    silent = np.vstack([T.embedding, np.zeros(len(T.lanes))])
    T = replace(with_table(T, length + 1), vocabulary=(*T.vocabulary, END), embedding=silent, tied=False)
    T = widen(T, names, where="front")
    T, route = lay_route(T, length - 1, length)
    clear = cancelling_block(T, route.not_here, plain_lanes(T))
    entries = {(to, of): float(output[c, j]) for c, to in enumerate(names) for j, of in enumerate(old)}
    head = routed_head(T, route, old, entries, spare=True)
    block = Block(Attention((head,)), attention_norm=T.final_norm, origin="logits to END")
    T = replace(T, blocks=(*T.blocks, clear, block))
    if bias is not None:
        T = add_vector(T, dict(zip(names, bias.tolist(), strict=True)), at=route.here)
    return drop_flags(T, route.flags)
