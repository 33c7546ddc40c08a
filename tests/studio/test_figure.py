"""Figures: one panel of the page with two buttons that step, fitted into a height; and every panel as a picture."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Frame, Page, expect

import weightsmith as ws
from tests.studio.conftest import Windows
from tests.studio.pages import saved

TEXT = "The Eiffel Tower is in"
PANELS = {
    "stream": "the stream",
    "heads": "attention",
    "neuron": "feed-forward as a memory",
    "answer": "the answer",
    "weights": "weights",
    "lens": "the logit lens",
    "circuit": "the circuit",
}
SVG = "{http://www.w3.org/2000/svg}"
AROUND = """<!doctype html><title>slides</title><iframe src="{address}" width="900" height="500"></iframe>"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(ws.run(ws.library.eiffel(), TEXT), tmp_path_factory.mktemp("figure"), circuit=1)


@pytest.fixture
def window(windows: Windows) -> Iterator[Page]:
    yield windows.empty(offline=True, viewport={"width": 900, "height": 640})
    windows.leave_in_peace()


def shown(page: Page, file: Path, **address: Any) -> Page:
    page.goto(f"{file.as_uri()}#{urlencode({'model': 0, 'input': TEXT, **address})}")
    page.wait_for_selector("[data-weightsmith] .panel")
    return page


def where(page: Page | Frame) -> str:
    return page.inner_text(".figure .where")


@pytest.mark.parametrize("panel", PANELS)
def test_a_figure_has_one_panel_and_two_buttons_that_step(panel: str, window: Page, file: Path) -> None:
    page = shown(window, file, panel=panel, step=0)
    assert page.locator(".panel").count() == 1
    expect(page.get_by_label(PANELS[panel], exact=True)).to_be_visible()
    assert page.locator("header, nav, [data-input]").count() == 0
    assert TEXT in page.inner_text(".figure .run")
    before, after = page.get_by_label("previous step"), page.get_by_label("next step")
    expect(before).to_be_disabled()
    steps = [where(page)]
    while after.is_enabled():
        after.click()
        steps.append(where(page))
    kinds = {"heads": ["attention"], "neuron": ["feed-forward"]}.get(panel, ["attention", "feed-forward"])
    there = [f"{kind} of block {b}" for b in (0, 1) for kind in kinds]
    there = there if len(kinds) == 1 else ["embedding", *there]
    assert [" ".join(step.split()) for step in steps] == [f"{s} {n} of {len(there)}" for n, s in enumerate(there, 1)]
    page.keyboard.press("ArrowLeft")
    assert where(page) == steps[-2]
    page.keyboard.press("Home")
    assert where(page) == steps[0]
    expect(page).to_have_url(re.compile(f"panel={panel}$"))


def test_a_figure_of_heads_opens_at_the_nearest_attention(window: Page, file: Path) -> None:
    assert "attention of block 1" in where(shown(window, file, panel="heads", step=4))


def test_an_unknown_panel_is_the_whole_page(window: Page, file: Path) -> None:
    page = shown(window, file, panel="toString")
    expect(page.locator("header")).to_contain_text("→ Paris")


FITS = """() => {
    const [room, inside] = [".room", ".shown"].map(name => document.querySelector(name).getBoundingClientRect());
    return inside.height <= room.height + 1 && inside.height > 0.8 * room.height
        && document.documentElement.scrollHeight <= innerHeight;
}"""


@pytest.mark.parametrize(("panel", "height"), [("stream", 520), ("stream", 640), ("lens", 500), ("answer", 360)])
def test_a_figure_fits_into_its_height(panel: str, height: int, window: Page, file: Path) -> None:
    page = shown(window, file, panel=panel, height=height, step=3)
    page.wait_for_function(FITS)
    assert page.evaluate("document.querySelector('.figure').clientHeight") == height
    page.get_by_label("previous step").click()
    page.wait_for_function(FITS)


