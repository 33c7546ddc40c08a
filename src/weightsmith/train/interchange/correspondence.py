"""Which head or layer of the dense transformer takes which part of the program."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from weightsmith.errors import InputError, brief, listed
from weightsmith.inspect.components import Edge, Node, written_at
from weightsmith.model import Transformer
from weightsmith.train.interchange.parts import node_called, nodes_of
from weightsmith.train.settings import NEURONS_PER_LANE, Shape

LEAST_BLOCKS, LEAST_HEADS, LANES_PER_HEAD = 2, 4, 16


def shape_for(T: Transformer, parts: Sequence[Node], context: int) -> Shape:
    """Return the shape of a dense transformer with room for the parts, and with heads beside them."""
    most = max(sum(part.kind == "head" and part.block == b for part in parts) for b in range(len(T.blocks)))
    heads = LEAST_HEADS
    while heads <= most:
        heads *= 2
    lanes = LANES_PER_HEAD * heads
    return Shape(
        lanes, max(LEAST_BLOCKS, len(T.blocks)), heads, NEURONS_PER_LANE * lanes, context, activation="gelu",
        positions="table", norm="layer",
    )  # fmt: skip


def mapping_for(parts: Sequence[Node], shape: Shape, seed: int) -> Mapping[Node, Node]:
    """Return a node for each part, in the same block: the heads are drawn, so that their numbers are no hint."""
    rng = np.random.default_rng([seed, 1])
    order = [rng.permutation(shape.heads).tolist() for _ in range(shape.blocks)]
    found = dict[Node, Node]()
    for part in parts:
        if part.block >= shape.blocks:
            raise InputError(
                f"the shape has {shape.blocks} blocks, and {part} is in block {part.block}: write a shape with more "
                "blocks, or a mapping"
            )
        if part.kind == "head" and not order[part.block]:
            raise InputError(
                f"the shape has {shape.heads} heads in a block, and more of them are in block {part.block} of the "
                "program: write a shape with more heads, or a mapping"
            )
        found[part] = Node("head", part.block, order[part.block].pop()) if part.kind == "head" else part
    return MappingProxyType(found)


def mapping_given(
    T: Transformer, given: object, parts: Sequence[Node], live: Sequence[Edge], shape: Shape
) -> Mapping[Node, Node]:
    """Return a mapping that was given by names: from each part of the program to a node of the dense transformer."""
    if not isinstance(given, Mapping):
        raise InputError(f"mapping={brief(given)}: write {{'blocks.0.attn.head.0': 'blocks.0.attn.head.2', …}}")
    nodes = nodes_of(shape.blocks, shape.heads)
    found = dict[Node, Node]()
    for name, other in given.items():
        part = node_called(T, name, "mapping: the part")
        node = next((each for each in nodes if other == str(each)), None)
        if node is None:
            raise InputError(
                f"mapping: {brief(other)} is no node of a shape with blocks={shape.blocks} and heads={shape.heads}: "
                "write blocks.0.attn.head.1 or blocks.0.mlp"
            )
        if part not in parts:
            raise InputError(f"mapping: an interchange of {part} changes no answer: leave it out")
        if node.kind != part.kind:
            raise InputError(f"mapping: {part} and {node} are of two kinds: map heads to heads, and layers to layers")
        if node in found.values():
            raise InputError(f"mapping: {node} is there twice: write another node for {part}")
        found[part] = node
    if missing := [str(part) for part in parts if part not in found]:
        raise InputError(f"mapping leaves out {listed(missing)}: write a node for each")
    for edge in live:
        if edge.source in found and edge.target in found:
            _check_order(found[edge.source], found[edge.target], edge)
    return MappingProxyType(found)


def _check_order(source: Node, target: Node, edge: Edge) -> None:
    """Refuse a reader that does not come after what it reads."""
    if written_at(source) > 2 * target.block + (target.kind == "mlp"):
        raise InputError(f"mapping: {edge.target} reads {edge.source}, so {target} must come after {source}")
