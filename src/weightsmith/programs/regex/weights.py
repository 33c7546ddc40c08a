"""A language's circuit as the weights of a transformer.

- A level is one strict head at the rightmost of the largest keys. The query is 1, the key is 1 where something is set,
  the values say what. Where nothing was set, or nothing is seen, it reads zeros: the first value.
- A neuron is relu(Σ literals − (their number − 1)).
- A total is a strict head with equal scores whose exp is ∞, so that every weight is ∞ ⊘ ∞ = 1.

Lanes come in two ways. *Shared* lanes are as few as there are independent forms that are read; they hold sums, and
these must be members. *Opposite* lanes hold 1 minus one literal each: neurons read them by −1 with the bias 1, so that
−1, 0 and 1 are enough, because sums that saturate at −∞ stay below 0.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import cut
from weightsmith.model import RightmostHard, Softmax, Transformer, Weighting
from weightsmith.programs.circuit.assembly import BlockRows, HeadRows, NeuronRow, Row, assemble
from weightsmith.programs.circuit.circuit import Head, Layer, OneKeyHead, Part
from weightsmith.programs.circuit.forms import Form
from weightsmith.programs.machines.weights import saturating_score
from weightsmith.programs.regex.lanes import GroupedLanes, lanes_of
from weightsmith.programs.regex.plan import LanguagePlan, TotalHead


@dataclass(frozen=True, eq=False)
class LanguageWeights:
    """The weights of a language's circuit."""

    plan: LanguagePlan
    vocabulary: tuple[str, ...]
    opposite: bool = False

    @cached_property
    def lanes(self) -> GroupedLanes:
        """The lanes."""
        return lanes_of(self.plan.circuit, self.plan.groups, self.opposite)

    def transformer(self, A: Arithmetic, provenance: Sequence[str]) -> Transformer:
        """Return the transformer in an arithmetic."""
        circuit, lanes = self.plan.circuit, self.lanes
        blocks = [self._rows(b, A).block() for b in range(circuit.depth)]
        (result,) = circuit.outputs
        output = np.array([lanes.row(Form()), lanes.row(result)])
        bias = np.array([0.0, result.constant]) if result.constant else None
        return assemble(circuit, lanes, blocks, A, self.vocabulary, provenance, output=output, output_bias=bias)

    def _rows(self, block: int, A: Arithmetic) -> BlockRows:
        groups: dict[Hashable, list[Head]] = {}
        for head in self.plan.circuit.heads:
            if head.cell.time == 2 * block + 1:
                groups.setdefault(head.keys if isinstance(head, OneKeyHead) else TotalHead, []).append(head)
        layers = [layer for layer in self.plan.circuit.layers if layer.cell.time == 2 * block + 2]
        heads = [self._head(group, A) for group in groups.values()]
        neurons = [one for layer in layers for part in layer.parts for one in self._neurons(layer, part)]
        origin = "; ".join([*(head.name for head in heads), *(layer.source for layer in layers)])
        return BlockRows(cut(origin, 1000), heads, neurons)

    def _head(self, group: Sequence[Head], A: Arithmetic) -> HeadRows:
        """Return one head for all cells with the same key."""
        lanes, first = self.lanes, group[0]
        written: dict[tuple[int, ...], list[int]] = {}  # combinations of the cells, and the lanes that get them
        writes = [lanes.writes(head.cell) for head in group]
        for lane, factors in enumerate(zip(*writes, strict=True)):
            if any(factors):
                written.setdefault(factors, []).append(lane)
        rows, outs = list[Row](), list[list[float]]()
        for factors, there in written.items():
            form = Form()
            for head, factor in zip(group, factors, strict=True):
                form += head.value * factor
            rows.append(self._row(form))
            outs.append([float(lane in there) for lane in range(len(lanes.lanes))])
        name, nothing = cut(", ".join(head.source for head in group), 150), lanes.row(Form())
        query, key = Row(nothing, 1.0), Row(nothing)
        how: Weighting = RightmostHard()
        if isinstance(first, TotalHead):  # every weight is ∞ ⊘ ∞ = 1
            key, how = Row(nothing, float(saturating_score(A))), Softmax()
        elif isinstance(first, OneKeyHead) and first.keys:
            key = self._row(first.keys[0])
        return HeadRows(name, [query], [key], rows, outs, how, strict=True, zero_biases=False)

    def _neurons(self, layer: Layer, part: Part) -> Iterator[NeuronRow]:
        for direction, offset, slope in part.kinks:
            weights, bias = self.lanes.below(part.form * direction, -offset)
            writes = [slope * one for one in self.lanes.writes(layer.cell)]
            yield NeuronRow(layer.source, Row(weights, bias), writes)

    def _row(self, form: Form) -> Row:
        return Row(self.lanes.row(form), float(form.constant))
