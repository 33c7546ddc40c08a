"""Numbers in narrow cells: −∞ is never written like ∞, and a negative number is there wherever its opposite is."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import Opened, Shared, Windows, again

A = ws.Fixed(4, 4)
VALUES = {"+": float(A.infinity), "-": -float(A.infinity), "p": 0.8125, "n": -0.8125, "i": 1.5, "j": -1.5}
LANES = ("same", "other")
ROOM = 616  # pixels for the columns
GIVE_ROOM = """room => {
    const labels = document.querySelector("svg.labels").clientWidth;
    document.querySelector(".measure").style.width = `${labels + room + 12}px`;
}"""
Picture: TypeAlias = NDArray[np.int64]
# By row, column and what is written there; the place is that of the cell, so of its fill
CELLS = """grid => [...grid.querySelectorAll("[role=gridcell]")].map(cell => {
    const box = (cell.querySelector("rect") ?? cell).getBoundingClientRect();
    const outer = grid.getBoundingClientRect();
    return {row: +cell.dataset.row, column: +cell.dataset.column, label: cell.getAttribute("aria-label"),
            text: cell.querySelector("text")?.textContent ?? "",
            size: +(cell.querySelector("text")?.getAttribute("font-size") ?? 0),
            box: [box.left - outer.left, box.top - outer.top, box.width, box.height]};
})"""
# The page waits with care until the typing pauses: it never does
NO_PAUSE = "() => { window.later = window.setTimeout; window.setTimeout = () => 0; }"
PAUSES = "() => { window.setTimeout = window.later; }"


def model() -> ws.Transformer:
    """Return a model whose first lane shows a value for each token; the second becomes its negative."""
    embedding = np.array([[value, 0] for value in VALUES.values()])
    turned = [ws.Neuron(reads={"same": 1}, writes={"other": -1}), ws.Neuron(reads={"same": -1}, writes={"other": 1})]
    return ws.Transformer(
        arithmetic=A,
        vocabulary=tuple(VALUES),
        lanes=LANES,
        embedding=embedding,
        blocks=(ws.Block(feed_forward=ws.feed_forward(LANES, turned)),),
        output=np.zeros((2, 2)),
        classes=("NO", "YES"),
    )


def of_width(width: int, tokens: str) -> str:
    """Return an input with so many tokens that each column has a width in pixels."""
    length = ROOM // (width + 1) + 1
    return (tokens * length)[:length]


@pytest.fixture(scope="module", params=["light", "dark"])
def shared(request: Any, windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    path: Path = tmp_path_factory.mktemp("narrow") / "page.html"
    ws.run(model(), "+-").save_html(path)
    document = Shared(windows, path, "+-")
    document.page.emulate_media(color_scheme=request.param)
    document.page.evaluate(GIVE_ROOM, ROOM)
    return document


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    with shared.opened() as page:
        yield page


def cells_of(page: Page) -> list[dict[str, Any]]:
    """Return the cells that are not 0, without the last two positions, over which an arrow may be drawn."""
    found: list[dict[str, Any]] = page.locator("svg[role=grid]").evaluate(CELLS)
    last = max(cell["column"] for cell in found)
    return [cell for cell in found if said_of([cell]) != ["0"] and cell["column"] < last - 1]


def pictures_of(page: Page, cells: list[dict[str, Any]]) -> list[Picture]:
    """Return each cell as it is on the screen: (height, width, 3)."""
    shot = Image.open(io.BytesIO(page.locator("svg[role=grid]").screenshot())).convert("RGB")
    whole = np.asarray(shot, dtype=np.int64)
    corner = page.locator("svg[role=grid]").evaluate("grid => grid.getBoundingClientRect().top % 1")
    found = []
    for cell in cells:
        left, top, width, height = cell["box"]
        first, last = round(corner + top), round(corner + top + height)
        found.append(whole[first:last, round(left) : round(left + width)])
    return found


def read(cell: Picture) -> str:
    """Return what is written on a fill, by its pixels: the left of −∞ is flat, that of ∞ is as high as its right."""
    inner = cell[2:-2, 1:-1]  # without a ring
    colours, counts = np.unique(inner.reshape(-1, 3), axis=0, return_counts=True)
    distance = np.abs(inner - colours[counts.argmax()]).sum(axis=2)
    ink = distance > distance.max() / 2
    assert 0 < ink.mean() < 0.4
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    left = ink[:, columns[0] : columns[0] + max(1, len(columns) // 3)]
    high = np.flatnonzero(left.any(axis=1))
    return "\N{MINUS SIGN}∞" if 2 * (high[-1] - high[0] + 1) <= rows[-1] - rows[0] + 1 else "∞"


def said_of(cells: list[dict[str, Any]]) -> list[str]:
    """Return what should be written in cells, by what is said of them to those who cannot see them."""
    return [cell["label"].split(": ")[1].split(",")[0] for cell in cells]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("width", [*range(12, 22), 24])
def test_minus_infinity_can_be_told_from_infinity_by_text_and_by_pixels(width: int, page: Page) -> None:
    again(page, model=0, input=of_width(width, "+-"), step=1)  # where the cells of the second lane have rings
    cells = cells_of(page)
    assert {round(cell["box"][2]) for cell in cells if cell["size"] and cell["row"] == 0} == {width}
    said = said_of(cells)
    assert set(said) == {"∞", "\N{MINUS SIGN}∞"}
    assert [cell["text"] for cell in cells] == said
    assert [read(picture) for picture in pictures_of(page, cells)] == said


@pytest.mark.parametrize("width", [12, 13, 16, 21])
def test_what_is_painted_while_one_types_tells_them_apart_too(width: int, page: Page) -> None:
    text = of_width(width, "+-")
    again(page, model=0, input=text, step=0)
    cells = cells_of(page)
    page.evaluate(NO_PAUSE)
    page.locator("[data-input]").first.fill(text[:-1])
    page.locator("[data-input]").first.fill(text)
    expect(page.locator(".grid canvas")).to_be_attached()
    assert page.locator("svg[role=grid] [role=gridcell]").count() == 1
    read_there = [read(picture) for picture in pictures_of(page, cells)]
    page.evaluate(PAUSES)
    page.locator("[data-input]").first.blur()
    assert read_there == said_of(cells)


def test_a_negative_number_is_written_where_its_opposite_is_and_as_large(page: Page) -> None:
    for length in range(12, 29):  # columns of 22 to 52 pixels
        again(page, model=0, input=("+-pnij" * length)[:length], step=0)
        assert_opposites_are_written_alike(page)


def assert_opposites_are_written_alike(page: Page) -> None:
    by_value: dict[str, set[tuple[str, float]]] = {}
    for cell in cells_of(page):
        by_value.setdefault(said_of([cell])[0], set()).add((cell["text"], cell["size"]))
    assert len(by_value) == 6
    assert all(len(found) == 1 for found in by_value.values())
    for value, (found,) in by_value.items():
        if value.startswith("\N{MINUS SIGN}"):
            ((opposite, size),) = by_value[value[1:]]
            assert found == ("\N{MINUS SIGN}" + opposite if opposite else "", size)


def test_numbers_that_were_written_before_still_are(page: Page) -> None:
    again(page, model=0, input=of_width(30, "pi"), step=0)
    assert {cell["text"] for cell in cells_of(page)} == {"0.81", "1.5"}
    again(page, model=0, input=of_width(26, "i"), step=0)
    assert {cell["text"] for cell in cells_of(page)} == {"1.5"}


@pytest.mark.parametrize("lanes", [4, 5, 6])  # cells of 40, 34 and 28 pixels
def test_a_code_is_written_within_its_cells(lanes: int, opened: Opened, tmp_path: Path) -> None:
    names = tuple(f"x{n}" for n in range(lanes))
    codes = np.array([[-0.8125, 0.8125, -12.5, 1.5, -float(A.infinity), 0.0][:lanes], np.zeros(lanes)])
    readout = ws.Readout(names, {tuple(code): place for place, code in enumerate(codes.tolist())})
    T = ws.Transformer(arithmetic=A, vocabulary="ab", lanes=names, embedding=codes, readout=readout)
    path = tmp_path / "codes.html"
    ws.run(T, "ab").save_html(path)
    page = opened(path)
    cells = page.locator(".code").first.locator("i")
    found = cells.evaluate_all("cells => cells.map(cell => [cell.textContent, cell.scrollWidth, cell.clientWidth])")
    minus = "\N{MINUS SIGN}"
    assert [text for text, *_ in found] == [f"{minus}0.81", "0.81", f"{minus}12.5", "1.5", f"{minus}∞", "0"][:lanes]
    assert all(needed <= width for _, needed, width in found)
