"""The heads in the page: a colour for each, the arcs of one reader, strips, and all heads at a glance."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import weightsmith as ws
from tests.studio.colours import contrast, difference, lab, smallest_difference
from tests.studio.conftest import Opened, Shared, Windows
from tests.studio.heads import TEXT, many_heads, two_writers, written_by
from tests.studio.node import run_node
from tests.studio.pages import saved

EIGHT = many_heads(2, 8, still=2)
LEAST_ARC = 0.18
THEMES: dict[str, dict[str, Any]] = {
    "light": {
        "page": "#f7f6f3",
        "on surface": [7.2, 3.3, 5.7, 8.2, 3.3, 10.9, 4.6, 3.5],
        "apart": {None: 19.9, "protan": 14.0, "deutan": 13.8, "tritan": 13.6},
        "values": ["#4a8fc7", "#0f5a99", "#dd7f2f", "#a54c06"],
    },
    "dark": {
        "page": "#0e1115",
        "on surface": [8.1, 5.1, 10.9, 5.3, 12.4, 5.0, 11.2, 5.2],
        "apart": {None: 22.5, "protan": 12.0, "deutan": 11.9, "tritan": 13.9},
        "values": ["#3a86c8", "#7fbcf0", "#c9772a", "#f3b377"],
    },
}


@pytest.fixture(scope="module")
def colours() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_node("looks.mjs"))["heads"]
    return found


@pytest.fixture(scope="module")
def shared(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(ws.run(EIGHT, TEXT), tmp_path_factory.mktemp("eight")), " ".join(TEXT))


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    """Eight heads, at the attention of block 0."""
    with shared.opened() as page:
        page.keyboard.press("ArrowRight")
        expect(heads(page)).to_be_visible()
        yield page


def heads(page: Page) -> Locator:
    return page.get_by_label("attention", exact=True)


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[n : n + 2], 16)) for n in (1, 3, 5))})"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_heads_can_be_told_apart_also_by_the_colour_blind(theme: str, colours: dict[str, Any]) -> None:
    own, claims = colours[theme], THEMES[theme]
    found = [round(contrast(colour, own["surface"]), 1) for colour in own["heads"]]
    assert found == claims["on surface"]
    assert min(contrast(colour, claims["page"]) for colour in own["heads"]) >= 3.04
    for blindness, least in claims["apart"].items():
        assert round(smallest_difference(own["heads"], blindness), 1) == least
    values = [difference(lab(head), lab(value)) for head in own["heads"] for value in claims["values"]]
    assert min(values) >= 13.75
    assert min(contrast(*pair) for pair in zip(own["heads"], own["numbers"], strict=True)) >= 4.58


def test_the_style_sheet_has_the_same_colours_as_the_canvases(page: Page, colours: dict[str, Any]) -> None:
    names = [f"--{kind}-{n}" for kind in ("head", "on") for n in range(8)]
    for theme in ("light", "dark"):
        found = page.evaluate(
            """([theme, names]) => {
                const host = document.querySelector("[data-weightsmith]");
                host.dataset.theme = theme;
                const style = getComputedStyle(host);
                const long = (colour) => colour.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
                return names.map((name) => long(style.getPropertyValue(name).trim()));
            }""",
            [theme, names],
        )
        assert found == [*colours[theme]["heads"], *colours[theme]["numbers"]]
    page.evaluate("document.querySelector('[data-weightsmith]').dataset.theme = 'light'")


def arcs(page: Page) -> dict[tuple[int, int, int], str]:
    """Return the arcs above the stream, (head, reader, source): whether each is dotted, dashed or neither."""
    script = """all => all.map(one => {
        const arc = one.querySelector(".arc");
        arc.getAnimations().forEach(animation => animation.finish());
        const {strokeDasharray} = getComputedStyle(arc);
        return [one.dataset.arc, {"0.1px, 6px": "dotted", "7px, 6px": "dashed"}[strokeDasharray] ?? strokeDasharray];
    })"""
    found = page.get_by_label("the stream", exact=True).locator("[data-arc]").evaluate_all(script)
    return {tuple(map(int, name.split())): dashes for name, dashes in found}  # type: ignore[misc]


def expected_arcs(r: ws.Run, block: int, reader: int) -> set[tuple[int, int, int]]:
    return {
        (head, reader, int(source))
        for head, weights in enumerate(r.attention[block])
        for source in np.flatnonzero(weights[reader] >= LEAST_ARC)
        if source != reader
    }


def test_only_the_chosen_reader_has_arcs_from_a_weight_of_018_on(page: Page) -> None:
    r = ws.run(EIGHT, TEXT)
    page.mouse.move(0, 0)
    near = np.concatenate([weights[3:].ravel() for weights in r.attention[0]])
    assert ((near > 0.05) & (near < LEAST_ARC)).any()
    assert ((near >= LEAST_ARC) & (near < 0.35)).any()
    for reader in range(11, 2, -1):
        expect(page.locator("[role=columnheader] text.strong")).to_contain_text(TEXT[reader])
        assert expected_arcs(r, 0, reader) == set(arcs(page))
        page.keyboard.press("[")


def test_arcs_are_dotted_where_next_to_nothing_moves(page: Page) -> None:
    page.keyboard.press("[")
    found = {head: dashes for (head, _, _), dashes in arcs(page).items()}
    assert found.pop(2) == "dotted"
    assert set(found.values()) == {"none"}


def test_from_the_ninth_head_on_arcs_are_dashed(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(many_heads(1, 12), TEXT), tmp_path), "#step=1&position=9")
    found = {(head >= 8, dashes) for (head, _, _), dashes in arcs(page).items()}
    assert found == {(False, "none"), (True, "dashed")}


def test_a_head_that_reads_many_positions_has_thin_arcs_when_it_is_alone(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(many_heads(1, 1, sharp=0), TEXT), tmp_path), "#step=1")
    assert set(arcs(page)) == {(0, 11, source) for source in range(12)}
    expect(heads(page)).to_contain_text("Head 0 of block 0: all words alike")


@pytest.mark.parametrize("width", [1280, 400])
def test_the_label_of_an_arc_shows_on_hover_and_is_never_cut(width: int, opened: Opened, tmp_path: Path) -> None:
    r = ws.run(EIGHT, TEXT)
    page = opened(saved(r, tmp_path), "#step=1", width=width, height=700)
    stream = page.get_by_label("the stream", exact=True)
    expect(stream.locator("[data-arc] text")).to_have_count(0)
    for name in arcs(page):
        head, reader, source = name
        reach = stream.locator(f"[data-arc='{head} {reader} {source}'] .reach")
        reach.dispatch_event("pointermove", {"bubbles": True, "clientX": width - 2, "clientY": 690})
        tip = page.get_by_role("tooltip")
        expect(tip).to_contain_text(f"head {head}:")
        expect(tip).to_contain_text(str(r.attention[0][head][reader, source])[:6])
        box = tip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 700


RINGS = """cells => cells.map(cell => [cell.getAttribute("aria-label"),
    [...cell.querySelectorAll("rect[stroke]")].map(ring => getComputedStyle(ring).stroke)])"""


def test_a_ring_has_the_colour_of_the_head_that_wrote_and_two_halves_for_two(
    opened: Opened, tmp_path: Path, colours: dict[str, Any]
) -> None:
    T = two_writers()
    r = ws.run(T, TEXT[:4])
    page = opened(saved(r, tmp_path), "#step=1")
    inks = [rgb(colour) for colour in colours["light"]["heads"]]
    written = np.abs(written_by(r, 0))
    cells = ", ".join(f"[role=gridcell][data-column='{n}']" for n in range(4))
    found = dict(page.locator(cells).evaluate_all(RINGS))
    assert len(found) == 4 * 8
    for label, rings in found.items():
        lane, position = T.lanes.index(label.split(" at ")[0]), int(re.search(r"position (\d+)", label)[1])  # type: ignore[index]
        amounts = written[:, position, lane]
        wrote = [head for head in np.argsort(-amounts, kind="stable") if amounts[head] > 0.04 * max(amounts)]
        assert rings == [inks[head] for head in wrote], label
    assert {len(rings) for rings in found.values()} == {0, 1, 2}
    halves = page.locator(cells).locator("rect[stroke-dasharray]")
    assert halves.count() == sum(len(rings) == 2 for rings in found.values())
    page.locator("[role=gridcell]").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("written by heads 0, 1")


def strips(page: Page) -> Locator:
    return heads(page).get_by_role("table", name=re.compile("head by head"))


def test_strips_show_the_weights_of_the_reader_head_by_head(page: Page) -> None:
    r = ws.run(EIGHT, TEXT)
    page.get_by_role("button", name="by number", exact=True).click()
    rows = strips(page).get_by_role("row").all()[1:]
    assert len(rows) == 8
    for head, row in enumerate(rows):
        weights = r.attention[0][head][11]
        shown = row.locator(".cell").all_inner_texts()
        assert shown == ["" if w < 0.1 else "1" if w >= 0.995 else f"{w:.2f}"[1:] for w in weights], head
        expect(row.get_by_role("img", name=f"head {head}")).to_have_text(str(head))
    page.get_by_role("button", name="sort by what moves").first.click()
    amounts = np.abs(written_by(r, 0))[:, 11].sum(axis=1)
    order = strips(page).locator(".name .badge").all_inner_texts()
    assert order == [str(head) for head in np.argsort(-amounts, kind="stable")]


def test_a_word_above_the_strips_chooses_the_reader_and_a_head_puts_the_others_aside(page: Page) -> None:
    strips(page).get_by_role("button", name="mat", exact=True).click()
    expect(page).to_have_url(re.compile("position=5"))
    expect(heads(page).get_by_role("heading").first).to_contain_text("What mat reads in block 0")
    strips(page).get_by_role("button", name="head 3").click()
    expect(page).to_have_url(re.compile("head=3"))
    stream = page.get_by_label("the stream", exact=True)
    expect(stream.locator("[data-arc^='3 ']:not(.aside)").first).to_be_attached()
    expect(stream.locator("[data-arc]:not(.aside):not([data-arc^='3 '])")).to_have_count(0)
    expect(heads(page)).to_contain_text("Head 3 of block 0")


def test_what_a_head_mostly_reads_is_said_in_words(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(ws.library.eiffel(), "The Eiffel Tower is in"), tmp_path), "#step=1&head=0")
    expect(heads(page)).to_contain_text("Head 0 of block 0: the word before")


PIXELS = """canvas => {
    const {data, width} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
    return [...canvas.parentElement.querySelectorAll("button")].map(button => {
        const {left, top, width: side} = button.getBoundingClientRect();
        let grey = true, any = false;
        for (let y = 2; y < side - 2; y++) for (let x = 2; x < side - 2; x++) {
            const [row, column] = [top - box.top + y, left - box.left + x].map(place => Math.round(place * scale));
            const at = 4 * (row * width + column);
            const [r, g, b, a] = data.slice(at, at + 4);
            any ||= a > 0;
            grey &&= a === 0 || Math.max(r, g, b) - Math.min(r, g, b) < 24;
        }
        return [button.getAttribute("aria-label"), any, grey];
    });
}"""


def test_twelve_blocks_of_twelve_heads_stand_on_one_canvas_with_one_block_in_colour(
    opened: Opened, tmp_path: Path
) -> None:
    T = many_heads(12, 12, lanes=24)
    r = ws.run(T, [T.vocabulary[n % 7] for n in range(64)])
    page = opened(saved(r, tmp_path), "#step=7")
    every = heads(page).get_by_role("group", name=re.compile("^all heads"))
    expect(every.locator("canvas")).to_have_count(1)
    found = every.locator("canvas").evaluate(PIXELS)
    assert [name for name, _, _ in found] == [f"block {b}, head {h}" for b in range(12) for h in range(12)]
    assert all(any_pixel for _, any_pixel, _ in found)
    assert [name for name, _, grey in found if not grey] == [f"block 3, head {h}" for h in range(12)]
    every.get_by_role("button", name="block 3, head 0", exact=True).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(heads(page)).to_contain_text("Head 2 of block 4")
    expect(page).to_have_url(re.compile("step=9.*head=2"))
    heads(page).get_by_role("button", name="sort by what moves").last.click()
    labels = every.get_by_role("button").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    order = [int(label.split()[-1]) for label in labels[:12]]
    amounts = np.abs(written_by(r, 0)).sum(axis=(1, 2))
    assert order == np.argsort(-amounts, kind="stable").tolist()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_on_a_phone_words_run_down_and_heads_across(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(EIGHT, TEXT), tmp_path), "#step=1", width=400)
    table = heads(page).get_by_role("table", name=re.compile("words down, heads across"))
    words = [one.bounding_box() for one in table.get_by_role("rowheader").all()]
    badges = [one.bounding_box() for one in table.locator(".badge").all()]
    assert len(words) == 12
    assert len(badges) == 8
    assert len({box["x"] + box["width"] for box in words if box}) == 1
    assert len({box["y"] for box in badges if box}) == 1
    assert table.get_by_role("rowheader").all_inner_texts() == TEXT
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    arcs_box = table.locator("svg").bounding_box()
    assert arcs_box is not None
    assert arcs_box["x"] + arcs_box["width"] <= 400


def test_more_heads_than_one_can_be_chosen_with_a_key(page: Page) -> None:
    for head in range(3):
        page.keyboard.press("h")
        expect(heads(page)).to_contain_text(f"Head {head} of block 0")
