"""The circuit says what each head and neuron reads and writes, and leaves nothing out that matters."""

import json
from dataclasses import replace
from itertools import product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import weightsmith as ws
from tests.export.models import hand_built
from tests.kernels.kinds import kind_of_model
from weightsmith import Fixed, Native, export
from weightsmith.errors import ExportError

SVG = "{http://www.w3.org/2000/svg}"


def component(found: dict[str, Any], name: str) -> dict[str, Any]:
    one: dict[str, Any]
    (one,) = [entry for entry in found["components"] if entry["name"] == name]
    return one


def reached(found: dict[str, Any]) -> set[str]:
    """Give the components from which edges lead to the output."""
    there = {"unembed"}
    for edge in reversed(found["edges"]):
        there |= {edge["from"]} if edge["to"] in there else set()
    return there


def silenced(T: ws.Transformer, names: set[str]) -> ws.Transformer:
    """Set what these components write to 0."""
    blocks = []
    for b, block in enumerate(T.blocks):
        attention, layer = block.attention, block.feed_forward
        if attention is not None:
            heads = [
                replace(head, W_O=0 * head.W_O) if f"blocks.{b}.attn.head.{i}" in names else head
                for i, head in enumerate(attention.heads)
            ]
            b_O = None if f"blocks.{b}.attn.b_O" in names else attention.b_O
            attention = ws.Attention(heads, b_O)
        if layer is not None:
            keep = np.array([f"blocks.{b}.mlp.neuron.{n}" not in names for n in range(len(layer.W_1))])
            b_2 = 0 * layer.b_2 if f"blocks.{b}.mlp.b_2" in names else layer.b_2
            layer = replace(layer, W_2=layer.W_2 * keep, b_2=b_2)
        blocks.append(replace(block, attention=attention, feed_forward=layer))
    return replace(T, blocks=blocks)


def test_a_component_from_which_no_edge_leads_to_the_output_can_be_silenced() -> None:
    silent = 0
    for name, T in hand_built().items():
        found = export.circuit(T)
        assert json.loads(json.dumps(found, allow_nan=False)) == found, name
        idle = {entry["name"] for entry in found["components"]} - reached(found)
        inputs = [tokens for n in (1, 2, 4) for tokens in list(product(T.vocabulary, repeat=n))[:16]]
        assert np.array_equal(ws.logits(silenced(T, idle), inputs), ws.logits(T, inputs)), name
        silent += len(idle)
    assert silent > 100


def test_without_an_edge_from_one_block_to_the_next_nothing_is_read() -> None:
    """The embedding's lane reaches the output through the head alone: cut either edge, and the answer is always NO."""
    T = ws.library.contains("1")
    found = export.circuit(T)
    assert [(edge["from"], edge["to"]) for edge in found["edges"]] == [
        ("embed", "blocks.0.attn.head.0"),
        ("blocks.0.attn.head.0", "unembed"),
    ]
    assert ws.run(silenced(T, {"blocks.0.attn.head.0"}), "111").decision == "NO"


def test_heads_and_neurons_say_what_they_read_write_and_are_called() -> None:
    T = ws.library.balanced(2)
    found = export.circuit(T)
    assert (found["format"], found["version"], found["threshold"]) == ("weightsmith circuit", 1, 0.0)
    assert (found["arithmetic"], found["classes"]) == ("fixed(4,4)", ["NO", "YES"])
    assert component(found, "blocks.0.mlp.neuron.0") == {
        "name": "blocks.0.mlp.neuron.0",
        "kind": "neuron",
        "block": 0,
        "origin": "how many are open here",
        "index": 0,
        "label": "too many are open",
        "activation": "relu",
        "bias": -2.0,
        "reads": {"W_1": {"open": 1.0}},
        "writes": {"wrong": 2.0},
    }
    assert component(found, "blocks.1.attn.head.0") == {
        "name": "blocks.1.attn.head.0",
        "kind": "head",
        "block": 1,
        "origin": "look for a mistake",
        "index": 0,
        "weighting": "LeftmostHard()",
        "positions": None,
        "reads": {"W_Q": {}, "W_K": {"wrong": 1.0}, "W_V": {"wrong": 1.0}},
        "writes": {"worst": 1.0},
    }
    assert component(found, "blocks.0.mlp.b_2")["writes"] == {"fine": 1.0}
    assert component(found, "unembed")["reads"] == {"NO": {}, "YES": {"fine": 1.0, "open": -1.0, "worst": -2.0}}
    edges = {(edge["from"], edge["to"]): edge["lanes"] for edge in found["edges"]}
    assert edges["blocks.0.mlp.neuron.1", "blocks.1.attn.head.0"] == {"wrong": ["W_K", "W_V"]}
    assert ("blocks.1.attn.head.0", "blocks.0.mlp.neuron.0") not in edges


