"""Every text of the page can be read: on its ground, and in pictures on the shapes below it, in both themes."""

from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import DRAWN, Windows, again
from tests.studio.pages import saved
from tests.studio.visible import visible_texts

LEAST = 4.25  # of numbers on cells; the design's limit
TEXT = "The Eiffel Tower is in"
HEADS = "The cats cat near the dog"
EIFFEL: dict[str, dict[str, Any]] = {
    "the embedding": {"step": 0},
    "attention": {"step": 1, "position": 2},
    "a head in full": {"step": 1, "position": 2, "head": 1},
    "feed-forward": {"step": 2, "position": 2},
    "the end": {"step": 4},
    "a score": {"why": "0.head.1:2:1"},
    "an activation": {"why": "0.neuron.0:2"},
    "a cell": {"why": "1.feed-forward:4:word Paris"},
    "a logit": {"step": 4, "why": "logit:4:Paris"},
    "changes": {"step": 1, "off": "0.head.1", "set": "0.attention:2:compound:1"},
    "writing": {"step": 4, "wrote": 1, "temperature": 2, "top-k": 4, "seed": 10},
    "two inputs": {"step": 3, "beside": 0, "beside-input": "The Tower is in"},
}
PRESENTED: dict[str, dict[str, Any]] = {
    "a score, presented": {"present": "", "why": "0.head.1:2:1"},
    "a cell, presented": {"present": "", "why": "1.feed-forward:4:word Paris"},
    "changes, presented": {"present": "", "step": 1, "off": "0.head.1"},
}


@pytest.fixture(scope="module")
def pages(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    runs = {
        "eiffel": ws.run(ws.library.eiffel(), TEXT),
        "heads": ws.run(ws.library.eight_heads(), HEADS),
        "norms": ws.run(ws.library.normed(), "2468 8642"),
    }
    found = {}
    for name, run in runs.items():
        page = windows.empty(offline=True, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        windows.keep(page)
        page.goto(saved(run, tmp_path_factory.mktemp(name)).as_uri())
        page.wait_for_selector(DRAWN)
        found[name] = page
    return found


def weak(page: Page) -> list[tuple[str, float]]:
    texts = visible_texts(page)
    assert len(texts) > 40
    return [(each.text, round(each.contrast, 2)) for each in texts if each.contrast < LEAST and each.text != "·"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("what", [*EIFFEL, *PRESENTED])
def test_every_text_can_be_read(what: str, scheme: Literal["light", "dark"], pages: dict[str, Page]) -> None:
    page = pages["eiffel"]
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    again(page, model=0, input=TEXT, **{**EIFFEL, **PRESENTED}[what])
    expect(page.locator("[data-weightsmith]")).to_have_attribute("data-theme", scheme)
    page.wait_for_timeout(120)  # the panels follow the stream
    assert weak(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "sight"),
    [
        ("heads", {"step": 1}),
        ("heads", {"step": 1, "present": "", "panels": "heads"}),
        ("norms", {"step": 1, "norm": "before"}),
        ("norms", {"step": 1, "norm": "before", "present": "", "panels": "norm"}),
    ],
)
def test_heads_and_norms_can_be_read(
    name: str, sight: dict[str, Any], scheme: Literal["light", "dark"], pages: dict[str, Page]
) -> None:
    page = pages[name]
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    again(page, model=0, input=HEADS if name == "heads" else "2468 8642", **sight)
    expect(page.locator("[data-weightsmith]")).to_have_attribute("data-theme", scheme)
    page.wait_for_timeout(120)
    assert weak(page) == []


def test_texts_of_pictures_are_compared_with_the_shapes_below_them(windows: Windows, tmp_path: Path) -> None:
    """The test itself: dark ink on a dark bar of a white picture is weak, beside it is not."""
    page = windows.empty(viewport={"width": 400, "height": 300})
    page.set_content(
        "<div id=a style='background: white'><svg width=300 height=100><rect width=100 height=100 fill='#111'/>"
        "<text x=10 y=50 fill='#222'>on it</text><text x=150 y=50 fill='#222'>beside</text></svg>"
        "<p style='opacity: 0.1'>faint</p></div>"
    )
    found = {each.text: each.contrast for each in visible_texts(page, "#a")}
    assert found["on it"] < 1.5 < 10 < found["beside"]
    assert found["faint"] < 1.5
    windows.leave_in_peace()
