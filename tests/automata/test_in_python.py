"""Small searches run without machine code, and find the same."""

import json
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.models import random_model
from weightsmith.automata.extraction import Budget, UnknownError, budget, compiled, extract, loops
from weightsmith.automata.extraction.compiled import in_python
from weightsmith.automata.extraction.limits import Limits, using


@pytest.fixture
def not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the loops be as in a process that has no machine code yet."""
    monkeypatch.setattr(compiled, "is_compiled", lambda: False)
    monkeypatch.setattr(budget, "is_compiled", lambda: False)
    monkeypatch.setattr(loops, "_SLOT", loops.slot_in_python)
    monkeypatch.setattr(loops, "_COPY", loops.copied)


def test_a_row_has_the_same_slot_in_python() -> None:
    random = np.random.default_rng(0)
    machine_code = compiled.compiled()
    for width in (1, 2, 5):
        rows = random.integers(-1, 4, (200, width), dtype=np.int32)
        slots, own = np.full(512, -1, np.int32), np.full(512, -1, np.int32)
        machine_code.placed(rows, slots, 0, len(rows))
        for i, row in enumerate(rows):
            own[loops.slot_in_python(rows, own, row)] = i
        assert (slots == own).all()


def test_machines_and_proofs_are_the_same_in_python(not_compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    found = 0
    for seed in range(60):
        T = random_model(seed)
        made = list[Any]()
        for plain in (True, False):
            monkeypatch.setattr(compiled, "is_compiled", lambda plain=plain: not plain)
            try:
                with in_python():
                    decisions = extract(T, Budget(1000, 200, clock=partial(next, count(0.0))))
            except (UnknownError, ws.ModelError) as error:
                made.append(type(error))
                continue
            made.append(json.dumps(decisions.trace.to_json()))
        assert made[0] == made[1]
        found += isinstance(made[0], str)
    assert found > 20


def test_a_small_search_compiles_nothing(not_compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_compiled", lambda: pytest.fail("compiled"))
    T = ws.library.ends_with("01")
    assert ws.check.recognizes(T, ".*01").holds
    assert ws.automaton(T).regex() == ".*01"


def test_large_arrays_are_left_to_machine_code(not_compiled: None) -> None:
    T = ws.library.ends_with("01")
    wanted = ws.check.recognizes(T, ".*01").certificate()["proof"]
    for most in (1, 2, 3, 5, 8, 20, 50):
        with using(Limits(python_numbers=most)):
            assert ws.check.recognizes(T, ".*01").certificate()["proof"] == wanted
    with using(Limits(python_numbers=50)), in_python():
        compiled.compiled().distinct(np.zeros((50, 1), np.int32))
        with pytest.raises(compiled.LargeWorkError, match="distinct has more than 50 numbers"):
            compiled.compiled().distinct(np.zeros((51, 1), np.int32))


def test_a_longer_search_goes_on_with_machine_code(not_compiled: None) -> None:
    """However soon the moment in Python ends, the verdict and the proof are the same."""
    T = ws.library.ends_with("01")
    wanted = ws.check.recognizes(T, ".*01").certificate()["proof"]
    for milliseconds, steps in ((1, 1), (2, 3), (5, 8), (20, 1), (1, 10_000)):
        with using(Limits(python_milliseconds=milliseconds, python_steps=steps)):
            assert ws.check.recognizes(T, ".*01").certificate()["proof"] == wanted


def test_the_moment_in_python_counts_for_the_budget(not_compiled: None) -> None:
    clock = [0.0]
    whole = Budget(seconds=10, clock=lambda: clock[0])

    def search(budget: Budget) -> float:
        if not clock[0]:
            clock[0] = 4.0
            budget.check()
        return budget.left()

    assert whole.search(search) == 6.0
