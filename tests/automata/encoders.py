"""Models with a full mask: random ones, and encoders that recognize a language."""

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

import weightsmith as ws
from tests.automata.models import random_model


def random_encoder(seed: int, **more: Any) -> ws.Transformer:
    """Return a model with a full mask; only heads of the last block may be strict, or have ALiBi."""
    T, random = random_model(seed, **more), Random(f"encoder {seed}")
    special = random.random() < 0.3
    may_fail = any(norm is not None for norm in (T.blocks[-1].attention_norm, T.blocks[-1].feed_forward_norm))

    def seen(head: ws.Head, last: bool) -> ws.Head:
        scheme = head.positions if isinstance(head.positions, ws.Alibi) else None
        free = last and special and not may_fail
        return replace(head, positions=scheme if free else None, strict=head.strict and free)

    def full(b: int, block: ws.Block) -> ws.Block:
        assert block.attention is not None
        heads = tuple(seen(head, b == len(T.blocks) - 1) for head in block.attention.heads)
        made = replace(block, attention=replace(block.attention, heads=heads))
        return replace(made, attention=None, attention_norm=None) if len(T.blocks) == 3 and b == seed % 9 else made

    table = T.positions if isinstance(T.positions, ws.PositionTable) else None
    blocks = tuple(full(b, block) for b, block in enumerate(T.blocks))
    return replace(T, blocks=blocks, mask="full", positions=table)


def looking(reads: str, copies: dict[str, Any], lanes: tuple[str, ...], kind: Any) -> ws.Head:
    """Return a head that looks where a lane is largest, and copies lanes times numbers."""
    query, key = np.zeros((1, len(lanes))), np.zeros((1, len(lanes)))
    query[0, lanes.index("one")], key[0, lanes.index(reads)] = 1, reads != "one"
    value, output = np.zeros((len(copies), len(lanes))), np.zeros((len(lanes), len(copies)))
    for i, (source, (target, factor)) in enumerate(copies.items()):
        value[i, lanes.index(source)], output[lanes.index(target), i] = 1, factor
    return ws.Head(query, key, value, output, kind)


def like_the_last(weighting: Any, mask: Any = "full", arithmetic: Any = None) -> ws.Transformer:
    """Compare every symbol with the last one, and look at the difference: the average, or the largest.

    Under a full mask the head of the first block reads the last position from every position.
    """
    lanes = ("symbol", "last", "differs", "found", "one")
    read = looking("one", {"symbol": ("last", 1)}, lanes, ws.RightmostHard())
    reads = [{"symbol": 1, "last": -1}, {"symbol": -1, "last": 1}]
    compare = ws.feed_forward(lanes, [ws.Neuron(each, {"differs": 1}) for each in reads])
    lane = "differs" if isinstance(weighting, ws.LeftmostHard) else "one"
    find = looking(lane, {"differs": ("found", 1)}, lanes, weighting)
    return ws.Transformer(
        arithmetic=arithmetic or ws.Fixed(2, 2), vocabulary=("0", "1"), lanes=lanes,
        embedding=np.array([[0.0, 0, 0, 0, 1], [1.0, 0, 0, 0, 1]]),
        blocks=(ws.Block(ws.Attention((read,)), compare), ws.Block(ws.Attention((find,)))),
        output=np.array([[0.0, 0, 0, 1, 0], [0.0, 0, 0, 0, 0.5]]), mask=mask,
    )  # fmt: skip


def with_first_head(**changes: Any) -> ws.Transformer:
    """Return an encoder whose first head is changed."""
    T = like_the_last(ws.LeftmostHard())
    attention = T.blocks[0].attention
    assert attention is not None
    first = replace(T.blocks[0], attention=ws.Attention((replace(attention.heads[0], **changes),)))
    return replace(T, blocks=(first, T.blocks[1]))
