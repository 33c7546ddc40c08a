"""Plain-text output of commands, and checks of the files that they write. `consoles` prints with colours."""

import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from weightsmith.errors import FileError, InputError, shown
from weightsmith.storage import check_writable, refusals

ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, or a directory with a checkpoint of Hugging Face.")
]
OutputFile = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
Tokens = Annotated[str, typer.Argument(metavar="INPUT", help="Characters, or words separated by spaces.")]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="Characters, or words separated by spaces.")]
Yes = Annotated[str, typer.Option(help="The class that counts as YES.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_NOT_SHOWN = dict.fromkeys(map(ord, "\a\b\v\f\r"))  # control characters that ring or overwrite


class _LogLines(logging.Handler):
    """Prints log messages of the library, such as that it is compiling."""

    def emit(self, record: logging.LogRecord) -> None:
        say_aside(record.getMessage())


def show_log() -> None:
    """Print the library's log messages to stderr while a command runs."""
    log = logging.getLogger("weightsmith")
    log.setLevel(logging.INFO)
    if not any(isinstance(handler, _LogLines) for handler in log.handlers):
        log.addHandler(_LogLines())


def say(text: str) -> None:
    """Print plain lines of results to stdout, unfolded."""
    _write(text, sys.stdout)


def say_aside(text: str) -> None:
    """Print a message to stderr."""
    _write(text, sys.stderr)


def _write(text: str, stream: TextIO | None) -> None:
    if stream is not None:  # None without a console
        stream.write(f"{text.translate(_NOT_SHOWN).expandtabs()}\n")
        stream.flush()


def token_text(token: str) -> str:
    """Return a token as it is if it is printable, a space or a line break; else quoted."""
    return token if token in (" ", "\n") or (token.isprintable() and token) else shown(token)


def say_written(path: Path) -> None:
    """Print the message that a file was written."""
    say_aside(f"written to {shown(str(path))}")


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
    return path.resolve() == other.resolve()  # hard links are safe: a write makes a new file


def print_json(value: dict[str, Any] | list[Any]) -> None:
    """Put machine-readable output on stdout."""
    print(json.dumps(value, indent=2))  # noqa: T201


def memory_bytes(gigabytes: float) -> int:
    """Return --memory in bytes, at least a MiB."""
    if not 0 < gigabytes < 2**20:
        raise InputError(f"--memory {gigabytes:g}: write how many GiB it may take, such as 0.5")
    return max(int(gigabytes * 2**30), 1 << 20)
