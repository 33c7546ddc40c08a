"""The transformer of a portable program: softmax heads, neurons with relu, and a class for every answer."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.model import Attention, Block, FeedForward, Head, PositionTable, Softmax, Transformer
from weightsmith.programs.compiler.coding import Layered
from weightsmith.programs.compiler.forms import Form
from weightsmith.programs.compiler.placing import Lanes, lanes_for
from weightsmith.programs.compiler.weights import features
from weightsmith.programs.naming import NOTHING, joined
from weightsmith.programs.portable.plan import Averaged, PortablePlan, Score
from weightsmith.programs.portable.steps import Steps, steps_of


def lanes_of(plan: PortablePlan) -> Lanes:
    """Return the lanes: as few as there are independent forms that somebody reads."""
    forms = [plan.output.varying]
    for one in plan.averaged:
        forms += [form.varying for pair in one.score.flags for form in pair]
        forms.append(one.value.varying)
    for layered in plan.layered:
        forms += [part.form.varying for part in layered.parts]
    return lanes_for([plan.output.varying], list(dict.fromkeys(form for form in forms if not form.is_constant)))


def heads_at(plan: PortablePlan, block: int) -> list[list[Averaged]]:
    """Return the heads of a block: cells that select alike share one."""
    found: dict[tuple[Score, int], list[Averaged]] = {}
    for one in plan.averaged:
        if one.cell.time == 2 * block + 1:
            found.setdefault((one.score, one.sharpness), []).append(one)
    return list(found.values())


def layers_at(plan: PortablePlan, block: int) -> list[tuple[Layered, Steps]]:
    """Return the steps of a block, with the cell that each writes."""
    return [
        (layered, steps_of(part, plan.reciprocals))
        for layered in plan.layered
        if layered.cell.time == 2 * block + 2
        for part in layered.parts
    ]


def transformer(
    plan: PortablePlan,
    lanes: Lanes,
    A: Arithmetic,
    vocabulary: Sequence[str],
    classes: Sequence[str],
    provenance: Sequence[str],
) -> Transformer:
    """Return the transformer; weights are rounded into the arithmetic."""
    embedding, positions = features(plan.sizes, lanes)
    output, bias = _output(plan, lanes)
    return Transformer(
        arithmetic=A,
        vocabulary=tuple(vocabulary),
        lanes=lanes.names,
        embedding=_rounded(A, embedding),
        positions=PositionTable(_rounded(A, positions)),
        blocks=[_block(plan, lanes, A, b) for b in range(plan.depth)],
        output=_rounded(A, output),
        output_bias=_rounded(A, bias),
        classes=tuple(classes),
        mask="causal" if plan.causal else "full",
        provenance=tuple(provenance),
    )


def _block(plan: PortablePlan, lanes: Lanes, A: Arithmetic, block: int) -> Block:
    heads, layers = heads_at(plan, block), layers_at(plan, block)
    sources = [one.source for cells in heads for one in cells] + [layered.source for layered, _ in layers]
    return Block(
        Attention([_head(cells, lanes, A) for cells in heads]) if heads else None,
        _feed_forward(layers, lanes, A) if layers else None,
        origin=joined(sources),
    )


def row(form: Form, lanes: Lanes, factor: Fraction | int = 1) -> list[float]:
    """Return the factors with which lanes give a form."""
    if form.is_constant:
        return [0.0] * len(lanes.lanes)
    return [float(factor * one) for one in lanes.read(form)]


def _head(cells: Sequence[Averaged], lanes: Lanes, A: Arithmetic) -> Head:
    """Return a head that weighs the selected positions alike."""
    pairs, sharpness = cells[0].score.flags or ((Form(), Form()),), cells[0].sharpness
    arrays: dict[str, Any] = {
        "W_Q": [row(query, lanes, sharpness) for _, query in pairs],
        "b_Q": [float(sharpness * query.constant) for _, query in pairs],
        "W_K": [row(key, lanes) for key, _ in pairs],
        "b_K": [float(key.constant) for key, _ in pairs],
        "W_V": [row(one.value, lanes) for one in cells],
        "b_V": [float(one.value.constant) for one in cells],
        "W_O": np.array([lanes.writes(one.cell) for one in cells], np.float64).T,
    }
    rounded: dict[str, Any] = {name: _rounded(A, array) for name, array in arrays.items()}
    return Head(**rounded, weighting=Softmax(shifted=True), name=joined(one.source for one in cells))


def _feed_forward(layers: Sequence[tuple[Layered, Steps]], lanes: Lanes, A: Arithmetic) -> FeedForward:
    """Return the layer of all steps: two neurons for each."""
    rows, biases, columns, names = list[Any](), list[float](), list[Any](), list[str]()
    base = np.zeros(len(lanes.lanes))
    for layered, steps in layers:
        written = np.array(lanes.writes(layered.cell), np.float64)
        base += steps.base * written
        for step in steps.steps:
            ends = (step.start, step.end) if steps.direction == 1 else (step.end, step.start)
            for sign, end in zip((1, -1), ends, strict=True):
                slope = steps.direction * step.slope
                rows.append(row(steps.part.form, lanes, slope))
                biases.append(float(slope * (steps.part.form.constant - end)))
                columns.append(sign * steps.direction * step.change * written)
                names.append(layered.source)
    if not rows:
        rows, biases, columns, names = [[0.0] * len(lanes.lanes)], [0.0], [np.zeros(len(lanes.lanes))], [NOTHING]
    arrays = {"W_1": rows, "b_1": biases, "W_2": np.array(columns).T, "b_2": base}
    return FeedForward(
        **{name: _rounded(A, array) for name, array in arrays.items()}, activation="relu", names=tuple(names)
    )


def _output(plan: PortablePlan, lanes: Lanes) -> tuple[Array, Array]:
    """Return unembedding and bias: the code nearest to what the lane holds has the largest logit.

    −(x − v)² is, but for what all have in common, 2vx − v²; codes are centred, and logits scaled by a power of 2.
    """
    codes = [Fraction(code) for code in plan.table]
    centre, scale = logit_scale(plan)
    rows = [row(plan.output, lanes, 2 * scale * (code - centre)) for code in codes]
    biases = [
        float(scale * (2 * (code - centre) * (plan.output.constant - centre) - (code - centre) ** 2)) for code in codes
    ]
    return np.array(rows), np.array(biases)


def logit_scale(plan: PortablePlan) -> tuple[int, Fraction]:
    """Return the centre of the output's codes, and by what squares of distances are multiplied."""
    least, most = min(plan.table), max(plan.table)
    reach = max(most - least, 1)
    return (least + most) // 2, Fraction(1, 1 << reach.bit_length() - 1)


def _rounded(A: Arithmetic, array: Any) -> Array:
    return np.asarray(A.round(np.array(array, np.float64)))
