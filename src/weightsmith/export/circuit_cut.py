"""What exact ablation says about a circuit, as plain values: nodes, live edges with witnesses, silent edges."""

from typing import Any

from weightsmith.inspect.components import Edge, Input, Node, lanes_read, lanes_written, shared_lanes, writers
from weightsmith.inspect.edges import edges, live_edges
from weightsmith.model import Transformer

KINDS = {"embed": "embedding", "pos_embed": "positions", "mlp": "feed-forward", "unembed": "output"}
Values = dict[str, Any]


def cut(T: Transformer, up_to: int, neurons: bool) -> Values:
    """Cut every edge whose ends share a lane, on every input up to a length."""
    live, silent = live_edges(T, up_to, neurons=neurons)
    found = [{**plain_edge(T, one.edge), "witness": list(one.witness), "position": one.position} for one in live]
    return {
        "up_to": up_to,
        "neurons": neurons,
        "nodes": [_node(T, node) for node in (*writers(T, neurons), Node("unembed"))],
        "pairs": sum(1 for _ in edges(T, neurons)),
        "live": found,
        "silent": [plain_edge(T, edge) for edge in silent],
    }


def _node(T: Transformer, node: Node) -> Values:
    inputs: tuple[Input, ...] = ("q", "k", "v") if node.kind == "head" else ("in",)
    inputs = () if node.kind in ("embed", "pos_embed") else inputs
    where = {} if node.block < 0 else {"block": node.block, "origin": T.blocks[node.block].origin}
    return {
        "name": str(node),
        "kind": KINDS.get(node.kind, node.kind),
        **where,
        **({"index": node.index, "label": _label(T, node)} if node.kind in ("head", "neuron") else {}),
        "reads": {name: lanes_read(T, node, name) for name in inputs},
        "writes": [] if node.kind == "unembed" else lanes_written(T, node),
    }


def _label(T: Transformer, node: Node) -> str:
    """Return the name that its maker gave to a head or neuron, or ""."""
    block = T.blocks[node.block]
    if node.kind == "head":
        assert block.attention is not None
        return block.attention.heads[node.index].name
    assert block.feed_forward is not None
    return block.feed_forward.names[node.index] if block.feed_forward.names else ""


def plain_edge(T: Transformer, edge: Edge) -> Values:
    """Return an edge as plain values: its ends, the lanes that they share, and the hooks of a bridge."""
    return {
        "from": str(edge.source),
        "to": str(edge.target),
        "input": edge.input,
        "lanes": shared_lanes(T, edge),
        "hooks": hooks_of(T, edge),
    }


def hooks_of(T: Transformer, edge: Edge) -> list[list[Any]]:
    """Return the hooks of a TransformerLens bridge at both ends of an edge, each with the index of its part or None."""
    return [written_hook(edge.source), *_read_hooks(T, edge)]


def written_hook(node: Node) -> list[Any]:
    """Return the hook of a bridge that has what a component writes, and the index of a head or neuron or None."""
    if node.kind == "head":
        return [f"blocks.{node.block}.attn.hook_result", node.index]
    if node.kind == "neuron":
        return [f"blocks.{node.block}.mlp.hook_post", node.index]
    return [f"blocks.{node.block}.hook_mlp_out" if node.kind == "mlp" else f"hook_{node.kind}", None]


def _read_hooks(T: Transformer, edge: Edge) -> list[list[Any]]:
    node = edge.target
    if node.kind == "head":
        return [[f"blocks.{node.block}.hook_{edge.input}_input", node.index]]
    if node.kind == "neuron":
        layer = T.blocks[node.block].feed_forward
        gated = layer is not None and layer.W_3 is not None
        names = ["hook_pre", "hook_pre_linear"] if gated else ["hook_pre"]
        return [[f"blocks.{node.block}.mlp.{name}", node.index] for name in names]
    return [[f"blocks.{node.block}.hook_mlp_in" if node.kind == "mlp" else "unembed.hook_in", None]]
