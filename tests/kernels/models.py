"""Random transformers of every shape in every arithmetic, loud enough to saturate and with many ties."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from weightsmith import (
    Attention,
    AverageHard,
    Block,
    FeedForward,
    Fixed,
    Head,
    LayerNorm,
    LeftmostHard,
    Native,
    PositionTable,
    Relative,
    RightmostHard,
    RMSNorm,
    Sinusoidal,
    Softmax,
    Transformer,
)
from weightsmith.arithmetic import Arithmetic, Array, Saturating
from weightsmith.model import Norm, Weighting
from weightsmith.model.positions import Positions

LENGTH = 12
WEIGHTINGS: tuple[Weighting, ...] = (
    Softmax(),
    Softmax(shifted=True),
    Softmax(empty="uniform"),
    Softmax(shifted=True, empty="error"),
    AverageHard(),
    LeftmostHard(),
    RightmostHard(),
)
Draw = Callable[..., Array]


def tie_makers(A: Arithmetic, random: np.random.Generator, shape: Any) -> Array:
    """Give members with few bits, chosen so that many products of two of them lie between two members."""
    if isinstance(A, Fixed):
        step = A.fraction_bits // 2 + random.integers(0, 2, shape)
        return A.round((2 * random.integers(-4, 4, shape) + 1) * 2.0**-step)
    bits = (A.precision + 1) // 2 + random.integers(0, 2, shape) if isinstance(A, Saturating) else 13
    odd = 2 * random.integers(2 ** np.maximum(bits - 2, 0), 2 ** (np.maximum(bits, 2) - 1), shape) + 1
    return A.round(random.choice([-1, 1], shape) * odd * 2.0**-bits * 2.0 ** random.integers(-1, 2, shape))


def drawing(A: Arithmetic, random: np.random.Generator, loudness: float) -> Draw:
    """Give a function that draws members: zeros, ±1, ties, numbers around 1, a share of all sizes up to ∞."""
    limit = 2.0**6 if isinstance(A, Native) else A.infinity

    def draw(*shape: int) -> Array:
        sign = random.choice([-1.0, 1.0], shape)
        exponents = random.uniform(np.log2(max(A.smallest, 2.0**-40)), np.log2(limit), shape)
        kinds = random.choice(5, shape, p=np.array([0.25, 0.15, 0.3, 0.3, loudness]) / (1 + loudness))
        values = [
            np.zeros(shape),
            A.round(sign),
            tie_makers(A, random, shape),
            A.round(random.normal(size=shape)),
            A.round(np.where(random.random(shape) < 0.3, sign * limit, sign * 2.0**exponents)),
        ]
        return np.choose(kinds, values)

    return draw


def random_norm(A: Arithmetic, random: np.random.Generator, lanes: tuple[str, ...], draw: Draw) -> Norm | None:
    if random.random() < 0.6:
        return None
    chosen = tuple(lane for lane in lanes if random.random() < 0.7) or lanes[:1]
    limited = None if random.random() < 0.5 else chosen
    m = len(lanes if limited is None else limited)
    eps = float(random.choice([1.0, 0.3, max(A.smallest, 1e-6)]))
    gain = draw(m) if random.random() < 0.5 else None
    if random.random() < 0.5:
        return RMSNorm(eps, gain, limited)
    return LayerNorm(eps, gain, draw(m) if random.random() < 0.5 else None, limited)


def random_block(
    A: Arithmetic, random: np.random.Generator, lanes: tuple[str, ...], draw: Draw, key: int | None, weighting: Any
) -> Block:
    d = len(lanes)

    def head() -> Head:
        keys = int(random.integers(0, 4)) if key is None else key
        values = int(random.integers(0, 5))
        how = WEIGHTINGS[random.integers(len(WEIGHTINGS))] if weighting is None else weighting
        return Head(draw(keys, d), draw(keys, d), draw(values, d), draw(d, values), how)

    attention = Attention(tuple(head() for _ in range(random.integers(0, 4)))) if random.random() < 0.85 else None
    n = int(random.integers(0, 6))
    layer = FeedForward(draw(n, d), draw(n), draw(d, n), draw(d)) if random.random() < 0.8 else None
    return Block(
        attention,
        layer,
        None if attention is None else random_norm(A, random, lanes, draw),
        None if layer is None else random_norm(A, random, lanes, draw),
        "pre" if random.random() < 0.5 else "post",
    )


def some_in_parallel(blocks: tuple[Block, ...], seed: int) -> tuple[Block, ...]:
    """Make some blocks parallel, of those that may be; what is drawn of the others stays as it is."""
    chosen = np.random.default_rng([seed, 1]).random(len(blocks)) < 0.5
    return tuple(
        replace(block, parallel=bool(this) and block.norm_placement == "pre")
        for block, this in zip(blocks, chosen, strict=True)
    )


def some_strict(blocks: tuple[Block, ...], seed: int) -> tuple[Block, ...]:
    """Make some heads strict, of those that have an answer for the first position; the rest stays as it is."""
    random = np.random.default_rng([seed, 2])

    def maybe(head: Head) -> Head:
        answers = not isinstance(head.weighting, Softmax) or head.weighting.empty != "error"
        return replace(head, strict=bool(random.random() < 0.3) and answers)

    def changed(block: Block) -> Block:
        if block.attention is None:
            return block
        return replace(block, attention=replace(block.attention, heads=tuple(map(maybe, block.attention.heads))))

    return tuple(map(changed, blocks))


def random_model(A: Arithmetic, seed: int, weighting: Weighting | None = None, mask: str | None = None) -> Transformer:
    """Draw vocabularies of 1–5 tokens, 1–5 lanes, 0–3 blocks with 0–3 heads, every weighting, positions and norms.

    Some blocks are parallel, some heads strict.
    """
    random = np.random.default_rng(seed)
    draw = drawing(A, random, loudness=(0.05, 0.3, 0.0)[seed % 3])
    blocks = 0 if seed % 7 == 6 else int(random.integers(1, 4))
    lanes = tuple(f"x{j}" for j in range(random.integers(1, 6)))
    vocabulary = tuple("abcde"[: random.integers(1, 6)])
    classes = tuple("uvwx"[: random.integers(2, 5)])
    how = str(random.choice(["causal", "causal", "full"])) if mask is None else mask
    kind = random.integers(4 if how == "causal" else 3)
    key = int(random.integers(1, 4)) if kind == 3 else None
    tables: list[Positions | None] = [None, PositionTable(draw(LENGTH, len(lanes))), Sinusoidal(LENGTH)]
    positions = Relative(draw(int(random.integers(1, 4)), key)) if key is not None else tables[kind]
    embedding = draw(len(vocabulary), len(lanes))
    made = tuple(random_block(A, random, lanes, draw, key, weighting) for _ in range(blocks))
    return Transformer(
        arithmetic=A,
        vocabulary=vocabulary,
        lanes=lanes,
        embedding=embedding,
        positions=positions,
        blocks=some_strict(some_in_parallel(made, seed), seed),
        output=draw(len(classes), len(lanes)),
        classes=classes,
        mask=how,  # type: ignore[arg-type]
        output_bias=draw(len(classes)) if random.random() < 0.5 else None,
        final_norm=random_norm(A, random, lanes, draw),
    )


def many_heads(A: Arithmetic, seed: int, mask: Literal["causal", "full"] = "causal") -> Transformer:
    """Give three blocks of four heads of different sizes and weightings: what one leaves must not reach the next."""
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> Array:
        return A.round(random.normal(size=shape) / 2)

    def head() -> Head:
        keys, values = random.integers(0, 4, 2).tolist()
        weighting = WEIGHTINGS[random.integers(len(WEIGHTINGS))] if random.random() < 0.4 else Softmax()
        return Head(draw(keys, 2), draw(keys, 2), draw(values, 2), draw(2, values), weighting)

    def block() -> Block:
        n = int(random.integers(0, 5))
        feed_forward = FeedForward(draw(n, 2), draw(n), draw(2, n), draw(2))
        return Block(Attention(tuple(head() for _ in range(4))), feed_forward)

    embedding, blocks = draw(2, 2), some_strict(tuple(block() for _ in range(3)), seed)
    return Transformer(A, "ab", ("x", "y"), embedding, None, blocks, draw(2, 2), mask=mask)
