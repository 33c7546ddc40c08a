"""Several heads of a block in every target: they may share keys and values, and each saturates by itself."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.export.hub import few_inputs, offline
from tests.kernels.kinds import kind_of_model
from weightsmith import Fixed, Native, export
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations
from weightsmith.model.head_groups import apart, head_groups


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs(most=6, random=3):
        yield


def reports(T: ws.Transformer, folder: Path, own_modules: bool | None = None) -> list[Any]:
    return [
        export.to_onnx(T, folder / "model.onnx", trace=True),
        export.to_hugging_face(T, folder / "model"),
        export.to_torch(T).agreement,
        export.to_transformer_lens(T, own_modules=own_modules).agreement,
    ]


def test_heads_with_the_same_keys_and_values_give_the_streams_of_the_run(tmp_path: Path) -> None:
    T = kind_of_model(Native("float64"), 0, loudness=0.0, weighting=ws.Softmax(shifted=True), strict=False)
    blocks = []
    for block in T.blocks:
        assert block.attention is not None
        first, second = block.attention.heads
        same = replace(second, W_K=first.W_K, b_K=first.b_K, W_V=first.W_V, b_V=first.b_V)
        blocks.append(replace(block, attention=replace(block.attention, heads=(first, same))))
    T = replace(T, blocks=blocks)
    for report in reports(T, tmp_path):
        assert report.agrees
        assert report.stream_difference < 1e-12


def test_each_head_saturates_by_itself(tmp_path: Path) -> None:
    """(15 ⊗ 2 = ∞) ⊖ 10 is 5.9375; without an end of its own it would be 30 − 10."""
    A, one = Fixed(4, 4), np.ones((1, 1))
    heads = [ws.Head(0 * one, 0 * one, 15 * one, 2 * one), ws.Head(0 * one, 0 * one, one, -10 * one)]
    places = ws.PositionTable(np.zeros((2, 1)))  # no more, so that no weight is rounded
    T = ws.Transformer(A, "a", ["x"], one, places, [ws.Block(ws.Attention(heads))], np.array([[0.0], [1.0]]))
    assert ws.run(T, "a").stream[1, 0, 0] == 1 + A.infinity - 10
    for report in reports(T, tmp_path, own_modules=True):
        assert report.stream_difference == 0


def test_one_head_several_times_is_split_where_heads_are_kept_apart() -> None:
    T = ws.library.contains("1")
    attention = T.blocks[0].attention
    assert attention is not None
    several = replace(attention, heads=[attention.heads[0]] * 3)
    assert [group.name for group in head_groups(T, several)] == ["0-2"]
    assert [group.name for group in head_groups(T, several, apart)] == ["0", "1", "2"]


def test_an_unknown_weighting_is_refused() -> None:
    scores = torch.zeros(1, 1)
    with pytest.raises(ValueError, match="there is no weighting 'spiral' here"):
        Operations().weigh({"kind": "spiral"}, scores, scores == 0, scores == 0)
