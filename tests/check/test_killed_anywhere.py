"""A check that is killed at any moment, again and again, comes out with the same digests and leaves nothing behind."""

import json
import os
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.check.processes import environment
from tests.command_line import end_of, run_command, start_command

UP_TO = 13


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    T = ws.random_transformer("ab", lanes=6, blocks=2, neurons=6, max_length=UP_TO)
    ws.save(T, tmp_path / "a.safetensors")
    ws.save(ws.pad_blocks(T, 1), tmp_path / "b.safetensors")
    return tmp_path


def command(name: str) -> tuple[str, ...]:
    models = ("a.safetensors", "b.safetensors")
    return ("check", "same-logits", *models, "--up-to", str(UP_TO), "--ledger", f"{name}.ledger", "-o", f"{name}.json")


def certificate(path: Path) -> dict[str, Any]:
    """Return everything but the time."""
    data: dict[str, Any] = json.loads(path.read_text())
    return {key: value for key, value in data.items() if key not in ("seconds", "finished")}


@pytest.mark.parametrize("moments", [4, pytest.param(50, marks=pytest.mark.long)])
def test_a_check_killed_at_random_moments_ends_with_the_same_digests_and_no_litter(moments: int, folder: Path) -> None:
    for name in ("first", "whole"):  # the first one compiles
        begin = time.monotonic()
        assert run_command(*command(name), folder=folder, environment=environment()).returncode == 0
    seconds, random, killed, left = time.monotonic() - begin, Random(6), 0, moments
    wanted = certificate(folder / "whole.json")
    for name in ("first.json", "first.ledger"):
        (folder / name).unlink()
    while left:
        for _ in range(min(left, 5)):
            left -= 1
            files = (os.devnull, os.devnull, os.devnull)
            process = start_command(*command("killed"), folder=folder, environment=environment(), files=files)
            time.sleep(random.uniform(0, seconds))
            os.kill(process, signal.SIGKILL)  # it is there, or has ended and is not yet asked for
            killed += end_of(process) == -signal.SIGKILL
        assert run_command(*command("killed"), folder=folder, environment=environment()).returncode == 0
        assert certificate(folder / "killed.json") == wanted
        models = {"a.safetensors", "b.safetensors"}
        assert set(os.listdir(folder)) == models | {"whole.json", "whole.ledger", "killed.json", "killed.ledger"}
        for name in ("killed.json", "killed.ledger"):
            (folder / name).unlink()
    assert killed > 0
