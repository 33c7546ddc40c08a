"""Single units that track a feature: the best cell, neuron and lane for the mood, with several seeds.

The command of docs/lecture/mood.md at full size. `make bench ONLY=moods` writes the results to docs/_static/moods.json,
with the picture and the transformer of the first seed, and prints the table of the page.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.seeds import command

DATA = Path(__file__).parents[1] / "docs" / "_static" / "moods.json"
PICTURE = DATA.with_suffix(".svg")
MODEL = DATA.with_suffix(".safetensors")
SEEDS = range(5)
KINDS = ("cell", "neuron", "lane")


def measure() -> Iterator[Table]:
    found = {"runs": [run(seed) for seed in SEEDS]}
    DATA.write_text(json.dumps(found, indent=1) + "\n")
    table = Table("seed", *(f"best {kind}, held out" for kind in KINDS), title=summary(found))
    for cells in rows(found):
        table.add_row(*cells)
    yield table


def run(seed: int) -> dict[str, Any]:
    """Train both and track; keep the baselines and the best unit of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        first = seed == SEEDS[0]
        picture, model = (PICTURE, MODEL) if first else (Path(folder) / PICTURE.name, Path(folder) / MODEL.name)
        began = time.perf_counter()
        found = command({}, "moods", "--seed", str(seed), "-o", str(picture), "--model", str(model))
        seconds = round(time.perf_counter() - began)
    units = {row["unit"]: row for row in found["units"]}
    best = {kind: {**units[said["best"]], "follows": said["follows"]} for kind, said in found["kinds"].items()}
    print(f"seed {seed}: {[best[kind]['held_out'] for kind in KINDS]}", file=sys.stderr, flush=True)
    kept = {name: found[name] for name in ("positions", "baselines", "least_gain")}
    return {"seed": seed, "seconds": seconds, **kept, "best": best}


def summary(found: dict[str, Any]) -> str:
    """Return a sentence with the accuracy of the baselines."""
    first = found["runs"][0]
    usual, token, held = first["baselines"]["usual"], first["baselines"]["token"], first["positions"]["held_out"]
    chance = max(one["baselines"]["shuffled"] for one in found["runs"])
    return (
        f"Of {held:,} positions held out, the most frequent mood is right at {percent(usual)}, the mood that is usual "
        f"for the word at {percent(token)}, and the best of all units for a shuffled mood at {percent(chance)} at most"
    )


def rows(found: dict[str, Any]) -> Iterator[list[str]]:
    """Yield for every seed the accuracy of the best unit of each kind, and whether it follows the mood."""
    for one in found["runs"]:
        best = (one["best"][kind] for kind in KINDS)
        yield [
            str(one["seed"]),
            *(
                f"{row['unit']}: {percent(row['held_out'])}" + ("" if row["follows"] else ", does not follow")
                for row in best
            ),
        ]


def markdown(found: dict[str, Any]) -> str:
    """Return the table as the page shows it."""
    lines = ["| seed | best cell of the LSTM | best neuron | best lane |", "|---:|---|---|---|"]
    return "\n".join(lines + [f"| {' | '.join(cells)} |" for cells in rows(found)])


def percent(share: float) -> str:
    """Return a share in per cent; 100 only if it is 1."""
    return f"{min(round(1000 * share), 1000 if share == 1 else 999) / 10:.1f} %"
