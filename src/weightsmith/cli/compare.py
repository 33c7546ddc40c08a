"""weightsmith compare."""

from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.interrupts import Interrupts
from weightsmith.cli.output import AsJson, print_json, say, say_aside, say_written
from weightsmith.cli.settings import chosen, takes_settings
from weightsmith.cli.train import check_file, load_torch
from weightsmith.errors import InputError, named, shown
from weightsmith.train.settings import COMPARISON, CURVE_POINTS, Course, Shape

SETTINGS = ("lanes", "blocks", "heads", "context", "steps", "batch", "rate", "seed", "threads")
KINDS = ("transformer", "lstm")
SHOWN_LETTERS, SHOWN_WORDS = 32, 8  # of the text that are shown unless a sentence is given


@takes_settings({"both": COMPARISON}, SETTINGS)
def compare(
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="A text file to learn.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write: .svg, .png or .pdf.")] = Path(
        "compare.svg"
    ),
    sentence: Annotated[
        str | None, typer.Option(help="What both read in the picture; the beginning of the text, unless said.")
    ] = None,
    tokens: Annotated[str, typer.Option(help="characters or words.")] = "characters",
    as_json: AsJson = False,
    **settings: Any,
) -> None:
    """Train a transformer and an LSTM with as many parameters on one text, and draw what each remembers.

    After a kill or Ctrl-C the same command goes on where it was.
    """
    with Interrupts() as stop:
        load_torch()
        ws.train.picture_format(output)
        read = ws.train.read_file(text)
        task = ws.train.as_text(read, settings["context"], tokens)  # type: ignore[arg-type]
        every = max(settings["steps"] // CURVE_POINTS, 1)
        shape, course = COMPARISON.changed({**chosen(settings), "evaluate_every": every})
        sentence = _beginning(task, read) if sentence is None else sentence
        _check(task, sentence)
        check_file(output, text)
        found = compared(task, shape, course, output, stop)
        if found.lstm_steps < course.steps:
            stopped(found, course.steps, output)
    ws.train.draw_comparison(output, found, sentence)
    for file in checkpoints(output):
        file.unlink(missing_ok=True)
    _tell(found, as_json)
    say_written(output)


def checkpoints(output: Path) -> list[Path]:
    """Return the checkpoints of both."""
    return [output.with_name(f"{output.name}.checkpoint.{kind}") for kind in KINDS]


def _beginning(task: "ws.train.Text", text: str) -> str:
    """Return the first words of a text, or its first letters up to the end of a line; no more than the context has."""
    if task.separator:
        return " ".join(text.split()[: min(SHOWN_WORDS, task.context)])
    line = next((line for line in text.split("\n") if line), "\n")
    return line[: min(SHOWN_LETTERS, task.context)]


def _check(task: "ws.train.Text", sentence: str) -> None:
    """Refuse a sentence that could not be read, before anything is trained."""
    tokens, most = sentence.split() if task.separator else list(sentence), task.context
    if not 1 <= len(tokens) <= most:
        raise InputError(f"--sentence has {len(tokens)} tokens: write from 1 to {most}, as many as the context has")
    unknown = [token for token in tokens if token not in task.vocabulary]
    if unknown:
        raise InputError(f"--sentence has {named(unknown[0])}, which the text has not: write what the text is made of")


def compared(
    task: "ws.train.Text | ws.train.Labelled", shape: Shape, course: Course, output: Path, stop: Interrupts
) -> "ws.train.Comparison":
    """Train both with one bar, the transformer first."""
    with lazy.shown_progress("training", "steps") as show:

        def report(step: int, loss: float, rate: float) -> None:
            show(step, 2 * course.steps, f"loss {loss:.3f}, {rate:,.0f} tokens/s")

        return ws.train.compare(task, shape, course, output.with_name(f"{output.name}.checkpoint"), report, stop)


def stopped(found: "ws.train.Comparison", steps: int, output: Path) -> NoReturn:
    """Say that training can go on."""
    files = " and ".join(shown(str(file)) for file in checkpoints(output) if file.exists())
    say_aside(
        f"stopped after {found.transformer_steps:,} of {steps:,} steps of the transformer and {found.lstm_steps:,} of "
        f"the LSTM: saved in {files}; the same command goes on"
    )
    raise typer.Exit(130)


def _tell(found: "ws.train.Comparison", as_json: bool) -> None:
    histories = (found.transformer_history, found.lstm_history)
    sizes = (found.transformer_parameters, found.lstm_parameters)
    rows: list[dict[str, Any]] = [
        {"kind": kind, "parameters": size, "validation_loss": history[-1].validation_loss,
         "seconds": history[-1].seconds, "tokens": history[-1].tokens}
        for kind, size, history in zip(KINDS, sizes, histories, strict=True)
    ]  # fmt: skip
    if as_json:
        print_json(rows)
        return
    for name, row in zip(("transformer", "LSTM"), rows, strict=True):
        speed = row["tokens"] / max(row["seconds"], 1e-9)
        say(
            f"{name}: validation loss {row['validation_loss']:.4f}, {row['parameters']:,} parameters, "
            f"{row['seconds']:,.1f} s, {speed:,.0f} tokens per second"
        )
