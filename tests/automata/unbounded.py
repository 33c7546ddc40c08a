"""Random models whose automata are large: most do not close within a small budget."""

from random import Random
from typing import Any

import numpy as np

import weightsmith as ws
from tests.automata.models import WEIGHTINGS

ARITHMETICS = ("fixed(4,4)", "fixed(6,5)", "float(4,3)", "fixed(8,8)", "float16", "fixed(2,2)", "fixed(5,3)")
TOKENS = [2, 2, 3, 8, 26, 64]


def unbounded(seed: int) -> ws.Transformer:
    """Return a model with up to 64 tokens, 24 lanes and 3 heads, windows of up to 4,000 positions, or a long table."""
    random, numbers = Random(seed), np.random.default_rng(seed)
    A = ws.parse_arithmetic(random.choice(ARITHMETICS))
    lanes, tokens, scale = random.choice([2, 4, 8, 24]), random.choice(TOKENS), random.choice([0.5, 1.0, 2.0])

    def draw(*shape: int) -> Any:
        return A.round(numbers.normal(size=shape) * scale * (numbers.random(shape) < 0.8))

    def scheme(size: int, value: int) -> Any:
        rows = random.choice([2, 5, 30])
        slope = random.choice([1 / 256, 1 / 16, 0.5])
        return random.choice([None, None, ws.Alibi((slope,)), ws.Relative(draw(rows, size), draw(rows, value))])

    def head() -> ws.Head:
        size, value = random.choice([1, 2, 4]), random.choice([1, 2, lanes])
        arrays = draw(size, lanes), draw(size, lanes), draw(value, lanes), draw(lanes, value)
        return ws.Head(
            *arrays, random.choice(WEIGHTINGS), positions=scheme(size, value), strict=random.random() < 0.3
        )  # fmt: skip

    def block() -> ws.Block:
        neurons = random.choice([2, 8, 32])
        layer = ws.FeedForward(draw(neurons, lanes), draw(neurons), draw(lanes, neurons), draw(lanes))
        return ws.Block(ws.Attention(tuple(head() for _ in range(random.choice([1, 2, 3])))), layer)

    table = random.random() < 0.15
    return ws.Transformer(
        arithmetic=A,
        vocabulary=tuple(f"t{i}" for i in range(tokens)),
        lanes=tuple(f"x{i}" for i in range(lanes)),
        embedding=draw(tokens, lanes),
        positions=ws.PositionTable(draw(random.choice([20, 2_000]), lanes)) if table else None,
        blocks=tuple(block() for _ in range(random.choice([1, 2, 3]))),
        output=draw(2, lanes),
    )
