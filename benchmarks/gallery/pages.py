"""The pages of the gallery, and the tables that stand in them between two comments."""

import re
from pathlib import Path

from benchmarks.gallery import chains, families, lookups, notes
from benchmarks.gallery.table import Table

PAGES = Path(__file__).parent.parent.parent / "docs" / "gallery"
TABLES: dict[str, Table] = {**lookups.TABLES, **chains.TABLES, **families.TABLES, **notes.TABLES}


def place(name: str) -> re.Pattern[str]:
    """Return the pattern of a table's place: a comment before it and one after it."""
    return re.compile(rf"(<!-- make gallery: {re.escape(name)} -->\n\n)(.*?)(\n<!-- end -->)", re.DOTALL)


def page_of(name: str) -> Path:
    """Return the page that has a table."""
    return PAGES / f"{TABLES[name].page}.md"


def in_page(name: str) -> str:
    """Return a table as its page has it."""
    file = page_of(name)
    found = place(name).search(file.read_text(encoding="utf-8")) if file.exists() else None
    return found.group(2) if found else ""


def replaced(name: str, text: str) -> None:
    """Write a table into its page."""
    file = page_of(name)
    old = file.read_text(encoding="utf-8")
    new, count = place(name).subn(lambda found: found.group(1) + text + found.group(3), old)
    if count != 1:
        raise ValueError(
            f"{file.name} has {count} places for {name}: write <!-- make gallery: {name} -->, <!-- end -->"
        )
    if new != old:
        file.write_text(new, encoding="utf-8")
