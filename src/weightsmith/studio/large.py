"""A run of a model that is too large for a page: the lanes, heads and neurons that mattered.

Parts are ranked by attribution: their contribution to the logit of the decision less that of the second class. The page
contains this run only, and says so.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import shown
from weightsmith.inspect import Attribution, Part, Run, attribute
from weightsmith.inspect.attribution import by_lane
from weightsmith.inspect.generate import probabilities
from weightsmith.inspect.output import read_numbers
from weightsmith.inspect.trace import position_text
from weightsmith.model import needs_classes, readable_text
from weightsmith.model.sites import present_stages
from weightsmith.tables import Page, Table, bar, number

CLASSES, PARTS, HEADS, NEURONS, LANES, LOOKS, SAID = 10, 20, 12, 16, 16, 4, 3  # how many are shown
DIGITS = 4
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"  # no script
)
STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:75em}"
    "main{overflow-x:auto;padding:0 1em}main>div{margin-top:.8em}table{font-variant-numeric:tabular-nums}"
)


@dataclass(frozen=True)
class Facts:
    """The parts of a run that are shown."""

    run: Run = field(repr=False)
    whole: Attribution = field(repr=False)  # of the decision over the second class
    classes: tuple[int, ...]  # the most likely ones, the decision first
    heads: tuple[Part, ...]  # each as one part, the largest first
    neurons: tuple[Part, ...]
    lanes: tuple[int, ...]
    of_lanes: Array = field(repr=False)  # contribution of each lane

    def data(self) -> dict[str, Any]:
        """Return them as plain values."""
        T = self.run.transformer
        return {
            "decision": self.run.decision,
            "logits": {T.classes[c]: float(self.run.logits[c]) for c in self.classes},
            "weights": T.weights,
            "difference": {"class": self.whole.wanted, "over": self.whole.over, "logit": self.whole.logit},
            "heads": [{"block": part.block, "head": part.place, "adds": part.amount} for part in self.heads],
            "neurons": [{"block": part.block, "neuron": part.place, "adds": part.amount} for part in self.neurons],
            "lanes": {T.lanes[lane]: float(self.of_lanes[lane]) for lane in self.lanes},
        }


def facts(run: Run) -> Facts:
    """Choose the parts of a run with the largest contributions."""
    T = run.transformer
    needs_classes(T, "a page of a large model")
    best = np.argsort(-run.logits, kind="stable")[:CLASSES].tolist()
    whole = attribute(run, T.classes[best[0]], over=T.classes[best[1]] if len(best) > 1 else None)
    heads = [part for part in whole.by_head().parts if part.kind == "head"]
    neurons = [part for part in whole.parts if part.kind == "neuron"]
    amounts = by_lane(run, whole.target)
    lanes = np.argsort(-np.abs(amounts), kind="stable")[:LANES].tolist()
    return Facts(run, whole, tuple(best), _largest(heads, HEADS), _largest(neurons, NEURONS), tuple(lanes), amounts)


def _largest(parts: list[Part], count: int) -> tuple[Part, ...]:
    return tuple(sorted(parts, key=lambda part: -abs(part.amount))[:count])


def tables(found: Facts, why: str) -> Page:
    """Return the page; `why` says why it does not carry the model."""
    run, T = found.run, found.run.transformer
    heads, neurons = sum(map(len, run.heads)), sum(layer.shape[-1] for layer in run.activations)
    return Page(
        readable_text(T, run.tokens),
        f"This page carries one run, not the model: {why}. Another input needs another page.",
        f"Shown are {len(found.lanes)} of {len(T.lanes):,} lanes, {len(found.heads)} of {heads:,} heads and "
        f"{len(found.neurons)} of {neurons:,} neurons: those that add most to the {found.whole.target}, or take most.",
        _answer(found),
        _title("Where it comes from", found.whole.by_head().table(PARTS)),
        _on_the_way(found),
        _heads(found),
        _neurons(found),
        _title("The lanes at the last position, after every sublayer", _lanes(found)),
    )


def _title(text: str, table: Table) -> Table:
    table.title = f"{text}. {table.title}" if table.title else text
    return table


def _number(found: Facts, value: float) -> str:
    return number(value, found.run.transformer.arithmetic.infinity, DIGITS).removeprefix("~")


def _answer(found: Facts) -> Table:
    classes, chances = found.run.transformer.classes, probabilities(found.run.logits, 1.0)
    table = Table("next", "logit", "probability", "", right=[1, 2], title="The answer")
    for c in found.classes:
        logit, chance = _number(found, float(found.run.logits[c])), f"{chances[c]:.4f}"
        style: Any = "best" if c == found.classes[0] else ""
        table.add(shown(classes[c]), logit, chance, bar(float(chances[c] / chances[found.classes[0]])), style=style)
    return table


def _on_the_way(found: Facts) -> Table:
    """Return the most likely classes after every sublayer, at the last position."""
    run, T = found.run, found.run.transformer
    columns = ["most likely", *("then" for _ in range(min(SAID, len(T.classes)) - 1))]
    table = Table("after", *columns, title="What it would say if it ended there")
    for s in present_stages(T):
        chances = probabilities(read_numbers(T, run.stream[s, -1]), 1.0)
        best = np.argsort(-chances, kind="stable")[: len(columns)]
        table.add(run.stages[s], *(f"{shown(T.classes[c])} {chances[c]:.3f}" for c in best))
    return table


def _heads(found: Facts) -> Table:
    run = found.run
    table = Table("head", "adds", "looks from the last position at", right=[1], title="The heads that matter")
    for part in found.heads:
        assert part.block is not None
        assert part.place is not None
        weights = run.heads[part.block][part.place].weights[-1]
        seen = np.argsort(-weights, kind="stable")[:LOOKS]
        looks = ", ".join(f"{position_text(run.tokens, int(j))} ({weights[j]:.2f})" for j in seen if weights[j] > 0)
        table.add(str(part), _number(found, part.amount), looks)
    return table


def _neurons(found: Facts) -> Table:
    table = Table("neuron", "adds", "activation", right=[1, 2], title="The neurons that matter")
    for part in found.neurons:
        assert part.block is not None
        active = float(found.run.activations[part.block][-1, part.place])
        table.add(str(part), _number(found, part.amount), _number(found, active))
    return table


def _lanes(found: Facts) -> Table:
    run, names = found.run, [found.run.transformer.lanes[lane] for lane in found.lanes]
    table = Table("after", *names, right=range(1, 1 + len(names)), lead=1)
    for s in present_stages(run.transformer):
        table.add(run.stages[s], *(_number(found, float(run.stream[s, -1, lane])) for lane in found.lanes))
    adds = [_number(found, float(found.of_lanes[lane])) for lane in found.lanes]
    table.add(f"adds to the {found.whole.target}", *adds, style="best")
    return table
