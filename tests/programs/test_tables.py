"""The parser's tables are kept on disk: whether they are there, damaged or cannot be written changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.programs import examples_as_text
from weightsmith.errors import InputError
from weightsmith.programs import parsing
from weightsmith.programs.text import syntax
from weightsmith.programs.text.syntax import Source

TEXTS = [text for name, text in vars(examples_as_text).items() if name.isupper()]
WRONG = "a = indices;\nb = a + ;"


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(syntax, "TABLES", tmp_path / "tables")
    parsing.parser.cache_clear()
    yield tmp_path / "tables"
    parsing.parser.cache_clear()


def read() -> list[object]:
    """Return the trees of all texts, with their places, and what is said of a wrong one."""
    parsing.parser.cache_clear()
    trees: list[object] = [Source(text).parsed() for text in TEXTS]
    with pytest.raises(InputError) as error:
        Source(WRONG).parsed()
    return [*trees, str(error.value)]


def test_tables_are_kept_and_read_the_same(tables: Path) -> None:
    fresh = read()
    assert tables.stat().st_size > 10_000
    kept = tables.read_bytes()
    assert read() == fresh
    assert tables.read_bytes() == kept


@pytest.mark.parametrize("kept", [b"", b"\0" * 100, b"0" * 64 + b"\n" + b"garbage"], ids=["empty", "zeros", "garbage"])
def test_damaged_tables_are_made_anew(tables: Path, kept: bytes) -> None:
    fresh = read()
    tables.write_bytes(kept)
    assert read() == fresh


def test_tables_that_cannot_be_written_are_made_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = read()
    monkeypatch.setattr(syntax, "TABLES", tmp_path / "no folder" / "tables")
    assert read() == fresh
    assert not (tmp_path / "no folder").exists()
    parsing.parser.cache_clear()
