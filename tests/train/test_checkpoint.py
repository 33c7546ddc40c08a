"""Checkpoints: whole or not at all, taken up only by the training that they are of, and never by halves."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.train.small import COURSE, SHAPE, course, labelled, shape, text, weights
from weightsmith.files.container import read_container, write_container
from weightsmith.train import Course, Shape, as_text, fit
from weightsmith.train.checkpoint import MOMENTS, read_checkpoint
from weightsmith.train.loop import Fitted, _optimizer, learn
from weightsmith.train.training import identity, new_module

Tensors = dict[str, Any]
Metadata = dict[str, Any]


class Stop(Exception):  # noqa: N818
    """Stops a training, as a kill would."""


def stopped(path: Path, after: int, shape: Shape = SHAPE, course: Course = COURSE, task: Any = None) -> None:
    """Train until a step, and leave a checkpoint."""

    def report(step: int, loss: float, speed: float) -> None:
        if step == after:
            raise Stop

    with pytest.raises(Stop):
        fit(task or text(), shape, course, checkpoint=path, report=report)


def going_on(path: Path | None, course: Course = COURSE, task: Any = None) -> Fitted:
    task = task or text()
    module = new_module(task, SHAPE, course)
    return learn(module, task, course, identity(task, SHAPE, course), path)


def told(fitted: Fitted) -> list[dict[str, Any]]:
    return [{key: value for key, value in vars(record).items() if key != "seconds"} for record in fitted.history]


@pytest.mark.parametrize("every", [1, 2, 5, 6, 11])
@pytest.mark.parametrize("task", [text(), labelled()], ids=["text", "labelled"])
def test_a_training_that_was_stopped_ends_with_the_same_bits(task: Any, every: int, tmp_path: Path) -> None:
    path = tmp_path / "c"
    whole = going_on(None, task=task)
    stopped(path, 12, course=course(checkpoint_every=every), task=task)
    kept = going_on(path, task=task)
    assert kept.resumed_at == 11 // every * every
    assert weights(kept.module) == weights(whole.module)
    assert told(kept) == told(whole)
    assert kept.history[-1].seconds >= kept.history[0].seconds >= 0


def test_a_training_may_be_stopped_at_every_step(tmp_path: Path) -> None:
    whole, path = going_on(None), tmp_path / "c"
    for after in range(2, 13, 2):
        stopped(path, after, course=course(checkpoint_every=1))
        assert path.exists()
    assert weights(going_on(path).module) == weights(whole.module)


@pytest.mark.parametrize("positions", ["relative", "rotary", "alibi", "sinusoidal", "none"])
def test_every_kind_of_shape_has_checkpoints(positions: Any, tmp_path: Path) -> None:
    kind, path = shape(positions=positions, activation="swiglu", tied=False, numbers="float64"), tmp_path / "c"
    whole = fit(text(), kind, COURSE)
    stopped(path, 7, kind)
    kept = fit(text(), kind, COURSE, checkpoint=path)
    assert kept.resumed_at == 5
    assert kept.transformer == whole.transformer


def test_how_often_checkpoints_are_written_changes_nothing(tmp_path: Path) -> None:
    found = [going_on(tmp_path / str(n), course(checkpoint_every=n)) for n in (1, 3, 100)]
    assert len({tuple(weights(one.module)) for one in found}) == 1
    assert told(found[0]) == told(found[1]) == told(found[2])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "3"]


@pytest.mark.parametrize("where", ["replace", "fsync"])
def test_a_stop_while_a_checkpoint_is_written_leaves_the_one_before(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "c", going_on(None)
    stopped(path, 7)
    before = path.read_bytes()

    def stop(*arguments: Any) -> None:
        raise Stop

    monkeypatch.setattr(os, where, stop)
    with pytest.raises(Stop):
        going_on(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["c"]
    assert weights(going_on(path).module) == weights(whole.module)


def test_a_full_disk_is_named_and_the_checkpoint_before_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c"
    stopped(path, 7)
    before = path.read_bytes()

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        ws.FileError, match="cannot write the checkpoint .*: No space left on device; an earlier one stays"
    ):
        going_on(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["c"]


OTHERS: list[tuple[str, Any, Any, Any]] = [
    ("shape, lanes", text(), shape(lanes=16), COURSE),
    ("shape, positions", text(), shape(positions="none"), COURSE),
    ("shape, numbers", text(), shape(numbers="float64"), COURSE),
    ("course, steps", text(), SHAPE, course(steps=13)),
    ("course, seed", text(), SHAPE, course(seed=1)),
    ("course, rate", text(), SHAPE, course(rate=0.002)),
    ("course, dropout", text(), SHAPE, course(dropout=0.0)),
    ("course, evaluate_every", text(), SHAPE, course(evaluate_every=3)),
    ("data", as_text("the cat sat on the mat; the rat sat on a cat. " * 8, 8), SHAPE, COURSE),
    ("data", as_text("the cat sat on the mat; the rat sat on the cat. " * 8, 7), SHAPE, COURSE),
    ("data", labelled(), SHAPE, COURSE),
]


@pytest.mark.parametrize(("what", "task", "other", "pace"), OTHERS, ids=[f"{n} {o[0]}" for n, o in enumerate(OTHERS)])
def test_a_checkpoint_of_another_training_is_refused_and_stays(
    what: str, task: Any, other: Shape, pace: Course, tmp_path: Path
) -> None:
    path = tmp_path / "c"
    stopped(path, 7)
    before = path.read_bytes()
    with pytest.raises(
        ws.FileError, match=f"is a checkpoint of another training, which differs in {what}: give the same"
    ):
        fit(task, other, pace, checkpoint=path)
    assert path.read_bytes() == before


def of_entry(change: Metadata) -> Callable[[Tensors, Metadata], None]:
    return lambda tensors, metadata: metadata["history"][0].update(change)


def of_metadata(change: Metadata) -> Callable[[Tensors, Metadata], None]:
    return lambda tensors, metadata: metadata.update(change)


def of_tensor(name: str, change: Callable[[Any], Any]) -> Callable[[Tensors, Metadata], None]:
    return lambda tensors, metadata: tensors.update({name: change(tensors[name])})


def with_one(value: float) -> Callable[[Any], Any]:
    return lambda array: np.concatenate([array.reshape(-1)[:-1], np.array([value], array.dtype)]).reshape(array.shape)


EMBEDDING = "embedding.weight"
LOSSES: list[Any] = [[], [1], [1.0, 1.0], {}, None, [None]]
HISTORIES: list[Any] = [[], [{}], [None], {}, None]
DAMAGES: dict[str, Callable[[Tensors, Metadata], Any]] = {
    **{f"step {step}": of_metadata({"step": step}) for step in (0, -5, 4, 6, 12, 13, 10**30, 5.0, True, None, "5")},
    **{f"seconds {s}": of_metadata({"seconds": s}) for s in (-1.0, 1, None, 10**400)},
    **{f"tokens {t}": of_metadata({"tokens": t}) for t in (-1, 1.0, None)},
    **{f"losses {losses}": of_metadata({"losses": losses}) for losses in LOSSES},
    **{f"history {h}": of_metadata({"history": h}) for h in HISTORIES},
    **{f"entry {e}": of_entry(e) for e in ({"step": 5}, {"train_loss": None}, {"rate": -1.0}, {"more": 1})},
    "a record too many": lambda tensors, metadata: metadata["history"].append(metadata["history"][0]),
    "no weights": lambda tensors, metadata: tensors.pop(f"weights.{EMBEDDING}"),
    "no moments": lambda tensors, metadata: tensors.pop(f"{MOMENTS[0]}.{EMBEDDING}"),
    "nothing": lambda tensors, metadata: tensors.clear(),
    "more": lambda tensors, metadata: tensors.update({"weights.more": np.zeros(1, np.float32)}),
    "float64": of_tensor(f"weights.{EMBEDDING}", lambda array: array.astype(np.float64)),
    "flat": of_tensor(f"weights.{EMBEDDING}", lambda array: array.reshape(-1)),
    "turned": of_tensor(f"weights.{EMBEDDING}", lambda array: np.ascontiguousarray(array.T)),
    "cut": of_tensor(f"weights.{EMBEDDING}", lambda array: array[1:]),
    "nan weight": of_tensor(f"weights.{EMBEDDING}", with_one(np.nan)),
    "inf weight": of_tensor("weights.norm.bias", with_one(np.inf)),
    "nan moment": of_tensor(f"{MOMENTS[0]}.norm.bias", with_one(np.nan)),
    "negative square": of_tensor(f"{MOMENTS[1]}.{EMBEDDING}", with_one(-1e-9)),
}


def refused(path: Path) -> str:
    """Try to take a checkpoint up; say why not, and see that nothing of it was."""
    task = text()
    module = new_module(task, SHAPE, COURSE)
    optimizer = _optimizer(module, COURSE)
    before, file = weights(module), path.read_bytes() if path.is_file() else None
    with pytest.raises(ws.FileError) as error:
        read_checkpoint(path, identity(task, SHAPE, COURSE), COURSE, module, optimizer)
    assert weights(module) == before
    assert not optimizer.state
    assert file is None or path.read_bytes() == file
    return str(error.value)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "c"
    stopped(path, 7)
    return path


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_never_half_loaded(damage: str, checkpoint: Path) -> None:
    tensors, metadata = read_container(checkpoint)
    state = json.loads(metadata)
    write_container(checkpoint, tensors, json.dumps(state))
    assert going_on(checkpoint).resumed_at == 5  # writing it again does no harm
    DAMAGES[damage](tensors, state)
    write_container(checkpoint, tensors, json.dumps(state))
    assert refused(checkpoint) == f"{checkpoint} is a damaged checkpoint: move it away to begin anew"


def test_what_is_no_checkpoint_is_refused(checkpoint: Path) -> None:
    whole = checkpoint.read_bytes()
    tensors, metadata = read_container(checkpoint)
    for end in (0, 7, 8, 100, len(whole) // 2, len(whole) - 1):
        checkpoint.write_bytes(whole[:end])
        assert "is no checkpoint" in refused(checkpoint)
    for data in (b"not a checkpoint at all", whole + b"more", bytes(1000), b"\xff" * 64):
        checkpoint.write_bytes(data)
        assert "is no checkpoint" in refused(checkpoint)
    for other in (
        "{}", "[]", "", "{", metadata.replace("checkpoint 1", "checkpoint 2"),
        json.dumps({**json.loads(metadata), "identity": None}), metadata[:-1] + ', "step": 5}',
        metadata.replace('"losses": [', '"losses": [NaN, '),
    ):  # fmt: skip
        write_container(checkpoint, tensors, other)
        assert "is no checkpoint" in refused(checkpoint)
    write_container(checkpoint, tensors, metadata.replace('"losses": [', '"losses": [1e999, '))
    assert "is a damaged checkpoint" in refused(checkpoint)
    ws.save(ws.random_transformer(), checkpoint)
    assert "is no checkpoint" in refused(checkpoint)
    checkpoint.unlink()
    os.mkfifo(checkpoint)  # which must not keep us waiting
    assert "is no checkpoint: it is not a regular file" in refused(checkpoint)
    checkpoint.unlink()
    checkpoint.mkdir()
    assert "cannot read the checkpoint" in refused(checkpoint)
    checkpoint.rmdir()
    assert "No such file" in refused(checkpoint)


def test_a_hostile_identity_is_refused(checkpoint: Path) -> None:
    tensors, metadata = read_container(checkpoint)
    state = json.loads(metadata)
    for name, value in (("shape", None), ("shape", []), ("course", {}), ("data", {"x": 1}), ("more", {"x": 1})):
        changed = {**state, "identity": {**state["identity"], name: value}}
        write_container(checkpoint, tensors, json.dumps(changed))
        assert f"which differs in {name}" in refused(checkpoint)


def test_weights_that_left_the_numbers_are_not_written(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = checkpoint.read_bytes()
    step = torch.optim.AdamW.step

    def spoil(self: Any, *rest: Any) -> None:
        step(self, *rest)
        if self.state[self.param_groups[0]["params"][0]]["step"] == 10:  # a checkpoint is due
            self.param_groups[1]["params"][0].data[0] = float("inf")

    monkeypatch.setattr(torch.optim.AdamW, "step", spoil)
    with pytest.raises(
        ws.InputError, match="after 10 steps the weights are no longer finite numbers: write a smaller rate"
    ):
        going_on(checkpoint)
    assert checkpoint.read_bytes() == before


def test_a_training_that_leaves_the_numbers_says_so(tmp_path: Path) -> None:
    pace = course(rate=10.0, warmup=0, clip=0.0, steps=400, evaluate_every=400)
    with pytest.raises(ws.InputError, match=r"the loss of step \d+ is (nan|inf): write a smaller rate than 10"):
        fit(text(), shape(norm="none", activation="swiglu", blocks=3), pace)