def test_lanes_say_where_they_come_from() -> None:
    T = ws.infinity_form(ws.flag(ws.library.contains("1"), "here", positions=[3], max_length=6))
    lanes = {lane["name"]: lane for lane in export.circuit(T)["lanes"]}
    assert lanes["symbol"]["from"] == ["token"]
    assert lanes["here"]["from"] == ["position", "flag"]
    assert lanes["YES"]["from"] == ["infinity form"]
    assert lanes["found"]["from"] == []
    assert "blocks.0.attn.head.0" in lanes["found"]["written_by"]
    assert lanes["YES"]["read_by"][-1] == "unembed"
    signed = export.circuit(ws.signed_infinity_form(ws.library.contains("1")))["lanes"]
    assert [lane["from"] for lane in signed[:2]] == [["signed infinity form"]] * 2
    assert export.circuit(ws.zero_one_form(ws.library.contains("1")))["lanes"][1]["from"] == ["0-1 form"]


def test_a_fact_has_its_key_and_its_name() -> None:
    T = ws.Transformer(Fixed(4, 4), "ab", ["x", "y"], np.eye(2), None, [ws.Block()], np.eye(2))
    T = ws.memory.write(T, 0, {"x": 1.0}, {"y": 1.0}, name="x means y")
    neuron = component(export.circuit(T), "blocks.0.mlp.neuron.0")
    assert (neuron["label"], neuron["key"], neuron["writes"]) == ("x means y", {"x": 1.0}, {"y": 1.0})


def test_norms_gates_biases_and_schemes_are_named() -> None:
    T = kind_of_model(Native("float64"), 2, "alibi", "swiglu", norms=True, loudness=0.0)
    found = export.circuit(T)
    head, neuron = component(found, "blocks.0.attn.head.0"), component(found, "blocks.0.mlp.neuron.0")
    assert (head["norm"], neuron["norm"]) == (["x", "y", "z"], ["x", "z"])
    assert head["positions"] == "a penalty for distance (ALiBi)"
    assert list(neuron["reads"]) == ["W_1", "W_3"]
    assert component(found, "unembed")["norm"] == ["x", "y", "z"]


def test_a_parallel_layer_does_not_read_its_own_blocks_heads() -> None:
    T = kind_of_model(Native("float64"), 1, loudness=0.0)
    T = replace(T, blocks=[replace(block, parallel=True) for block in T.blocks])
    pairs = {(edge["from"][:12], edge["to"][:12]) for edge in export.circuit(T)["edges"]}
    assert ("blocks.0.att", "blocks.0.mlp") not in pairs
    assert ("blocks.0.att", "blocks.1.mlp") in pairs


def test_a_threshold_leaves_out_small_weights_and_a_circuit_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    T = kind_of_model(Native("float64"), 1, loudness=0.0)
    everything, some = export.circuit(T), export.circuit(T, threshold=1.0)
    assert 0 < len(some["edges"]) < len(everything["edges"])
    weights = [
        weight
        for entry in some["components"]
        for row in (*entry["reads"].values(), entry["writes"])
        for weight in row.values()
    ]
    assert min(map(abs, weights)) > 1.0
    monkeypatch.setattr("weightsmith.export.circuit_map.MOST_ENTRIES", 20)
    with pytest.raises(
        ExportError, match=r"would have [0-9]+ entries, and at most 20 are written: .*threshold=….* above 0"
    ):
        export.circuit(T)
    for threshold in (-1, "1", float("nan"), True):
        with pytest.raises(ExportError, match="threshold=.*: write a number from 0 on"):
            export.circuit(T, threshold)  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="is not a transformer"):
        export.circuit(None)  # type: ignore[arg-type]


