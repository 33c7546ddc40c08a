"""Files are hostile until checked: each kind of attack is refused by name."""

import json
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from tests.files.rewritten import HOSTILE, rewrite
from tests.files.written import write_container
from weightsmith.files import container
from weightsmith.files.container import read_container


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_metadata_is_refused_by_name(saved: Path, name: str) -> None:
    change, message = HOSTILE[name]
    rewrite(saved, change)
    with pytest.raises(ws.FileError) as caught:
        ws.load(saved)
    assert message in str(caught.value)


@pytest.mark.parametrize(("value", "message"), [(np.nan, "is nan at [0, 1]"), (np.inf, "is inf at [0, 1]")])
def test_numbers_that_are_not_finite_are_refused_with_the_tensor(saved: Path, value: float, message: str) -> None:
    overwrite(saved, "output", value)
    with pytest.raises(ws.FileError, match="tensor 'output'") as caught:
        ws.load(saved)
    assert message in str(caught.value)


def test_values_outside_the_arithmetic_are_refused_with_tensor_and_value(saved: Path) -> None:
    overwrite(saved, "blocks.0.attention.heads.0.W_Q", 0.1)
    with pytest.raises(
        ws.FileError, match=r"blocks\.0\.attention\.heads\.0\.W_Q\[0, 1\] = 0\.1 is not a member of fixed"
    ):
        ws.load(saved)


def overwrite(path: Path, tensor: str, value: float) -> None:
    """Put a number into the second place of a tensor."""
    data = bytearray(path.read_bytes())
    length = int.from_bytes(data[:8], "little")
    begin = 8 + length + json.loads(bytes(data[8 : 8 + length]))[tensor]["data_offsets"][0] + 8
    data[begin : begin + 8] = np.float64(value).tobytes()
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it has 0 bytes"),
        (b"\x00" * 7, "it has 7 bytes"),
        (b"\xff" * 64, "its header claims 18,446,744,073,709,551,615 bytes"),
        (b"\x02" + b"\x00" * 7 + b"{}", "without the metadata key 'weightsmith'"),
        (b"\x02" + b"\x00" * 7 + b"[]", "its header is not a JSON object"),
        (b"\x10" + b"\x00" * 7 + b'{"a":1,"a":2}   ', "the key 'a' occurs twice"),
        (b"\x10" + b"\x00" * 7 + b'{"a":NaN}       ', "NaN is not a number"),
        (b"\x02" + b"\x00" * 7 + b"\xff\xfe", "its header is not valid JSON"),
        ((200_000).to_bytes(8, "little") + b"[" * 200_000, "its header is not valid JSON"),
        (b"\x80\x04\x95cposix\nsystem\n", "its header claims"),
    ],
    ids=["empty", "short", "long header", "no metadata", "list", "duplicate", "nan", "utf-8", "deep", "pickle"],
)
def test_bytes_that_are_no_model_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "bytes.safetensors"
    path.write_bytes(data)
    with pytest.raises(ws.FileError) as caught:
        ws.load(path)
    assert message in str(caught.value)


def test_a_duplicate_key_inside_the_metadata_is_refused(saved: Path) -> None:
    tensors, text = read_container(saved)
    write_container(saved, tensors, text.replace('"mask":', '"mask": "full", "mask":'))
    with pytest.raises(ws.FileError, match="its metadata is not valid JSON: the key 'mask' occurs twice"):
        ws.load(saved)


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path, "cannot read .* Is a directory"),
        (tmp_path / "pipe", "it is not a regular file"),
        (Path("/dev/zero"), "it is not a regular file"),
        (Path("a\0b"), "cannot read .* null byte"),
        (tmp_path / "nothing.safetensors", "cannot read .* No such file or directory"),
    ):
        with pytest.raises(ws.FileError, match=message):
            ws.load(path)
    with pytest.raises(ws.FileError, match=r"cannot write .* No such file or directory"):
        ws.save(ws.random_transformer(), tmp_path / "no" / "folder.safetensors")
    with pytest.raises(ws.FileError, match="save writes a Transformer or a Chain, and this is 3"):
        ws.save(3, tmp_path / "x.safetensors")  # type: ignore[arg-type]


def test_a_missing_bias_is_refused_and_not_taken_for_zeros(saved: Path) -> None:
    tensors, text = read_container(saved)
    for name in ("blocks.0.feed_forward.b_1", "blocks.0.feed_forward.W_1", "embedding"):
        rest = {key: value for key, value in tensors.items() if key != name}
        metadata = json.loads(text)
        metadata["tensors"].remove(name)
        write_container(saved, rest, json.dumps(metadata))
        with pytest.raises(ws.FileError, match=f"the tensor '{name}' is missing"):
            ws.load(saved)


def test_empty_arrays_with_a_long_axis_are_refused_before_anything_is_made_of_them(saved: Path) -> None:
    rewrite(saved, lambda h, m: h.update(output={"dtype": "F64", "shape": [2**24, 0], "data_offsets": [0, 0]}))
    with pytest.raises(ws.FileError, match="an array without numbers has no axis above 65,536"):
        ws.load(saved)


def test_a_huge_sinusoidal_table_is_never_built_whole(tmp_path: Path) -> None:
    T = replace(ws.random_transformer(lanes=2000, blocks=0), positions=ws.Sinusoidal(2**20))
    ws.save(T, tmp_path / "t.safetensors")
    tracemalloc.start()
    ws.run(ws.load(tmp_path / "t.safetensors"), "01")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20


def test_pipes_devices_and_circles_are_not_written_over(tmp_path: Path) -> None:
    T = ws.library.contains("1")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(ws.FileError, match="cannot write .*pipe': it is not a regular file"):
        ws.save(T, tmp_path / "pipe")
    with pytest.raises(ws.FileError, match="cannot write .*circle"):
        ws.save(T, tmp_path / "circle")
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["circle", "pipe"]


def test_what_could_not_be_read_back_is_not_written(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()
    monkeypatch.setattr(container, "MAX_HEADER", 100)
    with pytest.raises(ws.FileError, match="cannot write .* its header has .* bytes, and at most 100 are allowed"):
        ws.save(ws.library.contains("1"), saved)
    assert saved.read_bytes() == before


def test_too_many_tensors_are_refused(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MAX_TENSORS", 3)
    with pytest.raises(ws.FileError, match="it has 11 tensors, and at most 3 are allowed"):
        ws.load(saved)


def test_too_many_parameters_are_refused(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MAX_PARAMETERS", 30)
    with pytest.raises(ws.FileError, match="it has .* bytes|it claims 40 parameters, and at most 30"):
        ws.load(saved)
