"""Cutting an edge equals a transformer that has the stream twice; the second one lacks the writer, for the reader."""

from dataclasses import replace
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.drawn import drawn_program
from weightsmith.errors import WeightsmithError
from weightsmith.inspect.components import Edge, Node, lanes_read, shared_lanes, writers
from weightsmith.inspect.cuts import Cutting
from weightsmith.inspect.edges import connected_edges, edges, live_edges
from weightsmith.programs import compile as compile_program
from weightsmith.semantics.reference import Reference


def twice(T: ws.Transformer, edge: Edge) -> ws.Transformer:
    """Write the stream a second time, without the source of an edge; the edge's input reads that."""

    def activations_written(W: Any, b: int) -> Any:
        kept = [Node("neuron", b, n) != edge.source for n in range(W.shape[1])]
        return np.concatenate([W, 0 * W if Node("mlp", b) == edge.source else W * kept])

    def written(W: Any, node: Node | None, axis: int = 0) -> Any:
        return None if W is None else np.concatenate([W, 0 * W if node == edge.source else W], axis)

    def read(W: Any, node: Node, name: str) -> Any:
        cut = node == edge.target and name == edge.input
        return np.concatenate([0 * W, W] if cut else [W, 0 * W], axis=1)

    def rows_read(W: Any, b: int) -> Any:
        cut = [[edge.target in (Node("mlp", b), Node("neuron", b, n))] for n in range(len(W))]
        return np.concatenate([np.where(cut, 0 * W, W), np.where(cut, W, 0 * W)], axis=1)

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
                layer, W_1=rows_read(layer.W_1, b), W_2=activations_written(layer.W_2, b), b_2=written(layer.b_2, node),
                W_3=None if layer.W_3 is None else rows_read(layer.W_3, b), keys=None,
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


def check(T: ws.Transformer, up_to: int, neurons: bool = False) -> tuple[int, int]:
    """Compare every pair on every input; return how many edges are live, and how many pairs there are."""
    every = list(edges(T, neurons))
    changed = set[Edge]()
    others = {edge: Reference(twice(T, edge)) for edge in every}
    for length in range(1, up_to + 1):
        ids = np.array(list(product(range(len(T.vocabulary)), repeat=length)))
        cutting = Cutting(T, ids)
        for edge in every:
            other = others[edge]
            expected = other.read_answers(other.evaluate(ids).stream[-1])
            assert np.array_equal(cutting.cut([edge]), expected), str(edge)
            if not np.array_equal(expected, cutting.answers):
                changed.add(edge)
    live, silent = live_edges(T, up_to, every)
    assert changed <= set(connected_edges(T, neurons))
    assert {one.edge for one in live} == changed
    assert set(silent) == set(every) - changed
    for one in live:
        r = ws.run(T, one.witness)
        other = others[one.edge]
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


def few_neurons(seed: int, most: int) -> ws.Transformer | None:
    """Return a compiled program that has neurons, and at most so many pairs."""
    T = compiled(seed)
    there = T is not None and any(block.feed_forward is not None for block in T.blocks)
    return T if T is not None and there and len(list(edges(T, neurons=True))) <= most else None


def test_cut_edges_of_single_neurons_of_compiled_programs() -> None:
    counts = [check(T, 3, neurons=True) for seed in (8, 9, 11) if (T := few_neurons(seed, 200)) is not None]
    assert len(counts) == 3
    assert sum(live for live, _ in counts) >= 10
    assert sum(pairs - live for live, pairs in counts) >= 100


@pytest.mark.long
def test_cut_edges_of_single_neurons_of_100_compiled_programs() -> None:
    seeds, done = iter(range(1000)), 0
    while done < 100:
        T = few_neurons(next(seeds), 1500)
        if T is not None:
            check(T, 5, neurons=True)
            done += 1


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_cut_edges_of_single_neurons_with_a_gate_and_without(activation: Literal["relu", "swiglu"]) -> None:
    T = ws.random_transformer("01", 3, 2, 1, 3, 6, ws.Fixed(3, 3), 2, weighting=ws.Softmax(True))
    blocks = []
    for b, block in enumerate(T.blocks):
        layer = block.feed_forward
        assert layer is not None
        W_3 = layer.W_1[::-1] if activation == "swiglu" else None
        blocks.append(replace(block, feed_forward=replace(layer, activation=activation, W_3=W_3), parallel=b == 1))
    live, pairs = check(replace(T, blocks=blocks), 4, neurons=True)
    assert 10 <= live < pairs


