"""The forms of ACDC, AutoCircuit and InterpBench: what their own readers expect, on every edge."""

import re
from typing import Any

import pytest

import weightsmith as ws
from tests.programs.drawn import drawn_program
from weightsmith import export, library
from weightsmith.errors import WeightsmithError
from weightsmith.inspect.components import Edge
from weightsmith.inspect.edges import edges
from weightsmith.programs import compile as compile_program

INDEX = {(None,)} | {(None, None, head) for head in range(64)}
BLOCK = r"blocks\.\d+\."
CHILD = re.compile(rf"{BLOCK}(hook_[qkv]_input|attn\.hook_([qkv]|result)|hook_mlp_(in|out)|hook_resid_post)")
PARENT = re.compile(rf"hook_(pos_)?embed|{BLOCK}(hook_[qkv]_input|attn\.hook_([qkv]|result)|hook_mlp_(in|out))")
SOURCE, TARGET = r"(Resid Start|A\d+\.\d+|MLP \d+)", r"(A\d+\.\d+\.[QKV]|MLP \d+|Resid End)"


def models() -> list[ws.Transformer]:
    found = [ws.random_transformer(blocks=2, heads=2), library.contains("1")]
    for seed in range(6):
        try:
            found.append(compile_program(drawn_program(seed, 3, "ab"), vocabulary="ab", max_length=4).transformer)
        except WeightsmithError:
            continue
    return found


def computed(found: dict[tuple[Any, ...], bool]) -> set[tuple[Any, ...]]:
    """Return the edges that add to a stream: those of ours."""
    return {edge for edge in found if re.search(r"_input|mlp_in|resid_post", edge[0])}


def test_acdc_has_an_edge_for_each_of_ours_and_the_way_through_each_component() -> None:
    for T in models():
        every = list(edges(T))
        found = export.circuit_as(T, every, "acdc")
        assert all(value is True for value in found.values())
        assert len(computed(found)) == len(every)
        for child, index, parent, other in found:
            assert CHILD.fullmatch(child)
            assert PARENT.fullmatch(parent)
            assert {index, other} <= INDEX
            assert (len(index) == 3) == ("attn" in child or child.endswith("_input"))
        children = {(edge[0], edge[1]) for edge in found}
        for child, _, parent, other in found:  # whatever is read was written
            assert parent in ("hook_embed", "hook_pos_embed") or (parent, other) in children, child


def test_acdc_names_the_edges_of_a_program() -> None:
    T = library.contains("1")
    assert export.circuit_as(
        T, [edge for edge in edges(T) if str(edge) == "embed → blocks.0.attn.head.0.k"], "acdc"
    ) == {
        ("blocks.0.hook_k_input", (None, None, 0), "hook_embed", (None,)): True,
        ("blocks.0.attn.hook_k", (None, None, 0), "blocks.0.hook_k_input", (None, None, 0)): True,
        ("blocks.0.attn.hook_result", (None, None, 0), "blocks.0.attn.hook_k", (None, None, 0)): True,
    }


def test_interpbench_has_the_same_edges_as_pairs_of_names() -> None:
    for T in models():
        every = list(edges(T))
        pairs = export.circuit_as(T, every, "interpbench")
        assert len(pairs) == len(set(pairs)) == len(export.circuit_as(T, every, "acdc"))
        for pair in pairs:
            for name in pair:
                base, _, index = name.partition("[")
                assert CHILD.fullmatch(base) or PARENT.fullmatch(base)
                assert bool(index) == ("attn" in base or base.endswith("_input"))


def test_auto_circuit_has_one_edge_for_embedding_and_positions() -> None:
    for T in models():
        every = list(edges(T))
        names = export.circuit_as(T, every, "auto-circuit")
        assert all(re.fullmatch(f"{SOURCE}->{TARGET}", name) for name in names)
        merged = {(str(edge.source).replace("pos_embed", "embed"), edge.target, edge.input) for edge in every}
        assert len(names) == len(set(names)) == len(merged)


def test_wrong_arguments_are_named() -> None:
    T = library.contains("1")
    with pytest.raises(
        ws.WeightsmithError, match="there is no form 'tracr': write one of acdc, auto-circuit, interpbench"
    ):
        export.circuit_as(T, [], "tracr")  # type: ignore[arg-type]
    with pytest.raises(ws.WeightsmithError, match="'embed' is no edge: write those of inspect.edges.live_edges"):
        export.circuit_as(T, ["embed"], "acdc")  # type: ignore[list-item]
    with pytest.raises(ws.WeightsmithError):
        export.circuit_as(3, [], "acdc")  # type: ignore[arg-type]
    assert export.circuit_as(T, iter(list[Edge]()), "interpbench") == []
