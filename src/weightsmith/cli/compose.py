"""weightsmith compose."""

from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.output import check_outputs, say, say_written
from weightsmith.errors import InputError


def compose(
    formula: Annotated[str, typer.Argument(metavar="FORMULA", help='Names with ~ & ^ | and brackets: "S & ~T".')],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    let: Annotated[list[str] | None, typer.Option(metavar="NAME=MODEL", help="What a name means; repeat it.")] = None,
) -> None:
    """Compose yes/no transformers with and, or, not and exclusive or."""
    check_outputs(output)
    parts = {}
    for meaning in let or []:
        name, equals, file = meaning.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--let {meaning}: write NAME=MODEL, as in --let S=model.safetensors")
        if name in parts:
            raise InputError(f"--let gives {name} twice: write each name once")
        parts[name] = ws.load(file)
    T = lazy.composed(formula, parts, "--let {}=FILE")
    ws.save(T, output)
    say(repr(T))
    say_written(output)
