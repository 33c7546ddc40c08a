"""Units that follow the mood in models that were trained only to continue a text, with several seeds.

The text is made of sentences whose mood changes, each followed by "so she smiles ." or "so she weeps .", as the mood at
its end is. No mood is given as a label. `make bench ONLY=mood_text` writes the results to docs/_static/mood-text.json
and prints the table of docs/lecture/mood.md.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from rich.table import Table

import weightsmith as ws
from benchmarks.moods import KINDS, percent
from weightsmith.inspect.probing.units import UnitKind
from weightsmith.train.settings import MOODS

DATA = Path(__file__).parents[1] / "docs" / "_static" / "mood-text.json"
SEEDS = range(5)
SENTENCES, HELD_OUT, CHOOSE = 6000, 300, 400
STEPS, CONTEXT = 3000, 24


def measure() -> Iterator[Table]:
    sentences = ws.train.mood_sentences(SENTENCES)
    learn, held = sentences[:-HELD_OUT], sentences[-HELD_OUT:]
    found = {"steps": STEPS, "held_out": HELD_OUT, "runs": [run(seed, learn, held) for seed in SEEDS]}
    DATA.write_text(json.dumps(found, indent=1) + "\n")
    table = Table("seed", "LSTM", "transformer", *(f"best {kind}" for kind in KINDS))
    for cells in rows(found):
        table.add_row(*cells)
    yield table


def run(seed: int, learn: Sequence[Sequence[str]], held: Sequence[Sequence[str]], steps: int = STEPS) -> dict[str, Any]:
    """Train both on the text and track the mood."""
    text = " ".join(" ".join((*sentence, *ending(sentence), ".")) for sentence in learn)
    task = ws.train.as_text(text, CONTEXT, "words")
    shape = replace(MOODS.shape, context=CONTEXT, lanes=32, neurons=128, norm="layer")
    course = replace(MOODS.course, steps=steps, seed=seed, batch=32, rate=5e-3, evaluate_every=steps)
    began = time.perf_counter()
    both = ws.train.compare(task, shape, course)
    seconds = time.perf_counter() - began
    tracked = ws.tracking(both, mood, learn[:CHOOSE], held)
    best = {kind: tracked.best(kind) for kind in get_args(UnitKind)}
    L, right = both.as_lstm(), {"LSTM": 0, "transformer": 0}
    for sentence in held:
        *before, last = (*sentence, *ending(sentence))
        right["LSTM"] += L.run(before).decision == last
        right["transformer"] += ws.run(both.transformer, before).decision == last
    print(seed, right, f"{seconds:.0f} s", file=sys.stderr, flush=True)
    return {
        "seed": seed,
        "seconds": round(seconds),
        "right": right,
        "token": tracked.baselines.token,
        "best": {
            kind: {"unit": str(one.unit), "held_out": one.held_out, "gain": one.gain} for kind, one in best.items()
        },
    }


def ending(sentence: Sequence[str]) -> tuple[str, ...]:
    """Return how a sentence goes on."""
    return ("so", "she", "smiles" if ws.train.moods(sentence)[-1] else "weeps")


def mood(reading: Any) -> list[bool]:
    """Say after each word whether the mood is good."""
    return ws.train.moods(reading.tokens)


def rows(found: dict[str, Any]) -> Iterator[list[str]]:
    """Yield for every seed how often each model continues rightly, and the accuracy of its best units."""
    for one in found["runs"]:
        right = [f"{one['right'][name]} of {found['held_out']}" for name in ("LSTM", "transformer")]
        yield [str(one["seed"]), *right, *(percent(one["best"][kind]["held_out"]) for kind in KINDS)]


def markdown(found: dict[str, Any]) -> str:
    """Return the table as the page shows it."""
    titles = ("seed", "LSTM: right last word", "transformer", "best cell", "best neuron", "best lane")
    lines = [f"| {' | '.join(titles)} |", "|---:|---:|---:|---:|---:|---:|"]
    return "\n".join(lines + [f"| {' | '.join(cells)} |" for cells in rows(found)])
