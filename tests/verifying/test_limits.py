"""Hostile files and certificates are refused by name, within bounded memory; whoever asks can end a check."""

import gc
import json
import os
import subprocess
import sys
import tracemalloc
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.files.mutations import header_and_body, with_header
from tests.verifying.certificates import Data, checked, models_of
from tests.verifying.test_theorem import PROGRAM, ends, folder
from weightsmith import verify
from weightsmith.check.proof import sealed
from weightsmith.files import model_bytes

__all__ = ["folder"]
MEMORY = 700 << 20  # bytes of addresses, of which Python itself takes about 50 million
LIMITED = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, ({0}, {0})); sys.argv = sys.argv[1:]; "


def run_limited(folder: Path, *given: str) -> "subprocess.CompletedProcess[str]":
    code = LIMITED.format(MEMORY) + f"runpy.run_path({str(PROGRAM)!r}, run_name='__main__')"
    command = [sys.executable, "-I", "-S", "-c", code, "verify.py", *given]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def with_metadata(**new: Any) -> bytes:
    found = header_and_body(model_bytes(ends()[0]))
    assert found
    header, body = found
    metadata = json.loads(header["__metadata__"]["weightsmith"])
    header["__metadata__"]["weightsmith"] = json.dumps({**metadata, **new})
    return with_header(header, body)


def with_shape(shape: list[int]) -> bytes:
    found = header_and_body(model_bytes(ends()[0]))
    assert found
    header, body = found
    header["embedding"]["shape"] = shape
    return with_header(header, body)


def many_tokens(count: int, rows: int) -> bytes:
    names = tuple(map(str, range(count)))
    A = ws.Float(8, 20)
    T = ws.Transformer(
        arithmetic=A, vocabulary=names, lanes=("x",), embedding=np.arange(float(count)).reshape(-1, 1),
        positions=ws.PositionTable(np.zeros((rows, 1))), blocks=(), output=np.zeros((2, 1)),
    )  # fmt: skip
    return model_bytes(T)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(4 << 30)


MODELS: dict[str, tuple[Callable[[Path], object], str]] = {
    "float(40,3)": (lambda path: path.write_bytes(with_metadata(arithmetic="float(40,3)")), "the arithmetic"),
    "fixed(4000000000,0)": (
        lambda path: path.write_bytes(with_metadata(arithmetic="fixed(4000000000,0)")),
        "the arith",
    ),
    "fixed(4000,0)": (lambda path: path.write_bytes(with_metadata(arithmetic="fixed(4000,0)")), "the arithmetic"),
    "an empty shape": (lambda path: path.write_bytes(with_shape([10**12, 0])), "the tensor 'embedding'"),
    "a large shape": (lambda path: path.write_bytes(with_shape([1 << 24, 1 << 24])), "the tensor 'embedding'"),
    "gigabytes": (sparse, "has 4,294,967,296 bytes"),
    "a pipe": (os.mkfifo, "is not a regular file"),
    "a folder": (Path.mkdir, ""),
    "nothing": (lambda path: path.write_bytes(b""), "it is not a model file"),
    "a long header": (lambda path: path.write_bytes(b"\xff" * 64), "it is not a model file"),
}
TEXTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "gigabytes": (sparse, "has 4,294,967,296 bytes"),
    "a pipe": (os.mkfifo, "is not a regular file"),
    "deep nesting": (lambda path: path.write_text('{"a":' + "[" * 10**6 + "]" * 10**6 + "}"), "in each other"),
    "nesting": (lambda path: path.write_text('{"a":' + "[" * 70 + "]" * 70 + "}"), "in each other"),
    "many parts": (lambda path: path.write_text('{"a":[' + "[]," * 10**7 + "[]]}"), "parts"),
    "many texts": (lambda path: path.write_text('{"a":[' + '"",' * 10**7 + '""]}'), "parts"),
    "a long number": (lambda path: path.write_text('{"a":' + "1" * 10**6 + "}"), ""),
    "a number that is none": (lambda path: path.write_text('{"a":NaN}'), "NaN, which is not a finite number"),
    "a number that is too large": (lambda path: path.write_text('{"a":1e999}'), "which is not a finite number"),
    "a list": (lambda path: path.write_text("[]"), "is not a JSON object"),
    "no text": (lambda path: path.write_bytes(b"\xff\xfe"), ""),
}


