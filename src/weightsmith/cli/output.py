"""How things look in a terminal. Names and texts are never read as markup."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from weightsmith.arithmetic import Arithmetic

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def results() -> Console:
    """Give the console for results."""
    return Console(markup=False, highlight=False, soft_wrap=False)


def errors() -> Console:
    """Give the console for messages."""
    return Console(stderr=True, markup=False, highlight=False, soft_wrap=True)


def print_json(value: dict[str, Any] | list[Any]) -> None:
    """Put machine-readable output on stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2))  # noqa: T201


def table(*columns: str, right: bool = False) -> Table:
    """Give an empty table; with `right` all columns but the first hold numbers."""
    result = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        result.add_column(Text(column), justify="right" if right and i else "left")
    return result


def number(value: float, arithmetic: "Arithmetic") -> str:
    """Give a number to six digits, and ∞ by its name."""
    if abs(value) == arithmetic.infinity:
        return "∞" if value > 0 else "−∞"
    return f"{value:.6g}"
