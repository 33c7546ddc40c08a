"""Files: old ones without names and edits load, and hostile ones are refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import weightsmith as ws
from tests.memory.models import model, same
from weightsmith.files.container import METADATA_KEY, read_container


def rewritten(path: Path, change: Any) -> None:
    """Change the metadata of a saved file."""
    tensors, text = read_container(path)
    metadata = json.loads(text)
    change(tensors, metadata)
    metadata["tensors"] = list(tensors)
    path.write_bytes(safetensors.numpy.save(tensors, {METADATA_KEY: json.dumps(metadata)}))


def test_a_file_from_before_there_were_names_and_edits_loads(tmp_path: Path) -> None:
    path, T = tmp_path / "old.safetensors", ws.random_transformer(lanes=4, blocks=2, neurons=2)
    ws.save(T, path)

    def older(tensors: dict[str, Any], metadata: dict[str, Any]) -> None:
        assert metadata.pop("edits") == []
        for block in metadata["blocks"]:
            assert block["feed_forward"].pop("names") == []

    rewritten(path, older)
    assert same(ws.load(path), T)


def test_names_keys_and_edits_are_saved(tmp_path: Path) -> None:
    path, T = tmp_path / "new.safetensors", ws.memory.delete(model(), 0, 0)
    ws.save(T, path)
    tensors, text = read_container(path)
    metadata = json.loads(text)
    assert metadata["blocks"][0]["feed_forward"]["names"] == ["", "a", "b"]
    assert [edit["kind"] for edit in metadata["edits"]] == ["Edit", "Edit"]
    assert tensors["blocks.0.feed_forward.keys"].tolist()[1:] == [[1, 1, 0, 0], [1, -1, 0, 0]]
    assert tensors["edits.1.before.W_1"].shape == (1, 4)


def _not_a_member(tensors: dict[str, Any], metadata: dict[str, Any]) -> None:
    tensors["blocks.0.feed_forward.keys"] = np.full((4, 4), 0.01)


def _wrong_shape(tensors: dict[str, Any], metadata: dict[str, Any]) -> None:
    tensors["blocks.0.feed_forward.keys"] = np.ones((3, 4))


def _too_few_names(tensors: dict[str, Any], metadata: dict[str, Any]) -> None:
    metadata["blocks"][0]["feed_forward"]["names"] = ["a"]


def _invisible_name(tensors: dict[str, Any], metadata: dict[str, Any]) -> None:
    metadata["blocks"][0]["feed_forward"]["names"] = ["", "", "a\u202e", "b"]


def _edit_of_another_kind(tensors: dict[str, Any], metadata: dict[str, Any]) -> None:
    metadata["edits"] = [{"kind": "Softmax", "shifted": False, "empty": "zero"}]


def _edit_without_a_key(tensors: dict[str, Any], metadata: dict[str, Any]) -> None:
    del metadata["edits"][0]["digest"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_not_a_member, r"blocks.0.feed_forward.keys\[0, 0\] = 0.01 is not a member of fixed\(6,4\)"),
        (_wrong_shape, r"keys has shape \(3, 4\), and it must be that of W_1, \(4, 4\)"),
        (_too_few_names, "FeedForward has 1 names for 4 neurons"),
        (_invisible_name, "the name of a neuron has characters that cannot be shown"),
        (_edit_of_another_kind, "edits must hold Edit"),
        (_edit_without_a_key, "edits.0 lacks the key 'digest'"),
    ],
)
def test_hostile_names_keys_and_edits_are_refused(change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.safetensors"
    ws.save(model(), path)
    rewritten(path, change)
    with pytest.raises(ws.FileError, match=message):
        ws.load(path)