@pytest.mark.parametrize("name", MODELS)
def test_hostile_models_are_refused_by_name(name: str, folder: Path) -> None:
    make, said = MODELS[name]
    make(folder / "hostile")
    result = run_limited(folder, "hostile", "claim.json")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("refused: ")
    assert said in result.stderr
    assert "MemoryError" not in result.stderr


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_certificates_are_refused_by_name(name: str, folder: Path) -> None:
    make, said = TEXTS[name]
    make(folder / "hostile")
    result = run_limited(folder, "model.safetensors", "hostile")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("refused: ")
    assert said in result.stderr
    assert "MemoryError" not in result.stderr


def test_a_far_length_takes_no_room() -> None:
    T, data = ends()
    scope = "up to 30000000"
    tracemalloc.start()
    assert checked([T], {**data, "scope": scope, "verdict": f"proved, {scope}"}).scope == scope
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_more_tokens_and_positions_than_can_be_walked_through_are_refused_before_a_machine_is_made() -> None:
    model = verify.Model(many_tokens(2_000, 10))
    with pytest.raises(verify.Refused, match="so many tokens and positions"):
        verify.Proof(model, [], [{"heads": [], "joints": []}], verify.Work())


def far_sighted() -> tuple[ws.Transformer, Data]:
    """Return a model of one token whose keys stay pending for 255 letters, and what there is to prove of it."""
    one = np.array([[1.0]])
    head = ws.Head(one, one, one, one, ws.LeftmostHard(), positions=ws.Alibi((1 / 16,)))
    T = ws.Transformer(
        arithmetic=ws.Fixed(4, 4), vocabulary=("a",), lanes=("x",), embedding=one,
        blocks=(ws.Block(ws.Attention((head,))),), output=np.array([[0.0], [1.0]]),
    )  # fmt: skip
    machine = {"table": [[1], [1]], "labels": [0, 1]}
    answer = {"table": [[1], [1]], "labels": [0, 2]}
    reading = {"view": 0, "machine": 0, "weights": [], "any_sum": False}
    heads = [[{"queries": [1], "view": None, "readings": [reading]}]]
    joints = [{"classes": [0], "view": 0, "tree": [{"machine": 1, "tree": []}]}]
    return T, {"machines": [machine, answer], "blocks": [{"heads": heads, "joints": joints}]}


def test_keys_that_stay_pending_take_little_room() -> None:
    T, proof = far_sighted()
    model = verify.Model(model_bytes(T))
    tracemalloc.start()
    verify.Proof(model, proof["machines"], proof["blocks"], verify.Work())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_tick_ends_a_check_wherever_it_is() -> None:
    T, data = ends()
    calls = 0

    class EndedError(Exception):
        pass

    def tick(work: verify.Work) -> None:
        nonlocal calls
        calls += 1
        if calls == last:
            raise EndedError

    last = 0
    verify.check(models_of([T]), sealed(data), tick)
    every = calls
    assert every > 10
    for last in range(1, every + 1):  # noqa: B007 (the tick reads it)
        calls = 0
        with pytest.raises(EndedError):
            verify.check(models_of([T]), sealed(data), tick)


def test_walks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    T, proof = far_sighted()
    model = verify.Model(model_bytes(T))
    for most, refused in ((10_000, False), (1_000, True)):  # some 250 nodes, with up to 255 pending keys each
        monkeypatch.setattr(verify, "MAX_STATES", most)
        with pytest.raises(verify.Refused, match="more than 1,000 states") if refused else nullcontext():
            verify.Proof(model, proof["machines"], proof["blocks"], verify.Work())


def test_a_check_keeps_no_model_alive() -> None:
    T, data = ends()
    model = verify.Model(model_bytes(T))
    verify.check([model], sealed(data))
    gone = weakref.ref(model), weakref.ref(model.arithmetic)
    del model
    gc.collect()
    assert [one() for one in gone] == [None, None]
