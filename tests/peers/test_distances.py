from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

import weightsmith as ws
from tests.peers.agreement import words
from tests.peers.builders import CLOSE, SHIFTED, array, names
from weightsmith.arithmetic import Array, as_float64
from weightsmith.model import Positions

LANES, KEYS, VALUES, LENGTH = 10, 6, 5, 14
random = np.random.default_rng(7)


def drawn_head(positions: ws.Relative | ws.Alibi | None = None) -> ws.Head:
    W_Q, W_K = (random.normal(size=(KEYS, LANES)) / 2 for _ in range(2))
    W_V, W_O = random.normal(size=(VALUES, LANES)), random.normal(size=(LANES, VALUES))
    b_Q, b_K, b_V = random.normal(size=KEYS), random.normal(size=KEYS), random.normal(size=VALUES)
    return ws.Head(W_Q, W_K, W_V, W_O, SHIFTED, b_Q, b_K, b_V, positions)


def relative(distances: int, values: bool) -> ws.Relative:
    return ws.Relative(
        random.normal(size=(distances, KEYS)), random.normal(size=(distances, VALUES)) if values else None
    )


def transformer(heads: list[ws.Head], positions: Positions | None = None) -> ws.Transformer:
    return ws.Transformer(
        arithmetic=ws.Native("float64"),
        vocabulary=names("t", 6),
        lanes=names("x", LANES),
        embedding=random.normal(size=(6, LANES)),
        positions=positions,
        blocks=[ws.Block(ws.Attention(heads))],
        output=np.zeros((2, LANES)),
    )


def softmax(scores: list[float]) -> Array:
    e = np.exp(np.array(scores) - max(scores))
    weights: Array = e / e.sum()
    return weights


def written_out(head: ws.Head, rule: ws.Relative | ws.Alibi | None, h: Array) -> Array:
    """Give what a head adds, pair of positions by pair of positions."""
    assert head.b_Q is not None
    assert head.b_K is not None
    assert head.b_V is not None
    q, k, v = h @ head.W_Q.T + head.b_Q, h @ head.W_K.T + head.b_K, h @ head.W_V.T + head.b_V
    result = np.zeros_like(h)
    for i in range(len(h)):
        scores, values = [], []
        for j in range(i + 1):
            key, value, penalty = k[j], v[j], 0.0
            if isinstance(rule, ws.Relative):
                row = min(i - j, len(rule.keys) - 1)
                key = key + rule.keys[row]
                value = value if rule.values is None else value + rule.values[row]
            if isinstance(rule, ws.Alibi):
                penalty = -rule.slopes[0] * (i - j)  # type: ignore[index]
            scores.append(q[i] @ key + penalty)
            values.append(value)
        result[i] = head.W_O @ (softmax(scores) @ np.array(values))
    return result


def assert_written_out(T: ws.Transformer, rules: list[ws.Relative | ws.Alibi | None]) -> None:
    attention = T.blocks[0].attention
    assert attention is not None
    ids = [5, 0, 3, 3, 1, 4, 2, 0, 1, 5, 5, 2, 3, 4]
    for length in (1, 4, LENGTH):
        h = as_float64(T.embedding[ids[:length]])
        for sums in (None, "left"):
            ours = ws.run(T, words(T, ids[:length]), sums=sums)
            for found, head, rule in zip(ours.heads[0], attention.heads, rules, strict=True):
                np.testing.assert_allclose(found.output, written_out(head, rule, h), rtol=0, atol=CLOSE)
            total = sum((written_out(head, rule, h) for head, rule in zip(attention.heads, rules, strict=True)), h)
            np.testing.assert_allclose(ours.stream[1], total, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("values", [True, False])
@pytest.mark.parametrize("distances", [1, 4, 30])
def test_relative_positions_are_those_written_out(distances: int, values: bool) -> None:
    rule = relative(distances, values)
    assert_written_out(transformer([drawn_head(), drawn_head()], rule), [rule, rule])


def test_each_head_follows_its_own_rule() -> None:
    rules: list[ws.Relative | ws.Alibi | None] = [
        relative(4, True), relative(4, True), relative(3, True), None, ws.Alibi((0.3,)), relative(4, False), None,
        ws.Alibi((0.0,)), ws.Alibi((0.7,)),
    ]  # fmt: skip
    assert_written_out(transformer([drawn_head(rule) for rule in rules]), rules)


def test_a_head_with_its_own_rule_leaves_the_shared_one_to_the_others() -> None:
    own, shared = relative(3, True), relative(5, False)
    assert_written_out(transformer([drawn_head(), drawn_head(own), drawn_head()], shared), [shared, own, shared])


@pytest.mark.parametrize("heads", [2, 3, 8])
def test_alibi_is_a_penalty_for_distance(heads: int) -> None:
    rules: list[ws.Relative | ws.Alibi | None] = [ws.Alibi((2 ** (-8 * (h + 1) / heads),)) for h in range(heads)]
    assert_written_out(transformer([drawn_head() for _ in rules], ws.Alibi()), rules)
    slopes = tuple(0.1 * (h + 1) for h in range(heads))
    assert_written_out(
        transformer([drawn_head() for _ in rules], ws.Alibi(slopes)), [ws.Alibi((slope,)) for slope in slopes]
    )


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16])
def test_alibi_weighs_as_in_bloom(heads: int) -> None:
    # Bloom adds slope·j where we subtract slope·(i − j): the same for every j, so the softmax is the same. Its slopes
    # are powers taken in float32, exact but for 16 heads, where 2^(−k/2) is some 1e-7 off
    T = transformer([drawn_head() for _ in range(heads)], ws.Alibi())
    bloom = array(build_alibi_tensor(torch.ones(1, LENGTH), heads, torch.float64))[:, 0]
    ids = [i * 5 % 6 for i in range(LENGTH)]
    found, plain = (ws.run(M, words(M, ids)) for M in (T, replace(T, positions=None)))
    for h in range(heads):
        for i in range(LENGTH):
            theirs = softmax(list(plain.scores[0][h][i, : i + 1] + bloom[h, : i + 1]))
            close = CLOSE if heads < 16 else 1e-5
            np.testing.assert_allclose(found.attention[0][h][i, : i + 1], theirs, rtol=0, atol=close)


@pytest.mark.parametrize("rule", [lambda: relative(4, True), ws.Alibi, ws.Rotary])
def test_generation_with_a_cache_keeps_the_distances(rule: Callable[[], Positions]) -> None:
    T = transformer([drawn_head(), drawn_head()], rule())
    T = replace(T, blocks=(*T.blocks, *T.blocks), output=random.normal(size=(6, LANES)), classes=T.vocabulary)
    for start in T.vocabulary:
        tokens = list(ws.generate(T, [start], 20))
        assert tokens == list(ws.generate(T, [start], 20, cache=False))
