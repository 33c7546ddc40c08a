"""Lengths up to the documented limit work wherever a check shows or writes something, for few symbols and for many."""

import contextlib
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import WIDE, weightsmith
from weightsmith.check.plan import MAX_LENGTH

TOTALS = {1: "10,000", 2: "4.0e3010", 3: "2.4e4771", 30: "1.7e14771"}  # inputs up to the limit
SYMBOLS = {1: "a", 2: "ab", 3: "abc", 30: "abcdefghijklmnopqrstuvwxyzABCD"}
AT_ONCE = "from weightsmith.cli import progress; progress.QUIET_SECONDS = progress.LINE_SECONDS = 0\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lengths")
    for count, symbols in SYMBOLS.items():
        ws.save(ws.library.contains("a", symbols), path / f"{count}.safetensors")
    return path


def early(count: int) -> tuple[str, ...]:
    return ("check", "recognizes", f"{count}.safetensors", "--regex", "a", "--up-to", str(MAX_LENGTH))


def test_the_limit_is_the_documented_one() -> None:
    assert MAX_LENGTH == 10_000
    assert "Lengths go up to 10,000. " in (Path(__file__).parents[2] / "docs" / "check.md").read_text()


@pytest.mark.parametrize("count", SYMBOLS)
@pytest.mark.one_in(2)
def test_a_refutation_is_shown_written_and_recorded_at_the_limit(folder: Path, count: int) -> None:
    files = ("--certificate", f"{count}.json", "--ledger", f"{count}.ledger", "--json")
    result = weightsmith(*early(count), *files, folder=folder, before=AT_ONCE)
    assert result.returncode == 1, result.stderr
    data = json.loads(result.stdout)
    written = json.loads((folder / f"{count}.json").read_text())
    assert {**data, "finished": None} == {**written, "finished": None}  # the second may change between both
    assert (data["up_to"], data["counterexample"]["input"]) == (MAX_LENGTH, ["a", "a"])
    assert (folder / f"{count}.ledger").stat().st_size > 0
    assert f" of {TOTALS[count]} inputs, " in result.stderr
    assert all(len(line) < 200 for line in result.stderr.splitlines())
    replayed = weightsmith("check", "--replay", f"{count}.json", "--model", f"{count}.safetensors", folder=folder)
    assert replayed.returncode == 0, replayed.stderr
    assert "the counterexample aa was run again" in replayed.stdout
    cited = weightsmith("check", "--cite", f"{count}.json", folder=folder)
    assert "claimed up to length 10,000, refuted by aa, the shortest" in cited.stdout


@pytest.mark.parametrize("count", SYMBOLS)
@pytest.mark.one_in(4)
def test_a_terminal_shows_a_check_at_the_limit(folder: Path, count: int) -> None:
    shown = on_a_terminal(*early(count), folder=folder)
    assert "refuted by aa, the shortest" in shown
    assert f" of {TOTALS[count]} " in shown, "the bar"
    assert "Traceback" not in shown
    assert "defect" not in shown


@pytest.mark.parametrize("length", [500, pytest.param(MAX_LENGTH, marks=pytest.mark.long)])
def test_every_input_of_one_symbol_is_checked_up_to_the_limit(folder: Path, length: int) -> None:
    claim = ("check", "recognizes", "1.safetensors", "--regex", "a*", "--up-to", str(length))
    result = weightsmith(*claim, "-o", "all.json", "--ledger", f"{length}.ledger", folder=folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"recognizes: exhaustive up to {length}, all {length:,} inputs (")
    assert json.loads((folder / "all.json").read_text())["inputs"] == length


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.one_in(2)
def test_a_language_of_few_inputs_is_checked_among_many(folder: Path, count: int) -> None:
    claim = ("check", "recognizes", f"{count}.safetensors", "--regex", "a+", "--within", "a*", "--up-to", "100")
    result = weightsmith(*claim, folder=folder, before=AT_ONCE)
    assert result.returncode == 0, result.stderr
    assert "all 100 inputs" in result.stdout


@pytest.mark.parametrize("length", ["10001", "99999999999999999999", "0", "-1"])
def test_a_length_beyond_the_limit_is_refused(folder: Path, length: str) -> None:
    result = weightsmith(*early(2)[:-1], length, folder=folder)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"up_to={length}: " in result.stderr


def on_a_terminal(*arguments: str, folder: Path) -> str:
    """Run a command whose output and messages go to a terminal; return what that shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    program = [sys.executable, "-c", f"{AT_ONCE}from weightsmith.cli import main; main()", *arguments]
    process = subprocess.Popen(program, cwd=folder, env=WIDE, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # which is how a terminal says that the other side is gone
        while part := os.read(ours, 1 << 16):
            shown += part
    os.close(ours)
    assert process.wait() == 1
    return shown.decode()
