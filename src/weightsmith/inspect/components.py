"""Components of a transformer, the edges between them, and the lanes that each reads and writes.

Components write to the stream: the embedding, the positions, every head and every feed-forward layer, or each of its
neurons. Readers are the queries, keys and values of heads, feed-forward layers or their neurons, and the output.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from weightsmith.inspect.output import output_rows
from weightsmith.model import FeedForward, Transformer, position_table
from weightsmith.model.sites import attention_stage, feed_forward_source, feed_forward_stage

Input: TypeAlias = Literal["q", "k", "v", "in"]  # of a head, or of any other reader
Lanes: TypeAlias = npt.NDArray[np.bool_]
NodeKind: TypeAlias = Literal["embed", "pos_embed", "head", "mlp", "neuron", "unembed"]


@dataclass(frozen=True, order=True)
class Node:
    """A component, with the name that TransformerLens gives to it."""

    kind: NodeKind
    block: int = -1
    index: int = 0  # of a head or a neuron

    def __str__(self) -> str:
        """Return its name: "embed", "blocks.0.attn.head.1", "blocks.0.mlp", "blocks.0.mlp.neuron.5"."""
        if self.kind in ("head", "neuron"):
            return f"blocks.{self.block}.{'attn' if self.kind == 'head' else 'mlp'}.{self.kind}.{self.index}"
        return f"blocks.{self.block}.mlp" if self.kind == "mlp" else self.kind


@dataclass(frozen=True, order=True)
class Edge:
    """What one component writes, read by an input of another."""

    source: Node
    target: Node
    input: Input

    def __str__(self) -> str:
        """Return its name: "embed → blocks.0.attn.head.1.q"."""
        return f"{self.source} → {self.target}" + ("" if self.input == "in" else f".{self.input}")


def writers(T: Transformer, neurons: bool = False) -> list[Node]:
    """Return the components that write to the stream, in order; with `neurons`, each neuron instead of its layer."""
    found = [Node("embed")] + (
        [Node("pos_embed")] if position_table(T.positions, T.arithmetic, len(T.lanes)) is not None else []
    )
    for b, block in enumerate(T.blocks):
        found += [Node("head", b, i) for i in range(len(block.attention.heads) if block.attention else 0)]
        if block.feed_forward is not None:
            each = range(len(block.feed_forward.W_1))
            found += [Node("neuron", b, n) for n in each] if neurons else [Node("mlp", b)]
    return found


def written_at(node: Node) -> int:
    """Return the first stage of the stream that has a component's output."""
    if node.kind in ("embed", "pos_embed"):
        return 0
    return attention_stage(node.block) if node.kind == "head" else feed_forward_stage(node.block)


def read_at(T: Transformer, node: Node) -> int:
    """Return the stage of the stream that a component reads."""
    if node.kind == "unembed":
        return 2 * len(T.blocks)
    return attention_stage(node.block) - 1 if node.kind == "head" else feed_forward_source(T, node.block)


def shared_lanes(T: Transformer, edge: Edge) -> list[str]:
    """Return the lanes that the source of an edge may write and its input reads; without any, the edge is silent.

    A norm in between reads all the lanes that it normalises. A norm after a sublayer spreads what was written to all of
    its lanes.
    """
    return names_of(T, ReadAndWritten(T).shared(edge))


def names_of(T: Transformer, lanes: Lanes) -> list[str]:
    """Return the names of some lanes."""
    return [lane for lane, there in zip(T.lanes, lanes.tolist(), strict=True) if there]


def lanes_written(T: Transformer, node: Node) -> list[str]:
    """Return the lanes that a component may write."""
    return names_of(T, _written(T, node))


def lanes_read(T: Transformer, node: Node, name: Input) -> list[str]:
    """Return the lanes that an input of a component reads."""
    return names_of(T, _read(T, node, name))


class ReadAndWritten:
    """What the components of a transformer write and read, each computed once."""

    def __init__(self, T: Transformer) -> None:
        """Begin with nothing computed."""
        self.T, self.written, self.read = T, dict[Node, Lanes](), dict[tuple[Node, Input], Lanes]()
        self.spreads = any(
            block.norm_placement == "post" and (block.attention_norm or block.feed_forward_norm) for block in T.blocks
        )

    def shared(self, edge: Edge) -> Lanes:
        """Return whether an edge's source may write and its input reads each lane."""
        written, read = self.written.get(edge.source), self.read.get((edge.target, edge.input))
        if written is None:
            written = self.written[edge.source] = _written(self.T, edge.source)
        if read is None:
            read = self.read[edge.target, edge.input] = _read(self.T, edge.target, edge.input)
        return read if self.spreads and written.any() else written & read


def _layer(T: Transformer, node: Node) -> FeedForward:
    layer = T.blocks[node.block].feed_forward
    assert layer is not None
    return layer


def _written(T: Transformer, node: Node) -> Lanes:
    """Return whether a component may write to each lane."""
    if node.kind == "embed":
        return _nonzero(T.embedding, 0)
    if node.kind == "pos_embed":
        return _nonzero(position_table(T.positions, T.arithmetic, len(T.lanes)), 0)
    if node.kind == "head":
        attention = T.blocks[node.block].attention
        assert attention is not None
        return _nonzero(attention.heads[node.index].W_O, 1)
    layer = _layer(T, node)
    if node.kind == "neuron":
        return _nonzero(layer.W_2[:, [node.index]], 1)
    return _nonzero(layer.W_2, 1) | _nonzero(layer.b_2[np.newaxis], 0)


def _nonzero(W: Any, axis: int) -> Lanes:
    return cast(Lanes, (np.asarray(W) != 0).any(axis=axis))


def _read(T: Transformer, node: Node, name: Input) -> Lanes:
    """Return whether an input of a component reads each lane."""
    rows: Any
    if node.kind == "unembed":
        norm, rows = T.final_norm, output_rows(T)
    elif node.kind in ("mlp", "neuron"):
        block, layer = T.blocks[node.block], _layer(T, node)
        norm = block.feed_forward_norm if block.norm_placement == "pre" else None
        some = slice(None) if node.kind == "mlp" else [node.index]
        rows = np.concatenate([W[some] for W in (layer.W_1, layer.W_3) if W is not None])
    else:
        block = T.blocks[node.block]
        assert block.attention is not None
        norm = block.attention_norm if block.norm_placement == "pre" else None
        head = block.attention.heads[node.index]
        rows = {"q": head.W_Q, "k": head.W_K, "v": head.W_V}[name]
    read = _nonzero(rows, 0)
    if norm is not None:
        inside = np.array([norm.lanes is None or lane in norm.lanes for lane in T.lanes])
        read |= inside if (read & inside).any() else False
    return read
