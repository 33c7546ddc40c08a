"""weightsmith train."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from weightsmith.cli.interrupts import Interrupts
from weightsmith.cli.output import AsJson, errors, print_json, say
from weightsmith.errors import InputError

if TYPE_CHECKING:
    from weightsmith.train import Labelled, Text, Trained

SAMPLE = 200  # tokens of a language model, at the end
SEED = "The same seed gives the same weights, on the same machine with the same PyTorch and --threads; not on others."
NEEDS_TORCH = "training needs PyTorch: write pip install 'weightsmith[torch]'"


def train(
    text: Annotated[Path | None, typer.Argument(metavar="[TEXT]", help="A text file to learn.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")] = Path(
        "model.safetensors"
    ),
    predicate: Annotated[str | None, typer.Option(help="A rule to learn instead, such as 'contains 11'.")] = None,
    labelled: Annotated[
        Path | None, typer.Option(help="Or a file of strings to learn: on each line a string, a tab, YES or NO.")
    ] = None,
    tokens: Annotated[str, typer.Option(help="Of a text: characters or words.")] = "characters",
    vocabulary: Annotated[str, typer.Option(help="With --predicate: the symbols.")] = "01",
    max_length: Annotated[int, typer.Option(help="With --predicate: the longest strings.")] = 12,
    lanes: Annotated[int | None, typer.Option(help="How many lanes; 128 for a text, 16 for a rule.")] = None,
    blocks: Annotated[int | None, typer.Option(help="How many blocks; 4 and 2.")] = None,
    heads: Annotated[int | None, typer.Option(help="Heads per block; 4 and 2.")] = None,
    neurons: Annotated[int | None, typer.Option(help="Neurons per block; four times the lanes.")] = None,
    context: Annotated[int, typer.Option(help="Of a text: how many tokens are seen at once.")] = 64,
    activation: Annotated[
        str | None, typer.Option(help="relu, gelu, gelu_tanh, silu, reglu or swiglu; gelu for a text, relu for a rule.")
    ] = None,
    positions: Annotated[str, typer.Option(help="table, sinusoidal, relative, rotary, alibi or none.")] = "table",
    norm: Annotated[str | None, typer.Option(help="layer, rms or none; layer for a text, none for a rule.")] = None,
    placement: Annotated[str, typer.Option(help="The norm comes before (pre) or after (post) a sublayer.")] = "pre",
    tied: Annotated[bool, typer.Option(help="Of a text: the output is the embedding.")] = True,
    steps: Annotated[int | None, typer.Option(help="How many steps; 1000 for a text, 1500 for a rule.")] = None,
    batch: Annotated[int | None, typer.Option(help="Inputs per step; 32 for a text, 128 for a rule.")] = None,
    rate: Annotated[float | None, typer.Option(help="The highest learning rate; 0.002 and 0.01.")] = None,
    warmup: Annotated[int, typer.Option(help="Steps until it is reached.")] = 100,
    decay: Annotated[float | None, typer.Option(help="Weight decay; 0.1 for a text, 0 for a rule.")] = None,
    dropout: Annotated[float, typer.Option(help="The share of values left out while learning.")] = 0.0,
    clip: Annotated[float, typer.Option(help="The largest gradient; 0 for no limit.")] = 1.0,
    seed: Annotated[int, typer.Option(help=SEED)] = 0,
    threads: Annotated[
        int | None, typer.Option(help="Threads to compute with; 2 for a text, 1 for a rule. Part of what is repeated.")
    ] = None,
    evaluate_every: Annotated[int, typer.Option(help="Steps between records.")] = 100,
    checkpoint_every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Train a model on a text or on a rule. After a kill or Ctrl-C the same command goes on where it was."""
    with Interrupts() as stop:
        load_torch()
        from weightsmith.train import Course, Shape

        if sum(source is not None for source in (text, predicate, labelled)) != 1:
            raise InputError("write a text file, or --predicate RULE, or --labelled FILE: one of them")
        _check_files(output, text or labelled)
        language = text is not None
        lanes = (128 if language else 16) if lanes is None else lanes
        course = Course(
            steps=(1000 if language else 1500) if steps is None else steps,
            batch=(32 if language else 128) if batch is None else batch,
            rate=(2e-3 if language else 1e-2) if rate is None else rate, warmup=warmup,
            decay=(0.1 if language else 0.0) if decay is None else decay, dropout=dropout, clip=clip, seed=seed,
            threads=(2 if language else 1) if threads is None else threads,
            evaluate_every=evaluate_every, checkpoint_every=checkpoint_every,
        )  # fmt: skip
        task = _task(text, predicate, labelled, tokens, vocabulary, max_length, context, seed)
        sizes: dict[str, Any] = {
            "lanes": lanes, "blocks": (4 if language else 2) if blocks is None else blocks,
            "heads": (4 if language else 2) if heads is None else heads,
            "neurons": 4 * lanes if neurons is None else neurons,
            "context": context if language else _longest(task), "positions": positions,
            "activation": ("gelu" if language else "relu") if activation is None else activation,
            "norm": ("layer" if language else "none") if norm is None else norm, "placement": placement, "tied": tied,
        }  # fmt: skip
        trained = _fitted(task, Shape(**sizes), course, output, stop)
        if trained.steps < course.steps:
            _stopped(trained, course, output)
    _save(trained, output)
    _tell(trained, output, language, as_json)


