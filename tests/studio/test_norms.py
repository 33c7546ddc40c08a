"""Norms are steps of the timeline, in a real browser: what they read, μ, σ, ε, gain, bias, and what comes out."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import weightsmith as ws
from tests.kernels.kinds import kind_of_model
from tests.studio.conftest import Opened, again
from tests.studio.pages import cells, number, saved

LANES = ("x0", "x1", "x2", "x3")
COLUMN = [[0.0], [0.0], [0.0], [1.0]]


def normed() -> ws.Transformer:
    """Give a model with a norm before, one after and one at the end; the stream of x is 2, 4, 6, 8."""
    layer = ws.FeedForward(np.array([[1.0, 0, 0, 0]]), np.zeros(1), np.array(COLUMN), np.zeros(4))
    gains: Any = (np.array([1.0, 2, 1, 1]), np.array([0, 0, 0.5, 0]))
    return ws.Transformer(
        ws.Native("float64"), ("x", "y"), LANES, np.array([[2.0, 4, 6, 8], [1, 1, 1, 5]]), None,
        (
            ws.Block(None, layer, feed_forward_norm=ws.LayerNorm(1e-5)),
            ws.Block(None, layer, feed_forward_norm=ws.LayerNorm(1e-5, *gains), norm_placement="post"),
        ),
        np.array([[1.0, 0, 0, 0], [0, 0, 0, -1]]), classes=("YES", "NO"),
        final_norm=ws.RMSNorm(1e-5, None, ("x0", "x3")),
    )  # fmt: skip


def panel(page: Page) -> Locator:
    return page.get_by_label("norm", exact=True)


def column(page: Page, place: int) -> list[float]:
    """Return the numbers of a column of the norm's table, from their exact values."""
    titles = (
        panel(page)
        .locator(f".numbers tbody td:nth-child({place + 1})")
        .evaluate_all("cells => cells.map(cell => cell.title)")
    )
    return [
        number(title.split(" = ")[-1] if "∞" in title else title.split(" = ")[0], ws.Fixed(4, 4)) for title in titles
    ]


def test_a_norm_is_a_narrow_step_with_its_sums_and_the_stream_stays(opened: Opened, tmp_path: Path) -> None:
    T = normed()
    page = opened(saved(ws.run(T, "xy"), tmp_path), "#model=0&input=xy&step=0&position=0")
    before = cells(page)
    page.keyboard.press("ArrowRight")
    step = page.locator("nav [data-step='1']")
    expect(step).to_have_attribute("aria-label", "norm before feed-forward of block 0")
    widths = [page.locator(f"nav [data-step='{place}']").bounding_box() for place in (1, 2)]
    assert widths[0] is not None
    assert widths[1] is not None
    assert widths[0]["width"] < widths[1]["width"] / 3
    assert cells(page) == before
    shown = panel(page)
    expect(shown).to_contain_text("μ = (2 + 4 + 6 + 8) / 4 = 5")
    expect(shown).to_contain_text("σ = √( (9 + 1 + 1 + 9) / 4 + ε ) = 2.236")
    expect(shown).to_contain_text("ε = 0.00001, gain 1, bias 0")
    expect(shown).to_contain_text(
        "The stream itself keeps 2, 4, 6, 8: only what the feed-forward layer reads is normed."
    )
    expect(page.locator(".sentence")).to_contain_text("less the mean 5, then over the spread 2.236")
    assert column(page, 4) == pytest.approx(ws.layer_norm([2, 4, 6, 8]).tolist())
    assert shown.get_by_role("img").locator("g").count() == 16  # four lanes at four moments
    page.wait_for_url(re.compile("step=1&norm=before"))


def test_norms_after_a_sublayer_and_at_the_end_are_steps_and_old_addresses_lead_to_the_same_sublayers(
    opened: Opened, tmp_path: Path
) -> None:
    T = normed()
    r = ws.run(T, "xy")
    page = opened(saved(r, tmp_path), "#model=0&input=xy&step=2&position=1")
    names = page.locator("nav [data-step]").evaluate_all(
        "steps => steps.map(step => step.getAttribute('aria-label').split(',')[0])"
    )
    assert names == [
        "embedding", "norm before feed-forward of block 0", "feed-forward of block 0", "feed-forward of block 1",
        "norm after feed-forward of block 1", "final norm",
    ]  # fmt: skip
    expect(page.locator("nav [data-step='3']")).to_have_attribute("aria-current", "step")  # counted without norms
    expect(page.get_by_text("After feed-forward and norm of block 1")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(panel(page)).to_contain_text("The stream itself is normed")
    assert column(page, 6) == r.stream[-1][1].tolist()
    page.keyboard.press("ArrowRight")
    expect(panel(page)).to_contain_text("RMS norm of 2 lanes")
    expect(panel(page)).to_contain_text("2 lanes are outside the norm and pass unchanged.")
    page.wait_for_url(re.compile("step=2&norm=final"))
    again(page, model=0, input="xy", step=2, norm="after", position=0)
    expect(panel(page)).to_contain_text("Norm after feed-forward of block 1")
    again(page, model=0, input="xy", step=1, norm="after")  # there is none: its sublayer
    expect(page.locator("nav [data-step='2']")).to_have_attribute("aria-current", "step")


def test_in_a_finite_arithmetic_the_numbers_are_those_of_the_run(opened: Opened, tmp_path: Path) -> None:
    """After a norm that follows a sublayer, the page's column is the stream of Python, bit for bit."""
    T = kind_of_model(ws.Fixed(4, 4), 1, "relative", "relu", norms=True, heads=2)
    blocks = tuple(replace(block, norm_placement="post", parallel=False) for block in T.blocks)
    r = ws.run(T := replace(T, blocks=blocks), list("abab"))
    page = opened(saved(r, tmp_path), "#model=0&input=abab&step=1&norm=after&position=2")
    covered = blocks[0].attention_norm
    assert covered is not None
    last = panel(page).locator(".numbers thead th").count() - 1
    assert column(page, last) == r.stream[1][2].tolist()
    again(page, model=0, input="abab", step=2, norm="after", position=3)
    assert column(page, panel(page).locator(".numbers thead th").count() - 1) == r.stream[2][3][[0, 2]].tolist()


def test_two_runs_have_the_same_steps(opened: Opened, tmp_path: Path) -> None:
    T = normed()
    page = opened(
        saved(ws.run(T, "xy"), tmp_path, beside=ws.run(T, "yx")), "#model=0&input=xy&beside=0&beside-input=yx&step=0"
    )
    assert page.locator("nav [data-step]").count() == 6
    page.keyboard.press("ArrowRight")
    expect(panel(page)).to_contain_text("μ")


@pytest.mark.parametrize("width", [400, 1280])
def test_norms_fit_a_phone_and_a_desk(opened: Opened, tmp_path: Path, width: int) -> None:
    page = opened(
        saved(ws.run(normed(), "xy"), tmp_path), "#model=0&input=xy&step=1&norm=before&position=0", width=width
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(panel(page).locator(".numbers")).to_be_visible()
    assert panel(page).get_by_role("img").is_visible() == (width > 400)
