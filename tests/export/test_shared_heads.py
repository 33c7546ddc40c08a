"""Heads that share keys and values, as in grouped-query attention and in compiled programs, in every target."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.export.hub import few_inputs, offline
from tests.kernels.kinds import kind_of_model
from weightsmith import Native, export


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs(most=6, random=3):
        yield


def test_heads_with_the_same_keys_and_values_give_the_streams_of_the_run(tmp_path: Path) -> None:
    T = kind_of_model(Native("float64"), 0, loudness=0.0, weighting=ws.Softmax(shifted=True), strict=False)
    blocks = []
    for block in T.blocks:
        assert block.attention is not None
        first, second = block.attention.heads
        same = replace(second, W_K=first.W_K, b_K=first.b_K, W_V=first.W_V, b_V=first.b_V)
        blocks.append(replace(block, attention=replace(block.attention, heads=(first, same))))
    T = replace(T, blocks=blocks)
    reports: list[Any] = [
        export.to_onnx(T, tmp_path / "model.onnx", trace=True),
        export.to_hugging_face(T, tmp_path / "model"),
        export.to_torch(T).agreement,
        export.to_transformer_lens(T).agreement,
    ]
    for report in reports:
        assert report.agrees
        assert report.stream_difference < 1e-12
