"""How things look in a terminal. Names and texts are never read as markup."""

import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from weightsmith.errors import FileError, shown
from weightsmith.storage import check_writable, refusals

ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, or a directory with a checkpoint of Hugging Face.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def results() -> Console:
    """Return the console for results."""
    return Console(markup=False, highlight=False, emoji=False, width=_width())


def errors() -> Console:
    """Return the console for messages."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


class _Told(logging.Handler):
    """Shows what the library logs, such as that it is compiling."""

    def emit(self, record: logging.LogRecord) -> None:
        errors().print(record.getMessage())


def show_log() -> None:
    """Show on stderr what the library has to say while a command runs."""
    log = logging.getLogger("weightsmith")
    log.setLevel(logging.INFO)
    if not any(isinstance(handler, _Told) for handler in log.handlers):
        log.addHandler(_Told())


def say(text: str) -> None:
    """Print plain lines of results, which a terminal may fold but we do not."""
    results().print(text, soft_wrap=True)


def token_text(token: str) -> str:
    """Return a token as it is where a terminal takes it for text, as it does line breaks and spaces; else quoted."""
    return token if token in (" ", "\n") or (token.isprintable() and token) else shown(token)


def say_written(path: Path) -> None:
    """Print the message that a file was written."""
    errors().print(f"written to {shown(str(path))}")


def check_outputs(*outputs: Path | None, read: Sequence[Path | None] = ()) -> None:
    """Refuse a file that could not be written, before the work begins; also one that is read, or written twice."""
    for n, path in enumerate(outputs):
        if path is None:
            continue
        with refusals("cannot write", path):
            if any(other is not None and _same(path, other) for other in (*read, *outputs[:n])):
                raise FileError("the same command reads it or writes something else to it; name another file")
            check_writable(path)


def _same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()  # for hard links nothing is lost: what is written gets a new file


def _width() -> int | None:
    """Leave the width to rich, but for the terminal that claims to have none."""
    return 80 if os.environ.get("COLUMNS") == "0" else None


def print_json(value: dict[str, Any] | list[Any]) -> None:
    """Put machine-readable output on stdout."""
    print(json.dumps(value, indent=2))  # noqa: T201
