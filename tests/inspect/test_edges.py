"""Cutting an edge equals a transformer that has the stream twice; the second one lacks the writer, for the reader."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.drawn import drawn_program
from weightsmith.errors import WeightsmithError
from weightsmith.inspect.edges import Cutting, Edge, Node, carrying, edges, live_edges
from weightsmith.programs import compile as compile_program
from weightsmith.semantics.reference import Reference


def twice(T: ws.Transformer, edge: Edge) -> ws.Transformer:
    """Write the stream a second time, without the source of an edge; the edge's input reads that."""

    def written(W: Any, node: Node | None, axis: int = 0) -> Any:
        return None if W is None else np.concatenate([W, 0 * W if node == edge.source else W], axis)

    def read(W: Any, node: Node, name: str) -> Any:
        cut = node == edge.target and name == edge.input
        return np.concatenate([0 * W, W] if cut else [W, 0 * W], axis=1)

    blocks = []
    for b, block in enumerate(T.blocks):
        attention, layer = block.attention, block.feed_forward
        if attention is not None:
            heads = []
            for i, head in enumerate(attention.heads):
                node = Node("head", b, i)
                ports: dict[str, Any] = {
                    f"W_{name.upper()}": read(getattr(head, f"W_{name.upper()}"), node, name) for name in "qkv"
                }
                heads.append(replace(head, W_O=written(head.W_O, node), **ports))
            attention = replace(attention, heads=heads, b_O=written(attention.b_O, None))
        if layer is not None:
            node = Node("mlp", b)
            layer = replace(
                layer, W_1=read(layer.W_1, node, "in"), W_2=written(layer.W_2, node), b_2=written(layer.b_2, node),
                W_3=None if layer.W_3 is None else read(layer.W_3, node, "in"), keys=None,
            )  # fmt: skip
        blocks.append(replace(block, attention=attention, feed_forward=layer))
    lanes = [*T.lanes, *(f"{lane} again" for lane in T.lanes)]
    table, readout = T.positions, T.readout
    if isinstance(table, ws.PositionTable):
        table = replace(table, values=written(table.values, Node("pos_embed"), axis=1))
    if readout is not None and edge.target.kind == "unembed":
        readout = ws.Readout([f"{lane} again" for lane in readout.lanes], readout.entries)
    output = read(T.output, Node("unembed"), "in")
    embedding = written(T.embedding, Node("embed"), axis=1)
    return replace(
        T, lanes=lanes, embedding=embedding, blocks=blocks, positions=table, output=output, readout=readout, flags=(),
    )  # fmt: skip


def check(T: ws.Transformer, up_to: int) -> tuple[int, int]:
    """Compare every pair on every input; return how many edges are live, and how many pairs there are."""
    every = list(edges(T))
    changed = set[Edge]()
    for length in range(1, up_to + 1):
        ids = np.array(list(product(range(len(T.vocabulary)), repeat=length)))
        cutting = Cutting(T, ids)
        for edge in every:
            other = Reference(twice(T, edge))
            expected = other.read_answers(other.evaluate(ids).stream[-1])
            assert np.array_equal(cutting.cut([edge]), expected), str(edge)
            if not np.array_equal(expected, cutting.answers):
                changed.add(edge)
    live, silent = live_edges(T, up_to, every)
    assert changed <= set(carrying(T))
    assert {one.edge for one in live} == changed
    assert set(silent) == set(every) - changed
    for one in live:
        r = ws.run(T, one.witness)
        other = Reference(twice(T, one.edge))
        ids = np.array([[T.vocabulary.index(token) for token in one.witness]])
        assert other.read_answers(other.evaluate(ids).stream[-1])[0, one.position] != r.answer_ids[one.position]
    return len(live), len(every)


def compiled(seed: int) -> ws.Transformer | None:
    try:
        return compile_program(drawn_program(seed, 3, "ab"), vocabulary="ab", max_length=5).transformer
    except WeightsmithError:
        return None


def test_cut_edges_of_compiled_programs() -> None:
    counts = [check(T, 3) for seed in range(8) if (T := compiled(seed)) is not None]
    assert sum(live for live, _ in counts) >= 10
    assert sum(pairs - live for live, pairs in counts) >= 10


@pytest.mark.long
def test_cut_edges_of_100_compiled_programs() -> None:
    seeds, done = iter(range(1000)), 0
    while done < 100:
        T = compiled(next(seeds))
        if T is not None and len(list(edges(T))) <= 400:
            check(T, 5)
            done += 1


@pytest.mark.parametrize("seed", range(6))
def test_cut_edges_of_random_models_that_saturate(seed: int) -> None:
    weighting = [ws.Softmax(True), ws.AverageHard(), ws.Softmax(True)][seed % 3]
    T = ws.random_transformer(
        "01", 3, 2, 2, 3, 6, ws.Fixed(2, 2) if seed % 2 else ws.Float(3, 2), seed, weighting=weighting
    )
    check(T, 3)


def test_a_cut_leads_to_one_component() -> None:
    T = ws.random_transformer(blocks=2)
    one, *_, other = edges(T)
    with pytest.raises(ws.WeightsmithError, match="lead to one component"):
        Cutting(T, np.array([[0, 1]])).cut([one, other])


def test_too_many_inputs_are_refused() -> None:
    with pytest.raises(ws.WeightsmithError, match="write a smaller up_to"):
        live_edges(ws.library.contains("1"), 30)
