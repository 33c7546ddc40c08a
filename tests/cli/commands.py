"""Commands in processes of their own, as a person runs them."""

import os
import subprocess
import sys
from pathlib import Path

from tests.check.processes import environment
from tests.command_line import run_command

WIDE = {**os.environ, "COLUMNS": "120", "PYTHONWARNINGS": "error", "NO_COLOR": "1"}


def weightsmith(*arguments: str, folder: Path | None = None, before: str = "") -> subprocess.CompletedProcess[str]:
    return run_command(*arguments, folder=folder, environment=WIDE, before=before)


def good(*arguments: str, folder: Path | None = None) -> str:
    result = weightsmith(*arguments, folder=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment())


def checked(*arguments: str, folder: Path, code: int) -> str:
    result = weightsmith("check", *arguments, folder=folder)
    assert result.returncode == code, result.stderr
    return result.stdout if code < 2 else result.stderr


LOADED = """
print([name for name in sys.modules if name.startswith(forbidden)])
"""


def loaded(program: str, *forbidden: str) -> str:
    """Return which of some modules a program has loaded."""
    result = python("-c", f"import sys\nforbidden = {forbidden!r}\n{program}\n{LOADED}")
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()[-1]
