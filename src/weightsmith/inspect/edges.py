"""Edges of the circuit: one component reads, through the residual stream, the output of another; each can be cut.

Components write to the stream: the embedding, the positions, every head and every feed-forward layer. Readers are the
queries, keys and values of heads, the feed-forward layers, and the output. To cut an edge means that the reader, and no
other, sees the stream without the writer: the same sum, in the same order, with 0 in the place of what that wrote.
Everything behind the reader is then computed again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief
from weightsmith.inspect.output import answers_of, output_rows, read_numbers
from weightsmith.model import Transformer, position_table
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.model.sites import Site, attention_stage, feed_forward_source, feed_forward_stage
from weightsmith.semantics.attention import run_head
from weightsmith.semantics.evaluation import AnswerIds, Ids
from weightsmith.semantics.reference import Reference

MOST_INPUTS = 50_000
Input: TypeAlias = Literal["q", "k", "v", "in"]  # of a head, or of a feed-forward layer and the output
Lanes: TypeAlias = npt.NDArray[np.bool_]
NodeKind: TypeAlias = Literal["embed", "pos_embed", "head", "mlp", "unembed"]


@dataclass(frozen=True, order=True)
class Node:
    """A component, with the name that TransformerLens gives to it."""

    kind: NodeKind
    block: int = -1
    index: int = 0  # of a head

    def __str__(self) -> str:
        """Return its name: "embed", "blocks.0.attn.head.1", "blocks.0.mlp"."""
        if self.kind == "head":
            return f"blocks.{self.block}.attn.head.{self.index}"
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


def writers(T: Transformer) -> list[Node]:
    """Return the components that write to the stream, in order."""
    found = [Node("embed")] + (
        [Node("pos_embed")] if position_table(T.positions, T.arithmetic, len(T.lanes)) is not None else []
    )
    for b, block in enumerate(T.blocks):
        found += [Node("head", b, i) for i in range(len(block.attention.heads) if block.attention else 0)]
        found += [Node("mlp", b)] if block.feed_forward is not None else []
    return found


def edges(T: Transformer) -> Iterator[Edge]:
    """Yield every pair of a writer and an input that reads the stream after it, whether or not it carries anything."""
    sources = writers(T)
    for target in [*(node for node in sources if node.kind in ("head", "mlp")), Node("unembed")]:
        inputs: tuple[Input, ...] = ("q", "k", "v") if target.kind == "head" else ("in",)
        for source in sources:
            if _written_at(source) <= read_at(T, target):
                yield from (Edge(source, target, each) for each in inputs)


def _written_at(node: Node) -> int:
    """Return the first stage of the stream that has a component's output."""
    if node.kind in ("embed", "pos_embed"):
        return 0
    return attention_stage(node.block) if node.kind == "head" else feed_forward_stage(node.block)


def read_at(T: Transformer, node: Node) -> int:
    """Return the stage of the stream that a component reads."""
    if node.kind == "unembed":
        return 2 * len(T.blocks)
    return attention_stage(node.block) - 1 if node.kind == "head" else feed_forward_source(T, node.block)


def carrying(T: Transformer) -> list[Edge]:
    """Return the edges whose ends share a lane; no other pair can carry anything."""
    return [edge for edge in edges(T) if shared_lanes(T, edge)]


def shared_lanes(T: Transformer, edge: Edge) -> list[str]:
    """Return the lanes that the source of an edge may write and its input reads; without any, it carries nothing.

    A norm in between reads all the lanes that it normalises. A norm after a sublayer spreads what was written to all of
    its lanes.
    """
    both = _written(T, edge.source) & _read(T, edge.target, edge.input)
    if any(block.norm_placement == "post" and (block.attention_norm or block.feed_forward_norm) for block in T.blocks):
        both = _read(T, edge.target, edge.input) if _written(T, edge.source).any() else both
    return [lane for lane, there in zip(T.lanes, both.tolist(), strict=True) if there]


def _written(T: Transformer, node: Node) -> Lanes:
    """Return whether a component may write to each lane."""
    if node.kind == "embed":
        return _nonzero(T.embedding, 0)
    if node.kind == "pos_embed":
        table = position_table(T.positions, T.arithmetic, len(T.lanes))
        return _nonzero(table, 0)
    block = T.blocks[node.block]
    if node.kind == "head":
        assert block.attention is not None
        return _nonzero(block.attention.heads[node.index].W_O, 1)
    assert block.feed_forward is not None
    return _nonzero(block.feed_forward.W_2, 1) | _nonzero(block.feed_forward.b_2[np.newaxis], 0)


def _nonzero(W: Any, axis: int) -> Lanes:
    return cast(Lanes, (np.asarray(W) != 0).any(axis=axis))


def _read(T: Transformer, node: Node, name: Input) -> Lanes:
    """Return whether an input of a component reads each lane."""
    rows: Any
    if node.kind == "unembed":
        norm, rows = T.final_norm, output_rows(T)
    elif node.kind == "mlp":
        block = T.blocks[node.block]
        assert block.feed_forward is not None
        norm = block.feed_forward_norm if block.norm_placement == "pre" else None
        rows = np.concatenate([W for W in (block.feed_forward.W_1, block.feed_forward.W_3) if W is not None])
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


