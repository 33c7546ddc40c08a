"""weightsmith corpus."""

from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli.output import check_outputs, say_written
from weightsmith.storage import refusals, write_whole


def corpus(
    output: Annotated[Path, typer.Option("--output", "-o", help="The text file to write.")] = Path("corpus.txt"),
    size: Annotated[int, typer.Option("--bytes", help="How long it is.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same text.")] = 0,
) -> None:
    """Write an example text to train on: small stories with names that come back, verbs that agree, right sums."""
    check_outputs(output)
    text = ws.train.corpus(size, seed).encode()
    with refusals("cannot write", output):
        write_whole(output, text)
    say_written(output)
