"""Predicates learnt exactly, for ten seeds each: how many of the models are right, and where the others fail first.

`make bench ONLY=exactness` writes what it found to docs/_static/exactness.json, and prints a table.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

import weightsmith as ws
from weightsmith.train import by_predicate, fit, predicate
from weightsmith.train.settings import EXACT

DATA = Path(__file__).parents[1] / "docs" / "_static" / "exactness.json"
PREDICATES = ("ends with 01", "starts with 1", "contains 11", "first equals last", "odd number of 1")
SEEDS, UP_TO = range(10), 12
ARITHMETIC = "fixed(3,3)"


def measure() -> Iterator[Table]:
    runs = [run(said, seed) for said in PREDICATES for seed in SEEDS]
    DATA.write_text(json.dumps({"arithmetic": ARITHMETIC, "up_to": UP_TO, "runs": runs}, indent=1) + "\n")
    table = Table("predicate", f"right up to {UP_TO}", "first wrong input of the others", title=f"--exact {ARITHMETIC}")
    for said in PREDICATES:
        own = [one for one in runs if one["predicate"] == said]
        wrong = [one["first_wrong"] for one in own if one["first_wrong"] is not None]
        table.add_row(said, f"{len(own) - len(wrong)} of {len(own)}", ", ".join(sorted(wrong, key=len)))
    yield table


def run(said: str, seed: int) -> dict[str, Any]:
    """Train once, and run every input up to a length."""
    rule, (shape, course) = predicate(said), EXACT.changed({"seed": seed, "context": UP_TO})
    begin = time.process_time()
    trained = fit(by_predicate(rule, "01", UP_TO, seed=seed), shape, course, exact=ws.parse_arithmetic(ARITHMETIC))
    seconds = round(time.process_time() - begin, 1)
    found = ws.check.recognizes(trained.transformer, rule, up_to=UP_TO).counterexample
    wrong = None if found is None else "".join(found)
    print(f"{said}, seed {seed}: {wrong}, loss {trained.loss:.4f}, {seconds} s", file=sys.stderr, flush=True)
    how = trained.transformer.provenance[0]
    return {"predicate": said, "seed": seed, "first_wrong": wrong, "loss": trained.loss, "seconds": seconds, "how": how}
