"""Saving and loading: equal models come back, nothing hostile gets in, nothing is lost."""

import os
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weightsmith as ws
from tests.semantics.witnessed import NORMS, WEIGHTINGS
from weightsmith.files.codec import encode
from weightsmith.model import digest

ARITHMETICS = [ws.Fixed(4, 4), ws.Fixed(2, 3, "even"), ws.Float(3, 3), ws.Float.like("bfloat16"), ws.Native("float32")]
names = st.lists(st.text(min_size=1, max_size=5).filter(lambda t: t.isprintable()), min_size=4, max_size=4, unique=True)
tokens = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9), min_size=1, max_size=4, unique=True
)


@st.composite
def transformers(draw: st.DrawFn) -> ws.Transformer:
    """Draw transformers with every kind of part."""
    T = ws.random_transformer(
        draw(tokens), lanes=4, blocks=draw(st.integers(0, 2)), heads=draw(st.integers(0, 2)),
        neurons=draw(st.integers(0, 3)), max_length=3, arithmetic=draw(st.sampled_from(ARITHMETICS)),
        seed=draw(st.integers(0, 99)), weighting=draw(st.sampled_from(WEIGHTINGS)), mask="causal",
        parallel=draw(st.booleans()),
    )  # fmt: skip
    T = replace(T, lanes=draw(names), output_bias=draw(st.sampled_from([None, np.ones(2)])))
    positions = [T.positions, None, ws.Sinusoidal(draw(st.integers(1, 9))), ws.Relative(np.ones((2, 4)))]
    norm = draw(st.sampled_from([None, replace(NORMS[1], lanes=T.lanes[:2], eps=draw(st.floats(0, 1)))]))
    origin = draw(st.text(max_size=9).filter(str.isprintable))
    blocks = tuple(replace(b, attention_norm=norm if b.attention else None, origin=origin) for b in T.blocks)
    return replace(T, blocks=blocks, positions=draw(st.sampled_from(positions)), final_norm=norm)


@given(transformers())
def test_saving_and_loading_gives_an_equal_model(T: ws.Transformer) -> None:
    path = Path(os.environ["PYTEST_FILES"]) / "model.safetensors"
    ws.save(T, path)
    loaded = ws.load(path)
    assert loaded == T
    assert loaded.provenance == T.provenance
    assert repr(loaded) == repr(T)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_FILES", str(tmp_path))  # hypothesis takes no fixtures of one test's scope


def loads_or_refuses(path: Path) -> str:
    """Load a file that may be broken: a valid model, or a Weightsmith error; anything else fails the test."""
    try:
        T = ws.load(path)
    except ws.FileError:
        return "refused"
    ws.run(T, [T.vocabulary[0]])
    return "loaded"


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.long)])
def test_every_single_byte_changed_loads_or_is_refused_with_little_memory(
    saved: Path, tmp_path: Path, step: int
) -> None:
    data, broken = saved.read_bytes(), tmp_path / "broken.safetensors"
    outcomes = {"loaded": 0, "refused": 0}
    tracemalloc.start()
    for place in range(0, len(data), step):
        for change in (data[place] ^ 0x01, data[place] ^ 0x80, ord("9"), ord('"')):
            broken.write_bytes(data[:place] + bytes([change]) + data[place + 1 :])
            outcomes[loads_or_refuses(broken)] += 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert min(outcomes.values()) > 100 // step, outcomes
    assert peak < 16 << 20


@settings(max_examples=500)
@given(st.data())
def test_any_change_of_bytes_loads_or_is_refused(data: st.DataObject) -> None:
    path = Path(os.environ["PYTEST_FILES"]) / "changed.safetensors"
    if not path.with_suffix(".whole").exists():
        ws.save(ws.random_transformer(lanes=1, blocks=1, heads=1, neurons=1, max_length=1), path.with_suffix(".whole"))
    whole = bytearray(path.with_suffix(".whole").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole[: data.draw(st.sampled_from([len(whole), len(whole) - 1, len(whole) // 2]))])
    loads_or_refuses(path)


def test_arrays_that_are_not_contiguous_are_stored_rightly(tmp_path: Path) -> None:
    T = ws.random_transformer(lanes=3)
    turned = replace(T, embedding=np.asfortranarray(T.embedding), output=T.output[::-1][::-1])
    ws.save(turned, tmp_path / "t.safetensors")
    assert ws.load(tmp_path / "t.safetensors") == T


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        ws.save(ws.random_transformer(), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_process_killed_while_saving_leaves_the_old_file_whole(saved: Path) -> None:
    before = saved.read_bytes()
    program = f"""
import os, signal, weightsmith as ws
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
ws.save(ws.library.contains("1"), {str(saved)!r})
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert saved.read_bytes() == before


def test_a_failed_save_leaves_the_old_file_and_no_rubbish(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def full_disk(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ws.FileError, match=r"cannot write .* No space left on device"):
        ws.save(ws.library.contains("1"), saved)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_saving_keeps_a_link_a_link_and_the_permissions(saved: Path) -> None:
    saved.chmod(0o640)
    link = saved.with_name("link.safetensors")
    link.symlink_to(saved)
    ws.save(ws.library.contains("1"), link)
    assert link.is_symlink()
    assert ws.load(saved) == ws.library.contains("1")
    assert saved.stat().st_mode & 0o777 == 0o640


def test_files_and_digests_are_those_of_before_a_change_of_names() -> None:
    """The kind `PositionTable` was once called `Table`: old files open, and old certificates know their models."""
    T = ws.random_transformer(lanes=3, blocks=1, seed=5)
    _, metadata = encode(T)
    assert metadata["positions"] == {"kind": "Table"}
    assert digest(T) == "38d9e2a1d47c40cfc2135d8c5666d3e0be3d44bb3b85a4d59f7b77cad2231c47"
