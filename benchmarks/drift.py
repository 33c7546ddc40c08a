"""One training with different last bits in its sums: how fast the weights diverge.

`make bench ONLY=drift` writes the results to docs/_static/drift.json and prints the table of the page.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

DATA = Path(__file__).parents[1] / "docs" / "_static" / "drift.json"
STEPS = (1, 10, 100, 400)  # of 1,500: the predicate of docs/train.md
WAYS: dict[str, tuple[dict[str, str], int]] = {  # variables, and threads
    "nothing": ({}, 1),
    "the loops of PyTorch, `ATEN_CPU_CAPABILITY=default`": ({"ATEN_CPU_CAPABILITY": "default"}, 1),
    "the products of MKL, `MKL_CBWR=COMPATIBLE`": ({"MKL_CBWR": "COMPATIBLE"}, 1),
    "`--threads 2`": ({}, 2),
}


def measure() -> Iterator[Table]:
    first = weights({}, 1)
    found = {name: [difference(*pair) for pair in zip(first, weights(*way), strict=True)] for name, way in WAYS.items()}
    DATA.write_text(json.dumps({"steps": STEPS, "differences": found}, indent=1) + "\n")
    table = Table(*header(), title="How far the weights are apart, as a share of their size")
    for cells in rows(found):
        table.add_row(*cells)
    yield table


def weights(setting: dict[str, str], threads: int) -> list[Any]:
    """Train in a separate process; return all weights after some steps."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.npy"
        command = [sys.executable, "-m", "benchmarks.drift", str(path), str(threads)]
        subprocess.run(command, env={**os.environ, **setting}, check=True)
        return list(np.load(path))


def difference(first: Any, second: Any) -> float:
    """Return the mean difference of two lists of weights, divided by the mean size of a weight."""
    return float(np.abs(first - second).mean() / np.abs(first).mean())


def train(threads: int) -> Any:
    """Return the weights after some steps, (steps, weights)."""
    from weightsmith.model import named_arrays
    from weightsmith.train import Course, Shape, by_predicate, fit, predicate

    shape = Shape(lanes=16, blocks=2, heads=2, neurons=64, context=12, activation="relu", norm="none")
    course = Course(steps=1500, batch=128, rate=1e-2, decay=0.0, threads=threads)
    task, found = by_predicate(predicate("contains 11"), "01", 12), []
    for steps in STEPS:
        asked = count()
        T = fit(task, shape, course, stop=lambda: next(asked) >= steps).transformer  # noqa: B023
        found.append(np.concatenate([array.ravel() for _, array in named_arrays(T)]))
    return np.array(found)


def header() -> tuple[str, ...]:
    return ("what differs", *(f"after {steps:,} step{'s' * (steps > 1)}" for steps in STEPS))


def rows(found: dict[str, list[float]]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each way."""
    for name, differences in found.items():
        yield name, *(f"{value:.0e}" if 0 < value < 0.01 else f"{value:.2g}" for value in differences)


def markdown(data: dict[str, Any]) -> str:
    """Return the table as the page shows it."""
    lines = [header(), ("---", *("---:" for _ in STEPS)), *rows(data["differences"])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    np.save(sys.argv[1], train(int(sys.argv[2])))
