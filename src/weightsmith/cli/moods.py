"""weightsmith moods."""

from pathlib import Path
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli.compare import checkpoints, compared, stopped
from weightsmith.cli.interrupts import Interrupts
from weightsmith.cli.output import AsJson, say_written
from weightsmith.cli.settings import chosen, takes_settings
from weightsmith.cli.track import tell
from weightsmith.cli.train import check_file, load_torch
from weightsmith.errors import InputError, listed, named
from weightsmith.train.settings import CURVE_POINTS, MOODS

SETTINGS = ("lanes", "blocks", "heads", "steps", "batch", "rate", "seed", "threads")
LEARN, CHOOSE, HELD_OUT = 3500, 400, 300  # sentences: to learn from, of these to choose units on, and to measure on
SENTENCE = "she walks sunny and then not fine the dog not sad"


@takes_settings({"both": MOODS}, SETTINGS)
def moods(
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write: .svg, .png or .pdf.")] = Path(
        "moods.svg"
    ),
    sentence: Annotated[str, typer.Option(help="What the best units are drawn over.")] = SENTENCE,
    model: Annotated[
        Path | None, typer.Option(help="Where to save the transformer, a .safetensors file for `weightsmith show`.")
    ] = None,
    top: Annotated[int, typer.Option(help="How many units of each kind to show.")] = 3,
    as_json: AsJson = False,
    **settings: Any,
) -> None:
    """Train a transformer and an LSTM on sentences whose mood changes, and see which single unit tracks it.

    After a kill or Ctrl-C the same command goes on where it was.
    """
    with Interrupts() as stop:
        load_torch()
        ws.train.picture_format(output)
        _check(sentence)
        for file in (output,) if model is None else (output, model):
            check_file(file, None)
        every = max(settings["steps"] // CURVE_POINTS, 1)
        shape, course = MOODS.changed({**chosen(settings), "evaluate_every": every})
        sentences = ws.train.mood_sentences(LEARN + HELD_OUT, shape.context)
        learn, held_out = sentences[:LEARN], sentences[LEARN:]
        task = ws.train.as_labelled(ws.train.mood_labels(learn), ws.train.MOOD_WORDS)
        found = compared(task, shape, course, output, stop)
        if found.lstm_steps < course.steps:
            stopped(found, course.steps, output)
    tracked = ws.tracking(found, mood, learn[:CHOOSE], held_out)
    ws.train.draw_tracks(output, tracked.over(sentence))
    if model is not None:
        ws.save(found.transformer, model)
    for file in checkpoints(output):
        file.unlink(missing_ok=True)
    tell(tracked, sentence, top, as_json)
    for file in (output,) if model is None else (output, model):
        say_written(file)


def mood(reading: Any) -> list[bool]:
    """Say after each word whether the mood is good."""
    return ws.train.moods(reading.tokens)


def _check(sentence: str) -> None:
    """Refuse a sentence that could not be read, before anything is trained."""
    words, most = sentence.split(), MOODS.shape.context
    unknown = [word for word in words if word not in ws.train.MOOD_WORDS]
    if unknown:
        words_there = listed(ws.train.MOOD_WORDS, most=99)
        raise InputError(f"--sentence has {named(unknown[0])}, which they do not learn: write of {words_there}")
    if not 1 <= len(words) <= most:
        raise InputError(f"--sentence has {len(words)} words: write from 1 to {most}")
