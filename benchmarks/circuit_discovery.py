"""Scores of the reference methods that look for circuits, as the table of docs/circuit-discovery.md.

python -m benchmarks.circuit_discovery --programs 100 --kinds exact
python -m benchmarks.circuit_discovery --programs 8 --kinds softmax,gradients,rotated,distracted
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from weightsmith import circuits
from weightsmith.circuits.finding import METHODS
from weightsmith.circuits.scoring import MEASURES, figure


def random_scores(entries: tuple[circuits.Entry, ...]) -> dict[str, circuits.Scores]:
    rng = random.Random(1)
    return {entry.name: circuits.Scores({edge: rng.random() for edge in entry.truth.labels}, None) for entry in entries}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="100")
    parser.add_argument("--kinds", default="exact")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        index = circuits.make(Path(folder) / "benchmark", options.programs, options.kinds, exports="none")
        seconds = time.process_time() - start
        print(f"{len(index['models'])} models, {len(index['refused'])} refused: {seconds:.0f} s of CPU")
        entries = circuits.read_benchmark(Path(folder) / "benchmark")
        print("| method | kind |", " | ".join(MEASURES.values()), "|")
        print("|" + "---|" * (len(MEASURES) + 2))
        for method in [*METHODS, "random"]:
            start = time.process_time()
            found = random_scores(entries) if method == "random" else circuits.find(method, entries)
            scored = circuits.score(method, found, entries)
            for kind in scored.kinds():
                row = [figure(mean) for mean, _ in scored.means(kind).values()]
                print(f"| {method} | {kind} |", " | ".join(row), "|")
            print(f"<!-- {method}: {time.process_time() - start:.0f} s of CPU -->", flush=True)


if __name__ == "__main__":
    main()
