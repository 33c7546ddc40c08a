"""Proved means checked: no verdict for all lengths holds before `verify.py` has accepted its proof."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import check, verify
from weightsmith.automata.extraction import Budget, UnknownError
from weightsmith.check import engine, every_length, proof
from weightsmith.check.every_length import check_by_automata


def forbidden(*given: Any, **more: Any) -> Any:
    raise AssertionError("it must not be called")


def refusing(*given: Any, **more: Any) -> Any:
    raise verify.Refused("for a test")


def test_what_the_checker_refuses_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "check", refusing)
    T = ws.library.ends_with("01")
    for verdict in (
        check.recognizes(T, ".*01"),
        check.same_decisions(T, ~~T),
        check.recognizes(T, ".*01", seconds=5.0),
    ):
        assert verdict.holds is None
        assert "unknown: a proof was found, and the checker refuses it: for a test" in str(verdict)
        assert "proof" not in verdict.certificate()


def test_a_claim_up_to_a_length_that_the_checker_refuses_is_run_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "check", refusing)
    monkeypatch.setattr(engine, "ASK_FIRST", 10)
    verdict = check.recognizes(ws.library.contains("1"), ".*1.*", up_to=8)
    assert str(verdict).startswith("recognizes: exhaustive up to 8, all 510 inputs")


def test_a_proof_that_is_found_and_not_checked_in_time_is_unknown_and_says_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Budget.room

    def room(self: Budget, size: int, what: str) -> None:
        if what == "to check the proof":
            raise self.stop("2 seconds were not enough")
        real(self, size, what)

    monkeypatch.setattr(Budget, "room", room)
    verdict = check.recognizes(ws.library.ends_with("01"), ".*01")
    assert verdict.holds is None
    assert "a proof was found, and not checked: checking the proof: 2 seconds were not enough" in str(verdict)
    assert re.search(
        r"to check it takes about \d+ s: write seconds=\d+; every input up to 17 was run, and it holds", str(verdict)
    )


def test_checking_takes_no_more_memory_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "STATE_BYTES", 1 << 12)
    T = ws.library.majority("1")
    S = ws.infinity_form(T)
    verdict = check.same_decisions(T, S)
    assert verdict.holds
    little = Budget(memory=1 << 20)
    reason = proof.unchecked([T, S], verdict.certificate(), little)
    assert reason is not None
    assert "to check the proof would take more than 1,048,576 bytes" in reason


@pytest.mark.parametrize("bound", ["memory", "time"])
def test_a_proof_that_is_too_large_to_be_checked_is_not_even_written(
    bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(every_length, "proof_data", forbidden)
    monkeypatch.setattr(proof, "NUMBER_BYTES", 1 << 40 if bound == "memory" else 1)
    monkeypatch.setattr(proof, "NUMBERS_PER_SECOND", 300_000 if bound == "memory" else 0.1)
    verdict = check.recognizes(ws.library.ends_with("01"), ".*01", seconds=20)
    assert verdict.holds is None
    why = "to check the proof would take more than" if bound == "memory" else "it has"
    assert f"a proof was found, and not checked: checking the proof: {why} " in str(verdict)


def test_a_verdict_saves_the_proof_that_was_checked_and_replays_it_without_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    T = ws.library.ends_with("01")
    verdict = check.recognizes(T, ".*01")
    monkeypatch.setattr(every_length, "extract", forbidden)
    monkeypatch.setattr(every_length, "check_by_automata", forbidden)
    monkeypatch.setitem(sys.modules, "weightsmith.automata.extraction.loops", None)
    verdict.save(tmp_path / "proof.json")
    again = check.replay(tmp_path / "proof.json", [T])
    assert str(again).splitlines() == [
        "run with the reference semantics: the first 254 inputs",
        "its proof was accepted by weightsmith/verify.py",
        "everything agrees with the certificate",
    ]
    data = json.loads((tmp_path / "proof.json").read_text())
    assert data["proof"] == verdict.certificate()["proof"]


def test_a_replay_says_what_is_wrong_with_a_proof() -> None:
    T = ws.library.ends_with("01")
    data = check.recognizes(T, ".*01").certificate()
    without = {key: value for key, value in data.items() if key != "proof"}
    assert check.replay(without, [T]).problems[0].startswith("the certificate holds no proof")
    assert check.replay({**data, "inputs": 7}, [T]).problems == (
        "its proof is refused: the certificate was changed after it was written",
    )
    false = proof.sealed({**data, "language": {"regex": ".*(0|1)01", "flags": 32}})
    assert "is not that of the expression" in check.replay(false, [T]).problems[-1]


def test_old_certificates_are_refused_by_name() -> None:
    T = ws.library.ends_with("01")
    data = check.recognizes(T, ".*01").certificate()
    for earlier in (1, 2):
        old = proof.sealed({**data, "format": f"weightsmith certificate {earlier}"})
        with pytest.raises(ws.FileError, match="made by an earlier version: check the claim again"):
            check.replay(old, [T])


def test_the_shortest_counterexample_is_said_to_be_so_after_it_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.library.majority("1")
    other = ws.automaton(ws.library.majority("1", arithmetic=ws.Fixed(2, 2)))
    verdict = check.recognizes(T, other)
    assert len(verdict.counterexample or "") == 31
    assert ", the shortest (" in str(verdict)
    monkeypatch.setattr(verify, "check", refusing)
    verdict = check.recognizes(T, other)
    assert verdict.holds is False
    assert ", perhaps not the shortest (" in str(verdict)
    assert ", perhaps not the shortest" in check.cite(verdict.certificate())
    F = ws.Family.uniform(lambda A: ws.library.majority("1", arithmetic=A))
    assert not ws.limits(F, other, ["fixed(4,4)"], 4).rows[0].shortest_is_known


def test_sinusoids_are_not_called_proved_and_the_line_to_write_is_said() -> None:
    T = ws.random_transformer(vocabulary="ab", lanes=2, blocks=1, neurons=2, max_length=4, seed=1)
    sines = ws.Transformer(
        arithmetic=T.arithmetic, vocabulary=T.vocabulary, lanes=T.lanes, embedding=T.embedding,
        positions=ws.Sinusoidal(40), blocks=(), output=T.output,
    )  # fmt: skip
    verdict = check.same_decisions(sines, sines)
    assert verdict.holds is None
    assert "is of the kind 'Sinusoidal', which is not checked here: write a PositionTable" in str(verdict)


# Budgets


def not_closing() -> ws.Transformer:
    return ws.random_transformer(vocabulary="abc", lanes=6, blocks=2, neurons=6, max_length=64, seed=3)


def test_seconds_count_for_the_runs_up_to_a_length_too(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    monkeypatch.setattr("weightsmith.check.engine.time.monotonic", clock)
    T = not_closing()
    monkeypatch.setattr(engine, "_of_length", lambda *given: None)
    verdict = check.same_decisions(T, ws.widen(T, ["more"]), up_to=9, seconds=2.5)
    assert verdict.holds is None
    assert "unknown: there was no time to run all inputs up to 9" in str(verdict)
    assert check.same_decisions(T, ws.widen(T, ["more"]), up_to=5).holds


def test_in_a_sparse_language_inputs_are_counted_and_not_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """One input of each length: 10, 100, 1000 …"""
    monkeypatch.setattr(engine, "MAX_RUN_LENGTH", 60)
    verdict = check.recognizes(averaging(), "10*", within="10*", states=1)
    assert verdict.holds is None
    assert verdict.up_to == 60


def averaging() -> ws.Transformer:
    """Says YES where the mean of the input is at least 0."""
    A, lanes = ws.Fixed(8, 4), ("bit", "mean")
    nothing, bit, mean = np.zeros((1, 2)), np.array([[1.0, 0.0]]), np.array([[0.0], [1.0]])
    head = ws.Head(nothing, nothing, bit, mean, ws.Softmax())
    return ws.Transformer(
        arithmetic=A, vocabulary="01", lanes=lanes, embedding=np.array([[0.0, 0.0], [1.0, 0.0]]),
        blocks=(ws.Block(ws.Attention((head,))),), output=np.array([[0.0, 0.0], [0.0, -1.0]]), classes=("YES", "NO"),
    )  # fmt: skip


def test_a_budget_is_refused_before_anything_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "check_exhaustively", forbidden)
    with pytest.raises(ws.InputError, match="seconds=0: write how long it may take"):
        check.recognizes(ws.library.contains("1"), ".*1.*", up_to=3, seconds=0)


def test_unknown_is_raised_inside_and_never_a_verdict_that_holds() -> None:
    T = ws.library.majority("1")
    claim = check.recognizes(T, ".*", up_to=3).claim
    with pytest.raises(UnknownError):
        every_length._first_failure(claim, Budget(states=1))
    assert check_by_automata(claim, Budget(states=1)).holds is None
