"""Tables as text for a terminal and as HTML for a notebook. A wide table continues below itself."""

import html
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

from weightsmith.tables import latex

Style: TypeAlias = Literal["", "best", "good", "bad", "new", "faint"]
STYLES: dict[Style, tuple[str, str]] = {  # for rich, as CSS
    "": ("", ""),
    "best": ("bold green", "font-weight:bold"),
    "good": ("green", ""),
    "bad": ("red", "color:#c0392b"),
    "new": ("bold yellow", "font-weight:bold"),
    "faint": ("dim", "opacity:.6"),
}
Item = TypeVar("Item", covariant=True)
BETWEEN = 3  # characters between two columns
PADDING = "padding:.15em .8em"  # of a cell in HTML
MOST_LINES = 40  # of a text in a notebook: about a screen
SHORT = 40  # characters: so much of a text is never folded in HTML
MACHINE_NOISE = 1e-12  # relative: above the differences of float64 sums between machines


@dataclass(frozen=True)
class Cell:
    """A text with a style of its own."""

    text: str
    style: Style = ""


class _Row(NamedTuple):
    cells: tuple[Cell, ...]
    style: Style
    ends: bool  # a section ends here


class Table:
    """Rows under named columns.

    The columns in `right` hold numbers. With `lead`, a table that is too wide for its page continues below, where its
    first `lead` columns are repeated; without, long texts are folded.
    """

    def __init__(
        self, *columns: str, right: Iterable[int] = (), lead: int = 0, title: str = "", notes: Sequence[str] = ()
    ) -> None:
        """Begin an empty table."""
        self.columns, self.right, self.lead = columns, frozenset(right), lead
        self.title, self.notes = title, list(notes)
        self.rows: list[_Row] = []

    def add(self, *cells: str | Cell, style: Style = "", ends: bool = False) -> None:
        """Add a row; `ends` leaves a gap after it."""
        row = tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in cells)
        assert len(row) == len(self.columns), "a row has a cell for each column"
        self.rows.append(_Row(row, style, ends))

    def latex(self) -> str:
        """Return it for LaTeX, with the rules of booktabs."""
        return latex.tabular(self)

    def fits(self) -> bool:
        """Say whether all columns fit the page side by side."""
        widths: list[int] = _drawn().widths(self)
        return sum(widths) + BETWEEN * (len(self.columns) - 1) + 2 <= page_width()

    def __str__(self) -> str:
        """Return it as text, as wide as the terminal, or 80 characters where there is none."""
        return _as_text(self) if (plain := _plain_text(self)) is None else plain

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks."""
        return "".join(_html_lines(self))

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """Yield the parts that rich prints."""
        return iter(_drawn().table_parts(self, options.max_width))


class Page:
    """Lines and tables, one below the other."""

    def __init__(self, *parts: "str | Table | Page") -> None:
        """Put parts together."""
        self.parts = parts

    def latex(self) -> str:
        """Return it for LaTeX."""
        return latex.parts(self)

    def __str__(self) -> str:
        """Return it as text."""
        return _as_text(self)

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks."""
        return "".join(_html_line(part) if isinstance(part, str) else part._repr_html_() for part in self.parts)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """Yield the parts that rich prints."""
        return iter(_drawn().page_parts(self))


