"""Output that nobody reads: a real pipe whose reader is gone, or goes after a line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import WIDE

PROGRAM = [sys.executable, "-m", "weightsmith"]
VERBS = {
    "library": ("library", "--up-to", "2"),
    "run": ("run", "contains.safetensors", "0010", "--json"),
    "laws": ("laws", "fixed(4,4)"),
    "info": ("info", "contains.safetensors"),
    "help": ("--help",),
}
BUFFERED = {name: value for name, value in WIDE.items() if name != "PYTHONUNBUFFERED"}
BUFFERING = {"buffered": BUFFERED, "unbuffered": {**BUFFERED, "PYTHONUNBUFFERED": "1"}}


@pytest.mark.parametrize("buffering", BUFFERING)
@pytest.mark.one_in(2)
@pytest.mark.parametrize("verb", ["run", "laws", "info", "help", pytest.param("library", marks=pytest.mark.long)])
def test_a_reader_that_is_gone_ends_a_verb_silently_as_sigpipe_would(folder: Path, verb: str, buffering: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [*PROGRAM, *VERBS[verb]], stdout=writing, stderr=subprocess.PIPE, text=True, check=False, cwd=folder,
            env=BUFFERING[buffering],
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.parametrize("verb", ["run", "laws", pytest.param("library", marks=pytest.mark.long)])
def test_a_reader_that_goes_after_a_line_ends_a_verb_silently(folder: Path, verb: str) -> None:
    process = subprocess.Popen(
        [*PROGRAM, *VERBS[verb]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=BUFFERED
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() in (0, 141)


def test_a_refuted_claim_that_nobody_reads_does_not_end_as_one_that_holds(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    claim = ("check", "recognizes", "contains.safetensors", "--regex", "01*", "--up-to", "3", "--json")
    try:
        result = subprocess.run(
            [*PROGRAM, *claim], stdout=writing, stderr=subprocess.PIPE, text=True, check=False, cwd=folder, env=BUFFERED
        )
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (141, "")


def test_a_message_that_nobody_reads_leaves_the_exit_code_as_it_is(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [*PROGRAM, "run", "none.safetensors", "0"], stderr=writing, stdout=subprocess.PIPE, check=False,
            cwd=folder, env=BUFFERED,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (result.returncode, result.stdout) == (2, b"")


def test_a_full_disk_is_said_also_where_output_is_buffered(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*PROGRAM, *VERBS["run"]], stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=folder,
            env=BUFFERED,
        )  # fmt: skip
    assert (result.returncode, result.stderr) == (2, "error: cannot write the output: No space left on device\n")
