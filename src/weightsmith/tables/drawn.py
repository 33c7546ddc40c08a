"""Tables and pages drawn by rich: in colours on a terminal, as text elsewhere."""

import io
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from weightsmith.tables import BETWEEN, STYLES, Page, Table, page_width


def page_parts(page: Page) -> Iterator[RenderableType]:
    """Yield the lines and tables of a page."""
    for part in page.parts:
        yield Text(part) if isinstance(part, str) else part


def table_parts(table: Table, width: int) -> Iterator[RenderableType]:
    """Yield the title of a table, as many panels as the width needs, and the notes."""
    if table.title:
        yield Text(table.title)
    for columns in _panels(table, width):
        yield _panel(table, columns)
    yield from map(Text, table.notes)


def widths(table: Table) -> list[int]:
    """Return the width of each column in characters."""
    rows = [table.columns, *([cell.text for cell in row.cells] for row in table.rows)]
    return [max(cell_len(row[c]) for row in rows) for c in range(len(table.columns))]


def text(part: Table | Page) -> str:
    """Return a table or a page as text without colours."""
    console = Console(
        file=io.StringIO(), width=page_width(), color_system=None, markup=False, highlight=False, emoji=False
    )
    with console.capture() as captured:
        console.print(part)
    return captured.get()


def _panels(table: Table, width: int) -> list[list[int]]:
    """Return the columns of each panel."""
    every = list(range(len(table.columns)))
    if not table.lead:
        return [every]
    wide = widths(table)
    first, room = every[: table.lead], width - 2 - sum(wide[: table.lead]) - BETWEEN * (table.lead - 1)
    panels: list[list[int]] = [list(first)]
    left = room
    for c in every[table.lead :]:
        left -= BETWEEN + wide[c]
        if left < 0 and len(panels[-1]) > table.lead:
            panels.append(list(first))
            left = room - BETWEEN - wide[c]
        panels[-1].append(c)
    return panels


def _panel(table: Table, columns: list[int]) -> RenderableType:
    result = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for c in columns:
        result.add_column(Text(table.columns[c]), justify="right" if c in table.right else "left", overflow="fold")
    for row in table.rows:
        cells = [Text(row.cells[c].text, STYLES[row.cells[c].style][0]) for c in columns]
        result.add_row(*cells, style=STYLES[row.style][0], end_section=row.ends)
    return result
