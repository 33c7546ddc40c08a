"""weightsmith latex."""

from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli.loading import load_any
from weightsmith.cli.output import ModelFile, Yes, check_outputs, say, say_written
from weightsmith.storage import refusals, write_whole


def latex(
    file: ModelFile,
    automaton: Annotated[
        bool, typer.Option("--automaton", help="Write the automaton of its decisions, as a TikZ picture.")
    ] = False,
    yes: Yes = "YES",
    document: Annotated[
        bool, typer.Option("--document", help="Write a whole document, which LaTeX compiles as it is.")
    ] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write it to this file.")] = None,
) -> None:
    """Write a model in LaTeX: its blocks as matrices with named rows and columns, or its automaton."""
    check_outputs(output, read=[file])
    model = load_any(file)
    text = ws.automaton(model, yes=yes).latex(document) if automaton else model.latex(document)
    if output is None:
        say(text.rstrip("\n"))
        return
    with refusals("cannot write", output):
        write_whole(output, text.encode())
    say_written(output)
