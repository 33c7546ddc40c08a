"""Pictures of runs: their values, arcs and outputs are those of the run; names are escaped; large runs are refused."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_picture_shows_tokens_changed_lanes_and_outputs() -> None:
    svg = ws.run(ws.library.first_equals_last(), "01").svg()
    assert texts(svg) == [
        *("0", "1", "embedding", "is 0", "1", "is 1", "1", "head 0", "block 0 attention", "is 0", "-1"),
        *("block 0 feed-forward", "same", "1", "output", "YES", "NO"),
    ]


def test_every_arc_is_a_weight_of_a_head() -> None:
    r = ws.run(ws.random_transformer(heads=2, seed=3), "0110")
    svg = r.svg()
    drawn = sum(int((head.weights >= 0.01).sum()) for block in r.heads for head in block)
    loops = sum(int((np.diagonal(head.weights) >= 0.01).sum()) for block in r.heads for head in block)
    elements = list(ElementTree.fromstring(svg).iter())
    assert sum(element.tag == f"{SVG}path" for element in elements) == drawn - loops > 0
    assert sum(element.tag == f"{SVG}circle" and element.get("r") == "4" for element in elements) == loops


def test_infinity_has_its_name_and_hostile_names_stay_texts() -> None:
    A = ws.Fixed(2, 2)
    embedding = np.array([[A.infinity, 0], [0, -0.25]])
    T = ws.Transformer(A, ("<a>", "&"), ("<script>", 'b"'), embedding, output=np.eye(2))
    svg = ws.run(T, ["<a>", "&"]).svg()
    assert "<script>" not in svg
    assert {"<a>", "&", "<script>", 'b"', "∞", "-0.25"} <= set(texts(svg))


def test_runs_that_do_not_fit_are_refused() -> None:
    T = ws.library.contains("1")
    assert len(re.findall("<text", ws.run(T, "0" * 40).svg())) > 40
    with pytest.raises(ws.InputError, match="up to 40 tokens, and the input has 41"):
        ws.run(T, "0" * 41).svg()
    with pytest.raises(ws.InputError, match="up to 120 rows, and the sublayers change"):
        ws.run(ws.random_transformer(lanes=64, blocks=2), "01").svg()


def test_the_command_writes_a_picture(tmp_path: Path) -> None:
    T = ws.library.contains("1")
    ws.save(T, tmp_path / "m.safetensors")
    good("run", "m.safetensors", "01", "--picture", "run.svg", folder=tmp_path)
    assert (tmp_path / "run.svg").read_text() == ws.run(T, "01").svg()
    ws.save(ws.library.parity_chain(max_length=4), tmp_path / "c.safetensors")
    refused = weightsmith("run", "c.safetensors", "01", "--picture", "c.svg", folder=tmp_path)
    assert "--picture is for the run of a transformer" in refused.stderr
