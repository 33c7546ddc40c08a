"""Other processes: started with this interpreter and this source, ended by their own id, and waited for patiently."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import weightsmith as ws

ROOT = Path(__file__).parents[2]
SOURCE = Path(ws.__file__).parents[1]
PATIENCE = 240.0  # seconds; a slow machine may need them, nothing else does

BEGIN = """
import re, resource, signal, sys, time
import weightsmith as ws
from weightsmith.check import examine, ledger
from tests.check.long_check import *
"""


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(SOURCE), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "default"}


def hear_interrupts() -> None:
    """Let a new process hear Ctrl-C, which what is started in the background of a shell would not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*command: Any, **options: Any) -> subprocess.Popen[str]:
    """Start Python with arguments."""
    arguments = [sys.executable, *map(str, command)]
    return subprocess.Popen(arguments, env=environment(), text=True, preexec_fn=hear_interrupts, **options)


def script(text: str, *arguments: Any) -> subprocess.Popen[str]:
    """Start a script that may use what `long_check` has."""
    command = ("-c", BEGIN + text, *arguments)
    return start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def until(condition: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for something to come true while a process runs."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def output(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return how a process ended and what it wrote."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
