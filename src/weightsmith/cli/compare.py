"""weightsmith compare."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from weightsmith.cli.interrupts import Interrupts
from weightsmith.cli.output import AsJson, errors, print_json, say
from weightsmith.cli.train import SEED, check_file, load_torch
from weightsmith.errors import InputError

if TYPE_CHECKING:
    from weightsmith.train import Comparison, Course, Shape, Text

KINDS = ("transformer", "lstm")
LETTERS, WORDS = 32, 8  # of the text that are shown unless a sentence is given


def compare(
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="A text file to learn.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write: .svg, .png or .pdf.")] = Path(
        "compare.svg"
    ),
    sentence: Annotated[
        str | None, typer.Option(help="What both read in the picture; the beginning of the text, unless said.")
    ] = None,
    tokens: Annotated[str, typer.Option(help="characters or words.")] = "characters",
    lanes: Annotated[int, typer.Option(help="How many lanes.")] = 64,
    blocks: Annotated[int, typer.Option(help="How many blocks.")] = 4,
    heads: Annotated[int, typer.Option(help="Heads per block.")] = 4,
    context: Annotated[int, typer.Option(help="How many tokens are seen at once.")] = 64,
    steps: Annotated[int, typer.Option(help="How many steps, of each.")] = 1000,
    batch: Annotated[int, typer.Option(help="Inputs per step.")] = 32,
    rate: Annotated[float, typer.Option(help="The highest learning rate.")] = 2e-3,
    seed: Annotated[int, typer.Option(help=SEED)] = 0,
    threads: Annotated[int, typer.Option(help="Threads to compute with.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Train a transformer and an LSTM with as many parameters on one text, and draw what each remembers.

    After a kill or Ctrl-C the same command goes on where it was.
    """
    with Interrupts() as stop:
        load_torch()
        from weightsmith.errors import shown
        from weightsmith.train import Course, Shape, as_text, draw_comparison, picture_format, read_file

        picture_format(output)
        written = read_file(text)
        task = as_text(written, context, tokens)  # type: ignore[arg-type]
        shape = Shape(lanes=lanes, blocks=blocks, heads=heads, neurons=4 * lanes, context=context)
        every = max(steps // 20, 1)
        course = Course(steps=steps, batch=batch, rate=rate, seed=seed, threads=threads, evaluate_every=every)
        sentence = _beginning(task, written) if sentence is None else sentence
        _check(task, sentence, context)
        check_file(output, text)
        found = _compared(task, shape, course, output, stop)
        if found.lstm_steps < steps:
            _stopped(found, steps, output)
    draw_comparison(output, found, sentence)
    for file in _checkpoints(output):
        file.unlink(missing_ok=True)
    _tell(found, as_json)
    errors().print(f"written to {shown(str(output))}")


def _checkpoints(output: Path) -> list[Path]:
    """Return the checkpoints of both."""
    return [output.with_name(f"{output.name}.checkpoint.{kind}") for kind in KINDS]


def _beginning(task: "Text", written: str) -> str:
    """Return the first words of a text, or its first letters up to the end of a line; no more than the context has."""
    if task.separator:
        return " ".join(written.split()[: min(WORDS, task.context)])
    line = next((line for line in written.split("\n") if line), "\n")
    return line[: min(LETTERS, task.context)]


def _check(task: "Text", sentence: str, context: int) -> None:
    """Refuse a sentence that could not be read, before anything is trained."""
    from weightsmith.errors import shown

    units = sentence.split() if task.separator else list(sentence)
    if not 1 <= len(units) <= context:
        raise InputError(f"--sentence has {len(units)} tokens: write from 1 to {context}, as many as the context has")
    unknown = [unit for unit in units if unit not in task.vocabulary]
    if unknown:
        raise InputError(f"--sentence has {shown(unknown[0])}, which the text has not: write what the text is made of")


def _compared(task: "Text", shape: "Shape", course: "Course", output: Path, stop: Interrupts) -> "Comparison":
    """Train both with one bar, the transformer first."""
    from weightsmith.cli.progress import shown_progress
    from weightsmith.train import compare

    with shown_progress("training", "steps") as show:

        def report(step: int, loss: float, rate: float) -> None:
            show(step, 2 * course.steps, f"loss {loss:.3f}, {rate:,.0f} tokens/s")

        return compare(task, shape, course, output.with_name(f"{output.name}.checkpoint"), report, stop)


def _stopped(found: "Comparison", steps: int, output: Path) -> NoReturn:
    """Say that training can go on."""
    from weightsmith.errors import shown

    files = " and ".join(shown(str(file)) for file in _checkpoints(output) if file.exists())
    errors().print(
        f"stopped after {found.transformer_steps:,} of {steps:,} steps of the transformer and {found.lstm_steps:,} of "
        f"the LSTM: saved in {files}; the same command goes on"
    )
    raise typer.Exit(130)


def _tell(found: "Comparison", as_json: bool) -> None:
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
