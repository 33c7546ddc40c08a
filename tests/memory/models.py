"""A model written by hand whose feed-forward layer can hold facts about pairs of tokens."""

from collections.abc import Iterator
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
