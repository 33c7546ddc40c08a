"""The documentation is run: Python blocks, console transcripts, and the examples in docstrings."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

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


@pytest.fixture
def folder_of_the_page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run the examples of one page in one folder, empty at first, that no other page sees."""
    folder = tmp_path_factory.getbasetemp() / f"page-{request.node.path.stem}"
    folder.mkdir(exist_ok=True)
    with contextlib.chdir(folder):
        yield


pages = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser(language="console", evaluator=run_transcript)],
    patterns=["*.md", "docs/*.md"],
    path=str(ROOT),
    fixtures=["folder_of_the_page"],
)
docstrings = Sybil(
    parsers=[DocTestParser(ELLIPSIS)],
    patterns=["**/*.py"],
    document_types={".py": PythonDocStringDocument},
    path=str(ROOT / "src"),
)
pytest_collect_file = (pages + docstrings).pytest()
