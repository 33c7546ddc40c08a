"""weightsmith train."""

import os
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.interrupts import Interrupts
from weightsmith.cli.output import AsJson, print_json, say, say_aside, token_text
from weightsmith.cli.settings import chosen, takes_settings
from weightsmith.errors import MAX_ECHO, FileError, InputError, UnknownError, named, reason, shown
from weightsmith.storage import check_writable
from weightsmith.train.settings import CURVE_POINTS, EXACT, LABELLED, TEXT, Course, Shape

SAMPLE_TOKENS = 200  # tokens of a language model, at the end
NEEDS_TORCH = "training needs PyTorch: write pip install 'weightsmith[torch]'"


@takes_settings({"a text": TEXT, "labelled strings": LABELLED, "--exact": EXACT})
def train(
    text: Annotated[Path | None, typer.Argument(metavar="[TEXT]", help="A text file to learn.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path(
        "model.safetensors"
    ),
    predicate: Annotated[
        str | None, typer.Option(help="Or strings that a predicate labels, such as 'contains 11'.")
    ] = None,
    labelled: Annotated[
        Path | None, typer.Option(help="Or a file of labelled strings: on each line a string, a tab, YES or NO.")
    ] = None,
    tokens: Annotated[str, typer.Option(help="Of a text: characters or words.")] = "characters",
    vocabulary: Annotated[str, typer.Option(help="With --predicate: the symbols.")] = "01",
    max_length: Annotated[int, typer.Option(help="With --predicate: the longest strings.")] = 12,
    exact: Annotated[
        str | None,
        typer.Option(metavar="ARITHMETIC", help="Of labelled strings: train in it, fixed(3,3), with hard attention."),
    ] = None,
    as_json: AsJson = False,
    **settings: Any,
) -> None:
    """Train a model on a text or on labelled strings. After a kill or Ctrl-C the same command goes on where it was."""
    with Interrupts() as stop:
        load_torch()
        if sum(source is not None for source in (text, predicate, labelled)) != 1:
            raise InputError("write a text file, or --predicate 'contains 11', or --labelled FILE: one of them")
        if exact is not None and text is not None:
            raise InputError("--exact is for strings with a label: write --predicate 'contains 11', or --labelled FILE")
        arithmetic = None if exact is None else ws.parse_arithmetic(exact)
        _check_files(output, text or labelled)
        task: ws.train.Text | ws.train.Labelled
        if text is not None:
            task = ws.train.as_text(ws.train.read_file(text), settings["context"], tokens)  # type: ignore[arg-type]
        elif predicate is not None:
            holds = ws.train.predicate(predicate)
            task = ws.train.by_predicate(holds, vocabulary, max_length, seed=settings["seed"])
        elif labelled is not None:
            task = ws.train.read_labelled(labelled, settings["seed"])
        preset = TEXT if text is not None else LABELLED if exact is None else EXACT
        shape, course = preset.changed({**chosen(settings), "context": task.longest})
        if settings["evaluate_every"] is None:  # a short training too has a curve
            course = replace(course, evaluate_every=min(course.evaluate_every, max(1, course.steps // CURVE_POINTS)))
        trained = _fitted(task, shape, course, output, stop, arithmetic)
        if trained.steps < course.steps:
            _stopped(trained, course, output)
    _save(trained, output)
    _tell(trained, output, text is not None, as_json)


def load_torch() -> None:
    """Load PyTorch, with threads that spin only briefly while they wait: spinning slows down all other work."""
    if find_spec("torch") is None or find_spec("matplotlib") is None:
        raise InputError(NEEDS_TORCH)
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")  # its own 300,000 halve the speed of a busy machine
    import torch  # noqa: F401 (here, because it takes a second and must come after the line above)


def _beside(output: Path) -> tuple[Path, Path, Path]:
    """Return the checkpoint, the log and the picture of a model file."""
    name = output.name.removesuffix(".safetensors")
    checkpoint, log, picture = (output.with_name(name + end) for end in (".checkpoint", ".log.jsonl", ".loss.svg"))
    return checkpoint, log, picture


def _check_files(output: Path, source: Path | None) -> None:
    """Refuse files that cannot be written, before training."""
    check_file(output, source)  # a folder has no files beside it, and is refused first
    for path in _beside(output):
        check_file(path, source)


def check_file(path: Path, source: Path | None) -> None:
    """Refuse a file that could not be written, or that would be written over its source."""
    try:
        check_writable(path)
        if source is not None and path.exists() and source.exists() and path.samefile(source):
            raise FileError("it is what is to be learnt; name another output")
    except (FileError, OSError, RuntimeError, ValueError) as error:
        raise FileError(f"cannot write {named(str(path), MAX_ECHO)}: {reason(error)}") from None


def _fitted(
    task: "ws.train.Text | ws.train.Labelled",
    shape: Shape,
    course: Course,
    output: Path,
    stop: Interrupts,
    exact: "ws.Arithmetic | None",
) -> "ws.train.Trained":
    """Train with a bar, a checkpoint and a log beside the model."""
    checkpoint, log, _ = _beside(output)
    if checkpoint.exists():
        say_aside(f"going on from {shown(str(checkpoint))}")
    with lazy.shown_progress("training", "steps") as report:
        return ws.train.fit(
            task, shape, course, checkpoint=checkpoint,
            report=lambda step, loss, rate: report(step, course.steps, f"loss {loss:.3f}, {rate:,.0f} tokens/s"),
            record=lambda history: ws.train.write_log(log, history),
            stop=stop, exact=exact,
        )  # fmt: skip


def _stopped(trained: "ws.train.Trained", course: Course, output: Path) -> NoReturn:
    """Save the model as it is, beside its checkpoint, and say that training can go on."""
    ws.save(trained.transformer, output)
    say_aside(
        f"stopped after {trained.steps:,} of {course.steps:,} steps: the model so far is {shown(str(output))}, its "
        f"checkpoint {shown(str(_beside(output)[0]))}; the same command goes on"
    )
    raise typer.Exit(130)


def _save(trained: "ws.train.Trained", output: Path) -> None:
    """Write the model and the picture of its losses."""
    checkpoint, _, picture = _beside(output)
    ws.save(trained.transformer, output)
    ws.train.draw_losses(picture, {"training": trained.history})
    checkpoint.unlink(missing_ok=True)  # only now, so that a kill loses nothing


def _tell(trained: "ws.train.Trained", output: Path, language: bool, as_json: bool) -> None:
    T, last = trained.transformer, trained.history[-1]
    sample: list[str] = []
    if language:
        steps = min(SAMPLE_TOKENS, (T.max_length or SAMPLE_TOKENS) - 1)
        sample = list(ws.generate(T, [T.vocabulary[0]], steps, temperature=0.8, seed=0))
    if as_json:
        verdict = {} if trained.verdict is None else {"verdict": trained.verdict.summary()}
        print_json({**asdict(last), "tokens_per_second": trained.tokens_per_second, "sample": sample, **verdict})
        return
    say(f"validation loss {last.validation_loss:.4f} after {last.step:,} steps, {last.seconds:,.1f} s,")
    say(f"{trained.tokens_per_second:,.0f} tokens per second, {T.weights:,} weights")
    if trained.verdict is not None:
        say(str(trained.verdict))
    elif isinstance(T.arithmetic, lazy.Saturating):
        say(_own_language(T))
    if sample:
        say(lazy.tokens.tokens_text(T.vocabulary, map(token_text, sample)))
    names = ", ".join(shown(str(path)) for path in _beside(output)[1:])
    say_aside(f"written to {shown(str(output))}; losses in {names}")


def _own_language(T: "ws.Transformer") -> str:
    """Say how large the automaton of a model is that no rule can be compared with."""
    try:
        A = ws.automaton(T, seconds=lazy.EXTRACTION_SECONDS)
    except UnknownError as error:
        return f"its exact language is unknown: {error}"
    return f"its exact language has {len(A.table):,} states, {A.scope}: weightsmith automaton shows them"
