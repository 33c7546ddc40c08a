"""In a real browser: a chain is played, a token is added, and the address brings the same text back."""

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Locator, Page, expect

import weightsmith as ws
from tests.studio.conftest import DRAWN, Opened, again
from tests.studio.pages import carried, cells, number, saved
from weightsmith.studio.document import page as page_text

EIFFEL = ws.library.eiffel()
PARITY = ws.library.parity_chain(max_length=8)
DRAWS = {"temperature": 2, "top-k": 4, "seed": 10}
ENDLESS = replace(PARITY, until="1", inputs="01", answers={"1": "YES"}, steps=9)


def panel(page: Page) -> Locator:
    return page.get_by_label("the chain", exact=True)


def wrote(page: Page) -> list[str]:
    """Return the tokens that are set off as written by the chain."""
    return panel(page).locator("li button").all_inner_texts()


def address(page: Page, **wanted: str) -> dict[str, str]:
    """Wait until the address has some parts; return all of them."""
    for name, value in wanted.items():
        page.wait_for_url(re.compile(rf"[#&]{name}={re.escape(value)}(&|$)"))
    return {name: values[0] for name, values in parse_qs(page.url.partition("#")[2]).items()}


def text(page: Page) -> str:
    return page.locator("[data-input]").first.input_value()


def test_a_chain_plays_token_by_token_and_the_address_keeps_the_step(opened: Opened, tmp_path: Path) -> None:
    r = PARITY.run("10110011")
    page = opened(saved(r, tmp_path))
    expect(page.get_by_role("status").first).to_contain_text("→ YES")  # it opens with the whole chain
    assert wrote(page) == list(r.generated)
    page.get_by_role("button", name="to the start of the chain").click()
    assert wrote(page) == []
    expect(page.get_by_role("status").first).not_to_contain_text("YES")
    for step in range(3):
        expect(panel(page)).to_contain_text(f"Step {step + 1} of 8")
        page.keyboard.press("g")
        assert wrote(page) == list(r.generated[: step + 1])
    page.keyboard.press("Backspace")
    page.get_by_role("button", name="write the next token").click()
    assert wrote(page) == list(r.generated[:3])
    page.keyboard.press("End")
    stream = ws.run(PARITY.transformer, r.text[:12])  # the stream is a run of the text so far
    shown = {place: number(value, PARITY.transformer.arithmetic) for place, value in cells(page).items()}
    assert shown == {
        (lane, position): stream.at(stream.stages[-1], position, lane)
        for lane in PARITY.transformer.lanes
        for position in range(12)
    }
    assert address(page, wrote="3") == {"model": "0", "input": "10110011", "step": "2", "wrote": "3"}
    page.reload()
    page.wait_for_selector(DRAWN)
    assert wrote(page) == list(r.generated[:3])
    panel(page).get_by_role("button", name=re.compile("go to step 2$")).click()
    assert wrote(page) == list(r.generated[:2])


def test_playing_goes_to_the_end_and_begins_anew_there(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(PARITY.run("01"), tmp_path), "#model=0&input=01&wrote=6")
    page.keyboard.press("Space")
    expect(panel(page).get_by_text("Done in 8 steps")).to_be_visible()
    expect(panel(page).get_by_role("button", name="play the chain")).to_be_visible()  # it has stopped by itself
    page.wait_for_url(lambda url: "wrote" not in url)
    page.get_by_role("button", name="play the chain").click()
    assert wrote(page) == []
    page.get_by_role("button", name="pause the chain").click()
    page.locator("[data-input]").first.fill("0111")
    expect(page.get_by_role("status").first).to_contain_text("→ YES")
    assert wrote(page) == list(PARITY.run("0111").generated)


