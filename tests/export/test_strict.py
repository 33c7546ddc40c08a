"""Strict heads in what is made for other tools: the same weights, or a refusal that says why."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import weightsmith as ws
from tests.export.attention_in_targets import IDS, assert_weights_in_every_target, refusals
from tests.export.hub import few_inputs, offline
from tests.model.strict_heads import UNSEEN, WEIGHTINGS, model
from weightsmith import Native, export
from weightsmith.model import Weighting


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_the_weights_are_those_of_the_run_in_every_target(weighting: Weighting, mask: Any, tmp_path: Path) -> None:
    assert_weights_in_every_target(model(weighting, mask=mask), tmp_path)


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_a_plain_module_can_be_trained_although_the_first_position_sees_nothing(weighting: Weighting) -> None:
    for A in (ws.Fixed(4, 4), Native("float64")):
        module = export.to_torch(ws.to_arithmetic(model(weighting), A), allow_differences=True)
        module(IDS).sum().backward()
        gradients = [parameter.grad for parameter in module.parameters() if parameter.grad is not None]
        assert gradients
        assert all(torch.isfinite(gradient).all() for gradient in gradients)


def test_what_comes_back_from_torch_is_strict() -> None:
    T = model(ws.RightmostHard())
    assert export.from_torch(export.to_torch(T)) == T


def test_a_softmax_that_asks_for_an_error_is_refused_where_that_can_be_said(tmp_path: Path) -> None:
    T = model(ws.Softmax(empty="error"))
    for exact in (False, True):
        with pytest.raises(ws.ModelError) as refused:
            export.to_torch(T, exact=exact)
        assert UNSEEN in str(refused.value)


def test_targets_without_strict_heads_say_so(tmp_path: Path) -> None:
    T = ws.to_arithmetic(model(ws.Softmax(shifted=True)), Native("float64"))
    assert refusals(T, tmp_path) == (
        "GPT-2 sees its own position, and block 0, head 0 sees only what is before: write strict=False; or leave out "
        "stock='gpt2', and the model's own class is written",
        "TransformerLens has no strict heads, and block 0, head 0 sees only what is before: leave out "
        "own_modules=False, for blocks of Weightsmith's own in the bridge",
    )


def test_hugging_faces_model_refuses_a_strict_softmax_that_asks_for_an_error() -> None:
    from weightsmith.export.hugging_face.hub.network_weightsmith import Operations

    how = {"kind": "softmax", "shifted": False, "empty": "error", "low": -9.0, "high": 9.0}
    before = torch.tril(torch.ones(3, 3, dtype=torch.bool), -1)
    real = torch.tensor([[True], [True], [True]])
    with pytest.raises(ValueError, match="a strict head sees only what is before, and before the first token"):
        Operations().weigh(how, torch.zeros(3, 3), before, real)
    Operations().weigh(how, torch.zeros(3, 3), before, real & before.any(-1, keepdim=True))  # padding sees nothing


def test_the_circuit_says_which_heads_are_strict() -> None:
    T, other = model(ws.AverageHard()), model(ws.AverageHard(), strict=False)
    (head,) = [each for each in export.circuit(T)["components"] if each["kind"] == "head"]
    assert head["strict"] is True
    assert not any("strict" in each for each in export.circuit(replace(other))["components"])
