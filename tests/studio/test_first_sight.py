"""First sight in a real browser: what the model does, its words, where to type, and the answer above the fold."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import DRAWN, Opened, Windows, again
from tests.studio.pages import BREAKING, saved
from tests.studio.visible import visible_texts

EIFFEL = ws.library.eiffel()
SENTENCE = ["The", "Eiffel", "Tower", "is", "in"]
LEAST = 13  # pixels, at the desk and on a phone


@pytest.fixture(scope="module")
def desk(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Page:
    page = windows.empty(offline=True, viewport={"width": 1280, "height": 800})
    windows.keep(page)
    page.goto(saved(ws.run(EIFFEL, SENTENCE), tmp_path_factory.mktemp("desk")).as_uri())
    page.wait_for_selector(DRAWN)
    return page


@pytest.fixture
def page(desk: Page, windows: Windows) -> Iterator[Page]:
    """The sentence at the desk, in a window of 1280 × 800."""
    desk.set_viewport_size({"width": 1280, "height": 800})
    desk.emulate_media(color_scheme="light")
    again(desk, model=0, input=" ".join(SENTENCE))
    yield desk
    windows.leave_in_peace()


def test_the_header_says_what_the_model_does_and_holds_the_next_word_in_the_input_line(page: Page) -> None:
    header = page.locator("header")
    expect(header).to_contain_text("Finishes a sentence about a tower. Written by hand: 8 words, 2 blocks.")
    line = page.locator("header .line")
    expect(line.get_by_role("textbox", name="Input")).to_have_value(" ".join(SENTENCE))
    expect(line.get_by_role("status")).to_contain_text("→ Paris")
    expect(line).to_contain_text(re.compile(r"9[0-9] %\s*the model's next word"))
    page.get_by_role("button", name="Add it").click()
    expect(line.get_by_role("textbox", name="Input")).to_have_value(" ".join([*SENTENCE, "Paris"]))


def test_the_words_it_knows_are_typed_by_clicks_and_other_inputs_are_offered(page: Page) -> None:
    words = page.get_by_role("group", name="words")
    assert words.get_by_role("button", name=re.compile("^type ")).all_inner_texts() == list(EIFFEL.vocabulary)
    expect(words.get_by_role("button", name="try The Tower is in")).to_be_visible()
    words.get_by_role("button", name="try The Tower is in").click()
    expect(page.get_by_role("status")).to_contain_text("→ London")
    words.get_by_role("button", name="type .", exact=True).click()
    expect(page.locator("[data-input]")).to_have_value("The Tower is in .")


def test_it_opens_where_the_answer_first_appears_and_the_row_would_say_is_above_the_fold(page: Page) -> None:
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == (
        "attention of block 1, 4 values changed, decision Paris"
    )
    assert page.evaluate("scrollY") == 0
    cells = page.get_by_label("the stream", exact=True).locator("[role=gridcell]")
    expect(cells).to_have_count(17 * 5)
    texts = visible_texts(page, "[aria-label='the stream']")
    (row,) = [each for each in texts if each.text == "would say"]
    last = [each for each in texts if each.text == "Paris"][-1]
    assert max(row.box[3], last.box[3]) < 800
    bottoms = cells.evaluate_all("all => all.map(cell => cell.getBoundingClientRect().bottom)")
    assert max(bottoms) < row.box[1] + 4


def test_two_inputs_open_where_their_decisions_part(opened: Opened, tmp_path: Path) -> None:
    r, s = ws.run(EIFFEL, SENTENCE), ws.run(EIFFEL, ["The", "Tower", "is", "in"])
    lens = [[row[-1] for row in ws.lens(run).decisions] for run in (r, s)]
    parts = [a != b for a, b in zip(*lens, strict=True)]
    assert parts == [False, False, False, True, True]
    page = opened(saved(r, tmp_path, beside=s))
    expect(page.locator("[aria-current=step]")).to_have_attribute("aria-label", re.compile("^attention of block 1"))
    expect(page.locator("header")).to_contain_text("different decisions")
    assert page.locator("header .line .chip").all_inner_texts() == ["Paris", "London"]


def test_lanes_are_found_by_name_at_any_size(page: Page, opened: Opened, tmp_path: Path) -> None:
    names = page.get_by_label("the stream", exact=True).locator("[role=rowheader]")
    page.get_by_label("find a lane").fill("PARIS")
    assert names.evaluate_all("all => all.map(each => each.ariaLabel)") == ["dim 42 Paris", "word Paris"]
    expect(page.get_by_text("2 of 17 lanes")).to_be_visible()
    page.get_by_label("find a lane").fill("nothing like that")
    expect(page.get_by_text("No lane name contains this text.")).to_be_visible()
    page.get_by_label("find a lane").fill("")
    expect(names).to_have_count(17)
    wide = ws.random_transformer("ab", lanes=300, blocks=1, heads=1, neurons=4, max_length=8, seed=1)
    other = opened(saved(ws.run(wide, "abba"), tmp_path))
    other.get_by_label("find a lane").fill(wide.lanes[299])
    expect(other.get_by_label("the stream", exact=True).locator("[role=rowheader]").last).to_have_attribute(
        "aria-label", wide.lanes[299]
    )


def test_the_marks_of_blocks_and_the_groups_have_a_legend(page: Page) -> None:
    legend = page.locator(".legend")
    expect(legend).to_contain_text("b0 block 0 writes the lane first")
    for name, text in (("dim, word", "lane names that begin so"), ("token", "written by the embedding")):
        expect(legend).to_contain_text(f"{name} {text}")
    gutter = {each.text: each.box for each in visible_texts(page, "svg.labels")}
    assert len({round(gutter[name][0]) for name in ("dim", "token", "word")}) == 1  # one below the other, at the left
    assert abs(gutter["dim"][1] - gutter["0"][1]) < 3  # in the row of the first lane, not in one of its own


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light"), (1920, "dark")])
def test_every_text_is_at_least_13_pixels_high_and_can_be_read(
    width: int, scheme: Literal["light", "dark"], page: Page
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        page.wait_for_timeout(120)  # until the panels follow
        page.wait_for_function("() => document.getAnimations().every(each => each.playState !== 'running')")
        texts = visible_texts(page)
        assert len(texts) > 100
        assert [(each.text, each.size) for each in texts if each.size < LEAST] == []
        weak = [(each.text, round(each.contrast, 2)) for each in texts if not each.in_picture and each.contrast < 4.25]
        assert [each for each in weak if each[0] != "·"] == []  # a dot stands for 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_fills_the_width_and_from_1600_pixels_has_three_columns(page: Page) -> None:
    for width, columns in ((1280, 2), (1599, 2), (1600, 3), (2400, 3)):
        page.set_viewport_size({"width": width, "height": 900})
        found = page.locator("main").evaluate("main => getComputedStyle(main).gridTemplateColumns").split()
        sizes = [float(size.removesuffix("px")) for size in found]
        assert len(sizes) == columns
        assert all(392 <= size <= 548 for size in sizes[1:])
        assert round(sum(sizes)) + 14 * (columns - 1) == width - 40


def test_the_header_is_reached_by_keys_and_has_names(page: Page) -> None:
    page.locator(".brand").click()
    names = []
    for _ in range(15):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.innerText"))
    assert names[:2] == ["Model", "Compare with"]
    assert names[2] == "Change"
    assert names[3].split() == ["Present", "p"]
    assert names[4:6] == ["dark colours", "keyboard shortcuts"]
    assert names[7].split() == ["Add", "it", "g"]
    assert names[8:] == [f"type {word}" for word in EIFFEL.vocabulary[:7]]


def test_a_description_is_kept_in_files_and_shown_as_text(opened: Opened, tmp_path: Path) -> None:
    T = ws.library.contains("1").describe(BREAKING)
    ws.save(T, tmp_path / "T.safetensors")
    assert ws.load(tmp_path / "T.safetensors").description == BREAKING
    page = opened(saved(ws.run(T, "0110"), tmp_path))
    expect(page.locator("header")).to_contain_text(f"{BREAKING} Written by hand: 2 letters, 1 block.")
    expect(page.locator("header")).to_contain_text("Letters it knows")
    assert page.locator("script").count() == 2


def test_a_model_without_a_description_is_counted(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(ws.random_transformer("abc", lanes=4, blocks=3, seed=1), "abc"), tmp_path))
    expect(page.locator(".does")).to_have_text("Random weights: 3 letters, 3 blocks.")
