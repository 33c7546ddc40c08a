"""Error bounds of every lane in a machine type, and the margins that they leave on every plateau.

The bounds go through the weights, sublayer by sublayer: what lanes are off by, what rounding adds, what positions that
are not selected add with their weight of e^−16 or less, and what is lost where scores that should be equal are not.
Margins are relative: 1 is half the distance between two neighbouring codes, 0 is where a decision may change.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp, expm1, inf
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.model import Attention, FeedForward, Head, PositionTable, Transformer
from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.assembly import Lanes
from weightsmith.programs.circuit.circuit import Circuit, Layer, MeanHead
from weightsmith.programs.circuit.forms import Cell, Form
from weightsmith.programs.places import Place
from weightsmith.programs.softmax.lowering import heads_at, layers_at, logit_scale, reciprocals, score_of
from weightsmith.programs.softmax.rounding import HOPELESS, Read, Rounding
from weightsmith.programs.softmax.slopes import Slanted
from weightsmith.programs.softmax.steps import GRID, Step, Steps

Pair: TypeAlias = tuple[float, float]  # of the codes below and above a gap


@dataclass(frozen=True)
class Margin:
    """The margin at one place, as a part of half the distance between two codes."""

    where: str
    statement: str
    cases: int
    left: float
    place: Place | None = None


@dataclass
class Margins:
    """Carries bounds through a transformer: `held` has the weights in the type, `meant` those that are meant."""

    held: Transformer
    meant: Transformer
    circuit: Circuit
    lanes: Lanes
    rounding: Rounding

    def __post_init__(self) -> None:
        """Go through all sublayers; `stages` has the errors of all lanes after each."""
        self.inverse, self.largest = reciprocals(self.circuit), 0.0
        self.found: list[Margin] = []
        self._reaches: dict[int, Array] = {}
        self._weights: dict[Cell, Array] = {}  # by how much weights of position 0 may be off, for every count
        self._of_none: dict[Cell, float] = {}  # by how much a mean may be off where nothing is selected
        self.error = self._embedded()
        self.stages = [self.error]
        for b, (held, meant) in enumerate(zip(self.held.blocks, self.meant.blocks, strict=True)):
            in_force().check()
            if held.attention is not None and meant.attention is not None:
                self._attention(b, held.attention, meant.attention)
            self.stages.append(self._seen())
            if held.feed_forward is not None and meant.feed_forward is not None:
                self._feed_forward(b, held.feed_forward, meant.feed_forward)
            self.stages.append(self._seen())
        self._decisions()

    @property
    def least(self) -> Margin:
        """Where least is left."""
        least = min(self.found, key=lambda one: one.left)
        if least.left > 0 and self.largest > self.rounding.largest:
            says = (
                f"numbers stay below {self.rounding.largest:,.0f}, where they end: they get up to {self.largest:,.0f}"
            )
            return Margin("some sublayer", says, 1, -inf)
        return least

    def _seen(self) -> Array:
        """Return the errors of lanes, also where nothing is selected and nothing reads them."""
        found = self.error.copy()
        for cell, off in self._of_none.items():
            found += np.abs(np.array(self.lanes.writes(cell), float)) * off
        return found

    def _embedded(self) -> Array:
        """Return by how much lanes may be off after the embedding."""
        held, meant = self.held, self.meant
        assert isinstance(held.positions, PositionTable)
        assert isinstance(meant.positions, PositionTable)
        tables = held.positions.values, meant.positions.values
        size = np.abs(held.embedding).max(axis=0) + np.abs(tables[0]).max(axis=0)
        wrong = np.abs(held.embedding - meant.embedding).max(axis=0) + np.abs(tables[0] - tables[1]).max(axis=0)
        exact = [self.rounding.exact(np.ones(1), float(one)) for one in size]
        return np.where(np.array(exact) & (wrong == 0), 0.0, wrong + self.rounding.unit * size)

    def _reach(self, time: int) -> Array:
        """Return how large the lanes get, and 1 for the bias."""
        if time not in self._reaches:
            found = [reach(lane.by(time), self.inverse) for lane in self.lanes.lanes]
            self.largest = max([self.largest, *found])
            self._reaches[time] = np.array([*found, 1.0])
        return self._reaches[time]

    def _read(self, rows: tuple[Array, Array], time: int, most: float = HOPELESS, least: float = 0.0) -> Read:
        found = self.rounding.read(*rows, self._reach(time), np.append(self.error, 0.0), most, least)
        self.largest = max(self.largest, found.total)
        return found

    def _attention(self, b: int, held: Attention, meant: Attention) -> None:
        added, terms = np.zeros(len(self.error)), np.zeros(len(self.error), int)
        for h, cells in enumerate(heads_at(self.circuit, b)):
            uneven = self._uneven(held.heads[h], meant.heads[h], cells[0], 2 * b)
            for v, one in enumerate(cells):
                value = self._read(_rows(held.heads[h], meant.heads[h], "V", v), 2 * b).off
                bound = self._average(one, value, uneven)
                written = np.abs(np.array(self.lanes.writes(one.cell), float))
                wrong = np.abs(held.heads[h].W_O[:, v] - meant.heads[h].W_O[:, v])
                added += written * bound + wrong * reach(one.value, self.inverse)
                if one.reciprocal:
                    self._weights[one.cell] = self._weights[one.cell] + wrong.max()
                terms += (written != 0) * np.where(np.frexp(written)[0] == 0.5, 1, 2)
        self._add(added, terms, 2 * b)

    def _uneven(self, held: Head, meant: Head, one: MeanHead, time: int) -> float:
        """Return by how much a score may be off."""
        rank, score, sharpness = len(one.score.flags), one.score, float(score_of(self.circuit, one))
        queries = [self._read(_rows(held, meant, "Q", r), time).off for r in range(rank)]
        keys = [self._read(_rows(held, meant, "K", r), time).off for r in range(rank)]
        of_queries = max(queries, default=0.0) if score.keys_apart else sum(queries)
        of_keys = max(keys, default=0.0) if score.queries_apart else sum(keys)
        off = of_queries + sharpness * of_keys + sum(q * k for q, k in zip(queries, keys, strict=True))
        size = sharpness + off
        if off == 0 and self.rounding.exact(np.array([sharpness]), size):
            return 0.0
        return off + self.rounding.after(rank + 1, size, size)

    def _average(self, one: MeanHead, value: float, uneven: float) -> float:
        """Return the error of a mean; note those of weights, and of means where nothing is selected."""
        R, positions = self.rounding, self.circuit.sizes.positions
        beside = exp(min(2 * uneven - float(score_of(self.circuit, one)), 60)) + R.smallest  # of each not selected
        alike = expm1(min(2 * uneven, 60))
        if one.reciprocal:
            counts = one.cell.codes.tolist()
            off = [(alike + (positions - c) * beside / c + R.after(c + 5, 1, 1) + R.unit) / c for c in counts]
            self._weights[one.cell] = np.array(off) + value
            return max(off) + value
        low, high = ends(one.value, self.inverse)
        size = reach(one.value, self.inverse) + value
        least = max(one.low, 1)
        leak = (positions - least) * beside / least
        spread = (high - low + 2 * value) * (alike + leak)
        if one.low == 0:
            self._of_none[one.cell] = value + spread + size * R.after(2 * positions + 6, 2, 1)
        if one.high == 1 and leak < R.unit / 4:  # then its weight is 1
            return value + 3 * leak * size
        return value + spread + size * R.after(2 * one.high + 6, 2, 1)

    def _add(self, added: Array, terms: Array, time: int) -> None:
        """Add the errors that a sublayer writes to the lanes, and those of rounding."""
        before, after = self._reach(time)[:-1], self._reach(time + 1)[:-1]
        total = self.error + added
        for lane in np.flatnonzero(terms):
            count = int(terms[lane]) + bool(before[lane])
            whole = total[lane] < self.rounding.unit / 4 and self.rounding.exact(np.ones(1), before[lane] + after[lane])
            if count > 1 and not whole:
                size = before[lane] + after[lane] + total[lane]
                total[lane] += self.rounding.after(count, 2 * size, 2 * size)
        self.error = np.minimum(total, HOPELESS)

    def _feed_forward(self, b: int, held: FeedForward, meant: FeedForward) -> None:
        time, neuron = 2 * b + 1, 0
        width = len(self.error)
        added, sums, terms, finest = np.zeros(width), np.zeros(width), np.zeros(width, int), 1 / GRID
        short = np.full(width, True)
        for layered, steps in layers_at(self.circuit, b):
            written = np.abs(np.array(self.lanes.writes(layered.cell), float))
            slopes = [abs(float(one.slope)) for one in steps.neurons]
            rows = [_neuron(held, meant, neuron + k) for k in range(len(slopes))]
            neuron, finest = neuron + len(rows), min([finest, *slopes])
            for off, size, exact in self._function(b, layered, steps, rows, time):
                added, sums = added + written * off, sums + written * size
                short &= exact | (written == 0)
            sums += written * abs(float(steps.base))
            terms += (written != 0) * (len(rows) + bool(steps.base))
        after = self._reach(time + 1)[:-1] + self._reach(time)[:-1]
        for lane in np.flatnonzero(terms):
            self.largest = max(self.largest, sums[lane])
            weights = np.append(held.W_2[lane], held.b_2[lane]), np.append(meant.W_2[lane], meant.b_2[lane])
            there = weights[1] != 0
            wrong = float((np.abs(weights[0] - weights[1])[there] / np.abs(weights[1])[there]).max(initial=0.0))
            if not short[lane] or wrong or not self.rounding.exact(weights[0] * finest, sums[lane]):
                result = 2 * (after[lane] + added[lane])  # with a bias that is added after the sum has been rounded
                added[lane] += self.rounding.after(int(terms[lane]), result, sums[lane]) + wrong * sums[lane]
        self._add(added, terms.clip(max=1), time)

    def _function(
        self, b: int, layered: Layer, steps: Steps, rows: list[tuple[Array, Array]], time: int
    ) -> Iterator[tuple[float, float, bool]]:
        """Yield for parts of a function by how much it may be off, its size, and whether it is just what is meant."""
        if isinstance(steps, Slanted):
            yield self._slanted(b, layered, steps, rows, time)
            return
        for n, step in enumerate(steps.steps):
            yield self._step(b, layered, steps, step, rows[2 * n : 2 * n + 2], time)

    def _slanted(
        self, b: int, layered: Layer, steps: Slanted, rows: list[tuple[Array, Array]], time: int
    ) -> tuple[float, float, bool]:
        """Note the margins of a function with slopes; return by how much it may be off, and its size.

        What is read stays on the line of its code where a neighbour has another value. Between codes of one value it
        may leave the line, but no line reaches far.
        """
        passed, off, size, short = 0.0, 0.0, 0.0, True
        close = min(float(gap.slope * gap.plateau) for gap in steps.gaps)
        last = steps.codes[-1 if steps.direction == 1 else 0]
        for neuron, row in zip(steps.neurons, rows, strict=True):
            slope, change = abs(float(neuron.slope)), abs(float(neuron.change))
            most = slope * abs(float(last - neuron.end))
            read = self._read(row, time, most, close)
            passed = max(passed, read.passed / slope)
            off, size, short = off + change * read.rounded, size + change * most, short and read.short
        wrong = [self._off_at(steps, gap, passed) for gap in steps.gaps]
        widths = [(float(gap.start - gap.below), float(gap.above - gap.end)) for gap in steps.gaps]
        for gap, off_by, width in zip(steps.gaps, wrong, widths, strict=True):
            if gap.change:
                left = min(w - e for w, e in zip(width, off_by, strict=True)) / (float(gap.above - gap.below) / 2)
                says = f"what is read stays on the slopes around {gap.below} and {gap.above}"
                self.found.append(
                    Margin(f"block {b} feed-forward, {layered.source}", says, len(steps.codes), left, layered.place)
                )
        return off + _passed_on(steps, wrong, widths), size, short

    def _step(
        self, b: int, layered: Layer, steps: Steps, step: Step, rows: list[tuple[Array, Array]], time: int
    ) -> tuple[float, float, bool]:
        """Note the margins on the plateaus of a step.

        Return by how much it may be off, how large its neurons get, and whether they are just what is meant.
        """
        slope, gap = float(step.slope), float(step.above - step.below)
        edge = step.start if steps.direction == 1 else step.end
        far = steps.codes[-1] - edge if steps.direction == 1 else edge - steps.codes[0]
        size = slope * float(far)
        close = slope * float(step.plateau)
        near = [self._read(one, time, slope * gap, close) for one in rows]
        away = [self._read(one, time, size, close) for one in rows]
        rounded = max(one.rounded for one in near) / slope
        passed = max(one.passed for one in near) / slope
        sides = [float(step.start - step.below), float(step.above - step.end)]
        off = self._off_at(steps, step, passed)
        left = min((width - wrong - rounded) / (gap / 2) for wrong, width in zip(off, sides, strict=True))
        says = f"what is read stays on the plateaus around {step.below} and {step.above}"
        self.found.append(
            Margin(f"block {b} feed-forward, {layered.source}", says, len(steps.codes), left, layered.place)
        )
        change = abs(step.change)
        return change * sum(one.rounded for one in away), 2 * change * size, all(one.short for one in away)

    def _off_at(self, steps: Steps, step: Step, passed: float) -> tuple[float, float]:
        """Return by how much the codes below and above a step may be off."""
        cells = dict(steps.part.form.cells)
        weight = next((cell for cell in cells if cell in self._weights), None)
        if weight is not None:  # a weight of position 0 is off by less where it is less
            errors = self._weights[weight]
            below, above = (float(errors[round(1 / float(code)) - 1]) for code in (step.below, step.above))
            return below, above
        none = sum(abs(factor) * self._of_none.get(cell, 0.0) for cell, factor in cells.items())
        return (passed + none if step.below == steps.codes[0] else passed), passed

    def _decisions(self) -> None:
        """Note the margins of the logits: that of a code is ahead by the square of the distance, but for errors."""
        T, circuit = self.held, self.circuit
        codes = np.array([code for (code,), _ in circuit.table], float)
        biases = [one.output_bias for one in (T, self.meant) if one.output_bias is not None]
        rows = np.column_stack([T.output, biases[0]]), np.column_stack([self.meant.output, biases[1]])
        rounded = np.array([self._read(one, 2 * circuit.depth).rounded for one in zip(*rows, strict=True)])
        off = float(np.abs(np.array(self.lanes.row(circuit.outputs[0]))) @ self.error)
        scale = float(logit_scale(circuit)[1])
        left = 1.0
        for n in range(len(codes)):
            distance = np.abs(np.delete(codes, n) - codes[n])
            wrong = 2 * off / distance + (np.delete(rounded, n) + rounded[n]) / (scale * distance * distance)
            left = min(left, float(1 - wrong.max(initial=0.0)))
        says = f"of {len(codes):,} codes the one that is meant is nearest, and its logit the largest"
        says = says if len(codes) > 1 else "there is one answer"
        self.found.append(Margin("decisions", says, len(codes), left))


def _passed_on(steps: Slanted, wrong: list[Pair], widths: list[Pair]) -> float:
    """Return by how much a function may be off, if its input is off by `wrong` at both sides of each gap.

    On the line of a code that is its slope times that. Between codes of one value, lines end after `widths`.
    """
    slopes = [abs(float(one)) for one in steps.slopes]
    errors = [wrong[0][0], *(max(a[1], b[0]) for a, b in pairwise(wrong)), wrong[-1][1]]
    narrow = [widths[0][0], *(min(a[1], b[0]) for a, b in pairwise(widths)), widths[-1][1]]
    farthest = max(slope * max(max(one) for one in widths) for slope in slopes)
    return max(
        slope * error if error <= width else max(slope * error, farthest)
        for slope, error, width in zip(slopes, errors, narrow, strict=True)
    )


def reach(form: Form, inverse: frozenset[Cell]) -> float:
    """Return the largest absolute value of a form; cells of `inverse` hold 1/c for their codes c."""
    return max(map(abs, ends(form, inverse)))


def ends(form: Form, inverse: frozenset[Cell]) -> Pair:
    """Return the smallest and the largest value of a form; cells of `inverse` hold 1/c for their codes c."""
    found = [(float(min(part)), float(max(part))) for part in (form.token, form.index) if part]
    for cell, factor in form.cells:
        low, high = (0.0, 1.0) if cell in inverse else (float(cell.codes[0]), float(cell.codes[-1]))
        found.append((min(low * factor, high * factor), max(low * factor, high * factor)))
    return form.constant + sum(low for low, _ in found), form.constant + sum(high for _, high in found)


def _rows(held: Head, meant: Head, which: str, n: int) -> tuple[Array, Array]:
    """Return a row of weights with its bias: as it is held, and as it is meant."""
    found = [np.append(getattr(one, f"W_{which}")[n], getattr(one, f"b_{which}")[n]) for one in (held, meant)]
    return found[0], found[1]


def _neuron(held: FeedForward, meant: FeedForward, n: int) -> tuple[Array, Array]:
    return np.append(held.W_1[n], held.b_1[n]), np.append(meant.W_1[n], meant.b_1[n])
