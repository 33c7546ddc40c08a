"""Stories in a real browser: told with keys and by address, pointing at what they speak of; and the tour."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import Opened, Shared, Windows
from tests.studio.pages import saved

T = ws.library.eiffel()
INPUT = "The Eiffel Tower is in"
assert T.told is not None
CAPTIONS = [step.text.replace("`", "") for step in T.told]


@pytest.fixture(scope="module")
def shared(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(ws.run(T, INPUT), tmp_path_factory.mktemp("story")), INPUT)


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    """The run of the lecture, at the embedding, with no story told."""
    with shared.opened() as page:
        yield page


def caption(page: Page) -> Any:
    return page.get_by_role("region", name="the story", exact=True)


def assert_told(page: Page, step: int) -> None:
    """See that a step of the story is told, and that the address names it."""
    expect(caption(page).locator("p")).to_have_text(CAPTIONS[step - 1])
    expect(caption(page)).to_contain_text(f"{step} of 8")
    page.wait_for_url(re.compile(rf"#model=0&story={step}$"))


def sublayer(page: Page) -> str | None:
    """Return the sublayer that is shown, as the timeline says it."""
    return page.locator("nav [aria-current=step]").get_attribute("data-step")


def go(page: Page, address: str) -> None:
    page.evaluate("address => { location.hash = address; }", address)


def test_a_clicker_begins_the_story_and_arrows_tell_it(page: Page) -> None:
    expect(caption(page)).to_have_count(0)
    page.keyboard.press("ArrowRight")  # not told yet: a sublayer
    assert sublayer(page) == "1"
    page.keyboard.press("PageDown")
    assert_told(page, 1)
    assert sublayer(page) == "0"
    for step, key in ((2, "ArrowRight"), (3, "PageDown"), (4, "ArrowRight"), (3, "ArrowLeft"), (2, "PageUp")):
        page.keyboard.press(key)
        assert_told(page, step)
    for _ in range(9):
        page.keyboard.press("PageDown")
    assert_told(page, 8)  # there is no further one
    for _ in range(9):
        page.keyboard.press("PageUp")
    assert_told(page, 1)


def test_shift_and_arrows_step_through_sublayers_and_the_story_waits(page: Page) -> None:
    go(page, "model=0&story=2")
    assert_told(page, 2)
    page.keyboard.press("Shift+ArrowRight")
    assert sublayer(page) == "2"
    expect(caption(page).locator("p")).to_have_text(CAPTIONS[1])
    expect(page.locator("[data-pointed]")).to_have_count(0)
    page.wait_for_url(re.compile("story=2&step=2"))
    caption(page).get_by_role("button", name="Back to this step").click()
    assert_told(page, 2)
    assert sublayer(page) == "1"
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert_told(page, 3)


def test_an_address_tells_a_step_and_a_reload_restores_it(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(T, tmp_path), "#story=6")
    for _ in range(2):
        assert_told(page, 6)
        assert sublayer(page) == "3"
        expect(page.locator("[data-input]").first).to_have_value(INPUT)
        expect(page.get_by_text("Selected: in, position 4.")).to_be_attached()
        page.reload()
    assert_told(page, 6)  # the address is written
    page.goto(page.url.partition("#")[0] + "#story=99")
    page.reload()
    assert_told(page, 8)


def test_a_step_points_at_its_lanes_its_head_and_its_neuron(page: Page) -> None:
    go(page, "model=0&story=6")
    assert_told(page, 6)
    rings = page.locator("[data-pointed]")
    expect(rings).to_have_count(3)  # of four lanes, of which two are neighbours
    boxes = [ring.bounding_box() for ring in rings.all()]
    for lane in ("dim 42 Paris", "dim 73 landmark", "dim 158 French culture", "word Paris"):
        cell = page.locator(f"[role=gridcell][aria-label^='{lane} at in, position 4']").first.bounding_box()
        assert cell is not None
        middle = cell["y"] + cell["height"] / 2
        assert any(box and box["y"] < middle < box["y"] + box["height"] for box in boxes), lane
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert_told(page, 4)
    expect_ringed(page, "2847")
    page.keyboard.press("ArrowLeft")
    assert_told(page, 3)
    expect_ringed(page, "1")


def expect_ringed(page: Page, name: str) -> None:
    """See that one head or neuron has a ring, and is the one that is meant."""
    ringed = """name => {
        const outlined = element => getComputedStyle(element).outlineStyle === "solid";
        const found = [...document.querySelectorAll("main [aria-pressed=true]")].filter(outlined);
        const says = ({textContent, dataset}) => `${textContent} ${dataset.head}`.includes(name);
        return found.length > 0 && found.every(says);
    }"""
    for _ in range(50):  # the panels follow a little later
        if page.evaluate(ringed, name):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{name} has no ring")


def test_a_step_brings_a_second_run_and_the_next_one_takes_it_away(page: Page) -> None:
    go(page, "model=0&story=8")
    assert_told(page, 8)
    expect(page.get_by_role("status").first).to_contain_text("→ Paris and London")
    expect(page.locator("[data-pointed]")).to_have_count(2)  # in both runs
    page.keyboard.press("ArrowLeft")
    assert_told(page, 7)
    expect(page.get_by_role("status").first).to_contain_text("→ Paris")
    expect(page.get_by_text("Input of B")).to_have_count(0)


def test_buttons_tell_the_story_and_leave_it(page: Page) -> None:
    page.get_by_role("button", name="Story, 8 steps").click()
    assert_told(page, 1)
    expect(caption(page).get_by_role("button", name="previous step of the story")).to_be_disabled()
    caption(page).get_by_role("button", name="next step of the story").click()
    assert_told(page, 2)
    caption(page).get_by_role("button", name="leave the story").click()
    expect(caption(page)).to_have_count(0)
    page.keyboard.press("ArrowRight")
    assert sublayer(page) == "2"
    page.wait_for_url(re.compile("step=2"))
    assert "story=" not in page.url


def test_tokens_stand_out_in_a_caption(page: Page) -> None:
    go(page, "model=0&story=6")
    expect(caption(page).locator("p .token")).to_have_text(["in", "Tower"])


def test_typing_leaves_the_story(page: Page) -> None:
    go(page, "model=0&story=6")
    assert_told(page, 6)
    page.locator("[data-input]").first.fill("The Tower is in")
    expect(caption(page)).to_have_count(0)
    expect(page.get_by_role("status").first).to_contain_text("→ London")
    page.locator("[data-input]").first.blur()
    page.keyboard.press("PageDown")  # tells it from the start, on its own input
    assert_told(page, 1)
    expect(page.locator("[data-input]").first).to_have_value(INPUT)


def test_without_a_story_a_clicker_steps_through_sublayers(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(T.story(None), tmp_path), "#model=0&step=0&story=3")
    expect(page.get_by_role("button", name=re.compile("^Story"))).to_have_count(0)
    for step, key in (("1", "PageDown"), ("2", "PageDown"), ("1", "PageUp")):
        page.keyboard.press(key)
        assert sublayer(page) == step
    expect(caption(page)).to_have_count(0)


def test_captions_are_shown_as_they_are_written(opened: Opened, tmp_path: Path) -> None:
    odd = "<img src=x onerror=alert(1)> `The` &amp; `"
    S = T.story([{"text": odd, "position": 0}], input="The", title="<b>bold</b>")
    page = opened(saved(S, tmp_path), "#story=1")
    expect(caption(page).locator("p")).to_have_text("<img src=x onerror=alert(1)> The &amp; `")
    expect(caption(page)).to_contain_text("<b>bold</b>")
    expect(caption(page).get_by_role("button", name="next step of the story")).to_be_disabled()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["bank", "fish", "associations", "contains"])
def test_the_stories_of_the_library_are_told_to_the_end(name: str, opened: Opened, tmp_path: Path) -> None:
    S = getattr(ws.library, name)(*(["1"] if name == "contains" else []))
    page = opened(saved(S, tmp_path))
    for step in S.told:
        page.keyboard.press("PageDown")
        expect(caption(page).locator("p")).to_have_text(step.text.replace("`", ""))
        r = ws.run(S, step.input or S.told.input)
        expect(page.get_by_role("status").first).to_contain_text(f"→ {r.decision}")
        expect(page.get_by_role("alert")).to_have_count(0)
        assert page.locator("[data-pointed]").count() >= (1 if step.lanes else 0)


def test_on_a_phone_the_caption_and_its_buttons_fit(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(T, tmp_path), "#story=7", width=400, height=800)
    assert_told(page, 7)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    for button in caption(page).get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44


# The tour

PLACES = ["input", "sublayers", "stream", "attention", "answer"]
TITLES = [
    "Type a sentence",
    "Step through the model",
    "A word is a column of numbers",
    "Attention: one word reads another",
    "The last word decides",
]
COVERED = """marks => marks.flatMap(mark => {
    const box = mark.getBoundingClientRect();
    const inside = ({left, right, top, bottom}) =>
        Math.min(right, box.right) - Math.max(left, box.left) > 2 &&
        Math.min(bottom, box.bottom) - Math.max(top, box.top) > 2;
    const above = "[data-mark], option, title, .spoken, .bottom, [aria-hidden=true]:not(svg)"; // or not seen
    const shown = document.createTreeWalker(document.querySelector("[data-weightsmith]"), NodeFilter.SHOW_TEXT);
    const found = [];
    while (shown.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(shown.currentNode);
        const text = shown.currentNode.textContent.trim();
        const hidden = shown.currentNode.parentElement.closest(above) !== null;
        if (text !== "" && !hidden && [...range.getClientRects()].some(inside)) found.push(text);
    }
    return found;
})"""


def first_visit(opened: Opened, path: Path, address: str = "", **size: Any) -> Page:
    """Open a page that nobody has seen here before."""
    page = opened(path, first_visit=True, **size)
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    page.goto(f"{path.as_uri()}{address}")
    page.wait_for_selector("[role=grid]")
    return page


def tour(page: Page) -> Any:
    return page.get_by_role("region", name="tour")


def places(page: Page) -> list[str | None]:
    return [mark.get_attribute("data-mark") for mark in page.locator("[data-mark]").all()]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (400, 800)])
def test_a_first_visit_has_a_tour_whose_numbers_cover_nothing(
    width: int, height: int, opened: Opened, tmp_path: Path
) -> None:
    page = first_visit(opened, saved(ws.run(T, INPUT), tmp_path), width=width, height=height)
    expect(tour(page)).to_contain_text("Five things to know")
    for n, title in enumerate(TITLES):
        expect(tour(page)).to_contain_text(f"{n + 1} of 5")
        expect(tour(page).locator("[aria-current=step]")).to_contain_text(title)
        expect(page.locator("[data-mark]")).to_have_text(["1", "2", "3", "4", "5"])
        page.wait_for_timeout(250)  # the panels follow, and the numbers with them
        assert places(page) == PLACES
        assert page.locator("[data-mark]").evaluate_all(COVERED) == []
        halo = page.locator("[data-halo]").bounding_box()
        assert halo is not None
        assert halo["width"] > 40
        tour(page).get_by_role("button", name="Done" if n == 4 else "Next").click()
    expect(tour(page)).to_have_count(0)
    expect(page.locator("[data-mark]")).to_have_count(0)


def test_the_tour_speaks_of_the_model_and_shows_attention_where_there_is_some(opened: Opened, tmp_path: Path) -> None:
    page = first_visit(opened, saved(ws.run(ws.library.contains("1"), "010"), tmp_path), "#model=0&step=0")
    expect(tour(page)).to_contain_text("The model reads the tokens and answers: NO or YES. It knows two tokens: 0 1.")
    assert sublayer(page) == "0"
    tour(page).get_by_role("button", name="Attention: one token reads another").click()
    expect(tour(page)).to_contain_text("Here 0 reads 1.")
    assert sublayer(page) == "1"


def test_the_tour_is_shown_once_can_be_dismissed_and_opened_again(opened: Opened, tmp_path: Path) -> None:
    path = saved(ws.run(T, INPUT), tmp_path)
    page = first_visit(opened, path)
    tour(page).get_by_role("button", name="I know all that").click()
    expect(tour(page)).to_have_count(0)
    page.reload()
    page.wait_for_selector("[role=grid]")
    expect(tour(page)).to_have_count(0)
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_role("button", name="Show the tour").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(tour(page)).to_contain_text("1 of 5")


def test_a_link_to_a_story_a_presentation_and_a_frame_have_no_tour(opened: Opened, tmp_path: Path) -> None:
    path = saved(ws.run(T, INPUT), tmp_path)
    for address in ("#story=2", "#present&model=0"):
        page = first_visit(opened, path, address)
        expect(tour(page)).to_have_count(0)
    (tmp_path / "notebook.html").write_text(f"<!doctype html>{T._repr_html_()}", encoding="utf-8")
    page.evaluate("localStorage.clear()")
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    expect(frame.locator("[role=grid]").first).to_be_visible()
    page.wait_for_timeout(200)
    expect(frame.get_by_role("region", name="tour")).to_have_count(0)
    frame.locator("[data-input]").press("Escape")
    frame.locator("body").press("PageDown")
    expect(frame.get_by_role("region", name="the story", exact=True)).to_contain_text("1 of 8")


def test_the_texts_of_story_and_tour_can_be_read(opened: Opened, tmp_path: Path) -> None:
    page = first_visit(opened, saved(ws.run(T, INPUT), tmp_path))
    small = "root => Math.min(...[...root.querySelectorAll('*')].map(e => parseFloat(getComputedStyle(e).fontSize)))"
    assert tour(page).evaluate(small) >= 13
    page.keyboard.press("PageDown")
    assert caption(page).evaluate(small) >= 13
