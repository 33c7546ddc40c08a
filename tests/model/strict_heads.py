"""A transformer with one strict head."""

from dataclasses import replace
from typing import Any

import numpy as np

import weightsmith as ws
from weightsmith.model import Weighting

WEIGHTINGS: tuple[Weighting, ...] = (
    ws.Softmax(), ws.Softmax(shifted=True), ws.Softmax(empty="uniform"), ws.Softmax(shifted=True, empty="uniform"),
    ws.AverageHard(), ws.LeftmostHard(), ws.RightmostHard(),
)  # fmt: skip


UNSEEN = (
    "block 0, head 0, position 0: a strict head sees only what is before, and here that is nothing; write "
    "Softmax(empty='zero'), for no attention there"
)


def model(weighting: Weighting, strict: bool = True, **changes: Any) -> ws.Transformer:
    """Give a transformer whose one head has the score 0 everywhere and adds what it takes in of `x` to `y`."""
    nothing, x, y = np.zeros((1, 2)), np.array([[1.0, 0.0]]), np.array([[0.0], [1.0]])
    head = ws.Head(nothing, nothing, x, y, weighting, strict=strict)
    embedding, output = np.array([[1.0, 0.0], [2.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])
    T = ws.Transformer(ws.Fixed(4, 4), "ab", ["x", "y"], embedding, None, [ws.Block(ws.Attention([head]))], output)
    return replace(T, **changes)
