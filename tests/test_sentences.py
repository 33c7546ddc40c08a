"""Each sentence of the pages about trust has tests that show it.

A line of `tests/sentences/PAGE.txt` has the beginning of a sentence and, after a bar, the tests: files under `tests/`,
and functions in them (* for all). A test that is named there exists. Whether it shows the sentence, a reader can judge.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.sentences import sentences_of

HERE = Path(__file__).parent
PAGES = ("trust.md", "proof-format.md")
NO_CLAIM = "no claim"  # of a sentence that asserts nothing


def lines_of(page: str) -> list[tuple[str, str]]:
    text = (HERE / "sentences" / page.replace(".md", ".txt")).read_text()
    rows = (line.rpartition(" | ") for line in text.splitlines())
    return [(begin, tests) for begin, _, tests in rows]


@cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((HERE / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("page", PAGES)
def test_every_sentence_has_tests(page: str) -> None:
    sentences, lines = sentences_of(page), lines_of(page)
    for sentence, (begin, _) in zip(sentences, lines, strict=False):
        assert sentence.startswith(begin), f"{page} goes on with {sentence!r}, and here stands {begin!r}"
    assert len(sentences) == len(lines)
    assert sum(tests == NO_CLAIM for _, tests in lines) <= 8


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_is_named_exists(page: str) -> None:
    for begin, tests in lines_of(page):
        for entry in tests.split("; ") if tests != NO_CLAIM else ():
            file, _, names = entry.partition(": ")
            every = functions_of(file)
            assert every and (names == "*" or {*names.split()} <= every), f"{begin}: {entry}"  # noqa: PT018
