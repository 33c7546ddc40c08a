"""How things look in a terminal. Names and texts are never read as markup."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from weightsmith import tables
from weightsmith.tables import bar as bar

if TYPE_CHECKING:
    from weightsmith.arithmetic import Arithmetic

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def results() -> Console:
    """Return the console for results."""
    return Console(markup=False, highlight=False, emoji=False, width=_width())


def errors() -> Console:
    """Return the console for messages."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


def say(text: str) -> None:
    """Print plain lines of results, which a terminal may fold but we do not."""
    results().print(text, soft_wrap=True)


def _width() -> int | None:
    """Leave the width to rich, but for the terminal that claims to have none."""
    return 80 if os.environ.get("COLUMNS") == "0" else None


def print_json(value: dict[str, Any] | list[Any]) -> None:
    """Put machine-readable output on stdout."""
    print(json.dumps(value, indent=2))  # noqa: T201


def table(*columns: str, right: bool = False) -> Table:
    """Return an empty table for `run` and `explain`; with `right` all columns but the first hold numbers."""
    result = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        result.add_column(Text(column), justify="right" if right and i else "left")
    return result


def number(value: float, arithmetic: "Arithmetic") -> str:
    """Return a number as `tables.number` does, for `run` and `explain`."""
    return tables.number(value, arithmetic.infinity)
