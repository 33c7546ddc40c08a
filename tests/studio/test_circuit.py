"""The circuit in the page: the edges of `export.circuit`, drawn, with witnesses that run; others are refused."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.check.processes import environment
from tests.command_line import run_command
from tests.studio.conftest import Opened, Shared, Windows
from tests.studio.node import run_node
from tests.studio.pages import BREAKING, carried, saved
from weightsmith import export
from weightsmith.errors import InputError
from weightsmith.files import model_bytes
from weightsmith.inspect.cuts import Cutting
from weightsmith.inspect.edges import live_edges
from weightsmith.studio import page
from weightsmith.studio.document import as_script

REVERSE = "flip = length - indices - 1;\nreverse = aggregate(select(indices, flip, ==), tokens);"
INPUT = "abca"
CIRCUIT = '[aria-label="the circuit"]'


@pytest.fixture(scope="module")
def T() -> ws.Transformer:
    return ws.programs.compile_rasp(REVERSE, vocabulary="abc", max_length=5).transformer


@pytest.fixture(scope="module")
def data(T: ws.Transformer) -> dict[str, Any]:
    found: dict[str, Any] = carried(page(T, circuit=3))["circuit"]
    return found


@pytest.fixture(scope="module")
def shared(T: ws.Transformer, windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(ws.run(T, INPUT), tmp_path_factory.mktemp("circuit"), circuit=3), INPUT)


@pytest.fixture
def sheet(shared: Shared) -> Iterator[Page]:
    with shared.opened() as opened:
        opened.locator(CIRCUIT).scroll_into_view_if_needed()
        yield opened


def full(sheet: Page) -> list[str]:
    """Return the edges that are marked."""
    edges: list[str] = sheet.locator("[data-edge].full").evaluate_all("all => all.map(one => one.dataset.edge)")
    return edges


def test_the_page_has_the_edges_of_the_circuit_and_the_answers_with_each_edge_and_without(
    T: ws.Transformer, data: dict[str, Any]
) -> None:
    found = export.circuit(T, up_to=3)
    assert data == carried(page(T, circuit=found))["circuit"]
    assert data == carried(page(T, circuit=json.loads(json.dumps(found))))["circuit"]
    assert data["up_to"] == 3
    assert data["pairs"] == found["cut"]["pairs"]
    for kind in ("live", "silent"):
        for edge, plain in zip(data[kind], found["cut"][kind], strict=True):
            assert all(edge[key] == plain[key] for key in edge if key not in ("answer", "without"))
    assert T.readout is not None
    for edge, one in zip(data["live"], live_edges(T, 3)[0], strict=True):
        run = ws.run(T, one.witness)
        assert edge["answer"] == run.outputs[one.position] != edge["without"]
        ids = np.array([[T.vocabulary.index(token) for token in one.witness]])
        answers = Cutting(T, ids).cut([one.edge])[0]
        assert edge["without"] == T.readout.answers[answers[one.position]]


def test_circuits_that_are_not_the_models_are_refused_in_python(T: ws.Transformer) -> None:
    other = export.circuit(ws.library.contains("1"), up_to=2)
    another = ws.programs.compile_rasp("same = tokens;", vocabulary="abc", max_length=5).transformer
    quiet = json.loads(json.dumps(export.circuit(T, up_to=2)))
    quiet["cut"]["live"][0]["witness"], quiet["cut"]["live"][0]["position"] = ["a", "a"], 1
    broken = json.loads(json.dumps(quiet))
    del broken["cut"]["live"][0]["lanes"]
    cases: list[tuple[Any, Any, str]] = [
        (T, other, "there is no|has no edge|has the lane"),
        (another, export.circuit(T, up_to=2), "the transformer has no edge"),
        (T, export.circuit(T), "has no edges that were cut: write export.circuit"),
        (T, {}, r"circuit=\{\} has no edges that were cut"),
        (T, export.circuit(T, up_to=2, neurons=True), "this circuit has single neurons: write export"),
        (T, quiet, "is the same, so it is the circuit of another transformer"),
        (T, broken, "the circuit has an edge that lacks 'lanes'"),
        (T, 0, "up_to=0"),
        (T, "3", "up_to='3'"),
        (ws.library.parity_chain(), 2, r"write save_html\(C.transformer, path, circuit=3\)"),
    ]
    for model, circuit, text in cases:
        with pytest.raises(ws.WeightsmithError, match=text):
            page(model, circuit=circuit)
    with pytest.raises(InputError, match="the witness"):
        page(T, circuit={**quiet, "cut": {**quiet["cut"], "live": [{**quiet["cut"]["live"][0], "position": 2}]}})


def changed(key: str, value: Any, kind: str = "live", place: int = 0) -> Callable[[Any], None]:
    return lambda circuit: circuit[kind][place].update({key: value})


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no list": (lambda c: c.update(live={}), "live is no list"),
    "no silent": (lambda c: c.pop("silent"), "silent is no list"),
    "too many": (lambda c: c.update(live=c["live"] * 4000), "the limit is 20000"),
    "twice": (lambda c: c.update(live=c["live"] * 2), "is there twice"),
    "no edge": (lambda c: c["live"].append(None), "an edge is no object"),
    "a length that is a text": (lambda c: c.update(up_to="3"), "up_to is no whole number from 1 on"),
    "pairs": (lambda c: c.update(pairs=-1), "pairs is no whole number from 0 on"),
    "a part": (changed("from", "blocks.0.attn.head.9"), "there is no part 'blocks.0.attn.head.9'"),
    "a layer": (changed("from", "blocks.0.mlp"), "there is no part 'blocks.0.mlp'"),
    "a block": (changed("from", "blocks.7.attn.head.0"), "there is no part"),
    "a prototype": (changed("to", "__proto__"), "there is no part '__proto__'"),
    "backwards": (changed("from", "unembed"), "is not behind unembed"),
    "an input": (changed("input", "constructor"), "has no input 'constructor'"),
    "a lane": (changed("lanes", [BREAKING]), "there is no lane"),
    "a lane twice": (changed("lanes", ["token", "token"]), "or it is listed twice"),
    "a token": (changed("witness", ["a", "z"]), "'z' is not a token"),
    "no tokens": (changed("witness", []), "there is no position"),
    "a position": (changed("position", 9), "there is no position 9 in an input"),
    "half a position": (changed("position", 0.5), "a position is no whole number"),
    "a long answer": (changed("answer", "x" * 401), "an answer is no text of at most 200 letters"),
    "an answer that is a number": (changed("without", 1), "an answer is no text"),
}


def test_the_page_refuses_what_its_model_does_not_have(T: ws.Transformer, data: Any, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(model_bytes(T))
    circuits: list[Any] = [data, None, [], 3]
    for change, _ in REFUSED.values():
        circuits.append(copy.deepcopy(data))
        change(circuits[-1])
    (tmp_path / "cases.json").write_text(json.dumps({"file": str(tmp_path / "model"), "circuits": circuits}))
    said = json.loads(run_node("circuit.mjs", tmp_path / "cases.json"))
    assert said[0] is None
    assert {text.rpartition(": ")[2] for text in said[1:4]} == {"it is no object"}
    for (name, (_, text)), found in zip(REFUSED.items(), said[4:], strict=True):
        assert found is not None, name
        assert found.startswith("The circuit in this page does not belong to its model: "), (name, found)
        assert text in found, (name, found)


def test_a_page_with_another_circuit_says_so_and_runs(T: ws.Transformer, opened: Opened, tmp_path: Path) -> None:
    text = page(ws.run(T, INPUT), circuit=2)
    bad = carried(text)
    bad["circuit"]["live"][0]["lanes"] = [BREAKING]
    path = tmp_path / "page.html"
    path.write_text(text.replace(as_script(carried(text)), as_script(bad)), encoding="utf-8")
    sheet = opened(path)
    expect(sheet.get_by_text("The circuit in this page does not belong to its model: there is no lane")).to_be_visible()
    expect(sheet.locator(CIRCUIT)).to_have_count(0)
    expect(sheet.get_by_label("the stream", exact=True)).to_be_visible()


def test_every_part_and_live_edge_is_drawn_and_a_click_on_one_tells_its_witness(
    sheet: Page, data: dict[str, Any]
) -> None:
    parts = {edge[end] for edge in data["live"] for end in ("from", "to")}
    assert set(sheet.locator("[data-part]").evaluate_all("all => all.map(one => one.dataset.part)")) == parts
    lines = sheet.locator("[data-edge]")
    assert lines.count() == len(data["live"])
    edge = next(one for one in data["live"] if one["input"] == "k")
    name = f"{edge['from']} → {edge['to']}.k"
    line = sheet.locator(f'[data-edge="{name}"] .reach')
    line.dispatch_event("click")
    assert full(sheet) == [name]
    (said,) = sheet.locator(f"{CIRCUIT} li").all_inner_texts()
    assert f"gives {edge['without']}, not {edge['answer']}." in " ".join(said.split())
    assert "positions → head" in said
    assert ", its keys" in said
    run = sheet.get_by_role("button", name="run " + " ".join(edge["witness"]))
    expect(run).to_have_attribute("aria-pressed", "false")
    run.click()
    expect(run).to_have_attribute("aria-pressed", "true")
    assert sheet.locator("[data-input]").input_value() == "".join(edge["witness"])
    assert f"position={edge['position']}" in sheet.evaluate("new Promise(r => setTimeout(() => r(location.hash), 300))")
    line.dispatch_event("click")
    assert sheet.locator(f"{CIRCUIT} li").count() == 0


def test_pointing_at_a_head_anywhere_in_the_page_marks_its_edges(sheet: Page, data: dict[str, Any]) -> None:
    sheet.keyboard.press("End")
    sheet.get_by_label("block 1, head 1", exact=True).hover()
    head = "blocks.1.attn.head.1"
    own = [e for e in data["live"] if head in (e["from"], e["to"])]
    assert len(full(sheet)) == len(own) > 2
    assert all(head in name for name in full(sheet))
    sheet.mouse.move(0, 0)
    assert full(sheet) == []


def test_keys_lead_from_part_to_part_and_list_the_edges_of_one(sheet: Page, data: dict[str, Any]) -> None:
    focused = "document.activeElement.dataset.part"
    assert sheet.locator('[data-part][tabindex="0"]').count() == 1
    sheet.locator('[data-part][tabindex="0"]').focus()
    seen = [sheet.evaluate(focused)]
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowLeft"):
        sheet.keyboard.press(key)
        seen.append(sheet.evaluate(focused))
    heads = ["blocks.0.attn.head.0", "blocks.1.attn.head.0", "blocks.1.attn.head.1"]
    assert {*seen[:2]} == {"embed", "pos_embed"}
    assert seen[2] == heads[0]
    assert {*seen[3:5]} <= {*heads[1:]}
    assert seen[5] == "unembed"
    sheet.keyboard.press("Enter")
    chosen = sheet.evaluate(focused)
    own = [edge for edge in data["live"] if chosen in (edge["from"], edge["to"])]
    expect(sheet.locator(f"{CIRCUIT} li")).to_have_count(len(own))
    sheet.keyboard.press("Tab")
    assert "run " in sheet.evaluate("document.activeElement.getAttribute('aria-label')")
    expect(sheet.locator("nav [aria-current=step]")).to_contain_text("attention")


@pytest.mark.parametrize("width", [400, 768])
def test_silent_edges_are_shown_on_demand_and_a_narrow_page_shows_the_circuit_without_scrolling(
    width: int, opened: Opened, tmp_path: Path
) -> None:
    path = saved(ws.library.eiffel(), tmp_path, circuit=2)
    found = carried(path.read_text(encoding="utf-8"))["circuit"]
    sheet = opened(path, width=width)
    assert sheet.locator("[data-edge]").count() == len(found["live"]) > 0
    sheet.get_by_label(f"{len(found['silent'])} silent edges").check()
    assert sheet.locator("[data-edge]").count() == len(found["live"]) + len(found["silent"])
    assert sheet.locator("[data-edge].silent").count() == len(found["silent"]) > 5
    assert sheet.evaluate("document.documentElement.scrollWidth") == width
    assert sheet.locator(f"{CIRCUIT} .scroll").evaluate("box => box.scrollWidth - box.clientWidth") == 0


def test_show_writes_a_page_with_the_circuit(T: ws.Transformer, data: dict[str, Any], tmp_path: Path) -> None:
    ws.save(T, tmp_path / "m.safetensors")
    arguments = ("show", "m.safetensors", "abc", "--circuit", "3", "-o", "page.html")
    done = run_command(*arguments, folder=tmp_path, environment=environment())
    assert done.returncode == 0, done.stderr
    assert carried((tmp_path / "page.html").read_text(encoding="utf-8"))["circuit"] == data
