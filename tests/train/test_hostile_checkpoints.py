"""Checkpoints that are damaged, hostile, cut off or of something else: refused, and nothing of them is taken up."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.files.written import write_container
from tests.train.small import COURSE, SHAPE, text, weights
from tests.train.test_checkpoint import going_on, stopped
from weightsmith.files.container import container_bytes, read_container
from weightsmith.train.checkpoint import MOMENTS, UNKNOWN, read_checkpoint, sealed
from weightsmith.train.loop import _optimizer
from weightsmith.train.training import identity, new_module

Tensors = dict[str, Any]
Metadata = dict[str, Any]


def of_entry(change: Metadata) -> Callable[[Tensors, Metadata], None]:
    return lambda tensors, metadata: metadata["history"][0].update(change)


def of_metadata(change: Metadata) -> Callable[[Tensors, Metadata], None]:
    return lambda tensors, metadata: metadata.update(change)


def of_tensor(name: str, change: Callable[[Any], Any]) -> Callable[[Tensors, Metadata], None]:
    return lambda tensors, metadata: tensors.update({name: change(tensors[name])})


def with_one(value: float) -> Callable[[Any], Any]:
    return lambda array: np.concatenate([array.reshape(-1)[:-1], np.array([value], array.dtype)]).reshape(array.shape)


EMBEDDING = "embedding.weight"
MACHINES: list[Any] = [[], [1], ["a\nb"], ["x" * 1001], {}, "torch", None]
HISTORIES: list[Any] = [[], [{}], [None], {}, None]
DAMAGES: dict[str, Callable[[Tensors, Metadata], Any]] = {
    **{f"step {step}": of_metadata({"step": step}) for step in (0, -5, 4, 6, 12, 13, 10**30, 5.0, True, None, "5")},
    **{f"seconds {s}": of_metadata({"seconds": s}) for s in (-1.0, 1, None, 10**400)},
    **{f"tokens {t}": of_metadata({"tokens": t}) for t in (-1, 1.0, None)},
    **{f"machines {m!r:.20}": of_metadata({"machines": m}) for m in MACHINES},
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


def write_sealed(path: Path, tensors: Tensors, metadata: str) -> None:
    """Write what an attacker would: with the right checksum, if there is one at all."""
    path.write_bytes(sealed(container_bytes(tensors, unsealed(metadata))))


def unsealed(metadata: str) -> str:
    return re.sub(r'("checksum": )"[0-9a-f]{64}"', rf'\1"{UNKNOWN}"', metadata)


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


@pytest.mark.one_in(3)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_never_half_loaded(damage: str, checkpoint: Path) -> None:
    tensors, metadata = read_container(checkpoint)
    state = json.loads(metadata)
    write_sealed(checkpoint, tensors, json.dumps(state))
    assert going_on(checkpoint).resumed_at == 5  # writing it again does no harm
    DAMAGES[damage](tensors, state)
    write_sealed(checkpoint, tensors, json.dumps(state))
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
        "{}", "[]", "", "{", metadata.replace("checkpoint 4", "checkpoint 3"),
        json.dumps({**json.loads(metadata), "identity": None}), metadata[:-1] + ', "step": 5}',
        *(metadata.replace('"seconds": ', f'"seconds": {number}, "x": ') for number in ("NaN", "1e999")),
    ):  # fmt: skip
        write_sealed(checkpoint, tensors, other)
        assert "is no checkpoint" in refused(checkpoint)
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
        write_sealed(checkpoint, tensors, json.dumps(changed))
        assert f"which differs in {name}" in refused(checkpoint)


@pytest.mark.parametrize("checksum", ["", "0" * 64, "é" * 64, 7, None, [], "A" * 64])
def test_a_checkpoint_without_its_checksum_is_damaged(checksum: object, checkpoint: Path) -> None:
    tensors, metadata = read_container(checkpoint)
    state = json.loads(metadata)
    assert re.fullmatch("[0-9a-f]{64}", state["checksum"])
    write_container(checkpoint, tensors, json.dumps({**state, "checksum": checksum}))
    assert "is a damaged checkpoint" in refused(checkpoint)
    write_container(checkpoint, tensors, json.dumps({key: state[key] for key in state if key != "checksum"}))
    assert "is a damaged checkpoint" in refused(checkpoint)