def test_a_chain_that_does_not_end_and_a_wrong_input_are_errors_in_words(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ENDLESS.run("0000"), tmp_path))
    words = "The chain does not end on '0000': none of 1 is among its first 9 tokens, the most that it may write."
    expect(page.get_by_role("alert")).to_have_text(words)
    expect(page.get_by_role("status").first).to_contain_text("no answer")
    page.locator("[data-input]").first.fill("01000")
    expect(page.get_by_role("status").first).to_contain_text("→ YES")
    page.locator("[data-input]").first.fill("010000000")
    expect(page.get_by_role("alert")).to_contain_text("The input has 9 tokens, and this chain takes at most 8")
    page.locator("[data-input]").first.fill("0=")
    expect(page.get_by_role("alert")).to_contain_text(
        "Token 1 of the input is '=': inputs of this chain consist of 0, 1"
    )


def test_words_are_added_by_clicks_and_keys_and_the_address_brings_them_back(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(EIFFEL, "The Eiffel"), tmp_path))
    page.get_by_role("button", name="add Tower to the text").click()  # beside the bars of the answer
    assert text(page) == "The Eiffel Tower"
    page.get_by_role("button", name=re.compile("^add is, 100 %")).click()  # a bar of the desk, which is open now
    page.keyboard.press("g")
    assert text(page) == "The Eiffel Tower is in"
    expect(page.get_by_role("status").first).to_contain_text("→ Paris")
    written = page.get_by_label("the text", exact=True).locator(".piece:not(.slot) .word")
    spoken = [word.split() for word in written.all_text_contents()]
    assert spoken == [["the", "model", "wrote", word] for word in ("Tower", "is", "in")]
    page.get_by_role("button", name="Take back").click()
    assert text(page) == "The Eiffel Tower is"
    page.get_by_role("button", name=re.compile("^add ")).first.focus()
    page.keyboard.press("2")  # the second bar
    second = list(ws.next_token(EIFFEL, "The Eiffel Tower is"))[1]
    assert text(page) == f"The Eiffel Tower is {second}"
    page.keyboard.press("Backspace")
    assert text(page) == "The Eiffel Tower is"
    assert address(page, wrote="2")["input"] == "The Eiffel Tower is"
    page.reload()
    page.wait_for_selector(DRAWN)
    assert text(page) == "The Eiffel Tower is"
    assert len(written.all()) == 2
    page.locator("[data-input]").first.fill("The Tower")  # what is typed, nobody wrote
    expect(written).to_have_count(0)


def test_drawn_words_are_those_of_python_and_the_settings_stay_in_the_address(opened: Opened, tmp_path: Path) -> None:
    steps = 6
    expected = list(ws.generate(EIFFEL, "The Eiffel", steps, temperature=2.0, top_k=4, seed=10))
    page = opened(saved(ws.run(EIFFEL, "The Eiffel"), tmp_path))
    again(page, model=0, input="The Eiffel", wrote=0, **DRAWS)
    for _ in range(steps):
        page.keyboard.press("g")
    assert text(page) == " ".join(["The Eiffel", *expected])
    found = address(page, wrote=str(steps))
    assert {name: found[name] for name in DRAWS} == {name: str(value) for name, value in DRAWS.items()}
    page.reload()
    page.wait_for_selector(DRAWN)
    page.keyboard.press("Backspace")
    page.keyboard.press("g")  # the same number falls on the same word
    assert text(page) == " ".join(["The Eiffel", *expected])
    page.get_by_label("temperature", exact=True).fill("0.5")
    page.get_by_label("top k", exact=True).fill("8")
    page.get_by_role("button", name="Draw anew").click()
    found = address(page, seed="11", temperature="0.5")
    assert "top-k" not in found  # all words
    page.get_by_role("button", name="the likeliest").click()
    page.wait_for_url(lambda url: "seed" not in url)


def test_a_sentence_plays_to_its_full_stop(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(EIFFEL, "The Eiffel Tower is"), tmp_path), "#model=0&input=The+Eiffel+Tower+is&wrote=0")
    page.clock.install()
    page.keyboard.press("Space")
    for _ in range(8):
        page.clock.run_for(700)
    assert text(page) == "The Eiffel Tower is in Paris ."
    expect(page.get_by_role("button", name="Play Space")).to_be_visible()


