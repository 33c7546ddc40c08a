"""Every kind of part comes back from a file as it was; files from before there were these parts still load."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.files.rewritten import BROKEN, saved_with
from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from weightsmith.model import named_arrays

NEW = {"positions", "W_3", "b_3", "b_Q", "b_K", "b_V", "b_O", "tied", "parallel", "strict"}


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("A", [ws.Fixed(4, 4), ws.Float.like("e4m3", "even"), ws.Native("float32")], ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_saving_and_loading_gives_an_equal_model(rule: str, A: Any, tied: bool, tmp_path: Path) -> None:
    n = RULES.index(rule)
    T = kind_of_model(A, n, rule, ACTIVATIONS[n % 6], heads=n % 4, tied=tied, norms=tied)
    path = tmp_path / "model.safetensors"
    ws.save(T, path)
    loaded = ws.load(path)
    assert loaded == T
    assert hash(loaded) == hash(T)
    assert repr(loaded) == repr(T)
    assert [name for name, _ in named_arrays(loaded)] == [name for name, _ in named_arrays(T)]
    assert ("output" in dict(named_arrays(T))) != tied


def test_a_file_of_version_1_without_the_new_keys_still_loads(tmp_path: Path) -> None:
    T = ws.random_transformer(lanes=3, blocks=2, heads=2, neurons=3, seed=4)
    dropped = []

    def older(part: Any, top: bool = True) -> None:
        for key in [k for k in part if k in NEW and not (top and k == "positions")]:
            dropped.append(key)
            del part[key]
        for value in part.values():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    older(item, top=False)

    old = ws.load(saved_with(T, tmp_path / "old.safetensors", lambda metadata, _: older(metadata)))
    assert sorted(set(dropped)) == ["parallel", "positions", "tied"]
    assert old == T
    assert np.array_equal(ws.run(old, "0110").stream, ws.run(T, "0110").stream)


@pytest.mark.parametrize("key", ["mask", "classes", "flags", "provenance"])
def test_keys_that_were_always_there_may_not_be_missing_although_they_have_a_default(key: str, tmp_path: Path) -> None:
    """A file without its mask is broken: another model must not come out of it."""
    T = ws.random_transformer(lanes=2, blocks=0)
    with pytest.raises(ws.FileError, match=f"the metadata lacks the key '{key}'"):
        ws.load(saved_with(T, tmp_path / "short.safetensors", lambda metadata, _: metadata.pop(key)))


@pytest.mark.parametrize("name", BROKEN)
def test_files_with_broken_parts_are_refused_with_the_reason(name: str, tmp_path: Path) -> None:
    T = kind_of_model(ws.Fixed(4, 4), 1, "halves", heads=1)
    change, message = BROKEN[name]
    with pytest.raises(ws.FileError, match=message):
        ws.load(saved_with(T, tmp_path / "broken.safetensors", change))


def test_an_output_beside_tied_must_be_the_embedding_and_a_missing_one_needs_tied(tmp_path: Path) -> None:
    T = kind_of_model(ws.Fixed(4, 4), 1, "halves", tied=True)
    path = tmp_path / "tied.safetensors"
    same = saved_with(T, path, lambda m, tensors: tensors.update(output=tensors["embedding"]))
    assert ws.load(same) == T
    with pytest.raises(ws.FileError, match="the tensor 'output' is missing"):
        ws.load(saved_with(T, path, lambda m, _: m.update(tied=False)))
    with pytest.raises(ws.FileError, match="the output given is another"):
        ws.load(saved_with(T, path, lambda m, tensors: tensors.update(output=-tensors["embedding"])))
