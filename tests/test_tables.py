"""Tables that people read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightsmith.tables import Cell, Page, Table, bar, number


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def wide(columns: int) -> Table:
    table = Table("name", *(f"column {c}" for c in range(columns)), right=range(1, columns + 1), lead=1)
    table.add("row", *(str(c) for c in range(columns)))
    return table


def test_a_table_is_aligned_and_has_a_rule_below_its_head() -> None:
    table = Table("name", "value", right=[1], title="a title", notes=["a note"])
    table.add("x", "1.5", ends=True)
    table.add(Cell("longer", "new"), "-∞", style="bad")
    assert str(table).splitlines() == [
        "a title",
        "",
        " name     value",
        " ──────────────",
        " x          1.5",
        "",
        " longer      -∞",
        "",
        "a note",
    ]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    texts = st.text(st.sampled_from(draw(st.sampled_from(["ab 1", "ab 1∞日\t\n"]))), max_size=30)
    columns = draw(st.integers(1, 4))
    right, lead = draw(st.sets(st.integers(0, columns - 1))), draw(st.integers(0, columns))
    rows = st.lists(texts, min_size=columns, max_size=columns)
    table = Table(*draw(rows), right=right, lead=lead, title=draw(texts), notes=draw(st.lists(texts, max_size=2)))
    for row in draw(st.lists(rows, max_size=4)):
        table.add(*row, ends=draw(st.booleans()))
    return table


@given(tables())
def test_a_table_is_the_same_text_with_rich_and_without(table: Table) -> None:
    assert str(table) == str(Page(table)), "a page is drawn by rich always"


@pytest.mark.parametrize("columns", [5, 6, 7, 40])
def test_a_wide_table_goes_on_below_itself_and_loses_nothing(columns: int) -> None:
    table = wide(columns)
    lines = str(table).splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line.split("   ") for line in lines if "column" in line]
    assert all(head[0].strip() == "name" for head in heads), "the first column is repeated"
    assert [name.strip() for head in heads for name in head[1:] if name] == list(table.columns[1:])
    assert table.fits() == (len(heads) == 1)
    assert all(len(head) > 2 for head in heads[:-1]), "as many columns as fit"


def test_a_column_wider_than_the_page_is_folded() -> None:
    table = Table("text")
    table.add("word " * 40)
    assert max(map(len, str(table).splitlines())) <= 80
    assert str(table).count("word") == 40


def test_html_is_escaped_wherever_a_text_can_stand() -> None:
    bad = "<script>alert('x')</script>&"
    table = Table(bad, title=bad, notes=[bad])
    table.add(bad)
    page = Page(bad, table)._repr_html_()
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 5
    assert "text-align:left" in page


def test_markup_of_rich_is_text() -> None:
    table = Table("[bold]head[/bold]", title="[red]t[/red]")
    table.add("[link=x]cell[/link]")
    assert all(text in str(table) for text in ("[bold]head[/bold]", "[red]t[/red]", "[link=x]cell[/link]"))


def test_a_number_is_marked_where_digits_are_missing_and_infinity_has_its_name() -> None:
    assert [number(x, 15.9375) for x in (15.9375, -15.9375, 0.1, 1 / 3, -0.0)] == ["∞", "-∞", "0.1", "~0.333333", "-0"]
    assert number(1 / 3, 4.0, digits=2) == "~0.33"


def test_a_bar_grows_by_eighths_and_stays_within_its_width() -> None:
    assert [bar(share, 2) for share in (0, 1 / 16, 0.5, 1, 2, -1)] == ["", "▏", "█", "██", "██", ""]
