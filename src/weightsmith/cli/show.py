"""weightsmith show."""

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.loading import load_any, load_model
from weightsmith.cli.output import ModelFile, check_outputs, say_aside, say_written
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
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page to write; without it the page opens in the browser.")
    ] = None,
) -> None:
    """See a model think: a page, in one file, that shows the stream step by step and runs whatever one types.

    The file needs no network and no Weightsmith: it can be sent to anybody.
    """
    if beside_input is not None and tokens is None:
        raise InputError("--beside-input needs an input to stand beside: weightsmith show MODEL INPUT --beside-input …")
    check_outputs(output, read=(file, beside))
    model = load_any(file)
    if isinstance(model, ws.Chain) and tokens is not None:  # the whole text that the chain writes
        tokens = lazy.tokens.tokens_text(model.transformer.vocabulary, model.run(tokens).text[:-1])
    T = model.transformer if isinstance(model, ws.Chain) else model
    S = None if beside is None else load_model(beside)
    left: ws.Transformer | ws.Run = T if tokens is None else ws.run(T, tokens)
    right: ws.Transformer | ws.Run | None = S
    second = tokens if beside_input is None else beside_input
    if second is not None and (S is not None or beside_input is not None):
        right = ws.run(T if S is None else S, second)
    text = lazy.page(left, beside=right, names=[path.stem for path in (file, beside) if path is not None])
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
