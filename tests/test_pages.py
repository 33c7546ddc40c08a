"""The pages of the documentation keep their own promises."""

import contextlib
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.walks import walk
from conftest import run_python, run_transcript
from sybil import Document, Example
from sybil.parsers.myst import CodeBlockParser

import weightsmith as ws

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_each_of_the_answers_has_at_most_five_lines() -> None:
    setup, *answers = BLOCK.findall((DOCS / "five-lines.md").read_text())
    assert len(answers) == 12
    for answer in (setup, *answers):
        assert len([line for line in answer.splitlines() if line.strip()]) <= 5, answer


def test_the_tutorial_is_written_by_lane_names() -> None:
    code = "\n".join(BLOCK.findall((DOCS / "tutorial.md").read_text()))
    assert "lanes.index" not in code
    assert "None" not in code
    assert "W_Q" not in code


def test_no_page_reads_the_stream_by_the_place_of_a_lane() -> None:
    for page in (*DOCS.glob("*.md"), *DOCS.glob("lecture/*.md")):
        assert "lanes.index" not in page.read_text(), page.name


SLIDES = 30
ROW = re.compile(r"^\| (\d+|remark) \| (.+?) \| (\[.+?\)[^|]*) \| `([\w/]+\.py)::(test_\w+)` \|$", re.MULTILINE)


def test_every_slide_of_the_lecture_has_a_view_and_a_test() -> None:
    rows = ROW.findall((DOCS / "lecture" / "index.md").read_text(encoding="utf-8"))
    assert [row[0] for row in rows] == [*map(str, range(1, SLIDES + 1)), "remark"]
    for _, subject, view, file, test in rows:
        assert f"def {test}(" in (DOCS.parent / "tests" / file).read_text(encoding="utf-8"), subject
        for page, _, heading in (target.partition("#") for target in re.findall(r"\]\((.+?)\)", view)):
            text = (DOCS / "lecture" / page).read_text(encoding="utf-8")
            titles = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(text)]
            assert not heading or heading in titles, f"{page} has no heading {heading}: {titles}"


HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)


def console(text: str, folder: Path) -> str | None:
    """Run a console block as the tests of the documentation do."""
    with contextlib.chdir(folder):
        return run_transcript(cast(Any, SimpleNamespace(parsed=text)))


def test_transcripts_are_compared_by_standard_output_alone(tmp_path: Path) -> None:
    """A progress line, or where a file was written, goes to standard error: it may come or not."""
    assert console("$ weightsmith corpus --bytes 100 -o x.txt\n", tmp_path) is None
    assert (tmp_path / "x.txt").exists()
    assert console("$ weightsmith --version\nweightsmith ...\n", tmp_path) is None
    assert "and prints" in str(console("$ weightsmith --version\nweightsmith 99\n", tmp_path))
    assert "and prints" in str(console("$ weightsmith corpus --bytes 100 -o x.txt\nwritten to x.txt\n", tmp_path))


def test_the_error_of_a_command_that_fails_is_compared(tmp_path: Path) -> None:
    assert console("$ weightsmith laws nonsense\nerror: ...\n", tmp_path) is None
    assert console("$ weightsmith laws nonsense\n", tmp_path) is not None


def test_a_python_block_shows_what_it_prints() -> None:
    def problem(page: str) -> str | None:
        document = Document(page, "page.md")
        (region,) = CodeBlockParser(language="python", evaluator=run_python)(document)
        return run_python(Example(document, 1, 1, region, {}))

    assert problem("```python\nx = 1\n```\n") is None
    assert problem("```python\nprint(1)\n```\n\n```text\n1\n```\n") is None
    assert "and prints" in str(problem("```python\nprint(1)\n```\n\n```text\n2\n```\n"))
    assert "and prints" in str(problem("```python\nx = 1\n```\n\n```text\n2\n```\n"))
    assert "it prints what the page does not show" in str(problem("```python\nprint(1)\n```\n\nfurther text\n"))


def test_every_file_that_contributing_names_exists() -> None:
    text = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", text)) | {f"{name}/" for name in re.findall(r"\b(\w+)/ ", text)}
    assert len(named) > 20
    for name in named:
        assert any((DOCS.parent / folder / name).exists() for folder in ("", "src/weightsmith")), name


def test_a_walk_lists_the_files_that_a_call_enters() -> None:
    T = ws.library.contains("1")
    first, second = (walk(lambda: ws.run(T, "0110")) for _ in range(2))
    assert first == second
    assert {"inspect", "semantics", "arithmetic"} <= {file.split("/")[0] for file in first.files}
    assert first.crossings >= len(first.files) - 1