def test_the_page_around_a_figure_steps_it(window: Page, file: Path) -> None:
    address = f"{file.as_uri()}#{urlencode({'model': 0, 'input': TEXT, 'panel': 'stream', 'step': 0})}"
    around = file.with_name("around.html")
    around.write_text(AROUND.format(address=address.replace("&", "&amp;")), encoding="utf-8")
    window.goto(around.as_uri())
    (frame,) = window.main_frame.child_frames
    frame.wait_for_selector(".figure .panel")
    for step, words in ((1, "attention of block 0"), (1, "feed-forward of block 0"), (-1, "attention of block 0"),
                        ({"to": 4}, "feed-forward of block 1"), (9, "5 of 5"), ({"to": "x"}, "5 of 5"),
                        (None, "5 of 5"), ({"to": 0}, "embedding")):  # fmt: skip
        window.evaluate("step => frames[0].postMessage({weightsmithStep: step}, '*')", step)
        expect(frame.locator(".where")).to_contain_text(words)
    frame.evaluate("postMessage({weightsmithStep: 1}, '*')")  # only the page around it may
    frame.evaluate("new Promise(done => setTimeout(done, 50))")
    assert "embedding" in where(frame)


WORDS = {
    "stream": ("After attention of block 1", "Eiffel", "6.48"),
    "heads": ("reads in block 1", "word Paris", "+6.48"),
    "neuron": ("Active neurons at", "after in", "activation 1"),
    "answer": ("The next token", "Where the logit of", "comes from", "98 %"),
    "weights": ("Weights: block 1 head 0 W_O W_V", "dim 42"),
    "lens": ("Logit lens", "1 feed-forward", "Paris"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_is_saved_as_svg_and_png(panel: str, window: Page, file: Path, tmp_path: Path) -> None:
    page = shown(window, file, panel=panel, step=4 if panel == "neuron" else 3)
    content = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=re.compile(f"^save .* as {kind}$")).click()
        download.value.save_as(tmp_path / kind)
        content[kind] = (tmp_path / kind).read_bytes()
        assert download.value.suggested_filename.endswith(f".{kind.lower()}")
    drawing = ElementTree.fromstring(content["SVG"])
    said = " ".join(" ".join(text.itertext()).strip() for text in drawing.iter(f"{SVG}text"))
    box = page.locator(".panel").bounding_box()
    assert box is not None
    for words in WORDS[panel]:
        assert words in said, (words, said)
    assert "SVG" not in said
    if panel == "answer":
        assert "Where the logit of Paris comes from" in said  # Paris is chosen in a field
    width, height = (int.from_bytes(content["PNG"][n : n + 4], "big") for n in (16, 20))
    assert (width, height) == (2 * int(drawing.attrib["width"]), 2 * int(drawing.attrib["height"]))
    assert float(drawing.attrib["width"]) >= box["width"]  # what scrolls is shown in full


def test_every_panel_of_the_page_can_be_saved(window: Page, file: Path) -> None:
    page = shown(window, file, step=3)
    page.get_by_role("button", name="Show the logit lens of all positions").click()
    for step in ("attention", "feed-forward"):
        expect(page.locator("[aria-current=step]")).to_contain_text(step)
        panels = page.locator("main .panel")
        assert panels.count() >= 4
        for n in range(panels.count()):
            expect(panels.nth(n).get_by_role("button", name=re.compile("^save .* as (SVG|PNG)$"))).to_have_count(2)
        page.keyboard.press("ArrowRight")


def test_the_lens_says_what_python_says_at_every_stage_and_position(window: Page, file: Path) -> None:
    page = shown(window, file, panel="lens", step=0)
    r = ws.run(ws.library.eiffel(), TEXT)
    seen = ws.lens(r)
    shares = np.exp(seen.logits - seen.logits.max(axis=-1, keepdims=True))
    shares = (shares / shares.sum(axis=-1, keepdims=True)).max(axis=-1)
    cells = page.locator("[aria-label='the logit lens'] [role=gridcell]")
    texts = cells.locator("text").all_text_contents()
    assert texts == [word for row in seen.decisions for word in row]
    labels = cells.evaluate_all("cells => cells.map(cell => cell.getAttribute('aria-label'))")
    for label, share in zip(labels, shares.reshape(-1), strict=True):
        assert float(label.rpartition(": ")[2].split()[1]) == pytest.approx(100 * share, abs=0.51), label
    cells.nth(4 * 5 + 2).click()
    assert "feed-forward of block 1" in where(page)
    expect(page).to_have_url(re.compile("step=4&position=2"))
    page.keyboard.press("ArrowRight")  # of a chosen cell: the next position
    expect(page).to_have_url(re.compile("step=4&position=3"))
