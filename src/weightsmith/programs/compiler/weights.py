"""The transformer: a plan with its lanes, in an arithmetic."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.errors import brief
from weightsmith.model import Attention, Block, FeedForward, Head, PositionTable, Readout, Transformer
from weightsmith.programs.compiler.boundaries import EVERY, Boundary
from weightsmith.programs.compiler.coding import Layered, Part
from weightsmith.programs.compiler.forms import Form
from weightsmith.programs.compiler.placing import Lanes
from weightsmith.programs.compiler.plan import Gathered, Plan
from weightsmith.programs.compiler.symbols import Sizes
from weightsmith.programs.naming import joined
from weightsmith.programs.values import Value, presented


class Saturation(NamedTuple):
    """The scores whose exp is ∞ from here up, and 0 from here down."""

    up: int
    down: int

    @staticmethod
    @lru_cache(maxsize=64)
    def of(A: Arithmetic) -> "Saturation | None":
        """Return the whole-numbered scores of an arithmetic, or None where it has none."""
        most = int(A.infinity)
        up = next((s for s in range(1, min(most, 4096) + 1) if A.contains(s) and A.exp(s) == A.infinity), None)
        down = next((s for s in range(1, min(most, 4096) + 1) if A.contains(-s) and A.exp(-s) == 0), None)
        return None if up is None or down is None else Saturation(up, down)

    def scale(self, boundary: Boundary) -> tuple[int, int]:
        """Return factor and shift of a score: its exp is ∞ from `selected` on, and 0 up to `refused`."""
        factor = -(-(self.up + self.down) // (boundary.selected - boundary.refused))
        return factor, self.up - factor * boundary.selected


class HeadPlan(NamedTuple):
    """A head: what it selects, and for every value its row of weights and bias, and the lanes that get it."""

    boundary: Boundary
    values: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    sources: tuple[str, ...]


class NeuronPlan(NamedTuple):
    """Some neurons that read one form, and the lanes that get their sum."""

    part: Part
    lanes: tuple[int, ...]
    sources: tuple[str, ...]


class BlockPlan(NamedTuple):
    """The heads and neurons of one block."""

    heads: tuple[HeadPlan, ...]
    neurons: tuple[NeuronPlan, ...]


def blocks_of(plan: Plan, lanes: Lanes) -> list[BlockPlan]:
    """Return what each block has to do."""
    last = max((cell.time for cell in plan.cells), default=0)
    return [
        BlockPlan(
            _heads([one for one in plan.gathered if one.cell.time == 2 * b + 1], lanes),
            _neurons([one for one in plan.layered if one.cell.time == 2 * b + 2], lanes),
        )
        for b in range((last + 1) // 2)
    ]


def _heads(gathered: Sequence[Gathered], lanes: Lanes) -> tuple[HeadPlan, ...]:
    """Return the heads of a block: cells that select alike share one."""
    found: list[HeadPlan] = []
    boundaries = dict.fromkeys(boundary for one in gathered for boundary in one.heads)
    for boundary in boundaries:
        mine = [(one, one.heads[boundary]) for one in gathered if boundary in one.heads]
        by_value: dict[tuple[int, ...], list[int]] = {}
        for one, sign in mine:
            read = (*lanes.read(one.value), one.value.constant)
            before = by_value.get(read, [0] * len(lanes.lanes))
            by_value[read] = [a + sign * b for a, b in zip(before, lanes.writes(one.cell), strict=True)]
        by_lane: dict[tuple[int, ...], list[int]] = {}
        for lane in range(len(lanes.lanes)):
            total = [0] * (len(lanes.lanes) + 1)
            for read, written in by_value.items():
                total = [a + written[lane] * b for a, b in zip(total, read, strict=True)]
            if any(total):
                by_lane.setdefault(tuple(total), [0] * len(lanes.lanes))[lane] = 1
        fewer = by_lane if len(by_lane) < len(by_value) else by_value
        values = tuple((read, tuple(written)) for read, written in fewer.items() if any(written))
        if values:  # else what it would write cancels
            found.append(HeadPlan(boundary, values, tuple(dict.fromkeys(one.source for one, _ in mine))))
    return tuple(found)


def _neurons(layered: Sequence[Layered], lanes: Lanes) -> tuple[NeuronPlan, ...]:
    """Return the neurons of a block: those that read the same and turn alike are one."""
    found: dict[tuple[Form, Any], NeuronPlan] = {}
    for one in layered:
        for part in one.parts:
            before = found.get((part.form, part.kinks))
            written = lanes.writes(one.cell)
            if before is not None:
                written = tuple(a + b for a, b in zip(before.lanes, written, strict=True))
            sources = () if before is None else before.sources
            found[part.form, part.kinks] = NeuronPlan(part, written, (*sources, one.source))
    return tuple(found.values())


def transformer(
    plan: Plan,
    lanes: Lanes,
    blocks: Sequence[BlockPlan],
    A: Arithmetic,
    vocabulary: Sequence[str],
    provenance: Sequence[str],
) -> Transformer | None:
    """Return the transformer, or None where the arithmetic lacks a number that it needs."""
    saturation = Saturation.of(A)
    if saturation is None and any(block.heads for block in blocks):
        return None
    made = []
    for block in blocks:
        heads = [_head(one, lanes, saturation) for one in block.heads]
        neurons = _feed_forward(block.neurons, lanes)
        made.append((heads, neurons))
    arrays = [a for heads, neurons in made for part in [*heads, neurons] if part for a in part.values()]
    embedding, positions = features(plan.sizes, lanes)
    readout = Readout(*_readout(plan, lanes))
    codes = np.array([code for code, _ in readout.entries])
    numbers = np.concatenate([array.ravel() for array in [*arrays, embedding, positions, codes]])
    if not np.all(A.contains(numbers)):
        return None
    return Transformer(
        arithmetic=A,
        vocabulary=tuple(vocabulary),
        lanes=lanes.names,
        embedding=embedding,
        positions=PositionTable(positions),
        blocks=[_block(block, heads, neurons) for block, (heads, neurons) in zip(blocks, made, strict=True)],
        mask="causal" if plan.causal else "full",
        readout=readout,
        provenance=tuple(provenance),
    )


def _block(plan: BlockPlan, heads: Sequence[dict[str, Any]], neurons: dict[str, Any]) -> Block:
    """Return a block with its arrays: every part of it is called after what it computes."""
    made = [Head(**arrays, name=joined(head.sources)) for head, arrays in zip(plan.heads, heads, strict=True)]
    names = tuple(joined(one.sources) for one in plan.neurons for _ in one.part.kinks)
    sources = [source for head in plan.heads for source in head.sources]
    return Block(
        Attention(made) if made else None,
        FeedForward(**neurons, activation="relu", names=names) if neurons else None,
        origin=joined([*sources, *(source for one in plan.neurons for source in one.sources)]),
    )


def features(sizes: Sizes, lanes: Lanes) -> tuple[Array, Array]:
    """Return what lanes hold of each token, and of each position."""
    embedding = np.zeros((sizes.tokens, len(lanes.lanes)))
    positions = np.zeros((sizes.positions, len(lanes.lanes)))
    for column, lane in enumerate(lanes.lanes):
        if lane.token:
            embedding[:, column] = lane.token
        if lane.index:
            positions[:, column] = lane.index
    return embedding, positions


def _row(form: Form, lanes: Lanes, factor: int = 1) -> list[float]:
    """Return the factors with which lanes give a form."""
    if form.is_constant:
        return [0.0] * len(lanes.lanes)
    return [float(factor * one) for one in lanes.read(form)]


def _head(plan: HeadPlan, lanes: Lanes, saturation: Saturation | None) -> dict[str, Array]:
    """Return the arrays of a head: score = factor · (query − key) + shift, ∞ from `selected` on, 0 up to `refused`."""
    assert saturation is not None
    boundary = plan.boundary
    if boundary == EVERY:
        queries, keys = [([0.0] * len(lanes.lanes), saturation.up)], [([0.0] * len(lanes.lanes), 1)]
    else:
        queries, keys = _score(boundary, *saturation.scale(boundary), lanes)
    return {
        "W_Q": np.array([row for row, _ in queries]),
        "b_Q": np.array([float(bias) for _, bias in queries]),
        "W_K": np.array([row for row, _ in keys]),
        "b_K": np.array([float(bias) for _, bias in keys]),
        "W_V": np.array([read[:-1] for read, _ in plan.values], np.float64),
        "b_V": np.array([read[-1] for read, _ in plan.values], np.float64),
        "W_O": np.array([[float(written[lane]) for _, written in plan.values] for lane in range(len(lanes.lanes))]),
    }


def _score(boundary: Boundary, factor: int, shift: int, lanes: Lanes) -> tuple[list[Any], list[Any]]:
    """Return rows and biases of queries and keys; keys are centred, so that products stay small."""
    nothing = [0.0] * len(lanes.lanes)
    if boundary.key.is_constant:
        return [(_row(boundary.query, lanes, factor), shift)], [(nothing, 1)]
    if boundary.query.is_constant:
        return [(nothing, 1)], [(_row(boundary.key, lanes, -factor), shift)]
    centre = (boundary.key.least + boundary.key.most) // 2
    return (
        [(nothing, -factor), (_row(boundary.query, lanes, factor), shift - factor * centre)],
        [(_row(boundary.key, lanes), -centre), (nothing, 1)],
    )


def _feed_forward(neurons: Sequence[NeuronPlan], lanes: Lanes) -> dict[str, Array]:
    rows, biases, columns = [], [], []
    for one in neurons:
        for kink in one.part.kinks:
            rows.append(_row(one.part.form, lanes, kink.direction))
            biases.append(float(kink.direction * one.part.form.constant - kink.offset))
            columns.append([float(kink.slope * lane) for lane in one.lanes])
    return {"W_1": np.array(rows), "b_1": np.array(biases), "W_2": np.array(columns).T} if rows else {}


def _readout(plan: Plan, lanes: Lanes) -> tuple[list[str], dict[tuple[float, ...], Any]]:
    """Return the lanes that are read, and what their codes stand for."""
    places = [lanes.lanes.index(form.varying) for form in plan.outputs]
    constants = [form.constant for form in plan.outputs]
    table: dict[tuple[float, ...], Any] = {}
    for codes, value in plan.table:
        table[tuple(float(code - constant) for code, constant in zip(codes, constants, strict=True))] = readable(value)
    if len(set(places)) < len(places):  # one lane holds both
        return [lanes.names[places[0]]], {code[:1]: value for code, value in table.items() if len(set(code)) == 1}
    return [lanes.names[place] for place in places], table


def readable(value: Value) -> Any:
    """Return a value as a readout says it."""
    shown = presented(value)
    return shown if shown is None or isinstance(shown, bool | int | float | str) else brief(shown)
