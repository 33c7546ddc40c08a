"""The command line in another process that waits inside chosen steps: so nothing depends on how fast a machine is."""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.check.processes import environment
from tests.command_line import end_of, start_command
from weightsmith.cli import main

TEXT = "the cat sat on the mat; the rat sat on the cat.\n" * 20
# Before the command: in step n of a run it says so, before the weights change, and waits for a line: once for every n
# that it is given. Step 0 is what comes before the first one.
GATED = """
import sys, torch
gates, done = {gates}, 0
step, begin = torch.optim.AdamW.step, torch.optim.AdamW.__init__
def gate():
    while done in gates:
        gates.remove(done)
        print("in step", done, flush=True)
        sys.stdin.readline()
def gated(self):
    global done
    done += 1
    gate()
    return step(self)
def begun(self, *rest, **options):
    begin(self, *rest, **options)
    gate()
torch.optim.AdamW.step, torch.optim.AdamW.__init__ = gated, begun
"""


class Gated:
    """A command that waits in some of its steps."""

    def __init__(self, folder: Path, gates: tuple[int, ...], *arguments: str) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        told, said, self.complaints = (Path(self.scratch.name, name) for name in ("in", "out", "err"))
        for pipe in (told, said):
            os.mkfifo(pipe)
        self.number = start_command(
            *arguments,
            folder=folder,
            environment=environment(),
            files=(told, said, self.complaints),
            before=GATED.format(gates=list(gates)),
        )
        self.told, self.said = told.open("w"), said.open()  # in the order in which it opens them, too

    def wait(self, step: int) -> None:
        """Wait until it is in a step."""
        assert self.said.readline() == f"in step {step}\n", self.end()

    def go_on(self) -> None:
        """Let it out of the step."""
        self.told.write("\n")
        self.told.flush()

    def interrupt(self) -> None:
        """Press Ctrl-C. It is heard before anything that the process is told later."""
        os.kill(self.number, signal.SIGINT)

    def kill(self) -> None:
        """Kill it."""
        os.kill(self.number, signal.SIGKILL)

    def end(self) -> tuple[int, str, str]:
        """Return how it ended and what it wrote."""
        with self.scratch, self.told, self.said:
            return end_of(self.number), self.said.read(), self.complaints.read_text()


def in_this_process(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["weightsmith", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0


def new_folder(path: Path) -> Path:
    path.mkdir()
    (path / "text.txt").write_text(TEXT)
    return path


def step_of(path: Path) -> int:
    """How far a checkpoint is; 0 where there is none."""
    if not path.exists():
        return 0
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    step: int = json.loads(header["__metadata__"]["weightsmith"])["step"]
    return step


def result(folder: Path) -> tuple[bytes, list[dict[str, Any]]]:
    """The model file, and the log without its seconds; nothing else is left but the picture."""
    log = [json.loads(line) for line in (folder / "m.log.jsonl").read_text().splitlines()]
    assert all((record.pop("seconds") > 0) == (record["step"] > 0) for record in log)
    assert set(os.listdir(folder)) == {"text.txt", "m.safetensors", "m.log.jsonl", "m.loss.svg"}
    return (folder / "m.safetensors").read_bytes(), log