class Cutting:
    """Some inputs of one length through a transformer, and again with edges cut."""

    def __init__(self, T: Transformer, ids: Ids) -> None:
        """Run the inputs, (inputs, positions), as they are."""
        self.T, self.engine, self.ids = T, Reference(T), ids
        self.found = self.engine.evaluate(ids)
        self.answers = self._answers(self.found.stream[-1])

    def without(self, source: Node, stage: int) -> Array:
        """Return the stream at a stage as if a component had written 0, and all others what they wrote."""
        T, A = self.T, self.engine.A
        with np.errstate(all="ignore"):
            if source.kind in ("embed", "pos_embed"):
                h, first = self._start(source), 0
            else:
                first = source.block
                h = self.found.stream[2 * first]
            for b in range(first, len(T.blocks)):
                block = T.blocks[b]
                if stage == 2 * b:
                    break
                if block.attention is not None:
                    outputs = [head.output for head in self.found.heads[b]]
                    if source.kind == "head" and source.block == b:
                        outputs[source.index] = np.zeros_like(outputs[source.index])
                    h = self.engine.add_heads(b, h, outputs)
                if stage == attention_stage(b):
                    break
                if block.feed_forward is None:
                    continue
                if source.kind == "mlp" and source.block == b:
                    h = self.engine.add_output(b, h, np.zeros_like(h))
                else:
                    h = self.engine.add_neurons(b, h, self.found.activations[b])
            return A.encoded(h)

    def _start(self, source: Node) -> Array:
        """Return the first stage without the embedding, or without the positions."""
        T, A = self.T, self.engine.A
        h = A.encoded(T.embedding[self.ids])
        table = position_table(T.positions, T.arithmetic, len(T.lanes), self.ids.shape[-1])
        if source.kind == "pos_embed":
            return h
        return np.zeros_like(h) if table is None else A.add(np.zeros_like(h), table)

    def cut(self, cuts: Sequence[Edge]) -> AnswerIds:
        """Return the answers, (inputs, positions), with edges to one reader cut."""
        if len({edge.target for edge in cuts}) != 1:
            raise InputError(f"cuts={brief([str(edge) for edge in cuts])}: write edges that lead to one component")
        target = cuts[0].target
        reads = {edge.input: self.without(edge.source, read_at(self.T, target)) for edge in cuts}
        if target.kind == "unembed":
            return self._answers(reads["in"])
        if target.kind == "mlp":
            new, site = self.engine.activations(target.block, reads["in"]), Site("activations", target.block)
        else:
            new, site = self._head(target, reads), Site("head", target.block, target.index)
        stream = list(self.found.stream[: 2 * target.block + (2 if target.kind == "mlp" else 1)])
        after = self.engine.onward(stream, change=lambda at, values: new if at == site else values)
        return self._answers(after.stream[-1])

    def _head(self, node: Node, reads: dict[Input, Array]) -> Array:
        """Return the output of a head whose queries, keys or values read another stream."""
        T, b = self.T, node.block
        attention = T.blocks[b].attention
        assert attention is not None
        scheme = attention.positions_of(node.index, T.attention_positions) or NO_POSITIONS
        normed: dict[str, Array] = {name: self.engine.before_attention(b, h) for name, h in reads.items()}
        h = self.engine.before_attention(b, self.found.stream[2 * b])
        with np.errstate(all="ignore"):
            return run_head(
                T, attention.heads[node.index], scheme, h, None, f"block {b}, head {node.index}", normed
            ).output

    def _answers(self, last: Array) -> AnswerIds:
        """Return the answers at each position of the last stage."""
        return answers_of(self.T, read_numbers(self.T, last, "left"))


@dataclass(frozen=True)
class Live:
    """An edge that carries something: an input and position at which the answer is another one without it."""

    edge: Edge
    witness: tuple[str, ...]
    position: int


def live_edges(T: Transformer, up_to: int, candidates: Sequence[Edge] | None = None) -> tuple[list[Live], list[Edge]]:
    """Cut each edge on every input up to a length; return those that matter, with the first witness, and the others.

    By default these are the edges whose ends share a lane.
    """
    count = sum(len(T.vocabulary) ** length for length in range(1, up_to + 1))
    if count > MOST_INPUTS:
        raise InputError(
            f"there are {count:,} inputs up to length {up_to}, and edges are cut on at most {MOST_INPUTS:,}: write a "
            f"smaller up_to"
        )
    waiting, found = list(carrying(T) if candidates is None else candidates), dict[Edge, Live]()
    for length in range(1, up_to + 1):
        ids = np.array(list(product(range(len(T.vocabulary)), repeat=length)))
        cutting = Cutting(T, ids)
        for edge in [edge for edge in waiting if edge not in found]:
            differs = np.argwhere(cutting.cut([edge]) != cutting.answers)
            if len(differs):
                n, position = differs[0].tolist()
                found[edge] = Live(edge, tuple(T.vocabulary[token] for token in ids[n]), position)
    return [found[edge] for edge in waiting if edge in found], [edge for edge in waiting if edge not in found]
