"""Random models with a full mask: encoders, whose automaton needs contexts."""

from dataclasses import replace
from random import Random
from typing import Any

import weightsmith as ws
from tests.automata.models import random_model


def random_encoder(seed: int, **more: Any) -> ws.Transformer:
    """Return a model with a full mask; only heads of the last block may be strict."""
    T, random = random_model(seed, **more), Random(f"encoder {seed}")
    strict = random.random() < 0.3

    def full(b: int, block: ws.Block) -> ws.Block:
        last = b == len(T.blocks) - 1
        plain = block.attention_norm is None and block.feed_forward_norm is None
        assert block.attention is not None
        heads = [
            replace(head, positions=None, strict=head.strict and last and plain and strict)
            for head in block.attention.heads
        ]
        return replace(block, attention=replace(block.attention, heads=tuple(heads)))

    scheme = T.positions if isinstance(T.positions, ws.PositionTable) else None
    blocks = tuple(full(b, block) for b, block in enumerate(T.blocks))
    return replace(T, blocks=blocks, mask="full", positions=scheme)
