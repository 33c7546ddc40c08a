"""The edges of the model: further malformed parts, descriptions, hashes, positions."""

import pickle
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import weightsmith as ws
from tests.model.parts import head, layer, whole
from weightsmith import Native
from weightsmith.model import read_tokens


def first_head() -> ws.Head:
    attention = head().blocks[0].attention
    assert attention is not None
    return attention.heads[0]


MALFORMED: dict[str, tuple[Any, str]] = {
    "W_V": (
        lambda: head(W_V=np.ones((2, 3))),
        "blocks.0.attention.heads.0.W_V has shape (2, 3), and it must be (any, 2)",
    ),
    "W_1": (lambda: layer(W_1=np.ones((3, 3))), "blocks.0.feed_forward.W_1 has shape (3, 3), and it must be (any, 2)"),
    "b_2": (lambda: layer(b_2=np.ones(3)), "blocks.0.feed_forward.b_2 has shape (3,), and it must be (2)"),
    "attention norm": (
        lambda: whole(blocks=(replace(head().blocks[0], attention_norm=ws.LayerNorm(lanes=["c"])),)),
        "blocks.0.attention_norm is limited to the lane c",
    ),
    "feed-forward norm": (
        lambda: whole(blocks=(replace(layer().blocks[0], feed_forward_norm=ws.LayerNorm(lanes=["c"])),)),
        "blocks.0.feed_forward_norm is limited to the lane c",
    ),
    "norm bias": (
        lambda: whole(final_norm=ws.LayerNorm(bias=np.ones(3))),
        "final_norm.bias has shape (3,), and it must be (2)",
    ),
    "second head": (
        lambda: whole(
            positions=ws.Relative(np.ones((2, 2))),
            blocks=(
                ws.Block(
                    ws.Attention(
                        (
                            first_head(),
                            ws.Head(np.ones((1, 2)), np.ones((1, 2)), np.eye(2), np.eye(2)),
                        )
                    )
                ),
            ),
        ),
        "blocks.0.attention.heads.1.W_K gives keys of size 1, positions.keys has 2",
    ),
    "long origin": (
        lambda: ws.Block(origin="x" * 2001),
        "Block(origin=…) has 2001 characters, at most 2000 are allowed",
    ),
    "matrix column": (lambda: ws.matrix(["found"], ["a"], {("found", "b"): 1}), "the matrix has no b: it has a"),
    "norm alone": (
        lambda: ws.Block(feed_forward_norm=ws.LayerNorm()),
        "Block(feed_forward_norm=…) without feed_forward",
    ),
    "provenance": (lambda: whole(provenance=("\x1b[2J",)), "a line of provenance has characters that cannot be shown"),
    "base": (lambda: ws.Sinusoidal(4, base=float("inf")), "Sinusoidal(base=inf): write a number"),
    "eps nan": (lambda: ws.LayerNorm(eps=float("nan")), "LayerNorm(eps=nan): write a small number"),
    "eps inf": (lambda: ws.LayerNorm(eps=float("inf")), "LayerNorm(eps=inf): write a small number"),
    "max_length": (lambda: ws.random_transformer(max_length=0), "max_length=0: write a whole number from 1 on"),
    "seed": (lambda: ws.random_transformer(seed=-1), "seed=-1: write a whole number from 0 on"),
    "blocks": (lambda: ws.random_transformer(blocks=True), "blocks=True: write a whole number from 0 on"),
    "norm kind": (
        lambda: ws.Block(feed_forward=layer().blocks[0].feed_forward, feed_forward_norm=cast(Any, 3)),
        "Block(feed_forward_norm=3): write LayerNorm(…) or RMSNorm(…), or None",
    ),
    "max_length of sinusoids": (
        lambda: ws.Sinusoidal(2**60),
        "Sinusoidal(max_length=1152921504606846976): write a whole number from 1 to 1048576",
    ),
    "norm lane twice": (lambda: ws.LayerNorm(lanes=["a", "a"]), "the lanes of LayerNorm has a twice"),
    "second norm lane": (
        lambda: whole(final_norm=ws.LayerNorm(lanes=["a", "c"])),
        "final_norm is limited to the lane c",
    ),
    "complex": (lambda: whole(output=1j * np.eye(2)), "is not an array of real numbers"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_part_is_refused_with_its_name_and_value(name: str) -> None:
    build, message = MALFORMED[name]
    with pytest.raises(ws.WeightsmithError) as caught:
        build()
    assert message in str(caught.value)


def test_unpickling_runs_the_checks() -> None:
    T = ws.random_transformer(lanes=2)
    data = pickle.dumps(T).replace(b"causal", b"random")
    with pytest.raises(ws.ModelError, match="mask='random'"):
        pickle.loads(data)


def test_twelve_names_are_listed_in_full() -> None:
    assert "… (" not in repr(ws.random_transformer([f"w{i}" for i in range(12)], lanes=2))
    assert "… (13 in all)" in repr(ws.random_transformer([f"w{i}" for i in range(13)], lanes=2))


def test_one_longer_token_makes_a_text_words() -> None:
    T = ws.random_transformer(["a", "bc"], lanes=2)
    assert read_tokens(T, "a bc a") == ("a", "bc", "a")


def test_sinusoidal_positions_limit_the_length() -> None:
    T = replace(ws.random_transformer(lanes=2), positions=ws.Sinusoidal(2))
    assert T.max_length == 2
    with pytest.raises(ws.InputError, match="the input has 3 tokens and the position table holds 2"):
        ws.run(T, "010")


def test_relative_positions_and_norms_are_described() -> None:
    T = ws.random_transformer(lanes=2, blocks=1)
    T = replace(T, positions=ws.Relative(np.ones((3, 2))))
    block = replace(
        T.blocks[0], attention_norm=ws.LayerNorm(eps=0.5), feed_forward_norm=ws.RMSNorm(eps=0.5), norm_placement="post"
    )
    shown = repr(replace(T, blocks=(block,)))
    assert "positions   relative, distances 0 to 2" in shown
    assert "LayerNorm after attention, RMSNorm after feed-forward" in shown


def test_parts_of_different_kinds_differ() -> None:
    assert ws.LeftmostHard() != ws.RightmostHard()
    assert ws.PositionTable(np.ones((2, 2))) != ws.Relative(np.ones((2, 2)))


def test_hashes_tell_models_apart() -> None:
    assert len({hash(ws.random_transformer(seed=s)) for s in range(20)}) == 20


def test_sinusoids_of_an_odd_number_of_lanes() -> None:
    T = ws.Transformer(
        Native("float64"), "a", "xyz" and list("xyz"), np.zeros((1, 3)), ws.Sinusoidal(4), (), np.eye(3), list("xyz")
    )
    t = 3.0
    assert ws.run(T, "aaaa").logits.tolist() == [np.sin(t), np.cos(t), np.sin(t / 10000.0 ** (2 / 3))]
