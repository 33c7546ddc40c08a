"""The page when it is used oddly: wrong addresses, reloading, the Back button, empty and huge inputs, and no mouse."""

import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import DRAWN, Shared, Windows, again
from tests.studio.pages import saved

T = ws.library.eiffel()
TEXT = "The Eiffel Tower is in"
STATES: dict[str, dict[str, Any]] = {
    "a step": {"step": 3, "position": 2},
    "a head": {"step": 1, "head": 1},
    "a score": {"step": 1, "why": "0.head.1:2:1"},
    "an activation": {"step": 2, "why": "0.neuron.0:2"},
    "a cell": {"step": 4, "why": "1.feed-forward:4:word Paris"},
    "a logit": {"step": 4, "why": "logit:4:Paris"},
    "changes": {"step": 1, "off": "0.head.1"},
    "writing": {"step": 4, "wrote": 1, "temperature": 2, "top-k": 4, "seed": 10},
    "two inputs": {"step": 3, "beside": 0, "beside-input": "The Tower is in"},
    "a story": {"story": 3},
    "presenter mode": {"present": "", "step": 3, "panels": "heads,answer"},
}
WRONG = [
    {"model": "99", "step": "-1", "position": "999", "head": "99", "norm": "x"},
    {"step": "99999999999", "story": "99", "only": "nothing", "beside": "7"},
    {"off": "bogus", "set": ":::", "take": "", "carried": "99"},
    {
        "why": "%E0%A4%A",
        "wrote": "999",
        "temperature": "abc",
        "top-k": "0",
        "seed": "-1",
        "present": "",
        "panels": ",,",
    },
    {"off": "0.head.99", "set": "0.attention:2:no such lane:1", "take": "0.attention:1:nothing known"},
]
UNNAMED = """() => [...document.querySelectorAll("[data-weightsmith] :is(button, input, select, textarea, summary, a)")]
    .filter(one => one.checkVisibility({visibilityProperty: true}))
    .filter(one => !(one.ariaLabel || one.textContent.trim() || one.title || one.labels?.[0]?.textContent.trim()))
    .map(one => one.outerHTML.slice(0, 120))"""
FOCUSED = """() => {
    const one = document.activeElement;
    if (one === document.body) return "";
    return one.ariaLabel || one.textContent.trim() || one.labels?.[0]?.textContent || one.title;
}"""


@pytest.fixture(scope="module")
def shared(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(ws.run(T, TEXT), tmp_path_factory.mktemp("shared")), TEXT)


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    with shared.opened() as page:
        yield page


def show(page: Page, state: str) -> None:
    again(page, model=0, **({} if state == "a story" else {"input": TEXT}), **STATES[state])
    page.wait_for_timeout(250)  # the address follows the view


def settled(page: Page) -> str:
    """Return the address without what the page does not know."""
    return re.sub(r"&?number=\d+", "", page.url.partition("#")[2])


@pytest.mark.parametrize("state", STATES)
def test_every_state_survives_a_reload_and_its_controls_have_names(state: str, page: Page) -> None:
    show(page, state)
    before, seen = settled(page), page.locator("[data-weightsmith] h1, [data-weightsmith] h2").all_inner_texts()
    assert "number" not in before
    assert page.evaluate(UNNAMED) == []
    page.reload()
    page.wait_for_selector(f"{DRAWN}, [data-panel]")
    for _ in range(50):
        if page.locator("[data-weightsmith] h1, [data-weightsmith] h2").all_inner_texts() == seen:
            break
        page.wait_for_timeout(50)
    assert page.locator("[data-weightsmith] h1, [data-weightsmith] h2").all_inner_texts() == seen
    page.wait_for_timeout(250)
    assert settled(page) == before


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_addresses_are_no_errors(wrong: dict[str, str], page: Page) -> None:
    again(page, input=TEXT, **wrong)
    expect(page.get_by_role("grid").first).to_be_visible()


def texts_on_sheets(sheets: bytes) -> list[int]:
    """Return how many texts each sheet of a PDF by chromium draws."""
    objects = {int(n): body for n, body in re.findall(rb"(?:^|\n)(\d+) 0 obj\s*(.*?)\nendobj", sheets, re.DOTALL)}
    kids = re.search(rb"/Kids \[(.*?)\]", sheets, re.DOTALL)
    assert kids is not None
    found = []
    for kid in re.findall(rb"(\d+) 0 R", kids[1]):
        contents = re.search(rb"/Contents (\d+) 0 R", objects[int(kid)])
        assert contents is not None
        stream = objects[int(contents[1])].partition(b"stream")[2].lstrip(b"\r\n")
        found.append(len(re.findall(rb"T[jJ]\b", zlib.decompressobj().decompress(stream))))
    return found


@pytest.mark.parametrize("state", ["a step", "changes", "writing", "a story", "presenter mode"])
def test_the_first_sheet_is_not_blank(state: str, page: Page) -> None:
    show(page, state)
    texts = texts_on_sheets(page.pdf(prefer_css_page_size=True))
    assert texts[0] > 50


def test_the_back_button_returns_to_the_address_before(page: Page) -> None:
    again(page, model=0, input=TEXT, step=1)
    expect(page.locator("nav [data-step='1'][aria-current=step]")).to_have_count(1)
    page.wait_for_timeout(250)
    again(page, model=0, input=TEXT, step=3)
    expect(page.locator("nav [data-step='3'][aria-current=step]")).to_have_count(1)
    page.wait_for_timeout(250)
    page.go_back()
    expect(page.locator("nav [data-step='1'][aria-current=step]")).to_have_count(1)


def test_empty_and_huge_inputs_are_answered_in_words(page: Page) -> None:
    box = page.locator("[data-input]")
    for text in ("", "   ", "Eiffel " * 3000, "\N{ZERO WIDTH JOINER}", "<img src=x onerror=alert(1)>"):
        box.fill(text)
        expect(page.locator("[data-weightsmith]")).to_contain_text(re.compile("[Ii]nput|It knows|tokens|token"))
    box.fill(TEXT)
    expect(page.get_by_role("status").first).to_contain_text("→ Paris")


def test_tab_alone_reaches_named_controls_and_the_cells(page: Page) -> None:
    page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    names = []
    for _ in range(60):
        page.keyboard.press("Tab")
        names.append(page.evaluate(FOCUSED))
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    else:
        raise AssertionError(names)
    assert all(names)
    page.keyboard.press("ArrowDown")
    expect(page.locator("[role=gridcell]:focus")).to_have_count(1)
