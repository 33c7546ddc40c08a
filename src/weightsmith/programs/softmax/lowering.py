"""The softmax back end: a circuit of means as softmax heads, neurons with relu, and a class for every answer."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.model import Softmax, Transformer
from weightsmith.programs.circuit.assembly import BlockRows, HeadRows, Lanes, NeuronRow, Row, assemble
from weightsmith.programs.circuit.circuit import Circuit, Layer, MeanHead, Score
from weightsmith.programs.circuit.forms import Cell, Form
from weightsmith.programs.listing import NOTHING, joined
from weightsmith.programs.softmax.slopes import slanted
from weightsmith.programs.softmax.steps import Steps, steps_of


def means(circuit: Circuit) -> list[MeanHead]:
    """Return the heads of a circuit."""
    return [one for one in circuit.heads if isinstance(one, MeanHead)]


def reciprocals(circuit: Circuit) -> frozenset[Cell]:
    """Return the cells whose codes c stand for 1/c."""
    return frozenset(one.cell for one in means(circuit) if one.reciprocal)


def score_of(circuit: Circuit, head: MeanHead) -> Fraction:
    """Return the score of a selected pair: smaller where scores must be equal, because they err in proportion."""
    return circuit.sharpness or Fraction(32 if head.high == 1 else 16)


def heads_at(circuit: Circuit, block: int) -> list[list[MeanHead]]:
    """Return the heads of a block: cells with the same score share one."""
    found: dict[tuple[Score, Fraction], list[MeanHead]] = {}
    for one in means(circuit):
        if one.cell.time == 2 * block + 1:
            found.setdefault((one.score, score_of(circuit, one)), []).append(one)
    return list(found.values())


@lru_cache(maxsize=64)  # of the circuits at hand
def layers_at(circuit: Circuit, block: int) -> list[tuple[Layer, Steps]]:
    """Return the steps of a block, with the cell that each writes."""
    inverse = reciprocals(circuit)
    maybe_none = frozenset(one.cell for one in means(circuit) if one.low == 0)
    found = []
    for layer in circuit.layers:
        if layer.cell.time == 2 * block + 2:
            for part in layer.parts:
                steps = steps_of(part, inverse)
                if circuit.sharpness is not None:
                    steps = slanted(steps, layer.cell.codes, circuit.sharpness, maybe_none)
                found.append((layer, steps))
    return found


def transformer(
    circuit: Circuit, lanes: Lanes, vocabulary: Sequence[str], classes: Sequence[str], provenance: Sequence[str]
) -> Transformer:
    """Return the transformer in float64."""
    blocks = [_rows(circuit, lanes, b).block() for b in range(circuit.depth)]
    weights, bias = _output(circuit, lanes)
    output = {"output": weights, "output_bias": bias, "classes": tuple(classes)}
    return assemble(circuit, lanes, blocks, Native("float64"), vocabulary, provenance, **output)


def _rows(circuit: Circuit, lanes: Lanes, block: int) -> BlockRows:
    heads, layers = heads_at(circuit, block), layers_at(circuit, block)
    sources = [one.source for cells in heads for one in cells] + [layer.source for layer, _ in layers]
    made = [_head(cells, lanes, score_of(circuit, cells[0])) for cells in heads]
    if not layers:
        return BlockRows(joined(sources), made, [])
    neurons = [row for layer, steps in layers for row in _neurons(layer, steps, lanes)]
    bases = [float(steps.base) * np.array(lanes.writes(layer.cell), np.float64) for layer, steps in layers]
    nothing = lanes.row(Form())
    return BlockRows(
        joined(sources), made, neurons or [NeuronRow(NOTHING, Row(nothing), nothing)], np.sum(bases, axis=0)
    )


def _head(cells: Sequence[MeanHead], lanes: Lanes, score: Fraction) -> HeadRows:
    """Return a head that weighs the selected positions alike."""
    pairs = cells[0].score.flags or ((Form(), Form()),)
    return HeadRows(
        joined(one.source for one in cells),
        [Row(lanes.row(query, score), float(score * query.constant)) for _, query in pairs],
        [Row(lanes.row(key), key.constant) for key, _ in pairs],
        [Row(lanes.row(one.value), one.value.constant) for one in cells],
        [lanes.writes(one.cell) for one in cells],
        Softmax(shifted=True),
    )


def _neurons(layer: Layer, steps: Steps, lanes: Lanes) -> list[NeuronRow]:
    """Return the neurons of a function, in its order."""
    form, rows = steps.part.form, list[NeuronRow]()
    written = np.array(lanes.writes(layer.cell), np.float64)
    for one in steps.neurons:
        read = Row(lanes.row(form, one.slope), float(one.slope * (form.constant - one.end)))
        rows.append(NeuronRow(layer.source, read, float(one.change) * written))
    return rows


def _output(circuit: Circuit, lanes: Lanes) -> tuple[Array, Array]:
    """Return unembedding and bias: the code nearest to the number in the lane has the largest logit.

    −(x − v)² is 2vx − v², but for a term that all codes share; codes are centred, and logits scaled by a power of 2.
    """
    (form,) = circuit.outputs
    centre, scale = logit_scale(circuit)
    codes = [Fraction(code - centre) for (code,), _ in circuit.table]
    rows = [lanes.row(form, 2 * scale * code) for code in codes]
    biases = [float(scale * (2 * code * (form.constant - centre) - code**2)) for code in codes]
    return np.array(rows), np.array(biases)


def logit_scale(circuit: Circuit) -> tuple[int, Fraction]:
    """Return the centre of the output's codes, and the factor of squared distances."""
    codes = [code for (code,), _ in circuit.table]
    least, most = min(codes), max(codes)
    reach = max(most - least, 1)
    return (least + most) // 2, Fraction(1, 1 << reach.bit_length() - 1)
