"""Only the loops that a model needs are compiled; before they are, it is said; and no verdict's time contains it."""

import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from weightsmith import Fixed, Native, Softmax, Transformer, parse_arithmetic, random_transformer
from weightsmith.check import same_decisions
from weightsmith.kernels.blas import BlasRun
from weightsmith.kernels.packed import PackedRun, batch, compiled
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.machine_code import cached

INPUTS = batch(np.array([[0, 1, 1], [1, 0, 1]]))
A = Fixed(4, 4)


def plain(T: Transformer) -> PackedRun:
    """Return a run whose loops nobody has asked for yet."""
    run = PackedRun(T)
    run.loops = compiled.Loops(compiled._signatures(run.carrier))
    return run


def asked(run: PackedRun) -> set[str]:
    return vars(run.loops).keys() & compiled.LOOPS.keys()


def counted(loop: Callable[..., Any], name: str, calls: Counter[str]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        calls[name] += 1
        return loop(*arguments)

    return call


@pytest.mark.parametrize("form", ["fixed(4,4)", "float32"])
@pytest.mark.parametrize("heads", [0, 1, 2])
def test_what_is_made_ready_is_what_the_run_uses(form: str, heads: int) -> None:
    kinds = set()
    for n, activation in enumerate(ACTIVATIONS):
        for rule in ("none", "halves", "alibi", "one for each head") if n == 0 else RULES[n : n + 1]:
            T = kind_of_model(
                parse_arithmetic(form), n, rule, activation, heads=heads, norms=n % 2 == 0, loudness=0.0,
                weighting=Softmax(shifted=True),
            )  # fmt: skip
            run, calls = plain(T), Counter[str]()
            run.ready()
            ready = asked(run)
            for name in ready:
                setattr(run.loops, name, counted(getattr(run.loops, name), name, calls))
            run.evaluate(INPUTS)
            assert asked(run) == ready == calls.keys()
            kinds.add(frozenset(ready))
    assert len(kinds) > 2


def test_a_run_that_was_not_made_ready_compiles_what_it_needs() -> None:
    T = kind_of_model(A, 0, "none", heads=1)
    run = plain(T)
    assert asked(run) == set()
    run.evaluate(INPUTS)
    assert asked(run) == {"embed", "apply", "attend", "decide"}


def test_an_unknown_loop_is_no_attribute() -> None:
    assert not hasattr(plain(kind_of_model(A, 0)).loops, "matvec")


def fresh(folder: Path | None, monkeypatch: pytest.MonkeyPatch) -> compiled.Loops:
    """Return loops as a new process has them."""
    made = {name: cached(compiled.LOOPS[name], {"nogil": True}, folder) for name in ("decide", "embed")}
    monkeypatch.setattr(compiled, "_dispatchers", lambda: made)
    return compiled.Loops(compiled._signatures(carrier(A)))


def test_compiling_is_announced_once_and_loading_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "weightsmith")
    monkeypatch.setattr(compiled, "SECONDS", {"decide": 2.0, "embed": 5.0})
    for folder in (None, tmp_path):
        loops = fresh(folder, monkeypatch)
        loops.ready(["decide", "embed"])
        assert [record.getMessage() for record in caplog.records] == [
            "compiling for this kind of numbers, once (about 7 s)"
        ]
        caplog.clear()
        loops.ready(["decide", "embed"])
    fresh(tmp_path, monkeypatch).ready(["decide", "embed"])
    assert not caplog.records


def test_the_time_of_a_verdict_does_not_contain_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("weightsmith.check.engine.time.perf_counter", lambda: clock[0])
    monkeypatch.setattr(PackedRun, "ready", lambda run: clock.__setitem__(0, clock[0] + 1000) if not clock[0] else None)
    T = kind_of_model(A, 0)
    verdict = same_decisions(T, T, up_to=2)
    assert clock[0] == 1000
    assert verdict.seconds == 0


@pytest.mark.parametrize("engine", [PackedRun, BlasRun])
def test_longer_inputs_and_more_of_them_need_more_memory(engine: type[PackedRun | BlasRun]) -> None:
    run = engine(random_transformer("01", arithmetic=Native("float64")))
    few, more, longer = run.bytes_needed(3, 10), run.bytes_needed(3, 13), run.bytes_needed(4, 12)
    assert 0 < few < min(more, longer)
