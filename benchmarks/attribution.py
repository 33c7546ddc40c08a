"""Attribution of edges by gradients against exact ablation: the table of docs/portable.md.

`python -m benchmarks.attribution [--write]` computes it; some minutes. An edge is live if cutting it changes the answer
at some position of some input of up to four tokens. The figure is the area under the ROC curve: the chance
that a live edge scores above a silent one, where equal scores count half.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import mean

import numpy as np
from rich.table import Table
from tests.circuits.differentiable import PROGRAMS, compiled, pairs_of

from weightsmith.circuits.gradients import edge_attribution_patching, edge_integrated_gradients
from weightsmith.inspect.components import Edge
from weightsmith.inspect.edges import connected_edges, edges, live_edges

PAGE = Path(__file__).parents[1] / "docs" / "portable.md"
BEGIN, END = "<!-- python -m benchmarks.attribution --write -->\n", "\n<!-- end of attribution -->"
UP_TO, PAIRS, LONGEST = 4, 100, 8
METHODS: dict[str, Callable[..., Mapping[Edge, float]]] = {
    "EAP": edge_attribution_patching,
    "IG": edge_integrated_gradients,
    "EAP to 0": partial(edge_attribution_patching, towards="zero"),
    "IG to 0": partial(edge_integrated_gradients, towards="zero"),
}
Row = list[str]


def area(scores: Mapping[Edge, float], live: set[Edge], among: Sequence[Edge]) -> float | None:
    """Return the area under the ROC curve; None where all edges are live, or none is."""
    above = np.array([scores[edge] for edge in among if edge in live])
    below = np.array([scores[edge] for edge in among if edge not in live])
    if not len(above) or not len(below):
        return None
    difference = np.subtract.outer(above, below)
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


class Figures:
    """What was measured of one kind of model, for each program."""

    def __init__(self, gradients: bool) -> None:
        self.counts: dict[str, tuple[int, int, int]] = {}  # edges that are live, that share a lane, and all
        self.every: dict[str, dict[str, float | None]] = {}  # areas over all edges, by method
        self.sharing: dict[str, dict[str, float | None]] = {}  # over those that share a lane
        self.nothing = dict.fromkeys(METHODS, 0)  # live edges with a score of 0
        for name in PROGRAMS:
            P = compiled(name, gradients=gradients)
            T, pairs = P.transformer, pairs_of(P, PAIRS, LONGEST)
            live = {one.edge for one in live_edges(T, UP_TO)[0]}
            scores = {method: call(T, pairs) for method, call in METHODS.items()}
            every, sharing = list(edges(T)), connected_edges(T)
            self.counts[name] = (len(live), len(sharing), len(every))
            self.every[name] = {method: area(each, live, every) for method, each in scores.items()}
            self.sharing[name] = {method: area(each, live, sharing) for method, each in scores.items()}
            for method, each in scores.items():
                self.nothing[method] += sum(each[edge] == 0 for edge in live)


def rows() -> Iterator[Row]:
    """Yield the table: its heading, a row for each program, and what holds of all."""
    sharp, soft = Figures(gradients=False), Figures(gradients=True)
    yield ["program", "live, sharing a lane, all", *(f"{one} {m}" for one in ("sharp:", "gradients:") for m in METHODS)]
    for name in PROGRAMS:
        counted = ", ".join(map(str, soft.counts[name]))
        found = [figures.every[name][method] for figures in (sharp, soft) for method in METHODS]
        yield [name, counted, *map(shown, found)]
    both = [(figures, method) for figures in (sharp, soft) for method in METHODS]
    yield ["mean", "", *(shown(average(figures.every, method)) for figures, method in both)]
    some = [sum(each["EAP"] is not None for each in figures.sharing.values()) for figures in (sharp, soft)]
    label = f"mean among edges that share a lane, of {some[0]} and {some[1]} programs"
    yield [label, "", *(shown(average(figures.sharing, method)) for figures, method in both)]
    total = [sum(each[0] for each in figures.counts.values()) for figures in (sharp, soft)]
    yield [f"live edges with score 0, of {total[0]} and {total[1]}", "", *(str(f.nothing[m]) for f, m in both)]


def average(figures: Mapping[str, Mapping[str, float | None]], method: str) -> float | None:
    """Return the mean over the programs that have an area."""
    found = [value for each in figures.values() if (value := each[method]) is not None]
    return mean(found) if found else None


def shown(value: float | None) -> str:
    """Return three digits; 1 only where it is 1."""
    return "–" if value is None else f"{value if value > 0.9999999999 else min(value, 0.999):.3f}"


def measure() -> Iterator[Table]:
    first, *rest = rows()
    table = Table(*first, title="Attribution of edges: area under the ROC curve")
    for row in rest:
        table.add_row(*row)
    yield table


def text() -> str:
    """Return the table as the page has it."""
    first, *rest = rows()
    return "\n".join("| " + " | ".join(row) + " |" for row in [first, ["---"] * len(first), *rest])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attribution")
    parser.add_argument("--write", action="store_true", help="write the table into docs/portable.md")
    write, found = parser.parse_args().write, text()
    print(found)
    if write:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{found}\n{END}{rest.split(END)[1]}", encoding="utf-8")
