"""From a circuit to a transformer, the last step of every compiler: lanes for its forms, then rows of weights.

There are as few lanes as there are independent forms that are read. A lane holds a form without its constant. Every
form that is read is a whole-numbered combination of lanes plus a constant. Lanes are chosen among the forms that are
read: cells that are only read together share a lane.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.model import Attention, Block, FeedForward, Head, PositionTable, Softmax, Transformer, Weighting
from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import Circuit
from weightsmith.programs.circuit.forms import Cell, Form, Sizes
from weightsmith.programs.listing import NOTHING, OF_LANES, POSITION, TOKEN, joined

LONGEST_LANE = 60  # characters of a name
Numbers: TypeAlias = Sequence[float] | Array


class Span:
    """The forms that whole-numbered combinations of some lanes can give."""

    def __init__(self) -> None:
        """Begin with no lanes."""
        self.forms: list[Form] = []
        self.rows: list[tuple[dict[object, Fraction], list[Fraction]]] = []  # reduced, and as combinations of forms

    def add(self, form: Form) -> None:
        """Take one more lane."""
        self.forms.append(form)
        for _, of in self.rows:
            of.append(Fraction(0))
        rest, factors = self._rest(form)
        if rest:
            self.rows.append((rest, [*(-f for f in factors[: len(self.forms) - 1]), Fraction(1)]))

    def combines(self, form: Form) -> bool:
        """Return whether lanes combine to a form with whole factors."""
        rest, factors = self._rest(form)
        return not rest and all(factor.denominator == 1 for factor in factors)

    def combination(self, form: Form) -> tuple[int, ...]:
        """Return the factor of each lane."""
        rest, factors = self._rest(form)
        assert not rest, "a form that is not among the read ones"
        assert all(factor.denominator == 1 for factor in factors)
        return tuple(int(factor) for factor in factors)

    def _rest(self, form: Form) -> tuple[dict[object, Fraction], list[Fraction]]:
        """Return the remainder of a form, and the factors with which lanes give the rest."""
        rest = _coordinates(form)
        factors = [Fraction(0)] * len(self.forms)
        for row, of in self.rows:
            pivot = next(iter(row))
            if pivot in rest:
                times = rest[pivot] / row[pivot]
                for place, value in row.items():
                    rest[place] = rest.get(place, Fraction(0)) - times * value
                rest = {place: value for place, value in rest.items() if value}
                factors = [a + times * b for a, b in zip(factors, of, strict=True)]
        return rest, factors


@dataclass(frozen=True)
class Lanes:
    """The lanes, and the factors with which they give a form; without a span, every cell has a lane of its own."""

    lanes: tuple[Form, ...]
    names: tuple[str, ...]
    span: Span | None = None
    _read: dict[Form, tuple[int, ...]] = field(default_factory=dict)

    def read(self, form: Form) -> tuple[int, ...]:
        """Return the factor of each lane in a form, whatever its constant."""
        if self.span is None:
            found = [0] * len(self.lanes)
            for cell, factor in form.cells:
                found[self._holders[cell][0][0]] += factor
            return tuple(found)
        form = form.varying
        if form not in self._read:
            itself = form.is_constant or form in self.lanes
            own = tuple(int(lane == form) for lane in self.lanes) if itself else None
            self._read[form] = own or self.span.combination(form)
        return self._read[form]

    def row(self, form: Form, factor: Fraction | int = 1) -> list[float]:
        """Return the weights with which lanes give a form, times a factor, whatever its constant."""
        if form.is_constant:
            return [0.0] * len(self.lanes)
        return [float(factor * one) if one else 0.0 for one in self.read(form)]

    def writes(self, cell: Cell) -> tuple[int, ...]:
        """Return how often each lane gets a cell."""
        found = [0] * len(self.lanes)
        for lane, factor in self._holders.get(cell, ()):
            found[lane] = factor
        return tuple(found)

    @cached_property
    def _holders(self) -> dict[Cell, list[tuple[int, int]]]:
        """The lanes that hold each cell, with their factors."""
        found: dict[Cell, list[tuple[int, int]]] = {}
        for n, lane in enumerate(self.lanes):
            for cell, factor in lane.cells:
                found.setdefault(cell, []).append((n, factor))
        return found


def place(circuit: Circuit) -> Lanes:
    """Return lanes for every form that is read, one for each output; a constant output gets a lane that holds 0."""
    outputs = [form.varying for form in circuit.outputs]
    span = Span()
    lanes: list[Form] = []
    for form in [*dict.fromkeys(outputs), *sorted(circuit.reads, key=_size)]:
        in_force().check()
        if form not in lanes and (form in outputs or not span.combines(form)):
            span.add(form)
            lanes.append(form)
    return Lanes(tuple(lanes), _names(lanes), span)


def _size(form: Form) -> tuple[int, int]:
    return len(form.cells) + bool(form.token) + bool(form.index), form.time


def _names(lanes: list[Form]) -> tuple[str, ...]:
    names: list[str] = []
    for lane in lanes:
        words = [TOKEN] * bool(lane.token) + [POSITION] * bool(lane.index)
        words += [cell.name for cell, _ in lane.cells]
        name = joined(words, OF_LANES, LONGEST_LANE) or NOTHING
        count = sum(one == name or one.startswith(f"{name} ") for one in names)
        names.append(name if name not in names else f"{name} {count + 1}")
        while names.count(names[-1]) > 1:
            names[-1] += "'"
    return tuple(names)


def _coordinates(form: Form) -> dict[object, Fraction]:
    found: dict[object, Fraction] = {}
    for of, values in (("token", form.token), ("index", form.index)):
        found |= {(of, n): Fraction(value) for n, value in enumerate(values) if value}
    return found | {cell: Fraction(factor) for cell, factor in form.cells}


class Row(NamedTuple):
    """A linear function of the lanes."""

    weights: Numbers
    bias: float = 0.0


class HeadRows(NamedTuple):
    """A head: rows of queries, keys and values, and for every value the lanes that get it."""

    name: str
    queries: Sequence[Row]
    keys: Sequence[Row]
    values: Sequence[Row]
    writes: Sequence[Numbers]
    weighting: Weighting = Softmax()
    strict: bool = False
    zero_biases: bool = True  # whether biases that are all 0 are kept

    def head(self) -> Head:
        """Return the head with its arrays."""
        arrays: dict[str, Array | None] = {"W_O": np.array(self.writes, np.float64).T}
        for which, rows in (("Q", self.queries), ("K", self.keys), ("V", self.values)):
            bias = np.array([row.bias for row in rows], np.float64)
            arrays[f"W_{which}"] = np.array([row.weights for row in rows], np.float64)
            arrays[f"b_{which}"] = bias if self.zero_biases or bias.any() else None
        return Head(**arrays, weighting=self.weighting, strict=self.strict, name=self.name)  # type: ignore[arg-type]


class NeuronRow(NamedTuple):
    """A neuron: its row, and the lanes to which it writes."""

    name: str
    read: Row
    writes: Numbers


class BlockRows(NamedTuple):
    """The heads and neurons of one block, and the bias after its neurons."""

    origin: str
    heads: Sequence[HeadRows]
    neurons: Sequence[NeuronRow]
    base: Numbers | None = None

    def block(self) -> Block:
        """Return the block with its arrays."""
        heads = [one.head() for one in self.heads]
        return Block(Attention(heads) if heads else None, self._feed_forward(), origin=self.origin)

    def _feed_forward(self) -> FeedForward | None:
        if not self.neurons:
            return None
        return FeedForward(
            W_1=np.array([one.read.weights for one in self.neurons], np.float64),
            b_1=np.array([one.read.bias for one in self.neurons], np.float64),
            W_2=np.array([one.writes for one in self.neurons], np.float64).T,
            b_2=np.zeros(len(self.neurons[0].writes)) if self.base is None else np.array(self.base, np.float64),
            activation="relu",
            names=tuple(one.name for one in self.neurons),
        )


def assemble(
    circuit: Circuit,
    lanes: Lanes,
    blocks: Sequence[Block],
    A: Arithmetic,
    vocabulary: Sequence[str],
    provenance: Sequence[str],
    **output: Any,
) -> Transformer:
    """Return the transformer; `output` is its readout, or its classes with their weights."""
    embedding, positions = features(circuit.sizes, lanes)
    return Transformer(
        arithmetic=A,
        vocabulary=tuple(vocabulary),
        lanes=lanes.names,
        embedding=embedding,
        positions=PositionTable(positions) if circuit.sizes.positions else None,
        blocks=blocks,
        mask="causal" if circuit.causal else "full",
        provenance=tuple(provenance),
        **output,
    )


def features(sizes: Sizes, lanes: Lanes) -> tuple[Array, Array]:
    """Return the features of each token, and of each position, that lanes hold."""
    embedding = np.zeros((sizes.tokens, len(lanes.lanes)))
    positions = np.zeros((sizes.positions, len(lanes.lanes)))
    for column, lane in enumerate(lanes.lanes):
        if lane.token:
            embedding[:, column] = lane.token
        if lane.index:
            positions[:, column] = lane.index
    return embedding, positions
