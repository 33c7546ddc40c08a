"""Differences between two runs of the same input."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weightsmith.errors import InputError, shown
from weightsmith.inspect.arguments import check_alike
from weightsmith.inspect.output import answer_at
from weightsmith.inspect.run import Run
from weightsmith.inspect.trace import position_text
from weightsmith.model import value_text
from weightsmith.model.names import place_of
from weightsmith.tables import Page, Style, Table, Tabled, number

MOST_ROWS, MOST_LANES, MOST_CLASSES = 60, 3, 20  # of the tables: positions at stages, lanes at a position, classes


@dataclass(frozen=True)
class Pair:
    """A number in both runs."""

    before: float
    after: float

    @property
    def difference(self) -> float:
        """The second less the first."""
        return self.after - self.before


@dataclass(frozen=True)
class Difference(Pair):
    """A number of the stream that differs."""

    stage: str  # "embedding", "block 0 attention", …
    position: int
    lane: str


@dataclass(frozen=True, eq=False)
class Changed(Tabled):
    """Two runs of the same input, and their differences."""

    before: Run = field(repr=False)
    after: Run = field(repr=False)
    decisions: tuple[Any, Any]  # NO_VALUE, shown as ?, for a code without a value
    logits: dict[str, Pair]  # of every class
    stages: tuple[str, ...]  # after which the streams differ

    @property
    def outputs(self) -> dict[int, tuple[Any, Any]]:
        """The outputs that differ, by position: before and after."""
        both = [[answer_at(run, i) for i in range(len(run.tokens))] for run in (self.before, self.after)]
        return {i: (was, now) for i, (was, now) in enumerate(zip(*both, strict=True)) if was != now}

    @property
    def first(self) -> Difference | None:
        """The first number of the stream that differs: by stage, then position, then lane."""
        if not self.stages:
            return None
        stage = self.stages[0]
        position, lanes = next(iter(self.lanes(stage).items()))
        lane, pair = next(iter(lanes.items()))
        return Difference(pair.before, pair.after, stage, position, lane)

    def lanes(self, stage: str) -> dict[int, dict[str, Pair]]:
        """Return the differences after a stage: for each position, the lanes with their values in both runs."""
        s = place_of(stage, self.before.stages, "stage")
        old, new, result = self.before.stream[s], self.after.stream[s], dict[int, dict[str, Pair]]()
        for i, j in np.argwhere(old != new).tolist():
            lane = self.before.transformer.lanes[j]
            result.setdefault(i, {})[lane] = Pair(float(old[i, j]), float(new[i, j]))
        return result

    def table(self) -> Page:
        """Return tables of the decision, logits and stream where they differ."""
        was, now = map(value_text, self.decisions)
        parts: list[str | Table] = [f"decision: {was} → {now}" if was != now else f"decision: {was}, as before"]
        different = any(pair.difference != 0 for pair in self.logits.values())
        if self.before.transformer.readout is None:
            parts.append(self._logits() if different else "no logit differs")
        elif self.outputs:
            parts.append(self._outputs())
        parts.append(self._stream() if self.stages else "the streams do not differ")
        return Page(*parts)

    def _outputs(self) -> Table:
        result = Table("output at", "before", "after")
        differ = list(self.outputs.items())
        for i, pair in differ[:MOST_ROWS]:
            result.add(position_text(self.before.tokens, i), *map(value_text, pair))
        left = len(differ) - MOST_ROWS
        result.notes += [f"… {left:,} more positions: see .outputs"] if left > 0 else []
        return result

    def _logits(self) -> Table:
        infinity = self.before.transformer.arithmetic.infinity
        result = Table("class", "before", "after", "difference", right=[1, 2, 3])
        order = sorted(self.logits, key=lambda name: -abs(self.logits[name].difference))
        chosen = {*order[:MOST_CLASSES], *self.decisions}
        for name in (name for name in self.logits if name in chosen):
            pair = self.logits[name]
            style: Style = "best" if name == self.decisions[1] else "new" if name == self.decisions[0] else ""
            numbers = (number(x, infinity) for x in (pair.before, pair.after, pair.difference))
            result.add(shown(name), *numbers, style=style)
        if len(order) > len(chosen):
            result.notes.append(f"… {len(order) - len(chosen):,} more classes, which differ less: see .logits")
        return result

    def _stream(self) -> Table:
        infinity, tokens = self.before.transformer.arithmetic.infinity, self.before.tokens
        result = Table("stage", "token", "lane", "before", "after", right=[3, 4])
        rows = list(self._news())
        for n, (stage, i, lanes) in enumerate(rows[:MOST_ROWS]):
            opens = n == 0 or rows[n - 1][0] != stage
            names = [stage if opens else "", position_text(tokens, i)]
            order = sorted(lanes, key=lambda lane: -abs(lanes[lane].difference))[:MOST_LANES]
            more = len(lanes) - len(order)
            for lane in order:
                pair = lanes[lane]
                ends = lane == order[-1] and not more and _ends(rows, n)
                result.add(*names, shown(lane), number(pair.before, infinity), number(pair.after, infinity), ends=ends)
                names = ["", ""]
            if more:
                result.add("", "", f"{more} more", "", "", style="faint", ends=_ends(rows, n))
        left = len(rows) - MOST_ROWS
        result.notes += [f"… {left:,} more positions at stages: see .lanes(stage)"] if left > 0 else []
        result.notes.append("What differs just as one stage before is left out.")
        return result

    def _news(self) -> Iterator[tuple[str, int, dict[str, Pair]]]:
        """Yield stages and positions, with the lanes whose difference is new since the stage before."""
        before: dict[int, dict[str, Pair]] = {}
        for stage in self.before.stages:
            here = self.lanes(stage)
            for i, lanes in here.items():
                new = {lane: pair for lane, pair in lanes.items() if before.get(i, {}).get(lane) != pair}
                if new:
                    yield stage, i, new
            before = here


def _ends(rows: list[tuple[str, int, dict[str, Pair]]], n: int) -> bool:
    """Say whether a row is the last of its stage, and not of all."""
    return n + 1 < len(rows) and rows[n + 1][0] != rows[n][0]


def changed(before: Run, after: Run) -> Changed:
    """Return the differences between two runs of the same input: in the decision, the logits and the stream.

    It shows what ablating or patching a part does: `changed(r, ablate(r, block=0, head=1))`. The runs may be of two
    transformers with the same arithmetic, lanes, classes and number of blocks, such as one before and after an edit.
    """
    check_alike(before, after, "arithmetic", "lanes", "classes", "blocks")
    if before.tokens != after.tokens:
        inputs = " and ".join(shown(" ".join(run.tokens)[:80]) for run in (before, after))
        raise InputError(f"the runs are of two inputs, {inputs}: changed compares runs of the same input")
    pairs = zip(before.logits.tolist(), after.logits.tolist(), strict=True)
    logits = {name: Pair(*pair) for name, pair in zip(before.transformer.classes, pairs, strict=True)}
    differ = (before.stream != after.stream).any(axis=(1, 2))
    stages = tuple(stage for stage, here in zip(before.stages, differ, strict=True) if here)
    ends = answer_at(before, len(before.tokens) - 1), answer_at(after, len(after.tokens) - 1)
    return Changed(before, after, ends, logits, stages)