REVERSE = "aggregate(select(indices, length - indices - 1, ==), tokens);"
FREQUENT = "selector_width(select(tokens, tokens, ==)) * (indices + 1) > 2;"


def test_cut_edges_have_a_witness_and_hooks_of_a_bridge() -> None:
    T = ws.programs.compile_rasp(REVERSE, vocabulary="abc", max_length=5).transformer
    found = export.circuit(T, up_to=3)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found.live, found.silent) == (found["cut"]["live"], found["cut"]["silent"])
    assert {(edge["from"], edge["to"], edge["input"]) for edge in found.live} >= {
        ("embed", "blocks.1.attn.head.0", "v"),
        ("pos_embed", "blocks.1.attn.head.0", "k"),
        ("blocks.0.attn.head.0", "blocks.1.attn.head.0", "q"),
        ("blocks.1.attn.head.0", "unembed", "in"),
    }
    assert all(edge["lanes"] and 1 <= len(edge["witness"]) <= 3 for edge in found.live)
    assert all("witness" not in edge for edge in found.silent)
    hooks = ws.export.to_transformer_lens(T).hook_dict
    assert all(name in hooks for edge in (*found.live, *found.silent) for name, _ in edge["hooks"])


@pytest.mark.parametrize("gated", [False, True])
def test_edges_of_neurons_have_hooks_of_a_bridge(gated: bool) -> None:
    T = ws.random_transformer("01", 4, 2, 1, 3, 6, Native("float64"), 0, weighting=ws.Softmax(True))
    if gated:
        layers = [replace(b.feed_forward, b_1=np.zeros(3), b_2=np.zeros(4)) for b in T.blocks if b.feed_forward]
        layers = [replace(layer, W_3=layer.W_1[::-1], activation="swiglu") for layer in layers]
        T = replace(T, blocks=[replace(b, feed_forward=layer) for b, layer in zip(T.blocks, layers, strict=True)])
    found = export.circuit(T, up_to=2, neurons=True)
    hooks = ws.export.to_transformer_lens(T).hook_dict
    every = [*found.live, *found.silent]
    assert all(name in hooks for edge in every for name, _ in edge["hooks"])
    assert {len(edge["hooks"]) for edge in every if ".neuron." in edge["to"]} == {3 if gated else 2}
    (edge,) = [e for e in every if (e["from"], e["to"]) == ("blocks.0.mlp.neuron.2", "blocks.1.mlp.neuron.1")]
    assert edge["hooks"][:2] == [["blocks.0.mlp.hook_post", 2], ["blocks.1.mlp.hook_pre", 1]]


def test_nodes_are_heads_with_their_inputs_and_layers_or_neurons_with_their_lanes() -> None:
    T = ws.programs.compile_rasp(FREQUENT, vocabulary="ab", max_length=4).transformer
    layers, single = export.circuit(T, up_to=3), export.circuit(T, up_to=3, neurons=True)
    for found in (layers, single):
        names = [node["name"] for node in found.nodes]
        assert len(set(names)) == len(names)
        lanes = {node["name"]: (node["reads"], set(node["writes"])) for node in found.nodes}
        for edge in (*found.live, *found.silent):
            assert set(edge["lanes"]) == lanes[edge["from"]][1] & set(lanes[edge["to"]][0][edge["input"]])
    heads = [node for node in layers.nodes if node["kind"] == "head"]
    assert heads
    assert all(list(node["reads"]) == ["q", "k", "v"] for node in heads)
    layer = [node["name"] for node in layers.nodes if node["kind"] == "feed-forward"]
    neurons = [node["name"] for node in single.nodes if node["kind"] == "neuron"]
    assert layer
    assert {name.rpartition(".neuron.")[0] for name in neurons} == set(layer)
    sizes = [len(block.feed_forward.W_1) for block in T.blocks if block.feed_forward is not None]
    assert len(neurons) == sum(sizes)
    live = {edge["from"] for edge in layers.live}
    assert live & set(layer) <= {edge["from"].rpartition(".neuron.")[0] for edge in single.live}


