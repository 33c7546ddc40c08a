"""The circuit as a graph: every edge once, columns in the order of the run, few crossings, no overlaps."""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

import weightsmith as ws
from tests.export.models import hand_built
from weightsmith import export
from weightsmith.errors import ExportError
from weightsmith.export.circuit_drawing import MOST_EDGES, _graph, _Picture
from weightsmith.export.layered import crossings, heights, ordered

SVG = "{http://www.w3.org/2000/svg}"
DOCS = Path(__file__).parents[2] / "docs"


def test_every_part_that_has_an_edge_is_in_a_node_and_every_edge_is_drawn_once() -> None:
    drawn = 0
    for name, T in hand_built().items():
        found = export.circuit(T)
        nodes, edges, titles = _graph(found)
        if len(edges) > MOST_EDGES:
            continue
        drawing = ElementTree.fromstring(export.circuit_svg(T))
        drawn += 1
        ends = {part for edge in found["edges"] for part in (edge["from"], edge["to"])}
        parts = [part for node in nodes for part in node.parts]
        assert sorted(parts) == sorted(ends), name
        at = {part: node for node in nodes for part in node.parts}
        wanted = {(at[edge["from"]], at[edge["to"]]) for edge in found["edges"]}
        assert {(edge.source, edge.target) for edge in edges} == wanted, name
        assert len(drawing.findall(f"{SVG}path")) == len(edges) == len(wanted), name
        assert len(drawing.findall(f"{SVG}g")) == len(nodes), name
        assert all(edge.source.column < edge.target.column for edge in edges), name
        lanes = {(edge["from"], edge["to"], lane) for edge in found["edges"] for lane in edge["lanes"]}
        assert all(
            lane in next(e for e in edges if (e.source, e.target) == (at[a], at[b])).lanes for a, b, lane in lanes
        )
        assert titles[0] == "start" or not found["components"][0]["writes"]
    assert drawn > 10


def test_no_node_lies_on_another_and_columns_keep_their_order() -> None:
    for T in (ws.library.eiffel(), ws.library.balanced(2), ws.library.contains("1") & ~ws.library.contains("0")):
        picture = _Picture(*_graph(export.circuit(T)))
        for members in picture.columns:
            spans = [(picture.y[p] - picture.tall[p] / 2, picture.y[p] + picture.tall[p] / 2) for p in members]
            assert all(low[1] <= high[0] for low, high in itertools.pairwise(spans))
        rights = [max((picture.width.get(p, 0) for p in members), default=0) for members in picture.columns]
        assert all(x + right < y for x, right, y in zip(picture.x, rights, picture.x[1:], strict=False))


def test_sweeping_finds_the_order_without_crossings_of_a_shuffled_ladder() -> None:
    random = Random(3)
    columns = [[(c, n) for n in range(9)] for c in range(5)]
    edges = [((c, n), (c + 1, n)) for c in range(4) for n in range(9)]
    for column in columns:
        random.shuffle(column)
    assert crossings(columns, edges) > 20
    best = ordered(columns, edges)
    assert crossings(best, edges) == 0
    y = heights(best, edges, {node: 10.0 for column in best for node in column}, 2.0)
    assert max(abs(y[a] - y[b]) for a, b in edges) < 1e-9


def test_neurons_with_the_same_neighbours_are_one_node() -> None:
    nodes, _, _ = _graph(export.circuit(ws.library.balanced(2)))
    (both,) = [node for node in nodes if "neuron" in node.parts[0]]
    assert len(both.parts) == 2
    assert both.text == "2 neurons"


def test_a_trained_model_is_refused_with_the_threshold_to_write_and_drawn_with_one() -> None:
    T = ws.random_transformer(lanes=6, blocks=6, heads=4, neurons=30, seed=1)
    with pytest.raises(ExportError, match=r"up to 160: write threshold=… above 0"):
        export.circuit_svg(T)
    largest = max(abs(w) for part in export.circuit(T)["components"] for w in part["writes"].values())
    ElementTree.fromstring(export.circuit_svg(T, threshold=largest))


def test_names_are_escaped_and_the_documentation_shows_this_picture() -> None:
    T = ws.library.contains("1")
    odd = replace(T, lanes=("<&>", *T.lanes[1:]))
    drawing = export.circuit_svg(odd)
    ElementTree.fromstring(drawing)
    assert not re.search("<&", drawing)
    shown = (DOCS / "_static/circuit.svg").read_text(encoding="utf-8")
    assert shown == export.circuit_svg(ws.library.balanced(2))


def test_the_documentation_shows_the_live_edges_of_a_program() -> None:
    source = "aggregate(select(indices, length - indices - 1, ==), tokens);"
    T = ws.programs.compile_rasp(source, vocabulary="abc", max_length=5).transformer
    shown = (DOCS / "_static/live-circuit.svg").read_text(encoding="utf-8")
    assert shown == export.circuit(T, up_to=3).draw()
