"""The tests run the documentation: Python blocks, console transcripts, and examples in docstrings."""

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.document import PythonDocStringDocument
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.myst import CodeBlockParser
from sybil.parsers.rest import DocTestParser
from tests.command_line import run_command
from tests.copied_code import copied_code

ROOT = Path(__file__).parent


WIDTH = "100"  # characters per line of output in the documentation
PRINTED = re.compile(r"\s*```text\n(.*?)```", re.DOTALL)


def run_transcript(example: Example) -> str | None:
    """Run each `$ weightsmith …` line of a console block and compare its standard output with the lines below it.

    Messages and progress go to standard error and are not compared, but for the error of a command that fails with 2.
    """
    for part in ("\n" + example.parsed).split("\n$ ")[1:]:
        command, _, wanted = part.partition("\n")
        program, *arguments = shlex.split(command, comments=True)
        assert program == "weightsmith", f"only weightsmith commands can be run here, not {program!r}"
        environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1"}
        result = run_command(*arguments, folder=None, environment=environment)
        printed = result.stdout if result.returncode in (0, 1) else result.stdout + result.stderr
        if problem := _difference(wanted, printed):
            return f"$ {command}\n{problem}"
    return None


def run_python(example: Example) -> str | None:
    """Run a Python block and compare its output with the text block below it."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setenv("COLUMNS", WIDTH)
        PythonEvaluator()(example)
    below = PRINTED.match(example.document.text, example.region.end)
    if below is None:
        return f"it prints what the page does not show:\n{printed.getvalue()}" if printed.getvalue() else None
    return _difference(below.group(1), printed.getvalue())


def _difference(wanted: str, printed: str) -> str | None:
    """Return a message if the output differs from the expected text, in which ... matches anything."""
    if OutputChecker().check_output(_tidy(wanted), _tidy(printed), ELLIPSIS):
        return None
    return f"should print\n{_tidy(wanted)}\nand prints\n{_tidy(printed)}"


def _tidy(text: str) -> str:
    """Drop empty lines, trailing spaces and the length of horizontal rules."""
    return "".join(re.sub("─+", "─", line.strip()) + "\n" for line in text.splitlines() if line.strip())


@pytest.fixture
def folder_of_the_page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run the examples of one page in a folder of its own.

    Code beside a model of Hugging Face is copied by its library: to a folder of the tests, not of whoever runs them.
    """
    folder = tmp_path_factory.getbasetemp() / f"page-{request.node.path.stem}"
    folder.mkdir(exist_ok=True)
    with contextlib.chdir(folder), copied_code(folder.with_name("modules of Hugging Face")):
        yield


pages = Sybil(
    parsers=[
        CodeBlockParser(language="python", evaluator=run_python),
        CodeBlockParser(language="console", evaluator=run_transcript),
    ],
    patterns=["*.md", "docs/*.md", "docs/es/*.md", "docs/gallery/*.md", "docs/lecture/*.md"],
    path=str(ROOT),
    fixtures=["folder_of_the_page"],
)
SOURCES = ROOT / "src"
docstrings = Sybil(
    parsers=[DocTestParser(ELLIPSIS)],
    patterns=[  # only files with examples, because parsing the others is slow
        str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")
    ],
    document_types={".py": PythonDocStringDocument},
    path=str(SOURCES),
)
pytest_collect_file = (pages + docstrings).pytest()
