"""The exact back end: a circuit of sums as saturated heads and neurons, in the smallest arithmetic that can be proved.

The search for the arithmetic begins with a quick bound; then the proof itself decides.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic import Arithmetic, Fixed
from weightsmith.errors import brief
from weightsmith.model import Readout, Transformer
from weightsmith.model.folds import named_arrays
from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.assembly import BlockRows, HeadRows, Lanes, NeuronRow, Row, assemble, features
from weightsmith.programs.circuit.circuit import EVERY, Boundary, Circuit, Layer, Part, SumHead
from weightsmith.programs.circuit.forms import Form, TooLargeError
from weightsmith.programs.listing import joined
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.weights import Proof
from weightsmith.programs.values import Value, presented

MOST_BITS = 25  # of the arithmetics that are tried: float64 holds their products exactly


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
    """A head: its boundary, and for every value its row of weights and bias, and the lanes that get it."""

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


def blocks_of(circuit: Circuit, lanes: Lanes) -> list[BlockPlan]:
    """Return the heads and neurons of each block."""
    sums = [one for one in circuit.heads if isinstance(one, SumHead)]
    return [
        BlockPlan(
            _heads([one for one in sums if one.cell.time == 2 * b + 1], lanes),
            _neurons([one for one in circuit.layers if one.cell.time == 2 * b + 2], lanes),
        )
        for b in range(circuit.depth)
    ]


def _heads(sums: Sequence[SumHead], lanes: Lanes) -> tuple[HeadPlan, ...]:
    """Return the heads of a block: cells that select alike share one."""
    found: list[HeadPlan] = []
    boundaries = dict.fromkeys(boundary for one in sums for boundary in one.boundaries)
    for boundary in boundaries:
        mine = [(one, one.boundaries[boundary]) for one in sums if boundary in one.boundaries]
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
        if values:  # else its writes cancel
            found.append(HeadPlan(boundary, values, tuple(dict.fromkeys(one.source for one, _ in mine))))
    return tuple(found)


def _neurons(layers: Sequence[Layer], lanes: Lanes) -> tuple[NeuronPlan, ...]:
    """Return the neurons of a block: those that read the same and turn alike are one."""
    found: dict[tuple[Form, Any], NeuronPlan] = {}
    for one in layers:
        for part in one.parts:
            before = found.get((part.form, part.kinks))
            written = lanes.writes(one.cell)
            if before is not None:
                written = tuple(a + b for a, b in zip(before.lanes, written, strict=True))
            sources = () if before is None else before.sources
            found[part.form, part.kinks] = NeuronPlan(part, written, (*sources, one.source))
    return tuple(found.values())


def transformer(
    circuit: Circuit,
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
    made = [_rows(block, lanes, saturation).block() for block in blocks]
    readout = Readout(*_readout(circuit, lanes))
    arrays = [array for block in made for _, array in named_arrays(block)]
    codes = np.array([code for code, _ in readout.entries])
    numbers = np.concatenate([array.ravel() for array in [*arrays, *features(circuit.sizes, lanes), codes]])
    if not np.all(A.contains(numbers)):
        return None
    return assemble(circuit, lanes, made, A, vocabulary, provenance, readout=readout)


def _rows(plan: BlockPlan, lanes: Lanes, saturation: Saturation | None) -> BlockRows:
    """Return a block as rows: every head and neuron is named after the nodes that it computes."""
    parts: list[HeadPlan | NeuronPlan] = [*plan.heads, *plan.neurons]
    sources = [source for one in parts for source in one.sources]
    heads = [_head(one, lanes, saturation) for one in plan.heads]
    return BlockRows(joined(sources), heads, [row for one in plan.neurons for row in _neuron_rows(one, lanes)])


def _head(plan: HeadPlan, lanes: Lanes, saturation: Saturation | None) -> HeadRows:
    """Return a head: score = factor · (query − key) + shift, ∞ from `selected` on, 0 up to `refused`."""
    assert saturation is not None
    nothing = lanes.row(Form())
    if plan.boundary == EVERY:
        queries, keys = [Row(nothing, saturation.up)], [Row(nothing, 1)]
    else:
        queries, keys = _score(plan.boundary, *saturation.scale(plan.boundary), lanes)
    values = [Row(read[:-1], read[-1]) for read, _ in plan.values]
    return HeadRows(joined(plan.sources), queries, keys, values, [written for _, written in plan.values])


def _score(boundary: Boundary, factor: int, shift: int, lanes: Lanes) -> tuple[list[Row], list[Row]]:
    """Return queries and keys; keys are centred, so that products stay small."""
    nothing = lanes.row(Form())
    if boundary.key.is_constant:
        return [Row(lanes.row(boundary.query, factor), shift)], [Row(nothing, 1)]
    if boundary.query.is_constant:
        return [Row(nothing, 1)], [Row(lanes.row(boundary.key, -factor), shift)]
    centre = (boundary.key.least + boundary.key.most) // 2
    return (
        [Row(nothing, -factor), Row(lanes.row(boundary.query, factor), shift - factor * centre)],
        [Row(lanes.row(boundary.key), -centre), Row(nothing, 1)],
    )


def _neuron_rows(plan: NeuronPlan, lanes: Lanes) -> Iterator[NeuronRow]:
    name, form = joined(plan.sources), plan.part.form
    for kink in plan.part.kinks:
        read = Row(lanes.row(form, kink.direction), kink.direction * form.constant - kink.offset)
        yield NeuronRow(name, read, [kink.slope * lane for lane in plan.lanes])


def _readout(circuit: Circuit, lanes: Lanes) -> tuple[list[str], dict[tuple[float, ...], Any]]:
    """Return the lanes that are read, and the values of their codes."""
    columns = [lanes.lanes.index(form.varying) for form in circuit.outputs]
    constants = [form.constant for form in circuit.outputs]
    table: dict[tuple[float, ...], Any] = {}
    for codes, value in circuit.table:
        table[tuple(float(code - constant) for code, constant in zip(codes, constants, strict=True))] = readable(value)
    if len(set(columns)) < len(columns):  # one lane holds both
        return [lanes.names[columns[0]]], {code[:1]: value for code, value in table.items() if len(set(code)) == 1}
    return [lanes.names[place] for place in columns], table


def readable(value: Value) -> Any:
    """Return a value as a readout says it."""
    shown = presented(value)
    return shown if shown is None or isinstance(shown, bool | int | float | str) else brief(shown)


def smallest(plan: Circuit, lanes: Lanes, meaning: Meaning, names: list[str], history: list[str]) -> Proof:
    """Return the proof in the smallest Fixed: whole numbers need no bits after the point."""
    blocks = blocks_of(plan, lanes)
    held = max(_fired(blocks), _added_up(blocks, lanes, plan.sizes.positions), *(lane.reach for lane in lanes.lanes))
    bits, why = max(2, held.bit_length()), ""
    boundaries = {head.boundary for block in blocks for head in block.heads}
    while bits <= MOST_BITS:
        in_force().check()
        saturation = Saturation.of(Fixed(bits, 0))
        if boundaries and (saturation is None or _scores(boundaries - {EVERY}, saturation) >= 1 << bits):
            bits += 1
            continue
        T = transformer(plan, lanes, blocks, Fixed(bits, 0), names, history)
        try:
            if T is None:
                raise LemmaError("a weight is too large", 1 << bits)
            return Proof(T, meaning)
        except LemmaError as error:
            why = str(error)
            if error.needs is None:
                raise
            bits = max(bits + 1, error.needs.bit_length())
    raise TooLargeError(
        f"no arithmetic of up to {MOST_BITS} bits will do{f': {why}' if why else ''}; write a smaller max_length, or a "
        "program with fewer values"
    )


def _fired(blocks: list[BlockPlan]) -> int:
    """Return the largest output of a neuron times its weight: it is largest at an end of its codes."""
    largest = 0
    for one in (neurons for block in blocks for neurons in block.neurons):
        ends = int(one.part.codes[0]), int(one.part.codes[-1])
        for direction, offset, slope in one.part.kinks:
            fired = max(direction * end - offset for end in ends)
            largest = max(largest, fired * max(abs(slope * lane) for lane in one.lanes))
    return largest


def _added_up(blocks: list[BlockPlan], lanes: Lanes, positions: int) -> int:
    """Return the largest sum of a head, if all positions are selected."""
    largest = 0
    for b, block in enumerate(blocks):
        there = [lane.by(2 * b) for lane in lanes.lanes]
        partial = [0] * len(there)
        for head in block.heads:
            values = [_combined(there, read[:-1]).plus(read[-1]) for read, _ in head.values]
            for lane in range(len(there)):
                partial[lane] += _combined(values, [to[lane] for _, to in head.values]).reach
            largest = max(largest, *partial, *(value.reach for value in values))
    return largest * positions


def _combined(forms: Sequence[Form], factors: Sequence[int]) -> Form:
    total = Form()
    for form, factor in zip(forms, factors, strict=True):
        total = total + form * factor if factor else total
    return total


def _scores(boundaries: Iterable[Boundary], saturation: Saturation) -> int:
    """Return the largest score of a head; `lowering` has its queries and keys."""
    largest = saturation.up
    for boundary in boundaries:
        factor, shift = saturation.scale(boundary)
        if boundary.key.is_constant or boundary.query.is_constant:
            score = boundary.query * factor - boundary.key * factor
            largest = max(largest, score.plus(shift).reach)
        else:
            centre = (boundary.key.least + boundary.key.most) // 2
            query, key = boundary.query * factor, boundary.key.plus(-centre) * factor
            largest = max(largest, query.plus(shift - factor * centre).reach + key.reach)
    return largest
