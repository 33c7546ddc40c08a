from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers.models.gpt_neox.configuration_gpt_neox import GPTNeoXConfig
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXForCausalLM
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb

import weightsmith as ws
from tests.peers.agreement import assert_same_run, words
from tests.peers.builders import CLOSE, array, drawn, gpt_neox, heads, names
from tests.peers.models import rotary_in_float64
from weightsmith.arithmetic import Array

HEADS, SIZE, LANES, LENGTH = 3, 8, 20, 17


def one_block(rotary: ws.Rotary) -> tuple[ws.Transformer, list[Array]]:
    """Give a transformer with attention alone, and W_Q, W_K, W_V (heads · size, lanes), W_O (lanes, heads · size)."""
    random = np.random.default_rng(2)
    W_Q, W_K, W_V = (random.normal(size=(HEADS * SIZE, LANES)) / 3 for _ in range(3))
    W_O = random.normal(size=(LANES, HEADS * SIZE)) / 3
    T = ws.Transformer(
        arithmetic=ws.Native("float64"),
        vocabulary=names("t", LENGTH),
        lanes=names("x", LANES),
        embedding=random.normal(size=(LENGTH, LANES)),
        positions=rotary,
        blocks=[ws.Block(ws.Attention(heads(HEADS, W_Q, W_K, W_V, W_O)))],
        output=np.zeros((2, LANES)),
    )
    return T, [W_Q, W_K, W_V, W_O]


def attended(T: ws.Transformer, q: Any, k: Any, v: Any, W_O: Array) -> Array:
    """Give the stream after attention with queries, keys and values (heads, positions, size)."""
    mixed = scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    joined: Array = array(mixed.transpose(0, 1).reshape(LENGTH, -1))
    return T.embedding + joined @ W_O.T


def projected(T: ws.Transformer, W: Array) -> Any:
    return torch.from_numpy((T.embedding @ W.T).reshape(LENGTH, HEADS, SIZE))


@pytest.mark.parametrize("size", [None, 8, 4, 2])
def test_neighbours_turn_as_in_gptj(size: int | None) -> None:
    T, (W_Q, W_K, W_V, W_O) = one_block(ws.Rotary(pairing="neighbours", size=size))
    turning = SIZE if size is None else size
    # GPT-J makes its table in float32 and computes scores in float32; its way of turning keeps the type
    angles = np.arange(LENGTH)[:, None] / 10000 ** (np.arange(0, turning, 2) / turning)
    sin, cos = (torch.from_numpy(table)[None] for table in (np.sin(angles), np.cos(angles)))

    def turned(x: Any) -> Any:
        first = apply_rotary_pos_emb(x[None, ..., :turning], sin, cos)[0]
        return torch.cat([first, x[..., turning:]], dim=-1).transpose(0, 1)

    q, k, v = (projected(T, W) for W in (W_Q, W_K, W_V))
    theirs = attended(T, turned(q), turned(k), v.transpose(0, 1), W_O)
    np.testing.assert_allclose(ws.run(T, list(T.vocabulary)).stream[1], theirs, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("pairing", ["halves", "neighbours"])
@pytest.mark.parametrize("size", [None, 6, 2])
@pytest.mark.parametrize("base", [10000.0, 500.0])
def test_turning_a_pair_is_a_product_of_complex_numbers(base: float, size: int | None, pairing: Any) -> None:
    T, (W_Q, W_K, W_V, W_O) = one_block(ws.Rotary(base, pairing, size))
    turning = SIZE if size is None else size

    def turned(x: Array) -> Any:
        result = x.copy()
        for t in range(LENGTH):
            for p in range(turning // 2):
                a, b = (p, p + turning // 2) if pairing == "halves" else (2 * p, 2 * p + 1)
                product = (x[t, :, a] + 1j * x[t, :, b]) * np.exp(1j * t * base ** (-2 * p / turning))
                result[t, :, a], result[t, :, b] = product.real, product.imag
        return torch.from_numpy(result).transpose(0, 1)

    q, k, v = (projected(T, W) for W in (W_Q, W_K, W_V))
    theirs = attended(T, turned(q.numpy()), turned(k.numpy()), v.transpose(0, 1), W_O)
    np.testing.assert_allclose(ws.run(T, list(T.vocabulary)).stream[1], theirs, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_gpt_neox_turns_a_part_of_each_key(share: float) -> None:
    config = GPTNeoXConfig(
        vocab_size=40, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
        rotary_pct=share, use_parallel_residual=False, max_position_embeddings=48, attn_implementation="sdpa",
    )  # fmt: skip
    model = drawn(GPTNeoXForCausalLM(config).double())
    model.gpt_neox.rotary_emb.forward = rotary_in_float64(int(8 * share), 10000.0)  # theirs is in float32: see models
    T = gpt_neox(model)
    assert isinstance(T.positions, ws.Rotary)
    assert T.positions.size == 8 * share
    assert_same_run(T, model, model.gpt_neox.final_layer_norm)


def test_turned_scores_depend_on_the_distance_alone() -> None:
    T, _ = one_block(ws.Rotary())
    scores = ws.run(T, words(T, [3] * LENGTH)).scores[0]
    for head in scores:
        for distance in range(LENGTH):
            np.testing.assert_allclose(np.diagonal(head, -distance), head[distance, 0], rtol=0, atol=CLOSE)
