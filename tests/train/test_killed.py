"""A training that is killed, for good, goes on with the same command and ends with the same bits."""

import signal
from pathlib import Path

import pytest

from tests.train.gated import Gated, in_this_process, new_folder, result, step_of

SMALL = (
    "--lanes", "8", "--blocks", "1", "--heads", "2", "--batch", "4", "--warmup", "5", "--steps", "90",
    "--evaluate-every", "20", "--seed", "3", "--threads", "1",
)  # fmt: skip
KINDS: dict[str, tuple[str, ...]] = {
    "text, dropout": ("text.txt", "--context", "8", "--dropout", "0.3", "--positions", "rotary"),
    "predicate": ("--predicate", "ends with 1", "--max-length", "5"),
}


def command(kind: str, every: int) -> tuple[str, ...]:
    return ("train", *KINDS[kind], *SMALL, "--checkpoint-every", str(every), "-o", "m.safetensors")


def killed(folder: Path, step: int, *arguments: str) -> None:
    """Kill a command in the middle of a step."""
    running = Gated(folder, (step,), *arguments)
    running.wait(step)
    running.kill()
    assert running.end()[0] == -signal.SIGKILL
    assert not (folder / "m.safetensors").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.long  # test_random_kills does the same
def test_a_killed_training_ends_with_the_same_bits(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, other = new_folder(tmp_path / "killed"), new_folder(tmp_path / "whole")
    killed(folder, 11, *command(kind, 4))
    assert step_of(folder / "m.checkpoint") == 8
    if kind == "text, dropout":  # twice
        killed(folder, 30, *command(kind, 4))
        assert step_of(folder / "m.checkpoint") == 36
    capfd.readouterr()
    in_this_process(folder, monkeypatch, *command(kind, 7))
    assert "going on from m.checkpoint" in capfd.readouterr().err
    in_this_process(other, monkeypatch, *command(kind, 50))
    assert "going on from" not in capfd.readouterr().err
    assert result(folder) == result(other)
    assert [record["step"] for record in result(folder)[1]] == [20, 40, 60, 80, 90]


@pytest.mark.long
def test_a_training_killed_before_its_first_checkpoint_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = new_folder(tmp_path / "killed"), new_folder(tmp_path / "whole")
    killed(folder, 25, *command("text, dropout", 80))
    assert (folder / "m.log.jsonl").exists()
    assert step_of(folder / "m.checkpoint") == 0
    in_this_process(folder, monkeypatch, *command("text, dropout", 80))
    in_this_process(other, monkeypatch, *command("text, dropout", 80))
    assert result(folder) == result(other)
