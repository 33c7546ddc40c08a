"""The documentation is run: Python blocks, console transcripts, and the examples in docstrings."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).parent


def run_transcript(example: Example) -> str | None:
    """Run each `$ weightsmith …` line of a console block and compare what it prints with what stands below it."""
    for part in ("\n" + example.parsed).split("\n$ ")[1:]:
        command, _, wanted = part.partition("\n")
        program, *arguments = shlex.split(command, comments=True)
        assert program == "weightsmith", f"only weightsmith commands can be run here, not {program!r}"
        environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
        result = subprocess.run(
            [sys.executable, "-m", "weightsmith", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        printed = _tidy(result.stdout + result.stderr)
        if not OutputChecker().check_output(_tidy(wanted), printed, ELLIPSIS):
            return f"$ {command}\nshould print\n{_tidy(wanted)}\nand prints\n{printed}"
    return None


def _tidy(text: str) -> str:
    """Leave out empty lines, spaces at the ends of lines and the length of rules."""
    return "".join(re.sub("─+", "─", line.strip()) + "\n" for line in text.splitlines() if line.strip())


def _enter_empty_folder(namespace: dict[str, Any]) -> None:
    namespace["_before"] = os.getcwd()
    namespace["_folder"] = tempfile.TemporaryDirectory()
    os.chdir(namespace["_folder"].name)


def _leave_it(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_before"])
    namespace["_folder"].cleanup()


pages = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser(language="console", evaluator=run_transcript)],
    patterns=["*.md", "docs/*.md"],
    path=str(ROOT),
    setup=_enter_empty_folder,
    teardown=_leave_it,
)
docstrings = Sybil(
    parsers=[DocTestParser(ELLIPSIS)],
    patterns=["**/*.py"],
    document_types={".py": PythonDocStringDocument},
    path=str(ROOT / "src"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the examples of one page together when tests run in parallel: each builds on those before it."""
    for item in items:
        if item.path.suffix == ".md" or ROOT / "src" in item.path.parents:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))


pytest_collect_file = (pages + docstrings).pytest()
