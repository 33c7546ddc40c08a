"""The kinds that are trained or have gradients: their circuits, and that they go through files."""

import sys
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import circuits
from weightsmith.circuits.kinds import KINDS, Trained
from weightsmith.circuits.results import Scores
from weightsmith.circuits.tasks import chosen_tasks
from weightsmith.circuits.truth import read_truth
from weightsmith.storage import read_json
from weightsmith.train import Course, Shape

PROGRAM = "previous"
TINY = Trained(
    Shape(lanes=32, blocks=2, heads=2, neurons=64),
    Course(steps=1500, seed=1, batch=64, rate=5e-3, warmup=20, decay=0.0, evaluate_every=100),
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> circuits.Entry:
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, "trained", TINY)
        index = circuits.make(folder / "b", PROGRAM, "trained", exports="none")
    assert not index["refused"], index["refused"]
    return circuits.read_benchmark(folder / "b")[0]


def test_a_trained_model_has_the_edges_of_its_program(trained: circuits.Entry) -> None:
    truth = trained.truth
    assert not truth.cut
    assert {label: len(truth.edges(label)) > 0 for label in ("live", "silent", "unknown")} == {
        "live": True, "silent": True, "unknown": True,
    }  # fmt: skip
    outside = [name for name, live in truth.nodes().items() if not live]
    assert len(outside) == 2 * 2 + 2 - sum(truth.nodes().values()) > 0
    measured = read_json(trained.folder / "measured.json", "measured.json")
    assert measured["compared"]["wrong"] == 0


def test_the_edges_of_a_trained_model_are_scored_without_those_that_are_unknown(trained: circuits.Entry) -> None:
    truth = trained.truth
    oracle = {edge: {"live": 2.0, "unknown": 1.0}.get(label, 0.0) for edge, label in truth.labels.items()}
    found = circuits.score("oracle", {trained.name: Scores(oracle, None)}, [trained]).models[0]
    assert found.edges is not None
    assert found.edges.roc_auc == found.edges.precision_at_k == 1
    assert found.edges.negatives == len(truth.edges("silent"))
    assert found.faithfulness is None  # cutting edges of a trained model says nothing about its circuit


def test_a_circuit_that_does_not_say_how_it_is_known_is_refused(trained: circuits.Entry) -> None:
    content = read_json(trained.folder / "circuit.json", "circuit.json")
    assert read_truth(trained.transformer, content) == trained.truth
    del content["cut"]
    with pytest.raises(ws.FileError, match="make it again"):
        read_truth(trained.transformer, content)


@pytest.mark.parametrize("method", ["attribution", "integrated"])
def test_gradients_of_the_gradient_kind_find_edges(tmp_path: Path, method: str) -> None:
    circuits.make(tmp_path / "b", PROGRAM, "gradients", exports="none")
    entries = circuits.read_benchmark(tmp_path / "b")
    scored = circuits.score(method, circuits.find(method, entries), entries)
    assert (scored.means()["edges"][0] or 0) > 0.7
    assert np.isfinite(list((circuits.find(method, entries)[entries[0].name].edges or {}).values())).all()


def test_kinds_that_are_trained_say_that_they_need_pytorch_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for kind in ("trained", "compressed"):
        with pytest.raises(ws.WeightsmithError, match="torch"):
            circuits.make(tmp_path / kind, PROGRAM, f"exact,{kind}", exports="none")
        assert not (tmp_path / kind).exists()


def test_deep_programs_are_not_learnt() -> None:
    deep = next(task for task in chosen_tasks("hard") if len(task.compiled("softmax").transformer.blocks) > 3)
    with pytest.raises(ws.InputError, match="programs of at most 3 are learnt part by part"):
        KINDS["trained"].make(deep)
