"""The gated activation of Gemma: the same in every run and target."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from tests.export.hub import few_inputs, offline
from tests.kernels.kinds import kind_of_model
from tests.semantics.witnessed import assert_equals_witness
from weightsmith import Native, export, parse_arithmetic, verify
from weightsmith.files import model_bytes
from weightsmith.kernels.packed import batch, run_columns
from weightsmith.model import digest
from weightsmith.semantics import evaluate


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


def model(arithmetic: str, seed: int = 3) -> ws.Transformer:
    T = kind_of_model(
        parse_arithmetic(arithmetic), seed, "none", "swiglu", weighting=ws.Softmax(shifted=True), loudness=0.0
    )
    layers = [replace(block.feed_forward, activation="geglu_tanh") for block in T.blocks]  # type: ignore[type-var]
    blocks = [replace(block, feed_forward=layer) for block, layer in zip(T.blocks, layers, strict=True)]
    return replace(T, blocks=tuple(blocks), positions=None)


@pytest.mark.parametrize("form", ["fixed(4,4)", "float(3,3)", "e4m3(ties=away)"])
def test_it_equals_the_exact_evaluation_and_packed_runs(form: str) -> None:
    T = model(form)
    found = assert_equals_witness(T, ["a", "b", "b"])
    assert any((z != 0).any() for z in found.activations)
    ids = np.array([[0, 1, 1], [1, 0, 1]])
    columns = run_columns(T, batch(ids))
    assert np.array_equal(columns.decisions[-2:], np.argmax(evaluate(T, ids).logits, axis=-1))
    assert verify.Model(model_bytes(T)).digest == digest(T)


def test_targets_of_export_compute_it(tmp_path: Path) -> None:
    T = model("float64")
    assert T.arithmetic == Native("float64")
    for report in (
        export.agreement(T, export.to_torch(T)),
        export.to_onnx(T, tmp_path / "model.onnx"),
        export.to_hugging_face(T, tmp_path / "model"),
    ):
        assert report.agrees
