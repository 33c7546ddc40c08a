"""Tables that people read: text in a terminal, HTML in a notebook. A wide one goes on below itself."""

import html
import io
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

Style: TypeAlias = Literal["", "best", "good", "bad", "new", "faint"]
_STYLES: dict[Style, tuple[str, str]] = {  # for rich, as CSS
    "": ("", ""),
    "best": ("bold green", "font-weight:bold"),
    "good": ("green", ""),
    "bad": ("red", "color:#c0392b"),
    "new": ("bold yellow", "font-weight:bold"),
    "faint": ("dim", "opacity:.6"),
}
BETWEEN = 3  # characters between two columns
PADDING = "padding:.15em .8em"  # of a cell in HTML
SHORT = 40  # characters: so much of a text is never folded in HTML
MACHINE_NOISE = 1e-12  # relative: what float64 sums differ by from one machine to another, and a little more


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

    The columns in `right` hold numbers. With `lead`, a table that is too wide for its page goes on below, with so many
    of its first columns repeated; without, long texts are folded.
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

    def fits(self) -> bool:
        """Tell whether all columns fit the page side by side."""
        return sum(self._widths()) + BETWEEN * (len(self.columns) - 1) + 2 <= page_width()

    def __str__(self) -> str:
        """Return it as text, as wide as the terminal, or 80 characters where there is none."""
        return _as_text(self) if (plain := _plain_text(self)) is None else plain

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks."""
        return "".join(_html_lines(self))

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[RenderableType]":
        """Print it with rich: in as many panels as its width needs."""
        from rich.text import Text

        if self.title:
            yield Text(self.title)
        for chosen in self._panels(options.max_width):
            yield self._panel(chosen)
        yield from map(Text, self.notes)

    def _panels(self, width: int) -> list[list[int]]:
        """Choose the columns of each panel."""
        every = list(range(len(self.columns)))
        if not self.lead:
            return [every]
        widths = self._widths()
        first, room = every[: self.lead], width - 2 - sum(widths[: self.lead]) - BETWEEN * (self.lead - 1)
        panels: list[list[int]] = [list(first)]
        left = room
        for c in every[self.lead :]:
            left -= BETWEEN + widths[c]
            if left < 0 and len(panels[-1]) > self.lead:
                panels.append(list(first))
                left = room - BETWEEN - widths[c]
            panels[-1].append(c)
        return panels

    def _widths(self) -> list[int]:
        from rich.cells import cell_len

        rows = [self.columns, *([cell.text for cell in row.cells] for row in self.rows)]
        return [max(cell_len(row[c]) for row in rows) for c in range(len(self.columns))]

    def _panel(self, chosen: list[int]) -> "RenderableType":
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        result = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for c in chosen:
            result.add_column(Text(self.columns[c]), justify="right" if c in self.right else "left", overflow="fold")
        for row in self.rows:
            cells = [Text(row.cells[c].text, _STYLES[row.cells[c].style][0]) for c in chosen]
            result.add_row(*cells, style=_STYLES[row.style][0], end_section=row.ends)
        return result


class Page:
    """Lines and tables, one below the other."""

    def __init__(self, *parts: "str | Table | Page") -> None:
        """Put parts together."""
        self.parts = parts

    def __str__(self) -> str:
        """Return it as text."""
        return _as_text(self)

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks."""
        return "".join(_html_line(part) if isinstance(part, str) else part._repr_html_() for part in self.parts)

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[RenderableType]":
        """Print it with rich."""
        from rich.text import Text

        for part in self.parts:
            yield Text(part) if isinstance(part, str) else part


class Tabled(ABC):
    """What shows itself as a table: with `print`, and in notebooks."""

    @abstractmethod
    def table(self) -> Table | Page:
        """Return it as a table."""

    def __str__(self) -> str:
        """Return it as text."""
        return str(self.table())

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks."""
        return self.table()._repr_html_()


def number(value: float, infinity: float, digits: int = 6) -> str:
    """Return a number to some digits, marked with ~ where more of them matter, and ∞ by its name."""
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


def _as_text(part: Table | Page) -> str:
    from rich.console import Console

    console = Console(
        file=io.StringIO(), width=page_width(), color_system=None, markup=False, highlight=False, emoji=False
    )
    with console.capture() as captured:
        console.print(part)
    return _tidied(captured.get().splitlines())


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
            style = f"{PADDING};text-align:{align[c]};white-space:{space};{_STYLES[cell.style or row.style][1]}"
            yield f'<td style="{style}">{html.escape(cell.text)}</td>'
        yield "</tr>"
    yield "</tbody></table>"
    yield from map(_html_line, table.notes)


def _html_line(text: str) -> str:
    return f'<div style="white-space:pre-wrap">{html.escape(text)}</div>'
