"""The gallery: every table of a page is computed again, bit for bit, and every page has what a page should have."""

import re

import pytest
from benchmarks.gallery.latex import MODELS, latex_of
from benchmarks.gallery.pages import PAGES, TABLES, in_page, place, replaced
from benchmarks.gallery.table import Table, cell, shown, word

import weightsmith as ws
from weightsmith.library import papers

QUICK = [name for name, table in TABLES.items() if not table.long]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in TABLES]
)
def test_a_table_of_the_gallery_is_computed_again_bit_for_bit(name: str) -> None:
    assert TABLES[name].text() == in_page(name)


def test_every_page_has_its_tables_and_every_table_a_page() -> None:
    wanted = {file.stem: set[str]() for file in PAGES.glob("*.md")}
    for name, table in TABLES.items():
        wanted[table.page].add(name)
    for file in PAGES.glob("*.md"):
        text = file.read_text(encoding="utf-8")
        there = re.findall(r"<!-- make gallery: (.*?) -->", text)
        assert set(there) == wanted[file.stem]
        assert len(there) == len(set(there)) == text.count("<!-- end -->")
        if file.stem != "index":
            assert "```{run} " in text, f"{file.name} has no live figure"
            assert "```python\n" in text
            assert f"({file.stem}.md)" in (PAGES / "index.md").read_text(encoding="utf-8")


def test_every_entry_is_cited_in_a_page_as_the_library_cites_it() -> None:
    pages = [" ".join(file.read_text(encoding="utf-8").split()) for file in PAGES.glob("*.md")]
    for paper in [entry.paper for entry in papers.ENTRIES] + [entry.paper for entry in papers.COMPUTATIONS]:
        cited = f"{paper.authors}. *{paper.title}*. {paper.venue}, {paper.year}."
        assert any(cited in page for page in pages), cited


def test_a_planted_fault_is_seen_in_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    from weightsmith.library.papers import induction

    def wrong(tokens: str, k: int) -> str:
        return "a"

    monkeypatch.setattr("benchmarks.gallery.lookups.hop", wrong)
    assert TABLES["k-hop-limits"].text() != in_page("k-hop-limits")
    assert induction.hop("aa", 1) == "a"


def test_a_page_without_the_place_of_a_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLES, "nothing", Table("index", ("a",), list))
    with pytest.raises(ValueError, match="has 0 places for nothing"):
        replaced("nothing", "")
    assert place("k-hop").search("<!-- make gallery: k-hop -->\n\nx\n\n<!-- end -->")


def test_cells_say_what_was_looked_at() -> None:
    T = ws.library.contains("1")
    assert cell(lambda: ws.check.recognizes(T, ".*1.*")) == "all lengths"
    assert cell(lambda: ws.check.recognizes(T, ".*1.*", up_to=3)) == "up to 3, 14 inputs"
    assert cell(lambda: ws.check.recognizes(T, ".*", up_to=3)) == "✗ `0`"
    assert cell(lambda: ws.check.recognizes(ws.library.contains("2"), ".*", up_to=3)).startswith(
        "refused: the symbol 2"
    )
    assert word("0" * 30) == "`0^30`"
    assert shown(12345) == "12,345"


def test_every_page_has_its_model_in_latex_as_it_is_computed() -> None:
    pages = {page.stem for page in PAGES.glob("*.md")} - {"index"}
    assert {file.stem for file in (PAGES / "latex").glob("*.tex")} == set(MODELS) == pages
    for page in MODELS:
        assert (PAGES / "latex" / f"{page}.tex").read_text(encoding="utf-8") == latex_of(page), page
        assert f"(latex/{page}.tex)" in (PAGES / f"{page}.md").read_text(encoding="utf-8")
