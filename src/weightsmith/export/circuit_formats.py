"""A true circuit in the forms of other libraries: ACDC, AutoCircuit and InterpBench.

Each names the computational graph of a TransformerLens model in its own way. ACDC lists edges from child to parent with
the hooks in between; AutoCircuit names them, and has no embedding of positions apart; InterpBench lists pairs of hooks.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias, get_args

from weightsmith.errors import ExportError, brief, listed
from weightsmith.inspect.components import Edge, Node
from weightsmith.model import Transformer
from weightsmith.model.transformer import checked

Form: TypeAlias = Literal["acdc", "auto-circuit", "interpbench"]
Hook: TypeAlias = tuple[str, tuple[int | None, ...]]  # its name, and what of the tensor: ACDC's "index"
WHOLE: tuple[None, ...] = (None,)


def circuit_as(T: Transformer, edges: Iterable[Edge], form: Form) -> Any:
    """Return edges of a transformer in the form of another library.

    - "acdc": {(child, index, parent, index): True}, as ACDC's functions for true edges return them, with `hook_embed`
      and `hook_pos_embed` apart; an index is (None,), or (None, None, head). The edges inside heads and layers are
      there: from `hook_result` to `hook_q` to `hook_q_input`, from `hook_mlp_out` to `hook_mlp_in`.
    - "auto-circuit": names such as "Resid Start->A0.1.Q", "A0.1->MLP 0", "MLP 0->Resid End", for separate q, k and v.
      Embedding and positions are one there: it has an edge if we have either.
    - "interpbench": pairs of hooks from source to target, as in its edges.pkl with granularity "acdc_hooks":
      ("hook_embed", "blocks.0.hook_q_input[1]").

    >>> from weightsmith import library
    >>> from weightsmith.inspect.edges import live_edges
    >>> T = library.contains("1")
    >>> circuit_as(T, [one.edge for one in live_edges(T, 3)[0]], "auto-circuit")
    ['Resid Start->A0.0.K', 'Resid Start->A0.0.V', 'A0.0->Resid End']
    """
    checked(T)
    if form not in get_args(Form):
        raise ExportError(f"there is no form {brief(form)}: write one of {listed(get_args(Form))}")
    there = list(edges)
    for edge in there:
        if not isinstance(edge, Edge):
            raise ExportError(f"{brief(edge)} is no edge: write those of inspect.edges.live_edges(T, up_to)")
    forms: dict[str, Callable[[Transformer, list[Edge]], Any]] = {
        "acdc": _acdc, "auto-circuit": _auto_circuit, "interpbench": _interpbench,
    }  # fmt: skip
    return forms[form](T, there)


def _steps(T: Transformer, edges: list[Edge]) -> Iterable[tuple[Hook, Hook]]:
    """Yield pairs of hooks, source and target: each edge, and the way through the component at its end."""
    last = (f"blocks.{max(len(T.blocks), 1) - 1}.hook_resid_post", WHOLE)
    for edge in edges:
        node, source = edge.target, _written(edge.source)
        if node.kind == "unembed":
            yield source, last
        elif node.kind == "mlp":
            yield source, (f"blocks.{node.block}.hook_mlp_in", WHOLE)
            yield (f"blocks.{node.block}.hook_mlp_in", WHOLE), _written(node)
        else:
            index = (None, None, node.index)
            inner = f"blocks.{node.block}.attn.hook_{edge.input}", index
            yield source, (f"blocks.{node.block}.hook_{edge.input}_input", index)
            yield (f"blocks.{node.block}.hook_{edge.input}_input", index), inner
            yield inner, _written(node)


def _written(node: Node) -> Hook:
    if node.kind == "head":
        return f"blocks.{node.block}.attn.hook_result", (None, None, node.index)
    return (f"blocks.{node.block}.hook_mlp_out" if node.kind == "mlp" else f"hook_{node.kind}"), WHOLE


def _acdc(T: Transformer, edges: list[Edge]) -> dict[tuple[Any, ...], bool]:
    return {(*target, *source): True for source, target in _steps(T, edges)}


def _interpbench(T: Transformer, edges: list[Edge]) -> list[tuple[str, str]]:
    def name(hook: Hook) -> str:
        return hook[0] if hook[1] == WHOLE else f"{hook[0]}[{hook[1][-1]}]"

    return list(dict.fromkeys((name(source), name(target)) for source, target in _steps(T, edges)))


def _auto_circuit(T: Transformer, edges: list[Edge]) -> list[str]:
    return list(dict.fromkeys(f"{_auto_name(edge.source)}->{_auto_name(edge.target, edge.input)}" for edge in edges))


def _auto_name(node: Node, name: str = "") -> str:
    if node.kind == "head":
        return f"A{node.block}.{node.index}" + (f".{name.upper()}" if name else "")
    if node.kind == "mlp":
        return f"MLP {node.block}"
    return "Resid End" if node.kind == "unembed" else "Resid Start"
