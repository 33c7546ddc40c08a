"""Transformers whose heads have windows."""

from collections.abc import Sequence
from dataclasses import replace

import weightsmith as ws


def with_windows(T: ws.Transformer, windows: Sequence[int | None]) -> ws.Transformer:
    """Give each head a window, one after the other; the windows begin again where there are more heads."""
    given = 0

    def changed(block: ws.Block) -> ws.Block:
        nonlocal given
        if block.attention is None:
            return block
        heads = []
        for head in block.attention.heads:
            heads.append(replace(head, window=windows[given % len(windows)]))
            given += 1
        return replace(block, attention=replace(block.attention, heads=tuple(heads)))

    return replace(T, blocks=tuple(map(changed, T.blocks)))
