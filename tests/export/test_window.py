"""Heads with windows in what is made for other tools: the same weights, or a refusal that says why."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.export.attention_in_targets import assert_weights_in_every_target, refusals
from tests.export.hub import few_inputs, offline
from tests.model.strict_heads import model
from tests.model.windows import with_windows
from weightsmith import Native
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations, near_enough, places
from weightsmith.export.lens.attention import Sight


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


@pytest.mark.parametrize(("window", "strict", "mask"), [(2, False, "causal"), (1, False, "full"), (3, True, "causal")])
def test_the_weights_are_those_of_the_run_in_every_target(window: int, strict: bool, mask: Any, tmp_path: Path) -> None:
    assert_weights_in_every_target(with_windows(model(ws.Softmax(shifted=True), strict, mask=mask), [window]), tmp_path)


def test_targets_without_windows_say_so(tmp_path: Path) -> None:
    T = with_windows(ws.to_arithmetic(model(ws.Softmax(shifted=True), False), Native("float64")), [2])
    assert refusals(T, tmp_path) == (
        "GPT-2 sees all positions so far, and block 0, head 0 sees 2 only: write window=None; or leave out "
        "stock='gpt2', and the model's own class is written",
        "TransformerLens has no windows here, and block 0, head 0 sees 2 positions only: leave out "
        "own_modules=False, for blocks of Weightsmith's own in the bridge",
    )


def test_hugging_faces_model_counts_a_window_from_each_token_of_a_padded_batch() -> None:
    real = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
    seen = Operations().sight(places(real, real, True), Sight(window=2))
    near = np.tril(np.ones((5, 5), bool)) & ~np.tril(np.ones((5, 5), bool), -2)
    assert seen[1, 0].numpy().tolist() == near.tolist()
    near[:2], near[:, :2] = False, False
    assert seen[0, 0].numpy().tolist() == near.tolist()


def test_strict_heads_and_windows_hide_different_distances() -> None:
    distance = torch.arange(-2, 4)
    assert near_enough(distance, Sight()) == []
    strict, close = near_enough(distance, Sight(True, 2))
    assert (strict & close).tolist() == [False, False, False, True, False, False]
