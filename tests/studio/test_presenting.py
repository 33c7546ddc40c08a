"""Presenter mode in a real browser: type for the last row, panels by number keys, a clicker, speed, a blank screen."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

import weightsmith as ws
from tests.studio.conftest import DRAWN, Opened, Windows, again
from tests.studio.pages import saved
from tests.studio.visible import Text, visible_texts

TOLD = ws.library.eiffel()
EIFFEL = TOLD.story(None)  # without a story, the steps are the sublayers
SENTENCE = ["The", "Eiffel", "Tower", "is", "in"]
SCREEN: ViewportSize = {"width": 1920, "height": 1080}
LEAST = 22  # pixels, of a screen of 1920 × 1080
PANELS = ["stream", "heads", "neuron", "answer", "weights"]


@pytest.fixture(scope="module")
def lecture(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Page:
    page = windows.empty(offline=True, viewport=SCREEN)
    windows.keep(page)
    page.goto(f"{saved(ws.run(EIFFEL, SENTENCE), tmp_path_factory.mktemp('lecture')).as_uri()}#present")
    page.wait_for_selector(DRAWN)
    return page


@pytest.fixture
def page(lecture: Page, windows: Windows) -> Iterator[Page]:
    """The sentence in presenter mode at attention of block 1, on a screen of 1920 × 1080."""
    lecture.set_viewport_size(SCREEN)
    lecture.emulate_media(color_scheme="light")
    present(lecture)
    yield lecture
    windows.leave_in_peace()


def present(page: Page, **more: str) -> None:
    """Show the sentence anew, with further parts of an address."""
    again(page, present="", model=0, input=" ".join(SENTENCE), step=3, **more)
    expect(page.locator(".count")).to_have_text("4 of 5")


def texts_of(page: Page) -> list[Text]:
    return visible_texts(page, "section[aria-label='presenter mode']")


def shown(page: Page) -> list[str]:
    found: list[str] = page.locator("[data-panel]").evaluate_all("all => all.map(each => each.dataset.panel)")
    return found


def place(page: Page) -> str:
    return page.locator(".count").inner_text()


@pytest.mark.parametrize("panel", PANELS)
def test_every_text_is_at_least_22_pixels_high_and_the_row_would_say_is_on_the_screen(panel: str, page: Page) -> None:
    page.keyboard.press(str(1 + PANELS.index(panel)))
    for step in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(step)
        texts = texts_of(page)
        assert len(texts) > 12
        assert not [(each.text, each.size) for each in texts if each.size < LEAST]
        (row,) = [each for each in texts if each.text == "would say"]
        assert row.box[3] <= SCREEN["height"]
        assert place(page).endswith("of 5")
    page.keyboard.press("ArrowLeft")
    if panel == "neuron":  # attention has no neurons: the stream stands in
        assert shown(page) == ["stream"]
    else:
        assert shown(page) == [panel]


def test_the_sizes_of_the_design_are_reached(page: Page) -> None:
    texts = {each.text: round(each.size) for each in texts_of(page)}
    assert [texts[name] for name in ("4 of 5", "1.62", "73 landmark", "Eiffel")] == [26, 25, 25, 27]
    (headers, answer) = (page.locator(f"text.{kind}").first for kind in ("name", "said.strong"))
    sizes = [part.evaluate("text => getComputedStyle(text).fontSize") for part in (headers, answer)]
    assert [round(float(size.removesuffix("px")) * 22 / 13) for size in sizes] == [31, 36]
    assert page.locator("h1").evaluate("caption => getComputedStyle(caption).fontSize") == "46px"


ROOM = "part => [part.scrollWidth - part.clientWidth, part.scrollHeight - part.clientHeight]"
ENDS = "all => all.map(cell => cell.getBoundingClientRect()).map(box => [box.right, box.bottom])"


def test_the_stream_is_whole_without_scrolling(page: Page) -> None:
    page.keyboard.press("1")
    for part in ("[data-panel=stream]", "[data-panel=stream] .scroll", "html"):
        assert page.locator(part).evaluate(ROOM) == [0, 0], part
    cells = page.locator("[role=gridcell]")
    assert cells.count() == len(EIFFEL.lanes) * len(SENTENCE)
    rights, bottoms = zip(*cells.evaluate_all(ENDS), strict=True)
    assert max(rights) < SCREEN["width"]
    assert max(bottoms) < SCREEN["height"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_in_both_themes(scheme: Literal["light", "dark"], page: Page) -> None:
    page.emulate_media(color_scheme=scheme)
    for key in "12345":
        page.keyboard.press(key)
        texts = texts_of(page)
        weak = [(each.text, each.contrast) for each in texts if each.contrast < 4.25]
        assert [each for each in weak if each[0] != "·"] == []  # a dot stands for 0


def test_keys_choose_panels_alone_and_beside_each_other(page: Page) -> None:
    assert shown(page) == ["stream", "answer"]
    page.keyboard.press("2")
    assert shown(page) == ["heads"]
    page.keyboard.press("Shift+Digit4")
    assert shown(page) == ["heads", "answer"]
    expect(page).to_have_url(re.compile("#present&.*panels=heads,answer$"))
    page.keyboard.press("Shift+Digit2")
    assert shown(page) == ["answer"]
    page.keyboard.press("Shift+Digit4")  # the last one stays
    assert shown(page) == ["answer"]
    page.keyboard.press("3")  # no neuron at attention: the stream
    assert shown(page) == ["stream"]
    page.keyboard.press("ArrowRight")
    assert shown(page) == ["neuron"]


COLOUR = "() => getComputedStyle(document.elementFromPoint(900, 500)).backgroundColor"


def test_a_clicker_steps_and_blanks_the_screen(page: Page) -> None:
    for key, where in (("PageDown", "5 of 5"), ("PageDown", "5 of 5"), ("PageUp", "4 of 5"), ("PageUp", "3 of 5")):
        page.keyboard.press(key)
        assert place(page) == where
    blank = page.locator(".blank")
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(blank).to_be_visible()
        assert (
            page.evaluate("() => getComputedStyle(document.elementFromPoint(900, 500)).backgroundColor")
            == "rgb(0, 0, 0)"
        )
        page.keyboard.press(key)
        expect(blank).to_have_count(0)
    page.keyboard.press("b")
    page.keyboard.press("PageDown")  # brings the picture back, the same one
    expect(blank).to_have_count(0)
    assert place(page) == "3 of 5"


def test_playing_has_a_speed(page: Page) -> None:
    page.keyboard.press("Home")
    for _ in range(9):
        page.keyboard.press("+")
    page.keyboard.press("Space")
    expect(page.locator(".count")).to_contain_text("▶ 4 ×")
    expect(page.locator(".count")).to_contain_text("5 of 5")
    expect(page.locator(".count")).not_to_contain_text("▶")
    for _ in range(9):
        page.keyboard.press("-")
    page.keyboard.press("Space")
    expect(page.locator(".count")).to_contain_text("▶ 0.25 ×")
    page.keyboard.press("Space")


def test_p_and_the_address_open_it_and_escape_leaves_it(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.locator("[data-panel]")).to_have_count(0)
    expect(page.get_by_role("button", name="Present")).to_be_visible()
    expect(page).to_have_url(re.compile("#model="))
    page.keyboard.press("p")
    expect(page.locator("[data-panel]")).to_have_count(2)
    expect(page).to_have_url(re.compile("#present&"))
    page.reload()  # F5: the step is still there
    page.wait_for_selector(DRAWN)
    assert place(page) == "4 of 5"
    assert shown(page) == ["stream", "answer"]
    page.get_by_role("button", name="leave presenter mode").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-panel]")).to_have_count(0)
    page.get_by_role("button", name="Present").click()
    expect(page.locator("[data-panel]")).to_have_count(2)
    page.keyboard.press("/")  # there is an input only at the desk
    assert page.evaluate("document.activeElement.hasAttribute('data-input')")
    page.evaluate("document.activeElement.blur()")


@pytest.mark.parametrize(
    ("why", "name"),
    [
        ("0.head.1:2:1", "where this score comes from"),
        ("1.feed-forward:4:word Paris", "who wrote this cell"),
        ("logit:4:Paris", "where this logit comes from"),
    ],
)
def test_where_a_number_comes_from_fills_the_screen_and_escape_closes_it(why: str, name: str, page: Page) -> None:
    again(page, present="", model=0, input=" ".join(SENTENCE), why=why)
    expect(page.get_by_label(name, exact=True)).to_be_visible()
    assert shown(page) == ["why"]
    assert not [(each.text, each.size) for each in texts_of(page) if each.size < LEAST]
    page.keyboard.press("Escape")
    expect(page.get_by_label(name, exact=True)).to_have_count(0)
    assert shown(page) == ["stream", "answer"]


def test_unknown_panels_of_an_address_are_left_out(page: Page) -> None:
    present(page, panels="nothing,answer,stream,<b>")
    assert shown(page) == ["answer", "stream"]
    present(page, panels="nothing")
    assert shown(page) == ["stream", "answer"]


def test_the_progress_stands_in_groups_by_block_and_goes_to_steps(page: Page) -> None:
    bars = page.get_by_label("progress", exact=True).get_by_role("button")
    names = bars.evaluate_all("all => all.map(each => each.ariaLabel)")
    assert names == ["embedding", *(f"{kind} of block {b}" for b in (0, 1) for kind in ("attention", "feed-forward"))]
    lefts = bars.evaluate_all("all => all.map(each => each.getBoundingClientRect()).map(b => [b.left, b.right])")
    gaps = [round(after[0] - before[1]) for before, after in pairwise(lefts)]
    assert gaps == [26, 6, 26, 6]
    bars.nth(1).click()
    assert place(page) == "2 of 5"
    assert bars.nth(1).get_attribute("aria-current") == "step"
    assert [button.get_attribute("aria-current") for button in bars.all()].count("step") == 1


def test_nothing_but_the_steps_is_a_control(page: Page) -> None:
    assert page.locator("[data-panel] :is(button, input, select, a):visible").count() == 0
    buttons = page.locator("section[aria-label='presenter mode'] button")
    names = buttons.evaluate_all("all => all.map(each => each.ariaLabel)")
    assert names[-1] == "leave presenter mode"
    assert len(names) == 6


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (400, 800)])
def test_on_a_small_screen_the_type_is_never_smaller_than_at_the_desk(width: int, height: int, page: Page) -> None:
    page.set_viewport_size({"width": width, "height": height})
    least = max(13.0, LEAST * min(width / SCREEN["width"], height / SCREEN["height"]))
    assert min(each.size for each in texts_of(page)) > least - 0.05
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_of_many_lanes_those_that_fit_are_shown(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> None:
    T = ws.random_transformer("ab", lanes=96, blocks=2, heads=2, neurons=8, max_length=64, seed=1)
    page = windows.empty(offline=True, viewport=SCREEN)
    page.goto(f"{saved(ws.run(T, 'ab' * 20), tmp_path_factory.mktemp('many')).as_uri()}#present")
    page.wait_for_selector(DRAWN)
    texts = texts_of(page)
    assert not [(each.text, each.size) for each in texts if each.size < LEAST and not each.in_picture]
    (row,) = [each for each in texts if each.text == "would say"]
    assert row.box[3] <= SCREEN["height"]
    expect(page.get_by_text(re.compile("the [0-9]+ lanes that changed most, of 96"))).to_be_visible()
    windows.leave_in_peace()


def assert_readable(page: Page) -> None:
    texts = texts_of(page)
    assert not [(each.text, each.size) for each in texts if each.size < LEAST]
    assert not [each.text for each in texts if each.box[2] > SCREEN["width"] or each.box[3] > SCREEN["height"]]


TOLD_MODELS = {
    "bank": ws.library.bank(),
    "fish": ws.library.fish(),
    "associations": ws.library.associations(),
    "contains": ws.library.contains("1"),
}


@pytest.mark.parametrize("name", TOLD_MODELS)
def test_the_story_of_every_teaching_model_is_readable(name: str, opened: Opened, tmp_path: Path) -> None:
    T = TOLD_MODELS[name]
    assert T.told is not None
    assert T.told.input is not None
    page = opened(saved(ws.run(T, T.told.input), tmp_path), "#present", **SCREEN)
    for n in range(1, len(T.told.steps) + 1):
        page.keyboard.press("PageDown")
        expect(page.locator(".count")).to_have_text(f"{n} of {len(T.told.steps)}")
        assert_readable(page)


@pytest.mark.parametrize(("name", "length"), [("bank", 25), ("associations", 40), ("letters", 40)])
def test_of_long_inputs_the_positions_around_the_reader_are_shown_and_the_others_counted(
    name: str, length: int, opened: Opened, tmp_path: Path
) -> None:
    letters = ws.random_transformer("ab", lanes=17, blocks=1, heads=2, neurons=8, max_length=64, seed=1)
    T = (TOLD_MODELS | {"letters": letters})[name].story(None)
    tokens = [T.vocabulary[7 * n % len(T.vocabulary)] for n in range(length)]
    page = opened(saved(ws.run(T, tokens), tmp_path), "#present", **SCREEN)
    for key in ("", "2", "4"):
        if key != "":
            page.keyboard.press(key)
        for step in ("Home", "ArrowRight"):
            page.keyboard.press(step)
            assert_readable(page)
    gap = "" if name == "letters" else " "
    for position in (length - 1, length // 2, 0):
        again(page, present="", model=0, input=gap.join(tokens), position=position, panels="stream,answer")
        chosen = page.locator(f"[role=columnheader][data-position='{position}']")
        expect(chosen).to_have_count(1)
        there = page.locator("[role=columnheader][data-position]").evaluate_all(
            "all => all.map(each => Number(each.dataset.position))"
        )
        left, right = there[0], length - 1 - there[-1]
        assert left + right > 0
        words = [each.text for each in texts_of(page) if "more" in each.text and "…" in each.text]
        told = ([f"… {left} more"] if left else []) + ([f"{right} more …"] if right else [])
        assert [re.sub(r"\s+", " ", word) for word in words] == told
        assert_readable(page)


def test_two_runs_are_presented_beside_each_other(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> None:
    page = windows.empty(offline=True, viewport=SCREEN)
    other = ws.run(EIFFEL, ["The", "Tower", "is", "in"])
    path = saved(ws.run(EIFFEL, SENTENCE), tmp_path_factory.mktemp("two"), beside=other)
    page.goto(f"{path.as_uri()}#present")
    page.wait_for_selector(DRAWN)
    texts = texts_of(page)
    assert not [(each.text, each.size) for each in texts if each.size < LEAST]
    heads = page.locator("[data-panel=answer] h2").all_inner_texts()
    assert [head.split() for head in heads] == [[f"{side}:", "What", "in", "would", "say"] for side in "AB"]
    windows.leave_in_peace()


def test_a_clicker_tells_the_story_and_its_caption_stands_on_top(opened: Opened, tmp_path: Path) -> None:
    assert TOLD.told is not None
    steps = TOLD.told.steps
    page = opened(saved(ws.run(TOLD, SENTENCE), tmp_path), "#present", **SCREEN)
    for n, step in enumerate(steps, 1):
        page.keyboard.press("PageDown")
        expect(page.locator(".count")).to_have_text(f"{n} of {len(steps)}")
        assert page.locator("h1").inner_text().replace(" ", "") == step.text.replace("`", "").replace(" ", "")
        assert shown(page) == [panel for panel in step.panels if panel in shown(page)] or shown(page) == ["stream"]
        assert not [(each.text, each.size) for each in texts_of(page) if each.size < LEAST]
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".count")).to_have_text(f"{len(steps) - 1} of {len(steps)}")
    assert page.locator("nav[aria-label=progress] button").count() == len(steps)
    assert f"story={len(steps) - 1}" in page.evaluate("new Promise(done => setTimeout(() => done(location.hash), 300))")
