"""A training that is killed, for good, goes on with the same command and ends with the same bits."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.check.processes import output, start, until
from weightsmith.cli import main

TEXT = "the cat sat on the mat; the rat sat on the cat.\n" * 20
SMALL = (
    "--lanes", "8", "--blocks", "1", "--heads", "2", "--batch", "4", "--warmup", "5",
    "--evaluate-every", "20", "--seed", "3", "--threads", "1",
)  # fmt: skip
KINDS: dict[str, tuple[str, ...]] = {
    "the very command": ("text.txt", "--context", "8", "--steps", "240"),
    "text, dropout": ("text.txt", "--context", "8", "--dropout", "0.3", "--positions", "rotary", "--steps", "90"),
    "rule": ("--predicate", "ends with 1", "--max-length", "5", "--steps", "90"),
}
# The command as it is, but a step takes a little longer: so that it can be killed in its middle.
SLOWLY = """
import time, torch
step = torch.optim.AdamW.step
torch.optim.AdamW.step = lambda self: (time.sleep(0.03), step(self))[1]
from weightsmith.cli import main
main()
"""


def command(kind: str, every: int) -> tuple[str, ...]:
    return ("train", *KINDS[kind], *SMALL, "--checkpoint-every", str(every), "-o", "m.safetensors")


def in_this_process(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["weightsmith", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0


def killed(folder: Path, ready: Any, *arguments: str, slowly: bool = True) -> None:
    how = ("-c", SLOWLY) if slowly else ("-m", "weightsmith")
    process = start(*how, *arguments, cwd=folder)
    until(lambda: ready(folder), process)
    process.send_signal(signal.SIGKILL)
    assert output(process)[0] == -signal.SIGKILL
    assert not (folder / "m.safetensors").exists()


def step_of(folder: Path) -> int:
    """Give how far the checkpoint is; a file that is being replaced is there all the same."""
    path = folder / "m.checkpoint"
    if not path.exists():
        return 0
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    step: int = json.loads(header["__metadata__"]["weightsmith"])["step"]
    return step


def result(folder: Path) -> tuple[bytes, list[dict[str, Any]]]:
    """The model file, and the log without its seconds; nothing else is left but the picture.

    A kill in the middle of writing leaves the part that was written, under a name of its own.
    """
    log = [json.loads(line) for line in (folder / "m.log.jsonl").read_text().splitlines()]
    assert all(record.pop("seconds") > 0 for record in log)
    left = {name for name in os.listdir(folder) if not name.endswith(".part")}
    assert left == {"text.txt", "m.safetensors", "m.log.jsonl", "m.loss.svg"}
    return (folder / "m.safetensors").read_bytes(), log


def new_folder(path: Path) -> Path:
    path.mkdir()
    (path / "text.txt").write_text(TEXT)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_training_ends_with_the_same_bits(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, other = new_folder(tmp_path / "killed"), new_folder(tmp_path / "whole")
    killed(folder, lambda folder: step_of(folder) >= 8, *command(kind, 4), slowly=kind != "the very command")
    first = step_of(folder)
    if kind == "text, dropout":  # twice
        killed(folder, lambda folder: step_of(folder) >= first + 8, *command(kind, 4))
        assert step_of(folder) > first
    assert step_of(folder) >= 8
    capfd.readouterr()
    in_this_process(folder, monkeypatch, *command(kind, 7))
    assert "going on from m.checkpoint" in capfd.readouterr().err
    in_this_process(other, monkeypatch, *command(kind, 50))
    assert "going on from" not in capfd.readouterr().err
    assert result(folder) == result(other)
    assert [record["step"] for record in result(folder)[1]][:5] == [20, 40, 60, 80, 100 if "very" in kind else 90]


def test_a_training_killed_before_its_first_checkpoint_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = new_folder(tmp_path / "killed"), new_folder(tmp_path / "whole")
    killed(folder, lambda folder: (folder / "m.log.jsonl").exists(), *command("text, dropout", 80))
    assert step_of(folder) == 0
    in_this_process(folder, monkeypatch, *command("text, dropout", 80))
    in_this_process(other, monkeypatch, *command("text, dropout", 80))
    assert result(folder) == result(other)