def test_a_full_context_is_said_in_words(opened: Opened, tmp_path: Path) -> None:
    T = ws.random_transformer(vocabulary="ab", classes=("a", "b"), lanes=3, max_length=4, seed=1)
    page = opened(saved(ws.run(T, "ab"), tmp_path), "#model=0&input=ab&wrote=0")
    for _ in range(5):
        page.keyboard.press("g")
    assert len(text(page)) == 4
    expect(page.get_by_role("alert")).to_contain_text("The position table holds 4 tokens, and the text has as many.")
    expect(page.get_by_role("button", name="Add a token")).to_be_disabled()


def test_the_page_generates_for_whoever_asks(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(EIFFEL, "The Eiffel"), tmp_path))
    expected = list(ws.generate(EIFFEL, "The Eiffel", 4))
    assert page.evaluate("window.weightsmith.generate(['The', 'Eiffel'], 4)") == expected
    assert page.evaluate("window.weightsmith.generate('The Eiffel', 4)") == expected
    drawn = list(ws.generate(EIFFEL, "The Eiffel", 9, temperature=3.0, top_k=5, seed=4))
    how = "{temperature: 3, top_k: 5, seed: 4}"
    assert page.evaluate(f"window.weightsmith.generate('The Eiffel', 9, {how})") == drawn
    refused = "steps => { try { window.weightsmith.generate('The', steps) } catch (error) { return error.message } }"
    assert "steps=-1" in page.evaluate(refused, -1)


def test_an_odd_address_opens_what_there_is(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(PARITY.run("01"), tmp_path))
    again(page, model=0, input="01", wrote=999999999, temperature="1e9", seed="-1")
    expect(panel(page).get_by_text("Done in 8 steps")).to_be_visible()
    again(page, model=0, input="01", wrote="x")
    expect(panel(page).get_by_text("Done in 8 steps")).to_be_visible()
    language = opened(saved(ws.run(EIFFEL, "The Eiffel"), tmp_path))
    again(language, model=0, input="The Eiffel", wrote=77, temperature=999, seed=999999999)
    language.keyboard.press("g")
    assert text(language).startswith("The Eiffel ")


@pytest.mark.parametrize(
    ("width", "height", "scheme"), [(1280, 800, "light"), (1920, 1080, "dark"), (400, 800, "light")]
)
def test_the_desks_fit_every_screen_and_every_control_has_a_name(
    width: int, height: int, scheme: str, opened: Opened, tmp_path: Path
) -> None:
    size = {"width": width, "height": height, "color_scheme": scheme}
    sights = (
        (PARITY.run("10110011"), "#model=0&input=10110011&wrote=5", "the chain"),
        (ws.run(EIFFEL, "The Eiffel"), "#model=0&input=The+Eiffel&wrote=1&temperature=2&top-k=4&seed=10", "write on"),
    )
    for shown, where, name in sights:
        page = opened(saved(shown, tmp_path), where, **size)
        desk = page.get_by_label(name, exact=True)
        expect(desk).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        sizes = desk.evaluate(
            "desk => [...desk.querySelectorAll('*')].filter(e => e.innerText && !e.children.length)"
            ".filter(e => !e.closest('.spoken')).map(e => parseFloat(getComputedStyle(e).fontSize))"
        )
        assert min(sizes) >= 11
        nameless = desk.locator("button, input").evaluate_all(
            "all => all.filter(e => !(e.getAttribute('aria-label') || e.innerText.trim())).length"
        )
        assert nameless == 0


def test_a_page_carries_a_chain_and_numbers_for_a_function_of_the_length(tmp_path: Path) -> None:
    C = ws.Chain(PARITY.transformer, prompt="=", steps=lambda n: n + 1)
    found = carried(page_text(C.run("01")))
    assert found["input"] == ["0", "1"]
    assert C.run("01")._repr_html_().startswith("<iframe")
    assert "Chain" in C._repr_html_()
    C.save_html(tmp_path / "chain.html")
    assert (tmp_path / "chain.html").stat().st_size > 100_000
