"""Labels of the page that must not mislead: which step, which run, which unit, and that they can be read."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import weightsmith as ws
from tests.studio.conftest import Opened
from tests.studio.heads import TEXT, many_heads
from tests.studio.pages import saved

EIFFEL = "The Eiffel Tower is in"


def answer(page: Page) -> Locator:
    return page.get_by_label("the answer", exact=True)


def lead(r: ws.Run, stage: int) -> float:
    """Return by how much the first class leads the second after a stage, at the last position."""
    second, first = np.sort(ws.lens(r).logits[stage, -1])[-2:]
    return float(first - second)


def with_activation(T: ws.Transformer, activation: Any) -> ws.Transformer:
    """Return a model of one block with another activation."""
    layer = T.blocks[0].feed_forward
    assert layer is not None
    return replace(T, blocks=(replace(T.blocks[0], feed_forward=replace(layer, activation=activation)),))


def test_each_lead_is_said_with_its_step(opened: Opened, tmp_path: Path) -> None:
    r = ws.run(ws.library.eiffel(), EIFFEL)
    page = opened(saved(r, tmp_path), "#step=3")
    expect(page.get_by_role("status")).to_contain_text(f"the model's next word, ahead by {lead(r, 4):.2f} at the end")
    expect(answer(page)).to_contain_text(f"After attention of block 1: Paris is ahead by {lead(r, 3):.2f}.")
    expect(answer(page)).to_contain_text("if the run ended after attention of block 1 (logit lens)")
    assert round(lead(r, 3), 2) != round(lead(r, 4), 2)
    page.keyboard.press("End")
    expect(answer(page)).to_contain_text(f"At the end: Paris is ahead by {lead(r, 4):.2f}.")
    expect(answer(page)).not_to_contain_text("if the run ended")


def test_the_parts_of_a_logit_are_those_of_the_step_whose_logits_stand_above(opened: Opened, tmp_path: Path) -> None:
    r = ws.run(ws.library.eiffel(), EIFFEL)
    page = opened(saved(r, tmp_path), "#step=1")
    paris = r.transformer.classes.index("Paris")
    for stage, name in enumerate(("attention of block 0", "feed-forward of block 0", "attention of block 1"), start=1):
        total = f"All parts together: {ws.lens(r).logits[stage, -1, paris]:.2f}, the logit after {name}."
        expect(answer(page)).to_contain_text(total)
        parts = answer(page).locator("ul.rows li .where").all_inner_texts()
        assert any("block 1" in part for part in parts) == (stage == 3)
        page.keyboard.press("ArrowRight")


def test_parts_beyond_infinity_are_explained(opened: Opened, tmp_path: Path) -> None:
    r = ws.run(ws.random_transformer("01", 8, 2, 2, 8, 8, ws.Fixed(4, 4), seed=0), "0110")
    page = opened(saved(r, tmp_path))
    page.keyboard.press("End")
    infinity = r.transformer.arithmetic.infinity
    amounts = (
        answer(page)
        .locator("ul.rows li button[title*='go to this part']")
        .evaluate_all("all => all.map(one => Math.abs(parseFloat(one.title)))")
    )
    assert max(amounts) > float(infinity)
    expect(answer(page)).to_contain_text("Each part is a product of weights and activations before rounding.")
    expect(answer(page)).to_contain_text(re.compile(r"clips every value at ∞ =\s+\d"))


def test_without_such_parts_nothing_is_explained(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(ws.library.eiffel(), EIFFEL), tmp_path))
    expect(answer(page)).to_contain_text("All parts together")
    expect(answer(page)).not_to_contain_text("before rounding")


@pytest.mark.parametrize(("activation", "words"), [("gelu", "are active"), ("relu", "fire")])
def test_neurons_of_gelu_are_active_and_those_of_relu_fire(
    activation: str, words: str, opened: Opened, tmp_path: Path
) -> None:
    T = with_activation(many_heads(1, 2), activation)
    page = opened(saved(ws.run(T, TEXT[:5]), tmp_path), "#step=2")
    expect(page.locator(".sentence")).to_contain_text(re.compile(rf"\d+ neurons {words}"))
    if activation == "gelu":
        expect(page.locator("main")).not_to_contain_text("fire")


def test_differences_name_the_token_of_each_run(opened: Opened, tmp_path: Path) -> None:
    T = ws.library.contains("1")
    page = opened(saved(ws.run(T, "0010"), tmp_path, beside=ws.run(T, "1010")))
    page.keyboard.press("Home")
    expect(page.locator(".sentence")).to_contain_text("position 0 0₀ (in B 1₀), lane")
    row = page.get_by_label("what differs here").locator("tbody tr").first
    expect(row.locator("td").first).to_have_text(re.compile(r"^0\s+0\s+\|\s+1$"))


def test_differences_of_shifted_inputs_name_both_positions(opened: Opened, tmp_path: Path) -> None:
    T = ws.library.contains("1")
    page = opened(saved(ws.run(T, "00110"), tmp_path, beside=ws.run(T, "0010")))
    page.keyboard.press("Home")
    expect(page.locator(".sentence")).to_contain_text(re.compile(r"position 2 1₂ \(in B position 1 0₁\)"))
    row = page.get_by_label("what differs here").locator("tbody tr").first
    expect(row.locator("td").first).to_have_text(re.compile(r"^2\s+1\s+\|\s+1\s+0$"))


@pytest.mark.parametrize("width", [1280, 400])
def test_every_number_of_a_wide_stream_is_written_negative_or_not(width: int, opened: Opened, tmp_path: Path) -> None:
    lanes = [f"x{n}" for n in range(8)]
    values = np.array([-12.34, 12.34, -0.81, 0.81, -345.6, 345.6, -29_400.0, 29_400.0])
    T = ws.Transformer(ws.Native("float64"), "ab", lanes, np.array([values, -values]), output=np.ones((2, 8)))
    page = opened(saved(ws.run(T, "ab" * 8), tmp_path), width=width)
    cells = ", ".join(f"[role=gridcell][data-column='{n}']" for n in range(16))
    texts = page.locator(cells).evaluate_all(
        "all => all.map(cell => [cell.getAttribute('aria-label'), cell.querySelector('text')?.textContent ?? ''])"
    )
    assert len(texts) == 16 * 8
    for label, text in texts:
        value = float(label.split(": ")[1].replace("−", "-"))
        assert float(text.replace("−", "-")) == pytest.approx(value, rel=0.05), label
    for name in lanes:
        assert len({text.lstrip("−") for label, text in texts if label.startswith(f"{name} at")}) == 1


OVERLAPS = """texts => {
    const boxes = texts.map(text => text.getBoundingClientRect());
    return boxes.flatMap((one, n) => boxes.slice(0, n).filter(other => one.left < other.right && other.left < one.right
        && one.top < other.bottom && other.top < one.bottom)).length;
}"""


@pytest.mark.parametrize("width", [400, 1280])
def test_the_number_of_further_neurons_overlaps_nothing(width: int, opened: Opened, tmp_path: Path) -> None:
    T = with_activation(many_heads(1, 1, lanes=128), "gelu")
    page = opened(saved(ws.run(T, TEXT), tmp_path), "#step=2", width=width)
    stream = page.get_by_label("the stream", exact=True)
    assert stream.locator("text.more, text.token").evaluate_all(OVERLAPS) == 0
    if width == 1280:
        expect(stream.locator("text.more").first).to_have_text(re.compile(r"^\s*\+\d{3}\s*$"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_printed_sheet_has_the_stream_on_white(theme: str, opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(many_heads(2, 8, lanes=40), TEXT), tmp_path), "#step=1", color_scheme=theme)
    sheets = printed(page, tmp_path)
    assert len(sheets) >= 1
    first = sheets[0].astype(int)
    assert first.shape[1] > first.shape[0]  # on its side
    assert first[:8].min() > 240  # the margin is white
    coloured = (first.max(axis=2) - first.min(axis=2) > 60).mean()
    assert coloured > 0.05  # the cells of the stream
    expect(page.locator("[data-weightsmith]")).to_have_attribute("data-theme", theme)
    assert page.evaluate("document.querySelector('.page').style.width") == ""


def printed(page: Page, folder: Path) -> list[Any]:
    """Return the sheets of a page as pictures."""
    program = shutil.which("pdftoppm")
    if program is None:
        pytest.skip("sheets are looked at with pdftoppm, which is not here: sudo apt-get install poppler-utils")
    page.pdf(path=folder / "page.pdf", prefer_css_page_size=True)
    subprocess.run([program, "-r", "40", str(folder / "page.pdf"), str(folder / "sheet")], check=True)
    return [read_ppm(path) for path in sorted(folder.glob("sheet*.ppm"))]


def read_ppm(path: Path) -> Any:
    _, width, height, _, data = path.read_bytes().split(maxsplit=4)
    return np.frombuffer(data[-int(width) * int(height) * 3 :], np.uint8).reshape(int(height), int(width), 3)