def test_neurons_of_one_layer_are_cut_alone() -> None:
    T = ws.random_transformer("01", 3, 1, 1, 4, 6, ws.Fixed(3, 3), 1)
    cutting = Cutting(T, np.array(list(product(range(2), repeat=3))))
    head = Node("head", 0, 0)
    layer = cutting.engine.activations(0, cutting.without(head, 1))
    for n in range(4):
        stream = [*cutting.found.stream[:2]]
        only = cutting.found.activations[0].copy()
        only[..., n] = layer[..., n]
        after = cutting.engine.add_neurons(0, stream[1], only)
        expected = cutting.engine.read_answers(after)
        assert np.array_equal(cutting.cut([Edge(head, Node("neuron", 0, n), "in")]), expected)


@pytest.mark.one_in(2)
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
    cutting = Cutting(T, np.array([[0, 1]]))
    for cuts in ([one, other], [one, one], []):
        with pytest.raises(ws.WeightsmithError, match="lead to one component, at most one to each of its inputs"):
            cutting.cut(cuts)


def test_too_many_inputs_and_edges_and_inputs_that_are_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.library.contains("1")
    for up_to in (30, 10**9):
        with pytest.raises(ws.InputError, match=f"up_to={up_to}: there are 65,534 inputs up to length 15.*up_to=14$"):
            live_edges(T, up_to)
    wide = ws.random_transformer([str(n) for n in range(60_000)], 2, 1, 1, 1, 3)
    with pytest.raises(ws.InputError, match="60,000 inputs up to length 1.*a smaller vocabulary"):
        live_edges(wide, 1)
    short = ws.random_transformer(max_length=3)
    with pytest.raises(ws.InputError, match="up_to=4: the transformer reads at most 3 tokens: write up_to=3"):
        live_edges(short, 4)
    monkeypatch.setattr("weightsmith.inspect.edges.MOST_CUTS", 5)
    with pytest.raises(ws.InputError, match="edges share a lane, and at most 5 are cut: write neurons=False"):
        live_edges(short, 2, neurons=True)
    with pytest.raises(ws.InputError, match="at most 5 are cut: write a smaller model"):
        live_edges(short, 2)


def test_inputs_that_do_not_fit_together_are_cut_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.random_transformer("01", 3, 2, 2, 3, 6, ws.Fixed(2, 2), 4, weighting=ws.Softmax(True))
    whole = live_edges(T, 4)
    monkeypatch.setattr("weightsmith.inspect.edges.NUMBERS_AT_ONCE", 500)
    assert live_edges(T, 4) == whole


def test_a_neuron_reads_its_row_and_writes_its_column() -> None:
    T = few_neurons(9, 200)
    assert T is not None
    found = 0
    for edge in edges(T, neurons=True):
        if (edge.source.kind, edge.target.kind) == ("embed", "neuron"):
            layer = T.blocks[edge.target.block].feed_forward
            assert layer is not None
            both = (layer.W_1[edge.target.index] != 0) & (T.embedding != 0).any(axis=0)
            assert shared_lanes(T, edge) == [lane for lane, there in zip(T.lanes, both, strict=True) if there]
        if (edge.source.kind, edge.target.kind) == ("neuron", "unembed"):
            layer = T.blocks[edge.source.block].feed_forward
            assert layer is not None
            assert T.readout is not None
            written = {lane for lane, w in zip(T.lanes, layer.W_2[:, edge.source.index], strict=True) if w}
            assert set(shared_lanes(T, edge)) == written & set(T.readout.lanes)
            found += 1
    assert found == 10
    assert {Node("neuron", 1, n) for n in range(10)} <= set(writers(T, neurons=True))
    one, two = (lanes_read(T, Node("neuron", 1, n), "in") for n in (0, 1))
    whole = lanes_read(T, Node("mlp", 1), "in")
    assert set(one) <= set(whole)
    assert set(two) <= set(whole)


def test_two_neurons_of_one_layer_may_read_different_lanes() -> None:
    T = ws.library.eiffel(ws.Fixed(4, 4))
    layer = T.blocks[0].feed_forward
    assert layer is not None
    for n in range(len(layer.W_1)):
        read = [lane for lane, w in zip(T.lanes, layer.W_1[n], strict=True) if w]
        assert lanes_read(T, Node("neuron", 0, n), "in") == read
    assert len({tuple(lanes_read(T, Node("neuron", 0, n), "in")) for n in range(len(layer.W_1))}) > 1
