"""Runs with too many cells for a document of shapes: they are painted, and show what `ws.run` computes."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import Shared, Windows
from tests.studio.pages import cells, number, saved
from weightsmith import Block, FeedForward

LANES, LENGTH = 48, 100
MOVE = 0xA3196D  # the colour of what changed
PICTURE = """svg => {
    const canvas = svg.parentElement.querySelector("canvas");
    const cell = svg.querySelector("[role=gridcell] rect");
    const [top, width, height] = ["y", "width", "height"].map(name => Number(cell.getAttribute(name)));
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
    copy.drawImage(canvas, 0, 0);
    const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new DataView(data.buffer);
    const at = (x, y) => pixels.getUint32(4 * (y * canvas.width + x)) >>> 0; // red, green, blue, alpha
    return Array.from({length: LANES}, (_, lane) => Array.from({length: LENGTH}, (_, position) => {
        const [x, y] = [position * width, top + lane * height];
        return [at(x, y), at(x + 2, y + 2)];
    }));
}""".replace("LANES", str(LANES)).replace("LENGTH", str(LENGTH))


@pytest.fixture(scope="module")
def run() -> ws.Run:
    """Give a run in which the second block changes one lane, where the token is b, and the first changes most."""
    T = ws.random_transformer("ab", lanes=LANES, blocks=1, heads=1, neurons=20, max_length=LENGTH, seed=4)
    key, value = np.zeros((1, LANES)), np.zeros((LANES, 1))
    key[0, 0], value[7, 0] = 1.0, -0.5
    T = replace(T, blocks=(*T.blocks, Block(feed_forward=FeedForward(key, np.zeros(1), value, np.zeros(LANES)))))
    return ws.run(T, [T.vocabulary[n] for n in np.random.default_rng(2).integers(0, 2, LENGTH)])


@pytest.fixture(scope="module")
def shared(run: ws.Run, windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(run, tmp_path_factory.mktemp("shared")), "".join(run.tokens))


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    with shared.opened() as page:
        yield page


def painted(page: Page) -> np.ndarray[Any, Any]:
    """Return the colours of the corner and of the inside of every cell, (lanes, positions, 2)."""
    return np.array(page.get_by_role("grid").evaluate(PICTURE))


def test_every_painted_step_has_one_colour_for_each_value(run: ws.Run, page: Page) -> None:
    stages = [0, 1, 2, 4]
    colours: dict[float, int] = {}
    for stage in stages:
        inside = painted(page)[..., 1]
        for lane, position in np.ndindex(*inside.shape):
            value, colour = run.stream[stage][position, lane], int(inside[lane, position])
            assert colours.setdefault(value, colour) == colour, (stage, lane, position)
        page.keyboard.press("ArrowRight")
    assert len(set(colours.values())) > 20
    for value, colour in colours.items():
        red, blue, alpha = colour >> 24, colour >> 8 & 255, colour & 255
        assert alpha == (0 if value == 0 else 255)
        assert np.sign(blue - red) == np.sign(value)


def test_what_changed_has_a_ring_unless_most_did(run: ws.Run, page: Page) -> None:
    page.keyboard.press("End")
    ringed = painted(page)[..., 0] >> 8 == MOVE
    changed = (run.stream[4] != run.stream[3]).T
    assert 0 < changed.sum() < changed.size / 10
    assert np.array_equal(ringed, changed)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert not (painted(page)[..., 0] >> 8 == MOVE).any()


def test_the_cell_in_view_is_read_out_with_its_value(run: ws.Run, page: Page) -> None:
    for stage in (0, 1, 2):
        ((place, text),) = cells(page).items()
        assert place == ("x0", LENGTH - 1)
        assert number(text, run.transformer.arithmetic) == run.stream[stage][-1, 0]
        page.keyboard.press("ArrowRight")


def test_panels_tell_about_the_sublayer_that_is_shown_when_the_steps_pause(run: ws.Run, page: Page) -> None:
    expect(page.get_by_role("heading", name=re.compile("reads in block 0"))).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name=re.compile("reads in block 0"))).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(page.get_by_role("heading", name="Active neurons at")).to_contain_text("of 1 neuron")
