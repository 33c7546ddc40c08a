"""Rows of weights over lanes, as a transformer: the last step of every compiler."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.model import Attention, Block, FeedForward, Head, PositionTable, Softmax, Transformer, Weighting
from weightsmith.programs.circuit.circuit import Circuit
from weightsmith.programs.circuit.forms import Sizes
from weightsmith.programs.circuit.lanes import Lanes

Numbers: TypeAlias = Sequence[float] | Array


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
