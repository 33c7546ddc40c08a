"""A run of a model that is too large for a page: it is shown without the model, and the page says so."""

import base64
import re
import struct
import zlib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from tests.studio.pages import HOSTILE, carried, elements
from weightsmith.inspect.attribution import by_lane
from weightsmith.studio import brief, document, large, page, patterns


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> ws.Run:
    """Give a run of a model that a page could not carry, with hostile tokens."""
    monkeypatch.setattr(document, "MAX_PARAMETERS", 1000)
    T = ws.random_transformer(
        [*HOSTILE, *"abcdefghij"], lanes=24, blocks=3, heads=5, neurons=20, weighting=ws.Softmax(shifted=True),
        max_length=12, arithmetic=ws.Native("float32"), seed=2, tied=True,
    )  # fmt: skip
    return ws.run(T, [*HOSTILE, "a", "b"])


def test_a_large_run_is_shown_without_its_model_and_the_page_says_so(run: ws.Run) -> None:
    text = page(run)
    data = carried(text)
    assert data["models"] == []
    assert data["input"] == list(run.tokens)
    assert data["run"]["decision"] == run.decision
    assert f"not the model: its {run.transformer.weights:,} weights are more than the 1,000 that a page holds" in text
    assert "Shown are 16 of 24 lanes, 12 of 15 heads and 16 of 60 neurons" in text
    assert len(text) < 100_000


def test_no_script_runs_in_it_and_no_name_breaks_out(run: ws.Run) -> None:
    found = elements(page(run))
    assert [attributes.get("type") for tag, attributes, _ in found if tag == "script"] == ["application/json"]
    (allowed,) = [attributes["content"] for tag, attributes, _ in found if attributes.get("http-equiv")]
    assert allowed == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert any("data-weightsmith" in attributes for _, attributes, _ in found)


def test_what_is_chosen_adds_most_to_the_answer(run: ws.Run) -> None:
    chosen, T = large.facts(run), run.transformer
    first, second = (T.classes[c] for c in np.argsort(-run.logits, kind="stable")[:2])
    whole = ws.attribute(run, first, over=second)
    heads = sorted((abs(part.amount) for part in whole.by_head().parts if part.kind == "head"), reverse=True)
    assert [abs(part.amount) for part in chosen.heads] == heads[: large.HEADS]
    neurons = sorted((abs(part.amount) for part in whole.parts if part.kind == "neuron"), reverse=True)
    assert [abs(part.amount) for part in chosen.neurons] == neurons[: large.NEURONS]
    left_out = set(range(len(T.lanes))) - set(chosen.lanes)
    assert min(abs(chosen.of_lanes[list(chosen.lanes)])) >= max(abs(chosen.of_lanes[list(left_out)]))


@pytest.mark.parametrize("norm", [None, ws.LayerNorm(), ws.RMSNorm()])
def test_what_the_lanes_add_sums_up_to_the_logit(norm: ws.LayerNorm | ws.RMSNorm | None) -> None:
    T = ws.Transformer(
        ws.Native("float64"), "ab", ("x", "y", "z"), np.array([[1, 2, 4.5], [3, -1, 0.5]]), final_norm=norm,
        output=np.array([[1, 0, 2], [0, 3, 1.0]]),
    )  # fmt: skip
    run = ws.run(T, "ab")
    found = ws.attribute(run, "YES", over="NO")
    assert by_lane(run, found.target).sum() == pytest.approx(found.logit, abs=1e-12)  # float64, in another order


def test_a_large_model_without_a_run_is_refused_with_what_to_write(run: ws.Run) -> None:
    for shown, beside in ((run.transformer, None), (run, run)):
        with pytest.raises(ws.ModelError, match=r"show a single run of it, ws\.run\(T, text\)\.save_html\(path\)"):
            page(shown, beside=beside)


def test_save_html_writes_it(run: ws.Run, tmp_path: Path) -> None:
    run.save_html(tmp_path / "run.html")
    assert carried((tmp_path / "run.html").read_text())["run"]["weights"] == run.transformer.weights


def pixels(source: str) -> np.ndarray:
    """Read a grey PNG back: chunks with their checksums, lines without a filter."""
    data = base64.b64decode(source)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size]) == (zlib.crc32(kind + body),)
        chunks[kind], at = body, at + 12 + size
    columns, rows, bits, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (bits, colour) == (8, 0)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(rows, columns + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:]


def test_the_page_shows_the_attention_of_every_head_and_the_lens_at_every_position(run: ws.Run) -> None:
    text = page(run)
    images = re.findall(r'title="block (\d) head (\d)" src="data:image/png;base64,([^"]*)"', text)
    every = [(b, i) for b, heads in enumerate(run.heads) for i in range(len(heads))]
    assert [(int(b), int(i)) for b, i, _ in images[-len(every) :]] == every
    assert len(images) == len(every) + large.HEADS
    for b, i, source in images:
        weights = run.heads[int(b)][int(i)].weights
        assert np.abs(pixels(source) / 255 - (1 - weights)).max() <= 0.5 / 255 + 1e-6
    seen = ws.lens(run)
    for s, stage in enumerate(seen.stages):
        said, chances = brief.likeliest(run.transformer, run.stream[run.stages.index(stage)])
        assert tuple(said) == tuple(seen.decisions[s])
        assert (chances > 0).all()
    (lens,) = re.findall(r'<table class="lens">.*?</table>', text, re.DOTALL)
    assert lens.count("<tr>") == 1 + len(seen.stages)
    assert lens.count("<td") == len(seen.stages) * len(run.tokens)


def test_a_long_run_shows_its_last_positions(run: ws.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MOST_POSITIONS", 3)
    text = page(run)
    assert f"the last 3 of {len(run.tokens)} positions" in text
    images = re.findall(r'src="data:image/png;base64,([^"]*)"', text)
    assert {pixels(source).shape for source in images} == {(3, 3)}


@pytest.mark.parametrize("readout", [False, True])
def test_a_run_of_many_values_is_a_summary_in_a_notebook(
    run: ws.Run, monkeypatch: pytest.MonkeyPatch, readout: bool
) -> None:
    if readout:
        source = "aggregate(select(indices, length - indices - 1, ==), tokens);"
        T = ws.programs.compile_rasp(source, vocabulary="abc", max_length=20).transformer
        run = ws.run(T, "abcab" * 4)
    html, text = brief.summary(run)._repr_html_(), str(brief.summary(run))
    assert html.count("<tr") <= 30
    assert "ws.lens(r)" in text
    assert ("12 positions before these" in text) == readout
    (last,) = re.findall(rf"<tr><td[^>]*>{run.stages[-1 if not readout else -2]}</td>(.*?)</tr>", html)
    assert f">{run.outputs[-1]}</td>" in last or not readout
    monkeypatch.setattr("weightsmith.studio.notebook.MOST_WEIGHTS", 10)  # no frame
    whole = run._repr_html_()
    monkeypatch.setattr(import_module("weightsmith.inspect.run"), "MOST_SHOWN", 10)  # the function has its name
    assert run._repr_html_() == html
    assert len(html) < len(whole)
    assert not [tag for tag, *_ in elements(html) if tag in ("script", "img", "iframe")]
