"""The slides of the documentation, in reveal.js: each fragment is a step of the figure."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import Windows
from weightsmith.studio import save_html

ROOT = Path(__file__).parents[2]
REVEAL = ROOT / "web/node_modules/reveal.js"


@pytest.fixture
def slides(windows: Windows, tmp_path: Path) -> Iterator[Page]:
    assert (REVEAL / "dist/reveal.js").exists(), "reveal.js is not here: write make web/node_modules"
    (tmp_path / "reveal.js").symlink_to(REVEAL)
    shutil.copy(ROOT / "docs/_static/slides.html", tmp_path)
    save_html(ws.run(ws.library.eiffel(), "The Eiffel Tower is in"), tmp_path / "paris.html")
    page = windows.empty(offline=True, viewport={"width": 1280, "height": 800})
    page.goto((tmp_path / "slides.html").as_uri())
    page.wait_for_function("Reveal.isReady()")
    yield page
    windows.leave_in_peace()


def test_a_clicker_steps_through_the_figure_and_on_to_the_next_slide(slides: Page) -> None:
    figure = slides.frame_locator("iframe")
    expect(figure.locator(".where")).to_contain_text("embedding")
    slides.keyboard.press("ArrowRight")
    expect(slides.locator("section.present iframe")).to_be_visible()
    expect(figure.locator(".where")).to_contain_text("1 of 5")
    for step in (2, 3, 4, 5):
        slides.keyboard.press("PageDown")
        expect(figure.locator(".where")).to_contain_text(f"{step} of 5")
    slides.keyboard.press("PageUp")
    expect(figure.locator(".where")).to_contain_text("attention of block 1")
    expect(slides).to_have_url(re.compile("#/1/0/2$"))  # reveal.js writes it a little later
    slides.reload()
    expect(figure.locator(".where")).to_contain_text("attention of block 1")
    slides.keyboard.press("PageDown")
    slides.keyboard.press("PageDown")
    expect(slides.get_by_role("heading", name="Where is it stored?")).to_be_visible()


def test_the_figure_fills_its_place_on_the_slide(slides: Page) -> None:
    slides.keyboard.press("ArrowRight")
    figure = slides.frame_locator("iframe")
    expect(figure.locator(".figure .panel")).to_be_visible()
    place = slides.locator("section.present iframe").bounding_box()
    panel = figure.locator(".figure .panel").bounding_box()
    assert place is not None
    assert panel is not None
    assert panel["height"] > 0.7 * place["height"]
    assert panel["y"] + panel["height"] <= place["y"] + place["height"] + 1
