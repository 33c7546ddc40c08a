"""A model written by hand whose feed-forward layer can hold facts about pairs of tokens."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

import weightsmith as ws
from weightsmith.arithmetic import Array

BITS, DISTANCE, LENGTH = 20, 6, 3


@lru_cache(maxsize=8)
def codes(count: int, bits: int = BITS, distance: int = DISTANCE) -> Array:
    """Give codes of ±1 of which each two differ in at least so many places."""
    random = np.random.default_rng(0)
    found = np.zeros((0, bits))
    while len(found) < count:
        code = random.choice([-1.0, 1.0], bits)
        if ((found != code).sum(axis=1) >= distance).all():
            found = np.vstack([found, code])
    return found


def reader(
    tokens: int = 64, arithmetic: ws.Arithmetic | None = None, bits: int = BITS, distance: int = DISTANCE
) -> ws.Transformer:
    """Give a model that has its own and the previous token's code at each position, and no facts.

    A head copies the code of the token before; at position 0, which has none before, its own. The logits compare the
    lanes "answer …", where nothing writes yet, with the codes of the tokens.
    """
    A = ws.Fixed(6, 4) if arithmetic is None else arithmetic
    code = codes(tokens, bits, distance)
    groups = [[f"{group} {i}" for i in range(bits)] for group in ("now", "before", "answer")]
    places = [f"at {i}" for i in range(LENGTH)]
    now, before, answer = groups
    lanes = (*now, *before, *answer, *places)
    steps = [str(i) for i in range(LENGTH)]
    names = tuple(f"t{i}" for i in range(tokens))
    head = ws.Head(
        W_Q=ws.matrix(steps, lanes, {(steps[i - 1], places[i]): 1.0 for i in range(1, LENGTH)}),
        W_K=ws.matrix(steps, lanes, dict.fromkeys(zip(steps, places, strict=True), 1.0)),
        W_V=ws.matrix(now, lanes, {(lane, lane): 1.0 for lane in now}),
        W_O=ws.matrix(lanes, now, dict.fromkeys(zip(before, now, strict=True), 1.0)),
        weighting=ws.LeftmostHard(),
    )
    rest = np.zeros((tokens, len(lanes) - bits))
    return ws.Transformer(
        arithmetic=A,
        vocabulary=names,
        lanes=lanes,
        embedding=np.hstack([code, rest]),
        positions=ws.PositionTable(ws.matrix(steps, lanes, dict.fromkeys(zip(steps, places, strict=True), 1.0))),
        blocks=(ws.Block(attention=ws.Attention((head,))),),
        output=np.hstack([np.zeros((tokens, 2 * bits)), code, np.zeros((tokens, LENGTH))]),
        classes=names,
    )


def pair_fact(first: int, second: int, answer: int, bits: int = BITS) -> tuple[str, dict[str, float], dict[str, float]]:
    """Give the fact that after two tokens comes a third."""
    code = codes(64, bits)
    key = {f"before {i}": float(code[first, i]) for i in range(bits)}
    key |= {f"now {i}": float(code[second, i]) for i in range(bits)}
    return f"t{first} t{second}", key, {f"answer {i}": float(code[answer, i]) for i in range(bits)}


Pair = tuple[int, int, int]


def thousand(count: int = 1000, seed: int = 0) -> list[Pair]:
    """Give pairs of different tokens, each with what comes after them."""
    random = np.random.default_rng(seed)
    pairs = [(a, b) for a in range(64) for b in range(64) if a != b]
    chosen = random.permutation(len(pairs))[:count]
    return [(*pairs[i], int(random.integers(64))) for i in chosen]


def same(S: ws.Transformer, T: ws.Transformer) -> bool:
    """Compare also what `==` leaves out."""
    return S == T and list(_history(S)) == list(_history(T))


def _history(T: ws.Transformer) -> Iterator[object]:
    yield T.provenance
    yield T.edits
    for block in T.blocks:
        if block.feed_forward is not None:
            yield block.feed_forward.names
            keys = block.feed_forward.keys
            yield None if keys is None else keys.tolist()


FACTS = [("a", {"x0": 1.0, "x1": 1.0}, {"x2": 1.0}), ("b", {"x0": 1.0, "x1": -1.0}, {"x3": 1.5})]


def model(activation: str = "relu", seed: int = 0) -> ws.Transformer:
    """Give a model whose first block has two neurons of its own and two facts, and whose second has no neurons."""
    T = ws.random_transformer(lanes=4, blocks=2, heads=1, neurons=2, arithmetic=ws.Fixed(6, 4), seed=seed)
    layer = T.blocks[0].feed_forward
    assert layer is not None
    if activation == "reglu":
        layer = replace(layer, activation="reglu", W_3=layer.W_1, b_3=layer.b_1)
    elif activation != "relu":
        layer = replace(layer, activation=activation)  # type: ignore[arg-type]
    bare = replace(T.blocks[1], feed_forward=None)
    return ws.memory.write_many(replace(T, blocks=(replace(T.blocks[0], feed_forward=layer), bare)), 0, FACTS)


LANES = ("a", "b", "c", "d")


def blank(arithmetic: ws.Arithmetic = ws.Fixed(6, 4), activation: str | None = None) -> ws.Transformer:  # noqa: B008
    """Give a model of which the block reads the embedding; the tokens' vectors are ±1."""
    signs = np.array([[1 - 2 * (n >> j & 1) for j in range(4)] for n in range(16)], dtype=float)
    layer = None
    if activation is not None:
        gates = (np.zeros((0, 5)), np.zeros(0)) if activation in ("reglu", "swiglu") else (None, None)
        layer = ws.FeedForward(
            np.zeros((0, 5)), np.zeros(0), np.zeros((5, 0)), np.zeros(5), activation, *gates  # type: ignore[arg-type]
        )  # fmt: skip
    return ws.Transformer(
        arithmetic=arithmetic,
        vocabulary="0123456789abcdef",
        lanes=(*LANES, "out"),
        embedding=np.hstack([signs, np.zeros((16, 1))]),
        positions=None,
        blocks=(ws.Block(feed_forward=layer),),
        output=np.array([[0.0] * 5, [0.0] * 4 + [1.0]]),
    )