def test_a_circuit_draws_its_live_edges_and_by_option_the_silent_ones_dashed() -> None:
    T = ws.library.balanced(2)
    found = export.circuit(T, up_to=4, neurons=True)
    assert found.silent == [] or found.draw() != found.draw(silent=True)
    for silent in (False, True):
        drawing = ElementTree.fromstring(found.draw(silent=silent))
        pairs = {(edge["from"], edge["to"]) for edge in (*found.live, *(found.silent if silent else ()))}
        titles = [path.find(f"{SVG}title") for path in drawing.findall(f"{SVG}path")]
        texts = [title.text or "" for title in titles if title is not None]
        assert 0 < len(texts) <= len(pairs)
        assert sum("stroke-dasharray" in path.attrib for path in drawing.findall(f"{SVG}path")) == sum(
            "without it" not in text for text in texts
        )
    witness = " ".join(found.live[0]["witness"])
    assert f"without it, {witness} has another answer at {found.live[0]['position']}" in found.draw()
    assert found._repr_svg_() == found.draw()
    assert found._repr_html_() is None
    again = export.Circuit(json.loads(json.dumps(found)))
    assert again.draw(silent=True) == found.draw(silent=True)
    assert f"{len(found.live)} live edges of {len(found.live) + len(found.silent)}" in str(found.table())


def test_neurons_with_different_silent_edges_are_drawn_apart() -> None:
    T = ws.random_transformer("01", 3, 2, 1, 3, 6, Fixed(2, 2), 3, weighting=ws.Softmax(True))
    found = export.circuit(T, up_to=2, neurons=True)
    assert found.silent
    assert found.live
    drawing = ElementTree.fromstring(found.draw(silent=True))
    dashed = [path for path in drawing.findall(f"{SVG}path") if "stroke-dasharray" in path.attrib]
    silent = {(e["from"], e["to"]) for e in found.silent} - {(e["from"], e["to"]) for e in found.live}
    assert bool(dashed) == bool(silent)
    for path in dashed:
        title = path.find(f"{SVG}title")
        assert title is not None
        assert "without it" not in (title.text or "")


def test_a_circuit_without_cut_edges_draws_what_shares_a_lane_and_too_many_edges_become_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    T = ws.library.balanced(2)
    plain, cut = export.circuit(T), export.circuit(T, up_to=3)
    assert plain.draw() == export.circuit_svg(T) == plain._repr_svg_()
    for name in ("nodes", "live", "silent"):
        with pytest.raises(ExportError, match=rf"no list {name}: write circuit\(T, up_to=3\)"):
            getattr(plain, name)
    with pytest.raises(ExportError, match=r"write circuit\(T, up_to=3\)"):
        plain.draw(silent=True)
    for wrong in (None, 1, "yes"):
        with pytest.raises(ExportError, match="silent=.*write True or False"):
            cut.draw(silent=wrong)  # type: ignore[arg-type]
    with pytest.raises(ExportError, match=r"is no circuit: write export.circuit\(T\)"):
        export.Circuit({"nodes": 3}).draw()
    monkeypatch.setattr("weightsmith.export.circuit_drawing.MOST_EDGES", 2)
    with pytest.raises(ExportError, match=r"write draw\(silent=False\)"):
        cut.draw(silent=True)
    with pytest.raises(ExportError, match="up to 2: write a smaller model"):
        cut.draw()
    with pytest.raises(ExportError, match=r"circuit\(T, up_to=…\) without neurons"):
        export.circuit(T, up_to=2, neurons=True).draw()
    assert cut._repr_svg_() is None
    assert "live edges of" in (cut._repr_html_() or "")
    assert (plain._repr_svg_(), plain._repr_html_()) == (None, None)


@pytest.mark.parametrize("wrong", [1, None, "yes", np.True_])
def test_neurons_that_are_no_choice_are_refused(wrong: Any) -> None:
    with pytest.raises(ExportError, match=r"neurons=.*: write circuit\(T, up_to=3, neurons=True\)"):
        export.circuit(ws.library.contains("1"), up_to=2, neurons=wrong)
    with pytest.raises(ExportError, match=r"neurons=True: write circuit\(T, up_to=3, neurons=True\)"):
        export.circuit(ws.library.contains("1"), neurons=True)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "3", True])
def test_a_wrong_length_for_cutting_is_refused(wrong: Any) -> None:
    with pytest.raises(ws.WeightsmithError, match="up_to"):
        export.circuit(ws.library.contains("1"), up_to=wrong)
