"""Random transformers with every activation, every rule inside attention, biases, and heads of different kinds."""

from typing import Any

import numpy as np

from tests.kernels.models import LENGTH, WEIGHTINGS, Draw, drawing, some_strict
from weightsmith import (
    Alibi,
    Attention,
    Block,
    FeedForward,
    Head,
    LayerNorm,
    PositionTable,
    Relative,
    RMSNorm,
    Rotary,
    Sinusoidal,
    Transformer,
)
from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.model import Weighting
from weightsmith.model.block import GATED
from weightsmith.model.positions import AttentionPositions

ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu", "reglu", "swiglu")
RULES = (
    "none",
    "relative",
    "relative values",
    "halves",
    "neighbours",
    "two of the coordinates",
    "alibi",
    "slopes",
    "one for each head",
)
KEYS, VALUES = 4, 3
FULL = tuple(rule for rule in RULES if "relative" not in rule)  # under a full mask a distance may be negative


def shared_rule(name: str, draw: Draw, heads: int) -> AttentionPositions | None:
    """Give a rule that all heads follow."""
    rules: dict[str, Any] = {
        "relative": lambda: Relative(draw(3, KEYS)),
        "relative values": lambda: Relative(draw(2, KEYS), draw(2, VALUES)),
        "halves": lambda: Rotary(base=7.0),
        "neighbours": lambda: Rotary(base=100.0, pairing="neighbours"),
        "two of the coordinates": lambda: Rotary(base=3.0, size=2, pairing="neighbours"),
        "alibi": Alibi,
        "slopes": lambda: Alibi(tuple(0.3 * (n + 1) for n in range(heads))) if heads else Alibi(),
    }
    rule: AttentionPositions | None = rules[name]() if name in rules else None
    return rule


def own_rule(name: str, mask: str, place: int, draw: Draw) -> AttentionPositions | None:
    """Give heads one after the other another rule, where each has its own."""
    if name != "one for each head":
        return None
    by_distance = Relative(draw(2, KEYS), draw(2, VALUES))
    rules = [Rotary(size=2), Alibi((0.75,)), None, Rotary(5.0, "neighbours"), Alibi(place=(1, 3)), by_distance]
    return rules[place % (len(rules) if mask == "causal" else 5)]


def kind_of_model(
    A: Arithmetic,
    seed: int,
    rule: str = "none",
    activation: str = "relu",
    *,
    heads: int = 2,
    mask: Any = "causal",
    weighting: Weighting | None = None,
    tied: bool = False,
    loudness: float | None = None,
    norms: bool = False,
    parallel: bool = False,
    strict: bool = True,
) -> Transformer:
    """Draw a transformer with two blocks. Its positions are the rule alone, or beside a table or sinusoids.

    Each bias is there or not. Two heads of a block may have different weightings, and some are strict.
    """
    random = np.random.default_rng([seed, RULES.index(rule), ACTIVATIONS.index(activation), heads])
    draw = drawing(A, random, loudness=(0.1, 0.4)[seed % 2] if loudness is None else loudness)
    d, lanes = 3, ("x", "y", "z")

    def sometimes(*shape: int) -> Array | None:
        return draw(*shape) if random.random() < 0.6 else None

    def head(place: int) -> Head:
        how = WEIGHTINGS[random.integers(3)] if random.random() < 0.7 else WEIGHTINGS[random.integers(4, 7)]
        W_Q, W_K, W_V, W_O = draw(KEYS, d), draw(KEYS, d), draw(VALUES, d), draw(d, VALUES)
        biases = sometimes(KEYS), sometimes(KEYS), sometimes(VALUES)
        return Head(W_Q, W_K, W_V, W_O, weighting or how, *biases, own_rule(rule, mask, place + seed, draw))

    def block() -> Block:
        n = 4
        gated = activation in GATED
        gate = (draw(n, d), sometimes(n)) if gated else (None, None)
        layer = FeedForward(draw(n, d), draw(n), draw(d, n), draw(d), activation, *gate)  # type: ignore[arg-type]
        attention = Attention(tuple(head(i) for i in range(heads)), sometimes(d))
        if not norms:
            return Block(attention, layer, parallel=parallel)
        placement: Any = "pre" if random.random() < 0.5 or parallel else "post"
        before, between = LayerNorm(1.0, draw(d), draw(d)), RMSNorm(0.5, draw(2), ("x", "z"))
        return Block(attention, layer, before, between, placement, parallel=parallel)

    vectors = (None, PositionTable(draw(LENGTH, d)), Sinusoidal(LENGTH, 50.0))[random.integers(3)]
    positions: Any = tuple(part for part in (vectors, shared_rule(rule, draw, heads)) if part is not None)
    return Transformer(
        arithmetic=A,
        vocabulary="ab",
        lanes=lanes,
        embedding=draw(2, d),
        positions=positions,
        blocks=some_strict((block(), block()), seed) if strict else (block(), block()),
        output=None if tied else draw(2, d),  # type: ignore[arg-type]
        classes=("a", "b") if tied else ("NO", "YES"),
        mask=mask,
        output_bias=sometimes(2),
        tied=tied,
        final_norm=LayerNorm(0.5) if norms else None,
    )
