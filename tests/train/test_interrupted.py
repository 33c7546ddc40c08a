"""Ctrl-C: the step that is under way ends, what is saved is whole, and the same command goes on, bit for bit."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import weightsmith as ws
from tests.train.gated import Gated, in_this_process, new_folder, result, step_of
from tests.train.test_killed import command
from weightsmith.cli import main
from weightsmith.cli.interrupts import Interrupts

COMPARE = (
    "compare", "text.txt", "--lanes", "8", "--blocks", "1", "--heads", "2", "--context", "8", "--batch", "4",
    "--steps", "12", "--threads", "1", "--sentence", "the cat", "-o", "both.svg",
)  # fmt: skip


def interrupted(folder: Path, step: int, *arguments: str) -> str:
    """Press Ctrl-C once in the middle of a step; return the last line that was said.

    On a slow machine there may be others before it, which say how far training is.
    """
    running = Gated(folder, (step,), *arguments)
    running.wait(step)
    running.interrupt()
    running.go_on()
    code, out, err = running.end()
    assert (code, out, err[-1:]) == (130, "", "\n")
    return err.splitlines()[-1]


@pytest.mark.parametrize("kind", ["predicate", pytest.param("text, dropout", marks=pytest.mark.long)])
@pytest.mark.long  # test_checkpoint interrupts trainings everywhere
def test_an_interrupted_training_saves_its_last_step_and_goes_on_with_the_same_bits(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = new_folder(tmp_path / "interrupted"), new_folder(tmp_path / "whole")
    assert interrupted(folder, 23, *command(kind, 50)) == (
        "stopped after 23 of 90 steps: the model so far is m.safetensors, its checkpoint m.checkpoint; "
        "the same command goes on"
    )
    assert step_of(folder / "m.checkpoint") == 23
    so_far = ws.load(folder / "m.safetensors")
    assert so_far.provenance[0].startswith("trained: 23 of 90 steps of 4, seed 3, 1 thread, torch ")
    assert ws.run(so_far, [so_far.vocabulary[0]]).decision in so_far.classes
    assert interrupted(folder, 1, *command(kind, 50)).startswith("stopped after 24 of 90 steps: ")
    assert ws.load(folder / "m.safetensors") != so_far
    in_this_process(folder, monkeypatch, *command(kind, 50))
    in_this_process(other, monkeypatch, *command(kind, 50))
    assert result(folder) == result(other)


@pytest.mark.long
def test_a_second_interrupt_stops_at_once_and_the_checkpoint_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = new_folder(tmp_path / "interrupted"), new_folder(tmp_path / "whole")
    running = Gated(folder, (7, 7), *command("predicate", 4))
    running.wait(7)
    running.interrupt()
    running.go_on()
    running.wait(7)  # still in this step
    running.interrupt()
    code, out, err = running.end()
    assert (code, out, "Traceback" in err, "stopped" in err) == (130, "", False, False)
    assert step_of(folder / "m.checkpoint") == 4
    assert not (folder / "m.safetensors").exists()
    in_this_process(folder, monkeypatch, *command("predicate", 4))
    in_this_process(other, monkeypatch, *command("predicate", 4))
    assert result(folder) == result(other)


def test_an_interrupt_before_the_first_step_says_that_there_is_nothing_to_save(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "interrupted")
    assert interrupted(folder, 0, *command("predicate", 4)) == "stopped before a step was done: nothing to save"
    assert interrupted(folder, 0, *COMPARE) == "stopped before a step was done: nothing to save"
    assert os.listdir(folder) == ["text.txt"]


def test_an_interrupted_comparison_goes_on_with_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, other = new_folder(tmp_path / "interrupted"), new_folder(tmp_path / "whole")
    assert interrupted(folder, 5, *COMPARE) == (
        "stopped after 5 of 12 steps of the transformer and 0 of the LSTM: "
        "saved in both.svg.checkpoint.transformer; the same command goes on"
    )
    assert interrupted(folder, 7 + 3, *COMPARE) == (
        "stopped after 12 of 12 steps of the transformer and 3 of the LSTM: "
        "saved in both.svg.checkpoint.transformer and both.svg.checkpoint.lstm; the same command goes on"
    )
    assert [step_of(folder / f"both.svg.checkpoint.{kind}") for kind in ("transformer", "lstm")] == [12, 3]
    assert interrupted(folder, 1, *COMPARE).startswith("stopped after 12 of 12 steps of the transformer and 4 of")
    found = []
    for where in (folder, other):
        capsys.readouterr()
        in_this_process(where, monkeypatch, *COMPARE, "--json")
        rows = json.loads(capsys.readouterr().out)
        assert all(row.pop("seconds") > 0 for row in rows)
        assert sorted(os.listdir(where)) == ["both.svg", "text.txt"]
        found.append((rows, (where / "both.svg").read_bytes()))
    assert found[0] == found[1]


def test_a_command_leaves_ctrl_c_as_it_found_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    in_this_process(new_folder(tmp_path / "a"), monkeypatch, *command("predicate", 50))
    assert signal.getsignal(signal.SIGINT) is before
    monkeypatch.setattr(sys, "argv", ["weightsmith", "train", "no.txt"])
    with pytest.raises(SystemExit):
        main()
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_stays_ignored_where_it_was() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts() as stop:
            assert not stop()
            signal.raise_signal(signal.SIGINT)
            assert not stop()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.fixture
def hears_interrupts() -> Iterator[None]:
    """Let the process hear Ctrl-C, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_first_interrupt_is_an_answer_and_the_second_an_exception(
    capsys: pytest.CaptureFixture[str], hears_interrupts: None
) -> None:
    with Interrupts() as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert capsys.readouterr().err == ""
    with pytest.raises(KeyboardInterrupt), Interrupts():
        signal.raise_signal(signal.SIGINT)
    assert capsys.readouterr().err == "stopped before a step was done: nothing to save\n"
