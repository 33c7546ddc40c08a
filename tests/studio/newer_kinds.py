"""Random models with what heads and layers can have besides: windows, scaled angles, a third gated activation."""

from dataclasses import replace
from typing import Any

import numpy as np

from tests.kernels.kinds import KEYS
from weightsmith import Block, Head, Rotary, Transformer
from weightsmith.model.positions import AttentionPositions

SCALES = (1.0, 0.75, 1 / 3, 0.1, 1e-6)
MOST_SEEN = 5


def with_newer_parts(T: Transformer, seed: int) -> Transformer:
    """Give heads windows, rotary positions scales, and gated layers another activation; the rest stays as it is."""
    random = np.random.default_rng([seed, 3])

    def scaled(scheme: AttentionPositions | None) -> AttentionPositions | None:
        if not isinstance(scheme, Rotary):
            return scheme
        pairs = (KEYS if scheme.size is None else scheme.size) // 2
        return replace(scheme, scales=tuple(map(float, random.choice(SCALES, pairs))))

    def head(old: Head) -> Head:
        window = int(random.integers(1, MOST_SEEN)) if random.random() < 0.6 else None
        return replace(old, window=window, positions=scaled(old.positions))

    def block(old: Block) -> Block:
        attention, layer = old.attention, old.feed_forward
        if attention is not None:
            attention = replace(attention, heads=tuple(map(head, attention.heads)))
        if layer is not None and layer.W_3 is not None:
            layer = replace(layer, activation="geglu_tanh")
        return replace(old, attention=attention, feed_forward=layer)

    positions = T.positions if isinstance(T.positions, tuple) else (T.positions,)
    schemes: Any = tuple(scaled(one) if isinstance(one, Rotary) else one for one in positions if one is not None)
    return replace(T, positions=schemes or None, blocks=tuple(map(block, T.blocks)))
