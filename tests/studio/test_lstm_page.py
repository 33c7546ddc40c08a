"""The page of an LSTM: steps, gates, other inputs, and the stream beside it, in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import Windows
from weightsmith.studio.recurrent import page as lstm_page

SENTENCE = "she walks sunny and then not fine the dog not sad"


@pytest.fixture
def opened(windows: Windows, tmp_path: Path) -> Iterator[Page]:
    T = ws.library.bank()
    r = ws.library.mood_lstm().run(SENTENCE)
    r.save_html(tmp_path / "lstm.html", beside=ws.run(T, "the river by the bank"))
    page = windows.empty(viewport={"width": 1280, "height": 800})
    page.goto((tmp_path / "lstm.html").as_uri())
    yield page
    complaints, _ = windows.leave()
    assert not complaints


def column(page: Page, table: str, row: str) -> list[str]:
    cells = page.locator(f"#{table} tr").filter(has=page.locator("th[scope=row]", has_text=row)).locator("td")
    return [text.replace("−", "-") for text in cells.all_inner_texts()]


def test_the_page_computes_what_python_computes(opened: Page) -> None:
    r = ws.library.mood_lstm().run(SENTENCE)
    for part in ("input gate", "forget gate", "candidate", "cell", "output gate", "hidden"):
        wanted = [float(f"{value:.3g}") for value in r.part(part)[:, 1]]
        assert [float(text) for text in column(opened, "gates", part)] == wanted, part
    assert column(opened, "cells", "output") == list(r.outputs)


def test_keys_step_through_the_tokens_and_the_sum_says_how_the_cell_came_about(opened: Page) -> None:
    expect(opened.locator("#now")).to_have_text("after sad: good")
    expect(opened.locator("#sum")).to_contain_text("cell = 0 × −1 + 0.5 × 1 = 0.5")
    for _ in range(4):
        opened.keyboard.press("ArrowLeft")
    expect(opened.locator("#now")).to_have_text("after fine: bad")
    expect(opened.locator("#sum")).to_contain_text("cell = 0 × 0.5 + 1 × −1 = −1")
    opened.get_by_role("button", name="Next token").click()
    expect(opened.locator("#now")).to_have_text("after the: bad")
    opened.locator("#cells th[scope=row]").get_by_role("button", name="not", exact=True).click()
    expect(opened.locator("#gates th").first).to_have_text("not")


def test_another_input_runs_as_one_types_and_an_unknown_word_is_named(opened: Page) -> None:
    opened.get_by_label("Input (runs as you type)").fill("not rainy")
    expect(opened.locator("#now")).to_have_text("after rainy: good")
    opened.get_by_label("Input (runs as you type)").fill("not wet")
    expect(opened.get_by_role("alert")).to_contain_text("wet is not known. Write: the dog walks")


def test_the_residual_stream_stands_beside_it(opened: Page) -> None:
    expect(opened.get_by_role("region", name="Residual stream")).to_contain_text("the residual stream of bank")
    assert column(opened, "stream", "water") == ["0", "0", "1"]
    expect(opened.locator("#other")).to_be_visible()


def test_every_control_has_a_name_and_nothing_is_wider_than_a_telephone(opened: Page) -> None:
    opened.set_viewport_size({"width": 400, "height": 800})
    assert opened.evaluate("document.documentElement.scrollWidth") <= 400
    unnamed = "[...document.querySelectorAll('button,input')].filter(e => !(e.ariaLabel || e.innerText)).length"
    assert opened.evaluate(unnamed) == 0


def test_names_cannot_break_out_of_the_page() -> None:
    hostile = '</script><img src=x onerror="alert(1)">'
    L = ws.library.mood_lstm()
    odd = ws.LSTM((hostile, *L.vocabulary[1:]), L.embedding, L.W_x, L.W_h, L.b, L.output, name=hostile)
    text = lstm_page(odd.run([hostile]))
    assert hostile not in text
    assert "<img" not in text
