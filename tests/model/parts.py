"""Small transformers with some parts replaced."""

from typing import Any

import numpy as np

import weightsmith as ws


def head(**arrays: Any) -> ws.Transformer:
    """Build a transformer of two lanes with one head, some of whose arrays are given."""
    parts = {name: np.eye(2) for name in ("W_Q", "W_K", "W_V", "W_O")} | arrays
    return whole(blocks=(ws.Block(ws.Attention((ws.Head(**parts),))),))


def layer(**arrays: Any) -> ws.Transformer:
    parts = {"W_1": np.ones((3, 2)), "b_1": None, "W_2": np.ones((2, 3)), "b_2": None} | arrays
    return whole(blocks=(ws.Block(feed_forward=ws.FeedForward(**parts)),))


def whole(**parts: Any) -> ws.Transformer:
    defaults: dict[str, Any] = {
        "arithmetic": ws.Fixed(4, 4), "vocabulary": ("0", "1"), "lanes": ("a", "b"), "embedding": np.eye(2),
        "positions": ws.PositionTable(np.zeros((4, 2))), "blocks": (), "output": np.eye(2),
    }  # fmt: skip
    return ws.Transformer(**defaults | parts)
