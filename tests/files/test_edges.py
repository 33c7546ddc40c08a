"""The edges of files: caps, dtypes, permissions, crashes at every moment."""

import json
import os
import stat
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weightsmith as ws
from tests.files.rewritten import rewrite
from tests.files.written import write_container
from weightsmith import Fixed, Native, files
from weightsmith.arithmetic import Arithmetic
from weightsmith.files import container
from weightsmith.files.container import read_container


def test_true_is_no_version(saved: Path) -> None:
    rewrite(saved, lambda h, m: m.update(version=True))
    with pytest.raises(ws.FileError, match="format version True"):
        ws.load(saved)


def test_a_tensor_that_belongs_nowhere_is_refused(saved: Path) -> None:
    tensors, text = read_container(saved)
    write_container(saved, tensors | {"zzz": np.zeros(1)}, text)
    with pytest.raises(ws.FileError, match="the tensors in it are not those that its metadata lists"):
        ws.load(saved)


def test_a_tensor_of_the_other_dtype_is_refused(saved: Path) -> None:
    tensors, text = read_container(saved)
    write_container(saved, tensors | {"output": tensors["output"].astype(np.float32)}, text)
    with pytest.raises(ws.FileError, match=r"tensor 'output' has dtype float32, and fixed\(4,4\) is stored as float64"):
        ws.load(saved)


@pytest.mark.parametrize(
    ("A", "dtype"), [(Native("float32"), np.float32), (Native("float64"), np.float64), (Fixed(4, 4), np.float64)]
)
def test_weights_are_stored_in_the_documented_dtype(tmp_path: Path, A: Arithmetic, dtype: Any) -> None:
    ws.save(ws.random_transformer(arithmetic=A), tmp_path / "m")
    assert {t.dtype for t in read_container(tmp_path / "m")[0].values()} == {np.dtype(dtype)}


def test_a_header_beyond_the_cap_is_refused(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MAX_HEADER", 40)
    with pytest.raises(ws.FileError, match="its header has .* bytes, and at most 40 are allowed"):
        ws.load(saved)


def test_more_parameters_than_the_cap_are_refused(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    total = sum(t.size for t in read_container(saved)[0].values())
    monkeypatch.setattr(container, "MAX_PARAMETERS", total - 1)
    with pytest.raises(ws.FileError, match=f"it claims {total} parameters, and at most {total - 1} are allowed"):
        ws.load(saved)


def test_a_file_larger_than_any_model_is_refused_unread(saved: Path) -> None:
    os.truncate(saved, 9 << 30)  # sparse
    with pytest.raises(ws.FileError, match=r"it has 9,663,676,416 bytes, and a model has between 8 and"):
        ws.load(saved)


def test_a_new_file_gets_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        ws.save(ws.library.contains("1"), tmp_path / "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_metadata_nested_without_end_is_refused(saved: Path) -> None:
    tensors, _ = read_container(saved)
    for depth in (900, 100_000):
        write_container(
            saved, tensors, '{"version": 1, "arithmetic": "fixed(4,4)", "lanes": ' + "[" * depth + "]" * depth + "}"
        )
        with pytest.raises(ws.FileError):
            ws.load(saved)


def test_metadata_that_parses_but_recurses_too_deep(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tensors, text = read_container(saved)
    metadata = json.loads(text)
    block, nested, names = metadata["blocks"][0], None, list[Any]()
    for _ in range(5000):
        nested, names = {**block, "attention": nested}, [names]
    monkeypatch.setattr(files, "parse_json", lambda text, what, size: metadata | {"blocks": [nested]})
    with pytest.raises(ws.FileError, match="it asks for too much"):
        ws.load(saved)
    metadata = json.loads(text)
    monkeypatch.setattr(files, "parse_json", lambda text, what, size: metadata | {"lanes": names})
    with pytest.raises(ws.FileError, match=r"a name in lanes must be a text, and it is \[\[\[\[\["):
        ws.load(saved)


def test_offsets_are_two(saved: Path) -> None:
    rewrite(saved, lambda h, m: h["output"].update(data_offsets=[*h["output"]["data_offsets"], 0]))
    with pytest.raises(ws.FileError, match="tensor 'output' has data_offsets"):
        ws.load(saved)


def test_metadata_text(saved: Path) -> None:
    data = saved.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header["__metadata__"]["weightsmith"] = {}
    text = json.dumps(header).encode()
    saved.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])
    with pytest.raises(ws.FileError, match="without the metadata key 'weightsmith'"):
        ws.load(saved)


def test_a_kind_that_is_no_text_is_refused(saved: Path) -> None:
    rewrite(saved, lambda h, m: m["blocks"][0].update(kind=[]))
    with pytest.raises(ws.FileError, match=r"blocks\.0 has the unknown kind \[\]"):
        ws.load(saved)


def test_the_new_file_is_written_beside_the_old_one(saved: Path) -> None:
    with mock.patch.object(os, "replace", wraps=os.replace) as replaced:
        ws.save(ws.library.contains("1"), saved)
    ((part, target), _) = replaced.call_args
    assert Path(part).parent == Path(target).parent == saved.parent.resolve()


def test_there_is_a_whole_file_at_every_moment(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(source: Any, target: Any) -> None:
        raise OSError(5, "Input/output error")

    before = saved.read_bytes()
    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(ws.FileError, match="Input/output error"):
        ws.save(ws.library.contains("1"), saved)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]
