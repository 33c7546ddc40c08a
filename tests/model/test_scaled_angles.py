"""Rotary positions whose angles are scaled: the same in every run and target."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.export.hub import few_inputs, offline
from tests.kernels.kinds import kind_of_model
from tests.semantics.witnessed import assert_equals_witness
from weightsmith import Native, export, parse_arithmetic
from weightsmith.kernels.packed import batch, run_columns
from weightsmith.model import digest
from weightsmith.semantics import evaluate

SCALES = (0.75, 0.1)
SCALED = ws.Rotary(base=5.0, scales=SCALES)


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


@pytest.mark.parametrize("pairing", ["halves", "neighbours"])
@pytest.mark.parametrize("form", ["fixed(4,4)", "float(3,3)", "e4m3(ties=away)"])
def test_scaled_angles_equal_the_exact_evaluation_and_packed_runs(form: str, pairing: Any) -> None:
    T = replace(kind_of_model(parse_arithmetic(form), 3), positions=replace(SCALED, pairing=pairing))
    tokens = ["a", "b", "b", "a", "b"]
    found = assert_equals_witness(T, tokens)
    plain = replace(T, positions=replace(SCALED, pairing=pairing, scales=None))
    assert not np.array_equal(ws.run(plain, tokens).scores[0][0], found.scores[0][0])
    ids = np.array([[T.vocabulary.index(token) for token in tokens]])
    columns = run_columns(T, batch(ids))
    assert np.array_equal(columns.decisions[-1:], np.argmax(evaluate(T, ids).logits, axis=-1))


def test_scales_of_1_are_no_scales_and_half_of_them_half_the_angle() -> None:
    A = Native("float64")
    plain, ones, halves = (ws.Rotary(5.0, scales=scales).rotation(A, 4, 9) for scales in (None, (1, 1), (0.5, 0.5)))
    assert plain is not None
    assert ones is not None
    assert halves is not None
    assert np.array_equal(plain.cos, ones.cos)
    assert np.abs(halves.cos[::2] - plain.cos[:5]).max() < 1e-15


def test_targets_of_export_turn_by_scaled_angles(tmp_path: Path) -> None:
    T = kind_of_model(Native("float64"), 3, weighting=ws.Softmax(shifted=True), loudness=0.0)
    T = replace(T, positions=SCALED)
    for report in (
        export.agreement(T, export.to_torch(T)),
        export.to_onnx(T, tmp_path / "model.onnx"),
        export.to_hugging_face(T, tmp_path / "model"),
        export.to_transformer_lens(T).agreement,
    ):
        assert report.agrees


def test_scaled_angles_are_saved_compared_and_named(tmp_path: Path) -> None:
    T = replace(kind_of_model(ws.Fixed(4, 4), 3), positions=SCALED)
    plain = replace(T, positions=ws.Rotary(base=5.0))
    ws.save(T, tmp_path / "model")
    assert ws.load(tmp_path / "model") == T
    assert plain != T
    assert digest(T) != digest(plain)
    assert "rotary, pairs of halves, base 5, scaled angles" in str(T)
    assert "scaled" not in str(plain)


@pytest.mark.parametrize(
    ("scales", "text"),
    [
        ((), r"Rotary\(scales=\(\)\): write a tuple of numbers, one for each pair, or None"),
        (0.5, r"Rotary\(scales=0.5\): write a tuple of numbers"),
        ((0.5, "x"), r"Rotary\(scales=…\) holds 'x': write numbers from 1e-06 to 1"),
        ((0.5, 0.0), "holds 0.0: write numbers from 1e-06 to 1"),
        ((0.5, 1.5), "holds 1.5: write numbers from 1e-06 to 1"),
        ((0.5, float("nan")), "holds nan: write numbers from 1e-06 to 1"),
        ((0.5,), r"Rotary\(scales=…\) has 1 numbers, and 4 coordinates are 2 pairs: write one for each pair"),
    ],
)
def test_other_scales_are_refused(scales: Any, text: str) -> None:
    T = kind_of_model(ws.Fixed(4, 4), 3)
    with pytest.raises(ws.ModelError, match=text):
        replace(T, positions=ws.Rotary(5.0, scales=scales))
    if len(str(scales)) > 2:
        with pytest.raises(ws.ModelError, match="scales"):
            ws.Rotary(5.0, size=4, scales=scales)
