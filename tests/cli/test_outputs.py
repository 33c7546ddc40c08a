"""Nothing is lost at the end: what cannot be written is refused before the work, and a verdict is printed anyway."""

import json
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import weightsmith

# The work itself, so that whoever comes to it is found out.
IDLE = """
import weightsmith as ws, weightsmith.cli.new
from weightsmith.cli import lazy
def working(*arguments, **options):
    raise SystemExit(99)
ws.load = lazy.load_transformer = weightsmith.cli.new.build = working
ws.train.corpus = ws.train.fit = ws.train.compare = working
"""
CLAIM = ("check", "same-decisions", "contains.safetensors", "contains.safetensors", "--up-to", "4")
LEARN = ("train", "--predicate", "contains 11", "--steps", "2")
VERBS = {
    "new": ("new", "random", "-o"),
    "rewrite": ("rewrite", "contains.safetensors", "--pad", "1", "-o"),
    "compose": ("compose", "S", "--let", "S=contains.safetensors", "-o"),
    "memory write": ("memory", "write", "contains.safetensors", "--key", "one=1", "--value", "one=1", "-o"),
    "memory undo": ("memory", "undo", "contains.safetensors", "-o"),
    "corpus": ("corpus", "--bytes", "100", "-o"),
    "check --certificate": (*CLAIM, "--certificate"),
    "check -o": (*CLAIM, "-o"),
    "check --ledger": (*CLAIM, "--ledger"),
    "recognizes": ("check", "recognizes", "contains.safetensors", "--regex", "1", "--up-to", "3", "--certificate"),
    "train": (*LEARN, "-o"),
    "compare": ("compare", "text.txt", "--steps", "2", "--context", "8", "-o"),
}


@pytest.fixture(autouse=True)
def text(folder: Path) -> None:
    (folder / "text.txt").write_text("to be or not to be, that is the question. " * 20)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.one_in(2)
@pytest.mark.parametrize("output", ["no/where.svg", "folder.svg"])
def test_an_output_that_cannot_be_written_is_named_before_the_work_begins(folder: Path, verb: str, output: str) -> None:
    (folder / "folder.svg").mkdir(exist_ok=True)
    result = weightsmith(*VERBS[verb], output, folder=folder, before=IDLE)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: cannot write ")
    assert output in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("verb", VERBS)
def test_an_output_that_can_be_written_lets_the_work_begin_and_leaves_no_trace(folder: Path, verb: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    result = weightsmith(*VERBS[verb], "fresh.svg", folder=folder, before=IDLE)
    assert result.returncode == 99, result.stderr
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_certificate_is_not_written_over_what_the_check_reads_or_writes(folder: Path) -> None:
    kept = (folder / "contains.safetensors").read_bytes()
    (folder / "link").unlink(missing_ok=True)
    (folder / "link").symlink_to("contains.safetensors")
    for more in (("-o", "contains.safetensors"), ("-o", "link"), ("--ledger", "contains.safetensors"),
                 ("-o", "same", "--ledger", "same")):  # fmt: skip
        result = weightsmith(*CLAIM, *more, folder=folder)
        assert result.returncode == 2
        assert "the same command reads it or writes something else to it; name another file" in result.stderr
    assert (folder / "contains.safetensors").read_bytes() == kept
    assert not (folder / "same").exists()


FULL = {
    "fsync": "import os\ndef full(number): raise OSError(28, 'No space left on device')\nos.fsync = full",
    "limit": "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))",
}


# A limit is that of all files, also of the one that takes the output, so JSON has none
@pytest.mark.parametrize(("full", "form"), [("fsync", "text"), ("fsync", "json"), ("limit", "text")])
@pytest.mark.parametrize("holds", [True, False])
def test_a_verdict_whose_certificate_cannot_be_written_is_still_printed(
    folder: Path, full: str, form: str, holds: bool
) -> None:
    language = "0*1.*" if holds else "0*1"
    claim = ("check", "recognizes", "contains.safetensors", "--regex", language, "--up-to", "6", "-o", "full.json")
    result = weightsmith(*claim, *(["--json"] if form == "json" else []), folder=folder, before=FULL[full])
    assert result.returncode == 2
    if form == "json":
        assert json.loads(result.stdout)["holds"] is holds
    else:
        assert result.stdout.startswith("recognizes: exhaustive up to 6" if holds else "recognizes: refuted by 10")
    assert result.stderr.startswith("error: cannot write 'full.json': ")
    assert len(result.stderr.splitlines()) == 1
    assert not (folder / "full.json").exists()
    assert not list(folder.glob(".weightsmith-*"))


def test_a_certificate_is_written_also_where_nobody_reads_the_verdict(folder: Path) -> None:
    broken = "import sys\ndef gone(*arguments): raise BrokenPipeError\nsys.stdout.write = gone"
    claim = ("check", "recognizes", "contains.safetensors", "--regex", "0*1", "--up-to", "6", "-o", "unread.json")
    result = weightsmith(*claim, folder=folder, before=broken)
    assert result.returncode == 141
    v = ws.check.recognizes(ws.load(folder / "contains.safetensors"), "0*1", 6)
    assert json.loads((folder / "unread.json").read_text())["counterexample"] == v.certificate()["counterexample"]
