"""The loops of automata: each is compiled once, and that is no part of a budget or of a verdict's time."""

import pytest

import weightsmith as ws
from tests.automata.models import random_model
from weightsmith.automata.extraction import Budget, UnknownError, extract
from weightsmith.automata.extraction.compiled import SECONDS, Loops, compiled


def test_no_model_makes_a_loop_compile_again() -> None:
    for seed in range(30):
        try:
            extract(random_model(seed), Budget(states=300))
        except UnknownError:
            continue
    assert [len(loop.__wrapped__.signatures) for loop in compiled()] == [1] * len(Loops._fields)


def test_how_long_compiling_takes_is_said_of_every_loop() -> None:
    assert tuple(SECONDS) == Loops._fields


def test_compiling_takes_nothing_of_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("weightsmith.automata.extraction.budget.compiled", lambda: clock.__setitem__(0, 1000.0))
    budget = Budget(seconds=1, clock=lambda: clock[0])
    budget.compile()
    budget.check()
    clock[0] += 2
    with pytest.raises(UnknownError, match="1 seconds were not enough"):
        budget.check()


def test_the_time_of_a_verdict_does_not_contain_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("weightsmith.automata.extraction.budget.time.perf_counter", lambda: clock[0])
    monkeypatch.setattr(
        "weightsmith.automata.extraction.budget.compiled", lambda: clock.__setitem__(0, clock[0] + 1000.0)
    )
    verdict = ws.check.recognizes(ws.library.contains("1"), ".*1.*")
    assert verdict.holds
    assert clock[0] >= 1000
    assert verdict.seconds == 0.0


def test_a_part_of_a_budget_ends_when_the_whole_does() -> None:
    clock = [0.0]
    budget = Budget(seconds=10, clock=lambda: clock[0])
    budget.start()
    clock[0] = 9.0
    part = budget.rest(states=50)
    assert (part.states_of(100), budget.states_of(100) > 50) == (50, True)
    clock[0] = 10.5
    with pytest.raises(UnknownError, match="1 seconds were not enough"):
        part.check()
