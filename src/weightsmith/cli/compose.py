"""weightsmith compose."""

from pathlib import Path
from typing import Annotated

import typer

from weightsmith.cli import lazy
from weightsmith.cli.loading import load_model, save_model
from weightsmith.cli.output import OutputFile, check_outputs
from weightsmith.errors import InputError


def compose(
    formula: Annotated[str, typer.Argument(metavar="FORMULA", help='Names with ~ & ^ | and brackets: "S & ~T".')],
    output: OutputFile,
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
        parts[name] = load_model(Path(file))
    T = lazy.composed(formula, parts, "--let {}=FILE")
    save_model(T, output)