class Tabled(ABC):
    """Base of the results that print as a table, in a terminal and in notebooks."""

    @abstractmethod
    def table(self) -> Table | Page:
        """Return it as a table."""

    def latex(self) -> str:
        """Return it as tables for LaTeX, with the rules of booktabs."""
        return self.table().latex()

    def __str__(self) -> str:
        """Return it as text."""
        return str(self.table())

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks."""
        return self.table()._repr_html_()


class Printed:
    """Base of the results that print as lines of text: a notebook shows the first ones."""

    def _repr_html_(self) -> str:
        """Return the lines as HTML, for notebooks."""
        return first_lines(str(self))


class TabledRows(Tabled, Sequence[Item]):
    """A sequence of rows that prints as a table."""

    rows: tuple[Item, ...]

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        """Return one row, or some."""
        return self.rows[place]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)


def first_lines(text: str) -> str:
    """Return the first lines of a text as HTML, each column below the last; the rest is counted."""
    lines = text.splitlines()
    left = len(lines) - MOST_LINES
    lines = [*lines[:MOST_LINES], f"… {left:,} more lines: print it"] if left > 0 else lines
    return f'<pre style="white-space:pre-wrap">{html.escape(chr(10).join(lines))}</pre>'


def number(value: float, infinity: float, digits: int = 6) -> str:
    """Return a number with some digits, with ~ in front if it was rounded; ∞ by its name."""
    if abs(value) == infinity:
        return "∞" if value > 0 else "-∞"
    text = f"{value:.{digits}g}"
    return text if abs(float(text) - value) <= MACHINE_NOISE * abs(value) else f"~{text}"


def bar(share: float, width: int = 24) -> str:
    """Return a bar whose length is a share of the width, to an eighth of a character."""
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def page_width() -> int:
    """Return how many characters a line has: those of the terminal, or 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns or 80


def _plain_text(table: Table) -> str | None:
    """Return a table that fits its page as rich draws it; None where that takes more than spaces.

    Most tables are of this kind, and to load rich takes longer than most commands do.
    """
    rows = [table.columns, *(tuple(cell.text for cell in row.cells) for row in table.rows)]
    around = [table.title, *table.notes]
    if not table.columns or not all(text.isascii() and text.isprintable() for row in (*rows, around) for text in row):
        return None
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "─" * (sum(widths) + BETWEEN * (len(widths) - 1))
    if not all(widths) or max(len(rule) + 2, *map(len, around)) > page_width():
        return None
    lines = []
    for texts in rows:
        cells = [
            text.rstrip().rjust(width) if c in table.right else text.ljust(width)
            for c, (text, width) in enumerate(zip(texts, widths, strict=True))
        ]
        lines.append(" " + (" " * BETWEEN).join(cells))
    drawn = [table.title, "", lines[0], f" {rule}"]
    for line, row in zip(lines[1:], table.rows, strict=True):
        drawn += [line, ""] if row.ends else [line]
    return _tidied([*drawn, "", *table.notes])


def _tidied(lines: Iterable[str]) -> str:
    text = "\n".join(line.rstrip() for line in lines)
    return re.sub("\n{3,}", "\n\n", text).strip("\n")


def _drawn() -> Any:
    """Return the module that draws with rich, which takes longer to load than most commands run."""
    return import_module("weightsmith.tables.drawn")


def _as_text(part: Table | Page) -> str:
    return _tidied(_drawn().text(part).splitlines())


def _html_lines(table: Table) -> Iterator[str]:
    """Write a table as HTML; texts are escaped."""
    if table.title:
        yield _html_line(table.title)
    yield '<table style="border-collapse:collapse;margin:.5em 0"><thead><tr>'
    align = ["right" if c in table.right else "left" for c in range(len(table.columns))]
    for c, name in enumerate(table.columns):
        style = f"{PADDING};text-align:{align[c]};white-space:pre;border-bottom:1px solid"
        yield f'<th style="{style}">{html.escape(name)}</th>'
    yield "</tr></thead><tbody>"
    for n, row in enumerate(table.rows):
        begins = n > 0 and table.rows[n - 1].ends
        yield '<tr style="border-top:1px solid #8884">' if begins else "<tr>"
        for c, cell in enumerate(row.cells):
            space = "pre" if len(cell.text) <= SHORT else "pre-wrap"
            style = f"{PADDING};text-align:{align[c]};white-space:{space};{STYLES[cell.style or row.style][1]}"
            yield f'<td style="{style}">{html.escape(cell.text)}</td>'
        yield "</tr>"
    yield "</tbody></table>"
    yield from map(_html_line, table.notes)


def _html_line(text: str) -> str:
    return f'<div style="white-space:pre-wrap">{html.escape(text)}</div>'
