"""Train the models that the library ships: `make bench ONLY=shipped` writes them anew, with what was measured.

The storyteller learns fables that are written for it (`weightsmith.train.fable_texts`), in float32, and is rounded to
float16. The two small models with learnt positions are trained in fixed(3,3) itself. The model files are in
src/weightsmith/library/data, the loss curve and the figures of docs/lecture in docs/_static.

A training is not the same on every machine (docs/train.md), so this gives other weights elsewhere.
"""

import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

import weightsmith as ws
from weightsmith.files import model_bytes
from weightsmith.train.settings import Course, Shape

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "src" / "weightsmith" / "library" / "data"
STATIC = ROOT / "docs" / "_static"
DATA = STATIC / "storyteller.json"
WORDS, CONTEXT = 1_000_000, 80
STORIES = Shape(lanes=48, blocks=2, heads=4, neurons=192, context=CONTEXT, activation="relu")
LEARNING = Course(steps=4000, batch=32, rate=3e-3, decay=0.05, evaluate_every=100)
SMALL = Shape(lanes=8, blocks=1, heads=1, neurons=16, activation="relu", norm="none")
SHORT = Course(steps=600, batch=32, rate=5e-3, warmup=50, least_rate=0.0, decay=0.0, evaluate_every=200)
NUMBERS = ws.Fixed(3, 3)


def measure() -> Iterator[Table]:
    told = storyteller()
    DATA.write_text(json.dumps(told, indent=1) + "\n")
    table = Table("model", "weights", "bytes", "seconds", "right")
    table.add_row("storyteller", *(str(told[name]) for name in ("weights", "bytes", "seconds")), f"loss {told['loss']}")
    for name, positions, rule, language, longest in (
        ("learned_positions", replace(SMALL, context=8), third, "(0|1)(0|1)1(0|1)*", 8),
        (
            "relative_positions",
            replace(SMALL, context=10, positions="relative", max_distance=4),
            three_back,
            "(0|1)*1(0|1)(0|1)(0|1)",
            10,
        ),
    ):
        size, seconds, verdict = by_rule(name, positions, rule, language, longest)
        table.add_row(name, "", str(size), f"{seconds:.0f}", verdict)
    yield table


def storyteller() -> dict[str, Any]:
    """Train, round, write the model and its loss curve; return the figures of the page."""
    task = ws.train.as_text(ws.train.fables(WORDS), CONTEXT, "words")
    began = time.perf_counter()
    trained = ws.train.fit(task, STORIES, LEARNING)
    seconds = time.perf_counter() - began
    T = ws.to_arithmetic(trained.transformer, ws.Float.like("float16"))
    size = write(T, "storyteller", "library.storyteller()")
    ws.train.draw_losses(STATIC / "storyteller.svg", {"the storyteller": trained.history})
    found: dict[str, Any] = {"words": WORDS, "different": len(task.vocabulary), "weights": T.weights, "bytes": size}
    curve = [[record.step, record.train_loss, record.validation_loss] for record in trained.history]
    found |= {"steps": LEARNING.steps, "seconds": round(seconds), "loss": round(trained.loss, 3), "losses": curve}
    return found | {"how": trained.transformer.provenance[0]}


def by_rule(
    name: str, shape: Shape, rule: Callable[[str], bool], language: str, longest: int
) -> tuple[int, float, str]:
    """Train with one seed after the other until the model is right for every input; write it."""
    task = ws.train.by_predicate(rule, "01", max_length=longest, count=4000)
    began = time.perf_counter()
    for seed in range(10):
        T = ws.train.fit(task, shape, replace(SHORT, seed=seed), exact=NUMBERS).transformer
        verdict = ws.check.recognizes(T, language, up_to=T.max_length)
        print(f"{name}, seed {seed}: {verdict}", file=sys.stderr, flush=True)
        if verdict.holds:
            return write(T, name, f"library.{name}()"), time.perf_counter() - began, str(verdict)
    raise RuntimeError(f"no seed gives {name}: change the settings")


def third(text: str) -> bool:
    """Say whether the third letter is 1."""
    return text[2:3] == "1"


def three_back(text: str) -> bool:
    """Say whether the letter three before the last is 1."""
    return text[-4:-3] == "1"


def write(T: ws.Transformer, name: str, call: str) -> int:
    """Write a model as the library reads it, compressed; return its size in bytes."""
    content = gzip.compress(model_bytes(replace(T, provenance=(call, *T.provenance))), 9, mtime=0)
    (MODELS / f"{name}.safetensors.gz").write_bytes(content)
    return len(content)
