"""The weights of a large file stay in it: mapped, looked at once, and never written to. Small files are copied."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.export.checkpoints import GPT2, LANES, LLAMA, drawn_arrays, gpt2_shapes, llama_shapes, write
from weightsmith.export import from_hugging_face
from weightsmith.export.reading import tensors
from weightsmith.kernels.blas.prepared import prepared
from weightsmith.model import named_arrays

FAMILIES = {"gpt2": (GPT2, gpt2_shapes), "llama": (LLAMA, llama_shapes)}
COPIED = ("W_Q", "b_Q")  # they are scaled


@pytest.fixture
def mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for a large one."""
    monkeypatch.setattr(tensors, "MAPPED_FROM", 0)


def written(directory: Path, family: str = "gpt2") -> Path:
    config, shapes = FAMILIES[family]
    return write(directory, config, drawn_arrays(shapes()))


def places(T: ws.Transformer) -> dict[str, bool]:
    return {name: _in_mapping(array) for name, array in named_arrays(T)}


def _in_mapping(array: np.ndarray[Any, Any]) -> bool:
    """Tell whether an array lies in a file that this process has mapped."""
    at = array.ctypes.data
    for line in Path("/proc/self/maps").read_text().splitlines():
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if begin <= at < end:
            return line.endswith(".safetensors")
    return False


@pytest.mark.parametrize("family", FAMILIES)
def test_the_model_is_that_of_a_copied_file_and_so_are_its_runs(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, family)
    copied = from_hugging_face(tmp_path)
    monkeypatch.setattr(tensors, "MAPPED_FROM", 0)
    T = from_hugging_face(tmp_path)
    assert copied == T
    assert hash(T) == hash(copied)
    assert ws.files.model_bytes(T) == ws.files.model_bytes(copied)
    tokens = T.vocabulary[:5]
    for sums in ("left", "machine"):
        a, b = ws.run(T, tokens, sums=sums), ws.run(copied, tokens, sums=sums)
        np.testing.assert_allclose(a.stream, b.stream, rtol=0, atol=0 if sums == "left" else 1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_only_what_changes_is_copied(family: str, tmp_path: Path, mapped: None) -> None:
    T = from_hugging_face(written(tmp_path, family))
    for name, there in places(T).items():
        made_up = name.endswith(("b_1", "b_2", "b_3")) and family == "llama"  # it has none: they are 0
        assert there != (name.endswith(COPIED) or made_up), name
    assert {array.dtype for _, array in named_arrays(T)} == {np.dtype(np.float32)}
    assert not any(array.flags.writeable for _, array in named_arrays(T))


@pytest.mark.parametrize("large", [0, 1 << 30])
def test_small_files_and_other_types_do_not_depend_on_the_file(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensors, "MAPPED_FROM", large)
    T = from_hugging_face(written(tmp_path), numbers="float64" if large == 0 else None)
    assert not any(places(T).values())
    before = ws.files.model_bytes(T)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert ws.files.model_bytes(T) == before


def test_a_file_that_is_replaced_changes_nothing(tmp_path: Path, mapped: None) -> None:
    T = from_hugging_face(written(tmp_path / "a"))
    before = ws.files.model_bytes(T)
    other = write(tmp_path / "b", GPT2, {name: array + 1 for name, array in drawn_arrays(gpt2_shapes()).items()})
    os.replace(other / "model.safetensors", tmp_path / "a" / "model.safetensors")
    assert ws.files.model_bytes(T) == before
    assert from_hugging_face(tmp_path / "a") != T


def test_the_products_of_a_run_take_the_heads_as_they_lie_in_the_file(tmp_path: Path, mapped: None) -> None:
    T = from_hugging_face(written(tmp_path))
    (heads,) = prepared(T)[0]
    for name in ("W_K", "W_V", "W_O"):
        assert _in_mapping(getattr(heads, name)), name


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused(value: float, tmp_path: Path, mapped: None) -> None:
    arrays = drawn_arrays(gpt2_shapes())
    arrays["transformer.h.1.attn.c_attn.weight"][7, 23] = value
    write(tmp_path, GPT2, arrays)
    with pytest.raises(ws.FileError, match=rf"h\.1\.attn\.c_attn\.weight' is {value} at \[7, 23\]: no number"):
        from_hugging_face(tmp_path)


def test_minus_zero_in_the_file_is_zero_in_the_model(tmp_path: Path, mapped: None) -> None:
    arrays = drawn_arrays(gpt2_shapes())
    arrays["transformer.h.0.mlp.c_fc.weight"][2, 3] = -0.0
    arrays["transformer.h.0.attn.c_attn.weight"][1, 2] = -1e-45  # an eighth of it, or less, is rounded to 0
    T = from_hugging_face(write(tmp_path, GPT2, arrays))
    assert not any((np.signbit(array) & (array == 0)).any() for _, array in named_arrays(T))
    assert not places(T)["blocks.0.feed_forward.W_1"]
    assert places(T)["blocks.1.feed_forward.W_1"]


def test_tensors_at_odd_places_are_copied(tmp_path: Path, mapped: None) -> None:
    T = from_hugging_face(written(tmp_path / "even"))
    data = (tmp_path / "even" / "model.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    for more in (1, 2, 3, 5):
        header = data[8 : 8 + length] + b" " * more
        odd = written(tmp_path / str(more))
        (odd / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + data[8 + length :])
        found = from_hugging_face(odd)
        assert found == T
        assert all(array.flags.aligned for _, array in named_arrays(found))


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_queries_are_scaled_and_rounded_once(heads: int, tmp_path: Path, mapped: None) -> None:
    arrays = drawn_arrays(gpt2_shapes())
    T = from_hugging_face(write(tmp_path, {**GPT2, "n_head": heads}, arrays))
    queries = arrays["transformer.h.0.attn.c_attn.weight"].T[:LANES].astype(np.float64)
    found = np.concatenate([head.W_Q for head in T.blocks[0].attention.heads])
    assert (found == (queries * (LANES / heads) ** -0.5).astype(np.float32)).all()