def load_torch() -> None:
    """Load PyTorch, with threads that spin only briefly while they wait: spinning slows down all other work."""
    import os
    from importlib.util import find_spec

    if find_spec("torch") is None or find_spec("matplotlib") is None:
        raise InputError(NEEDS_TORCH)
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")  # its own 300,000 halve the speed of a busy machine
    import torch  # noqa: F401


def _beside(output: Path) -> tuple[Path, Path, Path]:
    """Return the checkpoint, the log and the picture of a model file."""
    name = output.name.removesuffix(".safetensors")
    checkpoint, log, picture = (output.with_name(name + end) for end in (".checkpoint", ".log.jsonl", ".loss.svg"))
    return checkpoint, log, picture


def _check_files(output: Path, source: Path | None) -> None:
    """Refuse what could not be written, before anything is learnt."""
    check_file(output, source)  # a folder has no files beside it, and is refused first
    for path in _beside(output):
        check_file(path, source)


def check_file(path: Path, source: Path | None) -> None:
    """Refuse a file that could not be written, or that would be written over its source."""
    from weightsmith.errors import FileError, shown
    from weightsmith.files.container import check_writable

    try:
        check_writable(path)
        if source is not None and path.exists() and source.exists() and path.samefile(source):
            raise FileError("it is what is to be learnt; name another output")
    except (FileError, OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {shown(str(path))}: {why}") from None


def _task(
    text: Path | None, predicate: str | None, labelled: Path | None, tokens: str, vocabulary: str, max_length: int,
    context: int, seed: int,
) -> "Text | Labelled":  # fmt: skip
    from weightsmith.train import as_text, by_rule, read_file, read_labelled, rule

    if text is not None:
        return as_text(read_file(text), context, tokens)  # type: ignore[arg-type]
    if predicate is not None:
        return by_rule(rule(predicate), vocabulary, max_length, seed=seed)
    assert labelled is not None
    return read_labelled(labelled, seed)


def _longest(task: "Text | Labelled") -> int:
    from weightsmith.train import Text

    return task.context if isinstance(task, Text) else max(*task.by_length, *task.held)


def _fitted(task: "Text | Labelled", shape: Any, course: Any, output: Path, stop: Interrupts) -> "Trained":
    """Train with a bar, a checkpoint and a log beside the model."""
    from weightsmith.cli.progress import shown_progress
    from weightsmith.errors import shown
    from weightsmith.train import fit, write_log

    checkpoint, log, _ = _beside(output)
    if checkpoint.exists():
        errors().print(f"going on from {shown(str(checkpoint))}")
    with shown_progress("training", "steps") as report:
        return fit(
            task, shape, course, checkpoint=checkpoint,
            report=lambda step, loss, rate: report(step, course.steps, f"loss {loss:.3f}, {rate:,.0f} tokens/s"),
            record=lambda history: write_log(log, history),
            stop=stop,
        )  # fmt: skip


def _stopped(trained: "Trained", course: Any, output: Path) -> NoReturn:
    """Save the model as it is, beside its checkpoint, and say that training can go on."""
    from weightsmith.errors import shown
    from weightsmith.files import save

    save(trained.transformer, output)
    errors().print(
        f"stopped after {trained.steps:,} of {course.steps:,} steps: the model so far is {shown(str(output))}, its "
        f"checkpoint {shown(str(_beside(output)[0]))}; the same command goes on"
    )
    raise typer.Exit(130)


def _save(trained: "Trained", output: Path) -> None:
    """Write the model and the picture of its losses."""
    from weightsmith.files import save
    from weightsmith.train import draw_losses

    checkpoint, _, picture = _beside(output)
    save(trained.transformer, output)
    draw_losses(picture, {"training": trained.history})
    checkpoint.unlink(missing_ok=True)  # only now: until here nothing of it is lost


def _tell(trained: "Trained", output: Path, language: bool, as_json: bool) -> None:
    from dataclasses import asdict

    from weightsmith.errors import shown
    from weightsmith.inspect.generate import generate

    T, last = trained.transformer, trained.history[-1]
    sample: list[str] = []
    if language:
        steps = min(SAMPLE, (T.max_length or SAMPLE) - 1)
        sample = list(generate(T, [T.vocabulary[0]], steps, temperature=0.8, seed=0))
    if as_json:
        print_json({**asdict(last), "tokens_per_second": trained.tokens_per_second, "sample": sample})
        return
    say(f"validation loss {last.validation_loss:.4f} after {last.step:,} steps, {last.seconds:,.1f} s,")
    say(f"{trained.tokens_per_second:,.0f} tokens per second, {T.weights:,} weights")
    if sample:
        separator = "" if all(len(token) == 1 for token in T.vocabulary) else " "
        say(separator.join(token if token in (" ", "\n") else shown(token) for token in sample))
    names = ", ".join(shown(str(path)) for path in _beside(output)[1:])
    errors().print(f"written to {shown(str(output))}; losses in {names}")
