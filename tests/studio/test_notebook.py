"""Models, runs and verdicts show themselves in notebooks: several in a document, and nothing breaks out of a frame."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Frame, Page, expect

import weightsmith as ws
from tests.studio.client import until
from tests.studio.conftest import Windows
from tests.studio.pages import HOSTILE, carried, elements, hostile_model
from weightsmith.studio import notebook

T = ws.library.contains("1")


def frames(text: str) -> list[dict[str, str | None]]:
    return [attributes for tag, attributes, _ in elements(text) if tag == "iframe"]


def framed(text: str) -> str:
    """Return the page in the only frame of a text."""
    (frame,) = frames(text)
    assert frame["srcdoc"] is not None
    return frame["srcdoc"]


def test_a_transformer_and_a_run_show_themselves_in_a_frame_that_may_only_run_scripts_and_save() -> None:
    for shown, tokens in ((T, None), (ws.run(T, "0010"), list("0010"))):
        text = shown._repr_html_()
        (frame,) = frames(text)
        assert frame["sandbox"] == "allow-scripts allow-downloads"
        assert "src" not in frame
        assert carried(framed(text))["input"] == tokens


def test_what_a_notebook_keeps_of_a_run_is_small() -> None:
    assert len(ws.run(T, "0010")._repr_html_()) < 280_000


def test_the_text_is_there_too_for_notebooks_that_are_not_trusted() -> None:
    assert "block 0     1 head (LeftmostHard) · look for 1" in T._repr_html_()
    assert ws.run(T, "0010")._repr_html_().count("<table ") == 4


def test_names_cannot_break_out_of_a_frame() -> None:
    odd = hostile_model()
    for shown in (odd, ws.run(odd, HOSTILE)):
        text = shown._repr_html_()
        usual = T._repr_html_() if shown is odd else ws.run(T, "0")._repr_html_()
        outside = {tag for tag, *_ in elements(text)}
        assert outside == {tag for tag, *_ in elements(usual)}
        assert outside <= {"iframe", "details", "summary", "pre", "div", "table", "thead", "tbody", "tr", "th", "td"}
        assert [tag for tag, *_ in elements(framed(text))] == [tag for tag, *_ in elements(framed(usual))]
        assert text.count('"') % 2 == 0
    assert carried(framed(ws.run(odd, HOSTILE)._repr_html_()))["input"] == HOSTILE


def test_the_policy_of_a_frame_lets_in_its_loader_and_the_component_by_their_hashes() -> None:
    found = elements(framed(T._repr_html_()))
    policy = next(a["content"] for _, a, _ in found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert [part[:8] for part in rules["script-src"].split()] == ["'sha256-", "'sha256-"]
    assert "unsafe" not in policy
    assert "connect-src" not in policy


def test_what_is_too_large_or_was_changed_on_its_way_shows_itself_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    r = ws.run(T, "0010")
    assert frames(ws.ablate(r, block=0)._repr_html_())
    changed = ws.run(T, "0010", change=lambda site, values: values)
    assert not frames(changed._repr_html_())
    assert changed._repr_html_().startswith("<table ")
    monkeypatch.setattr(notebook, "MOST_VALUES", 5)
    assert not frames(r._repr_html_())
    assert frames(T._repr_html_())
    monkeypatch.setattr(notebook, "MOST_WEIGHTS", 5)
    assert T._repr_html_().startswith("<pre>Transformer in fixed(4,4)\n")
    verdict = ws.check.recognizes(T, "0*1", up_to=2)
    assert verdict.counterexample == "10"
    assert "refuted by 10" in verdict._repr_html_()
    assert not frames(verdict._repr_html_())


def test_a_refuted_verdict_shows_its_text_and_both_runs_of_its_counterexample() -> None:
    S = replace(T, output=np.zeros_like(T.output))
    text = ws.check.same_decisions(T, S, up_to=3)._repr_html_()
    assert text.index("same decisions: refuted by 1") < text.index("<iframe")
    found = carried(framed(text))
    assert [model["name"] for model in found["models"]] == ["the first", "the second"]
    assert (found["input"], found["beside"]) == (["1"], {"model": 1, "input": ["1"]})
    one = carried(framed(ws.check.recognizes(T, "0*1", up_to=2)._repr_html_()))
    assert (len(one["models"]), one["input"], one["beside"]) == (1, ["1", "0"], None)
    assert not frames(ws.check.recognizes(T, ".*1.*", up_to=2)._repr_html_())


def test_a_counterexample_is_shown_with_the_suffix_that_each_model_reads() -> None:
    S = ws.infinity_form(T, lowering="attention", length=2)
    wrong = replace(S, output=-np.asarray(S.output))
    found = carried(framed(ws.check.same_decisions(T, wrong, length=2, suffix=["END"])._repr_html_()))
    assert found["beside"]["input"] == [*found["input"], "END"]


@pytest.fixture
def page(windows: Windows) -> Iterator[Page]:
    yield windows.empty(viewport={"width": 1000, "height": 1800})
    complaints, _ = windows.leave()
    assert not complaints


def shown_frames(page: Page, folder: Path, *shown: Any) -> list[Frame]:
    """Open a document with several of them, and return their frames when they have been drawn."""
    (folder / "notebook.html").write_text(
        '<!doctype html><meta charset="utf-8">' + "".join(one._repr_html_() for one in shown), encoding="utf-8"
    )
    page.goto((folder / "notebook.html").as_uri())
    found = page.main_frame.child_frames
    for frame in found:
        frame.wait_for_selector("[data-weightsmith] main")
    return found


def test_two_in_one_document_work_independently(page: Page, tmp_path: Path) -> None:
    r, eiffel = ws.run(T, "0010"), ws.run(ws.library.eiffel(), "The Eiffel Tower is in")
    first, second = shown_frames(page, tmp_path, r, eiffel)
    for frame, run in ((first, r), (second, eiffel)):
        seen = frame.evaluate("tokens => window.weightsmith.run(tokens)", list(run.tokens))
        assert seen["decision"] == run.decision
        assert np.allclose(seen["stream"], run.stream, rtol=1e-12, atol=0)
    assert first.evaluate("window.weightsmith.run('0010').stream") == r.stream.tolist()
    before = second.inner_text("main")
    first.fill("[data-input]", "000")
    expect(first.locator("header")).to_contain_text("→ NO")
    assert second.inner_text("main") == before
    step = "document.querySelector('[aria-current=step]').innerText"
    here, there = first.evaluate(step), second.evaluate(step)
    second.locator("[data-weightsmith] main .panel").first.click(position={"x": 4, "y": 4})
    page.keyboard.press("ArrowLeft")
    expect(second.locator("[aria-current=step]")).not_to_have_text(there, use_inner_text=True)
    assert first.evaluate(step) == here


def test_a_frame_reaches_neither_the_notebook_nor_the_network(page: Page, tmp_path: Path) -> None:
    (frame,) = shown_frames(page, tmp_path, ws.run(T, "01"))
    reach = "() => { try { return parent.document.title } catch (error) { return error.name } }"
    assert frame.evaluate(reach) == "SecurityError"


def test_a_refuted_verdict_opens_where_the_streams_part(page: Page, tmp_path: Path) -> None:
    S = ws.library.contains("0")
    assert S.lanes == T.lanes
    verdict = ws.check.same_decisions(T, S, up_to=3)
    assert verdict.divergence is not None
    (frame,) = shown_frames(page, tmp_path, verdict)
    assert frame.inner_text("[aria-current=step]").splitlines()[:2] == ["embedding", "◆ first difference"]
    said = (
        f"position {verdict.divergence.position} {verdict.counterexample}, lane {verdict.divergence.lane}: 0 against 1"
    )
    assert verdict.divergence.values == (0, 1)
    assert said in " ".join(frame.inner_text(".controls").split())


def test_frames_work_and_save_pictures_where_a_notebook_has_a_policy_of_its_own(page: Page, tmp_path: Path) -> None:
    inside = json.dumps(ws.run(T, "0010")._repr_html_()).replace("</", "<\\/")
    policy = (
        "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src https: data:; child-src https: data: blob:"
    )
    (tmp_path / "strict.html").write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<div></div><script>document.querySelector('div').innerHTML = {inside}</script>",
        encoding="utf-8",
    )
    page.goto((tmp_path / "strict.html").as_uri())
    (frame,) = page.main_frame.child_frames
    frame.wait_for_selector("[data-weightsmith] main")
    for kind in ("SVG", "PNG"):
        with page.expect_download() as saved:
            frame.get_by_text(kind, exact=True).first.click()
        assert saved.value.suggested_filename.endswith(f".{kind.lower()}")


def test_the_frame_says_how_the_model_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def names(shown: Any) -> list[str]:
        return [model["name"] for model in carried(framed(shown._repr_html_()))["models"]]

    r = ws.run(T, "01")
    assert names(r) == ["contains('1')"]
    assert "contains(&#x27;1&#x27;) · Weightsmith" in r._repr_html_()
    shell = SimpleNamespace(user_ns={"_": T, "_3": T, "finder": T, "other": 1})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert names(T) == names(r) == ["finder"]
    assert names(ws.run(ws.library.parity_chain(max_length=4).transformer, "01"))[0] != "finder"
    odd = hostile_model()
    shell.user_ns["odd"] = odd
    assert names(odd) == ["odd"]
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert names(hostile_model()) == [HOSTILE[0][:40]] or names(hostile_model())[0].startswith("<")


@pytest.mark.parametrize("shown", [ws.run(T, "0010"), ws.run(ws.library.eiffel(), "The Eiffel Tower is in")])
def test_the_stream_is_whole_in_the_frame_and_the_wheel_is_not_caught_in_it(
    shown: ws.Run, page: Page, tmp_path: Path
) -> None:
    notebook = f"<div style='height: 500px'></div>{shown._repr_html_()}<div style='height: 3000px'></div>"
    document = SimpleNamespace(_repr_html_=lambda: notebook)
    (frame,) = shown_frames(page, tmp_path, document)
    place = page.locator("iframe").bounding_box()
    grid = frame.locator("[data-weightsmith] [role=grid]").first.bounding_box()
    assert place is not None
    assert grid is not None
    assert grid["y"] + grid["height"] <= place["y"] + place["height"]
    page.mouse.move(place["x"] + 300, place["y"] + 300)
    page.mouse.wheel(0, 200)
    until(lambda: page.evaluate("scrollY") == 200)
    assert frame.evaluate("scrollY") == 0
    frame.locator("[data-weightsmith] main .panel").first.click(position={"x": 4, "y": 4})
    assert frame.evaluate("getComputedStyle(document.documentElement).overflowY") == "auto"

    def scrolls() -> bool:  # somebody works in it; the first turns of the wheel may still go to the notebook
        page.mouse.wheel(0, 20)
        return bool(frame.evaluate("scrollY") > 0)

    until(scrolls)
    page.locator("details summary").click()
    until(lambda: frame.evaluate("getComputedStyle(document.documentElement).overflowY") == "hidden")
