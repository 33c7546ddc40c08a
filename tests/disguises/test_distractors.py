"""Distractors: the program is the same, bit for bit, and nothing of them is live."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.disguises.programs import compiled
from weightsmith.inspect.comparison import compare
from weightsmith.inspect.edges import live_edges

OPTIONS: list[dict[str, Any]] = [{"arithmetic": ws.Fixed(7, 0)}, {"backend": "softmax"}]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_program_among_distractors_is_the_same_and_they_are_never_live(options: dict[str, Any]) -> None:
    P, Q = compiled("counted", **options), compiled("reversed", 6, tokens="dabc", **options)
    T = ws.beside(P, Q, P, names=["noise", "copy"])
    assert compare(P.transformer, T, 4).difference == 0 == compare(P.transformer, T, 4).wrong
    assert ws.outputs(T, ["abca"])[0] == ws.outputs(P.transformer, ["abca"])[0]
    assert T.max_length == 4
    assert T.vocabulary == P.transformer.vocabulary
    live, silent = live_edges(T, 3)
    heads = [block.attention.heads if block.attention else () for block in T.blocks]
    theirs = {
        f"blocks.{b}.attn.head.{i}" for b, own in enumerate(heads) for i, head in enumerate(own)
        if head.name.startswith(("noise: ", "copy: "))
    }  # fmt: skip
    nodes = {str(node) for found in live for node in (found.edge.source, found.edge.target)}
    assert theirs
    assert not nodes & theirs
    assert {str(edge.target) for edge in silent} & theirs
    assert len(live) == len(live_edges(P.transformer, 3)[0])


def test_heads_neurons_and_lanes_of_distractors_are_named() -> None:
    P = compiled("counted", backend="softmax").transformer
    T = ws.beside(P, P)
    assert list(T.lanes) == [*P.lanes, *(f"distractor 1 {lane}" for lane in P.lanes)]
    for block, own in zip(T.blocks, P.blocks, strict=True):
        assert block.attention
        assert block.feed_forward
        assert own.attention
        assert own.feed_forward
        names = [head.name.startswith("distractor 1: ") for head in block.attention.heads]
        assert names == [False] * len(own.attention.heads) + [True] * len(own.attention.heads)
        neurons = [name.startswith("distractor 1: ") for name in block.feed_forward.names]
        assert neurons == [False] * len(own.feed_forward.W_1) + [True] * len(own.feed_forward.W_1)
    labels = [part.get("label", "") for part in ws.export.circuit(T)["components"] if part["kind"] == "head"]
    assert sum(label.startswith("distractor 1: ") for label in labels) == len(labels) / 2


@pytest.mark.parametrize("kind", [ws.LayerNorm, ws.RMSNorm])
def test_norms_of_a_program_do_not_see_the_distractors(kind: Any) -> None:
    P, Q = (ws.random_transformer(arithmetic=ws.Fixed(4, 4), seed=seed) for seed in (1, 2))
    P = replace(P, final_norm=kind())
    T = ws.beside(P, Q)
    assert compare(P, T, 3).difference == 0
    floats = replace(ws.random_transformer(arithmetic=ws.Native("float32"), seed=1), final_norm=kind())
    wide = ws.beside(floats, ws.random_transformer(arithmetic=ws.Native("float32"), seed=2))
    tokens = list(P.vocabulary)[:2]
    assert np.array_equal(ws.run(floats, tokens, sums="left").logits, ws.run(wide, tokens, sums="left").logits)


def test_distractors_that_would_change_the_program_are_refused() -> None:
    P = compiled("previous", backend="softmax").transformer
    others: list[tuple[Any, str]] = [
        (compiled("previous").transformer, "is in fixed"),
        (compiled("previous", 3, backend="softmax"), "takes up to 3 tokens and the program 4 tokens"),
        (compiled("previous", tokens="ab", backend="softmax"), "lacks c of the program's vocabulary"),
        (compiled("counted", backend="softmax"), "has mask='full' and the program 'causal'"),
        ("Q", "not a transformer"),
    ]
    for Q, message in others:
        with pytest.raises(ws.WeightsmithError, match=message):
            ws.beside(P, Q)
    with pytest.raises(ws.InputError, match=r"write beside\(P, Q\)"):
        ws.beside(P)
    with pytest.raises(ws.InputError, match="write a name for each"):
        ws.beside(P, P, names=["a", "b"])
    with pytest.raises(ws.WeightsmithError):
        ws.beside(P, P, P, names=["a", "a"])
