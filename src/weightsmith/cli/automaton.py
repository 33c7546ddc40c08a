"""weightsmith automaton."""

from pathlib import Path
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli.output import AsJson, ModelFile, Yes, check_outputs, memory_bytes, print_json, say, say_written
from weightsmith.storage import refusals, write_whole

Seconds = Annotated[float, typer.Option(help="How long automata may take.")]
States = Annotated[int, typer.Option(help="How many states each of them may have.")]
Memory = Annotated[float, typer.Option(help="How much memory it may take, in GiB.")]
SHOWN_STATES = 40  # that a table in the terminal has at most


def automaton(
    file: ModelFile,
    regex: Annotated[
        bool, typer.Option("--regex", help="Print a regular expression for the inputs it says YES to.")
    ] = False,
    picture: Annotated[Path | None, typer.Option("--picture", help="Write a picture here, as SVG.")] = None,
    yes: Yes = "YES",
    seconds: Seconds = 60.0,
    memory: Memory = 1.0,
    states: States = 2_000_000,
    as_json: AsJson = False,
) -> None:
    """Show the smallest automaton that decides every input, of any length, as a model does."""
    check_outputs(picture, read=[file])
    T = ws.load(file)
    if T.readout is None:
        ws.check.claims.check_class(T, yes, "--yes {1}")
    A = ws.automaton(T, yes=yes, seconds=seconds, states=states, memory=memory_bytes(memory))
    expression = A.regex() if regex else None
    if picture is not None:
        with refusals("cannot write", picture):
            write_whole(picture, A.svg().encode())
        say_written(picture)
    if as_json:
        print_json(_data(A, expression))
        return
    if expression is not None:
        say(expression)
        return
    say(f"{len(A.table):,} states, {A.scope}")
    say(str(A) if len(A.table) <= SHOWN_STATES else f"more than {SHOWN_STATES}: --json prints all of them")


def _data(A: Any, expression: str | None) -> dict[str, Any]:
    """Return the automaton as data, which `weightsmith check recognizes --automaton` reads."""
    return {
        "table": A.table.tolist(),
        "accepting": A.accepting.tolist(),
        "start": A.start,
        "outputs": A.outputs.tolist(),
        "answers": list(A.answers),
        "vocabulary": list(A.vocabulary),
        "scope": A.scope,
        **({} if expression is None else {"regex": expression}),
    }
