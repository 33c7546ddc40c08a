"""Every malformed part is refused with its name, its value and what to write; one case a line."""
# ruff: noqa: E501

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.model.parts import head, layer, whole

MALFORMED: dict[str, tuple[Any, str]] = {
    "embedding": (lambda: whole(embedding=np.eye(3)), "embedding has shape (3, 3), and it must be (2, 2): (vocabulary, lanes)"),
    "output": (lambda: whole(output=np.ones((3, 2))), "output has shape (3, 2), and it must be (2, 2): (classes, lanes)"),
    "bias": (lambda: whole(output_bias=np.ones(3)), "output_bias has shape (3,), and it must be (2): (classes)"),
    "positions": (lambda: whole(positions=ws.PositionTable(np.ones((4, 3)))), "positions has shape (4, 3), and it must be (any, 2)"),
    "no rows": (lambda: whole(positions=ws.PositionTable(np.ones((0, 2)))), "positions is a table without rows"),
    "raw table": (lambda: whole(positions=np.ones((4, 2))), "write PositionTable(…), Sinusoidal(…), Relative(…), Rotary(…), Alibi(…), a pair"),
    "W_Q": (lambda: head(W_Q=np.eye(3)), "blocks.0.attention.heads.0.W_Q has shape (3, 3), and it must be (any, 2)"),
    "W_K": (lambda: head(W_K=np.ones((1, 2))), "heads.0.W_K has shape (1, 2), and it must be (2, 2)"),
    "W_O": (lambda: head(W_O=np.ones((2, 1))), "heads.0.W_O has shape (2, 1), and it must be (2, 2)"),
    "W_V axes": (lambda: head(W_V=np.ones(2)), "W_V must have 2 axes, and its shape is (2,)"),
    "W_2": (lambda: layer(W_2=np.ones((2, 2))), "blocks.0.feed_forward.W_2 has shape (2, 2), and it must be (2, 3)"),
    "b_1": (lambda: layer(b_1=np.ones(2)), "blocks.0.feed_forward.b_1 has shape (2,), and it must be (3)"),
    "activation": (lambda: layer(activation="tanh"), "FeedForward(activation='tanh'): write one of relu"),
    "value": (lambda: head(W_Q=[[0, 0.1], [0, 0]]), "blocks.0.attention.heads.0.W_Q[0, 1] = 0.1 is not a member of fixed(4,4); the nearest member is 0.125: write arithmetic.round(…)"),
    "too large": (lambda: whole(output=16 * np.eye(2)), "output[0, 0] = 16.0 is not a member of fixed(4,4); the nearest member is 15.9375"),
    "nan": (lambda: whole(output=[[0, np.nan], [0, 0]]), "output[0, 1] is nan: every weight must be a finite number"),
    "texts": (lambda: whole(output=[["a", "b"], ["c", "d"]]), "output: [['a', 'b'], ['c', 'd']] is not an array of real numbers"),
    "ragged": (lambda: whole(output=[[1, 2], [3]]), "output: [[1, 2], [3]] is not a rectangular array"),
    "missing": (lambda: whole(output=None), "output is missing"),
    "lanes twice": (lambda: whole(lanes=("a", "a")), "lanes has a twice: names must differ"),
    "lanes text": (lambda: whole(lanes="ab"), "lanes must be a list or tuple of names, and it is 'ab'"),
    "no lanes": (lambda: whole(lanes=()), "lanes is empty: at least one name is needed"),
    "lane number": (lambda: whole(lanes=("a", 1)), "a name in lanes must be a text, and it is 1"),
    "empty token": (lambda: whole(vocabulary=("0", "")), "a name in vocabulary is empty"),
    "long token": (lambda: whole(vocabulary=("0", "x" * 201)), "has 201 characters, at most 200 are allowed"),
    "invisible lane": (lambda: whole(lanes=("a", "\t")), "a name in lanes has characters that cannot be shown: '\\t'"),
    "mask": (lambda: whole(mask="none"), "mask='none': write 'causal' (j ≤ i) or 'full' (every j)"),
    "arithmetic": (lambda: whole(arithmetic="fixed(4,4)"), "arithmetic='fixed(4,4)' is not an arithmetic: write Fixed(4, 4)"),
    "two's complement": (lambda: whole(arithmetic=ws.TwosComplement(4, 4)), "twos(4,4) is not symmetric about 0"),
    "blocks": (lambda: whole(blocks=(3,)), "blocks must hold Block, and it holds 3"),
    "heads": (lambda: ws.Attention(3), "Attention(heads=…) must be a tuple of Head, and it is 3"),  # type: ignore[arg-type]
    "block": (lambda: ws.Block(attention=3), "Block(attention=3): write Attention(…), or None"),  # type: ignore[arg-type]
    "norm alone": (lambda: ws.Block(attention_norm=ws.LayerNorm()), "Block(attention_norm=…) without attention"),
    "placement": (lambda: ws.Block(norm_placement="in"), "Block(norm_placement='in'): write 'pre' or 'post'"),  # type: ignore[arg-type]
    "origin": (lambda: ws.Block(origin="\x1b"), "Block(origin=…) has characters that cannot be shown"),
    "weighting": (lambda: head(weighting="softmax"), "Head(weighting='softmax'): write Softmax()"),
    "empty": (lambda: ws.Softmax(empty="no"), "Softmax(empty='no'): write one of zero, uniform, error"),  # type: ignore[arg-type]
    "shifted": (lambda: ws.Softmax(shifted=1), "Softmax(shifted=1): write True or False"),  # type: ignore[arg-type]
    "norm lane": (lambda: whole(final_norm=ws.LayerNorm(lanes=["c"])), "final_norm is limited to the lane c, which is not one of a, b"),
    "norm order": (lambda: whole(final_norm=ws.LayerNorm(lanes=["b", "a"])), "final_norm has its lanes out of order, and their order is the order of sums: write ['a', 'b']"),
    "lanes set": (lambda: whole(lanes={"a", "b"}), "lanes must be a list or tuple of names"),
    "long weights": (lambda: whole(output=[[2**53 + 1, 0], [0, 0]]), "integers beyond 2^53"),
    "relative full, no blocks": (lambda: whole(positions=ws.Relative(np.ones((2, 2))), mask="full"), "relative positions need mask='causal'"),
    "random arithmetic": (lambda: ws.random_transformer(arithmetic="fixed(4,4)"), "arithmetic='fixed(4,4)' is not an arithmetic"),  # type: ignore[arg-type]
    "random sizes": (lambda: ws.random_transformer(lanes=10**5), "that would be more than 67,108,864 weights"),
    "matrix names": (lambda: ws.matrix(["a", "a"], ["b"], {}), "a matrix has a name twice: a, a"),
    "huge eps": (lambda: ws.LayerNorm(eps=10**5000), "LayerNorm(eps=a huge number)"),
    "flag": (lambda: whole(flags=("a",)), "the lane a is no flag: it must be 0 or 1 in a position table"),
    "flag lane": (lambda: whole(flags=("c",)), "there is no lane c"),
    "norm gain": (lambda: whole(final_norm=ws.LayerNorm(gain=np.ones(3))), "final_norm.gain has shape (3,), and it must be (2)"),
    "norm eps": (lambda: ws.RMSNorm(eps=-1), "RMSNorm(eps=-1): write a small number such as 1e-5"),
    "norm": (lambda: whole(final_norm="layer"), "final_norm='layer': write LayerNorm(…), RMSNorm(…) or None"),
    "sinusoidal": (lambda: ws.Sinusoidal(0), "Sinusoidal(max_length=0): write a whole number from 1 to"),
    "base": (lambda: ws.Sinusoidal(4, base=1), "Sinusoidal(base=1): write a number above 1"),
    "relative": (lambda: ws.Relative(np.ones((0, 2))), "Relative(keys) needs at least one row"),
    "relative full": (lambda: replace(head(), positions=ws.Relative(np.ones((2, 2))), mask="full"), "relative positions need mask='causal'"),
    "relative size": (lambda: replace(head(), positions=ws.Relative(np.ones((2, 3)))), "blocks.0.attention.heads.0.W_K gives keys of size 2, positions.keys has 3"),
    "provenance": (lambda: whole(provenance="x"), "provenance must be a tuple of str"),
    "random": (lambda: ws.random_transformer(lanes=0), "lanes=0: write a whole number from 1 on"),
    "matrix": (lambda: ws.matrix(["found"], ["a"], {("fund", "a"): 1}), "the matrix has no fund: did you mean found? it has found"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_part_is_refused_with_its_name_and_value(name: str) -> None:
    build, message = MALFORMED[name]
    with pytest.raises(ws.WeightsmithError) as caught:
        build()
    assert message in str(caught.value)
