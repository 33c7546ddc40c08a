"""weightsmith show."""

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.loading import load_any
from weightsmith.cli.output import ModelFile, check_outputs, say_aside, say_written
from weightsmith.cli.progress import shown_progress
from weightsmith.errors import InputError, shown
from weightsmith.storage import refusals, write_whole


def show(
    file: ModelFile,
    tokens: Annotated[
        str | None, typer.Argument(metavar="[INPUT]", help="Characters, or words separated by spaces.")
    ] = None,
    beside: Annotated[Path | None, typer.Option(metavar="MODEL", help="A second model, shown beside it.")] = None,
    beside_input: Annotated[
        str | None, typer.Option(metavar="INPUT", help="A second input, shown beside the first.")
    ] = None,
    circuit: Annotated[
        int | None,
        typer.Option(metavar="LENGTH", min=1, help="Show the circuit, from every input up to this length."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page to write; without it the page opens in the browser.")
    ] = None,
) -> None:
    """See a model think: a page, in one file, that shows the stream step by step and runs whatever one types.

    A chain is played token by token. The file needs no network and no Weightsmith: it can be sent to anybody.
    """
    if beside_input is not None and tokens is None:
        raise InputError("--beside-input needs an input to stand beside: weightsmith show MODEL INPUT --beside-input …")
    check_outputs(output, read=(file, beside))
    model = load_any(file)
    S = None if beside is None else load_any(beside)
    left: Any = model if tokens is None else _run(model, tokens)
    right: Any = S
    second = tokens if beside_input is None else beside_input
    if second is not None and (S is not None or beside_input is not None):
        right = _run(model if S is None else S, second)
    names = [path.stem for path in (file, beside) if path is not None]
    with shown_progress("writing the page", "bytes") as progress:
        text = lazy.page(left, beside=right, names=names, circuit=circuit, progress=progress)
    if output is not None:
        with refusals("cannot write", output):
            write_whole(output, text.encode())
        say_written(output)
        return
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="weightsmith-", suffix=".html", delete=False
    ) as made:
        made.write(text)
    if not webbrowser.open(Path(made.name).as_uri()):
        say_aside("no browser could be opened here: open the file yourself, or write -o page.html")
    say_aside(f"the page is {shown(made.name)}")


def _run(model: "ws.Transformer | ws.Chain", tokens: str) -> Any:
    """Run a model on an input; a chain that does not end is shown too."""
    return model.run(tokens) if isinstance(model, ws.Chain) else ws.run(model, tokens)
