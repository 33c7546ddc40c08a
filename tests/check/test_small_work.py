"""A small check does not wait for a compiler: it runs by the reference, with the same verdict and digests."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import weightsmith as ws
from weightsmith.check import engine
from weightsmith.kernels.packed import PackedRun

FIRST = """
import weightsmith as ws
from weightsmith.automata.extraction.compiled import is_compiled
from weightsmith.kernels.packed import packed_run
T = ws.library.contains("1")
assert ws.check.recognizes(T, ".*1.*").scope == "all lengths"
assert ws.check.recognizes(T, ".*1.*", up_to=10).holds
assert not is_compiled() and not packed_run(T).is_ready
assert ws.check.recognizes(T, ".*1.*", up_to=18).holds
assert packed_run(T).is_ready
"""


def test_the_first_check_of_a_fresh_machine_compiles_nothing_and_a_large_one_says_that_it_does(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith("compiling for this kind of numbers, once (about ")


@pytest.fixture
def nothing_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PackedRun, "is_ready", False)
    monkeypatch.setattr(PackedRun, "is_kept", True)
    monkeypatch.setattr(engine, "_small", engine._Small())
    monkeypatch.setattr(engine, "SMALL_WORK", 10**9)


@pytest.mark.parametrize("name", ["ends_with", "majority", "balanced"])
def test_verdicts_and_digests_are_those_of_the_kernels(
    name: str, nothing_ready: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = {
        "ends_with": ws.library.ends_with("01"),
        "majority": ws.library.majority("1"),
        "balanced": ws.library.balanced(2),
    }
    T = models[name]
    claims: list[Callable[[], ws.check.Verdict]] = [
        lambda: ws.check.same_decisions(T, ws.infinity_form(T), up_to=6),
        lambda: ws.check.recognizes(T, ".{4}", up_to=6),
        lambda: ws.check.same_logits(T, T, up_to=5, within="(..)*"),
        lambda: ws.check.same_decisions(T, ~T, length=4),
    ]
    small = [claim() for claim in claims]
    assert engine._small.work > 0
    monkeypatch.setattr(engine, "SMALL_WORK", 0)
    for claim, verdict in zip(claims, small, strict=True):
        other = claim()
        assert (verdict.holds, verdict.inputs, verdict.counterexample) == (
            other.holds,
            other.inputs,
            other.counterexample,
        )
        assert verdict.certificate()["shards"] == other.certificate()["shards"]


def test_many_small_checks_are_worth_the_kernels(nothing_ready: None, monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.library.contains("1")
    ws.check.recognizes(T, ".*1.*", up_to=6)
    work = engine._small.work
    monkeypatch.setattr(engine, "SMALL_WORK", 2 * work)
    ws.check.recognizes(T, ".*1.*", up_to=6)
    assert engine._small.work == 2 * work  # exactly as much as is small
    ws.check.recognizes(T, ".*1.*", up_to=6)
    assert engine._small.work == 2 * work


def test_a_check_with_little_memory_is_left_to_the_kernels(nothing_ready: None) -> None:
    ws.check.recognizes(ws.library.contains("1"), ".*1.*", up_to=10, memory=1 << 21)
    assert engine._small.work == 0


def test_more_is_small_where_the_kernels_would_have_to_be_compiled(
    nothing_ready: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    T = ws.library.contains("1")
    ws.check.recognizes(T, ".*1.*", up_to=6)
    work = engine._small.work
    monkeypatch.setattr(engine, "SMALL_WORK", work)
    for kept, most in ((True, 1), (False, engine.COMPILING)):
        monkeypatch.setattr(PackedRun, "is_kept", kept)
        engine._small.work = 0
        for _ in range(most + 1):
            ws.check.recognizes(T, ".*1.*", up_to=6)
        assert engine._small.work == most * work


def test_machine_code_on_disk_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = PackedRun(ws.library.contains("1"))
    run.ready()
    assert run.is_kept
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    assert not run.is_kept
