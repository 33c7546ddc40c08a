"""Where a number comes from, in a real browser: scores, activations, cells and logits open their terms in place."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import weightsmith as ws
from tests.kernels.kinds import kind_of_model
from tests.studio.conftest import Opened, Shared, Windows, again
from tests.studio.pages import number, saved
from weightsmith.arithmetic import Array

EIFFEL = "The Eiffel Tower is in"
SCORE = "where this score comes from"
SMALLEST = """region => Math.min(...[...region.querySelectorAll("*")]
    .filter(each => each.checkVisibility() && [...each.childNodes].some(one => one.nodeType === 3 && one.data.trim()))
    .map(each => parseFloat(getComputedStyle(each).fontSize)))"""


@pytest.fixture(scope="module")
def shared(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(ws.run(ws.library.eiffel(), EIFFEL), tmp_path_factory.mktemp("shared")), EIFFEL)


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    with shared.opened() as page:
        yield page


def region(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def rows(table: Locator) -> list[str]:
    """Return the rows of a table as it is read, without formulas and marks."""
    return [re.sub(r"\s+", " ", text).strip() for text in table.locator("tr").all_inner_texts()]


def test_a_score_opens_below_its_row_with_every_lane_the_others_and_what_moves(page: Page) -> None:
    again(page, model=0, input=EIFFEL, step=1, position=2)
    page.get_by_role("button", name="score 0 of Tower for Eiffel in head 1").click()
    why = region(page, SCORE)
    expect(why.get_by_role("heading", level=2)).to_have_text(re.compile(r"Why does\s+Tower\s+read\s+Eiffel\s+here\?"))
    one, two = (rows(why.locator(f"section.{name} table")) for name in ("one", "two"))
    assert [row.split(" × ")[0].split()[-1] for row in one[1:4]] == ["0", "1", "1"]  # the query
    assert one[3].endswith("× ( −1000 + 1000 ) = 0")
    assert one[4] == "0 + 0 + 0 = 0"
    assert "−1000 0 −1000" in two[2]
    assert any(row.startswith("score −2000 0 −2000") for row in two)
    assert any(row.startswith("exp 0 1 0") for row in two)
    expect(why).to_contain_text("later: hidden")
    expect(why).to_contain_text("weight = exp / sum = 1 / 1 = 1")
    moves = why.locator(".moves > div").all_inner_texts()
    assert [re.sub(r"\s+", " ", text) for text in moves] == [
        "compound 1 × 1 × 1 = +1", "dim 42 Paris 1 × 1 × 0.3 = +0.3", "dim 0 1 × 1 × 0.2 = +0.2",
    ]  # fmt: skip
    row, box = page.locator("tr", has=why).bounding_box(), why.bounding_box()
    assert row is not None
    assert box is not None
    above = page.locator("tr", has=page.get_by_role("button", name="of Tower for Eiffel in head 1")).last.bounding_box()
    assert above is not None
    assert box["y"] >= above["y"]  # it covers nothing
    assert why.evaluate(SMALLEST) >= 13


def test_a_score_opens_above_the_fold(page: Page) -> None:
    """An address or a key opens it below the strips, a click in the table of moves there, and scrolls to it."""
    page.set_viewport_size({"width": 1280, "height": 800})
    again(page, model=0, input=EIFFEL, why="0.head.1:2:1")
    first = region(page, SCORE).locator("section.one")
    box = first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    page.keyboard.press("Escape")
    page.get_by_role("button", name="score 0 of Tower for Eiffel in head 1").click()
    for _ in range(50):
        box = first.bounding_box()
        assert box is not None
        if box["y"] >= 0 and box["y"] + box["height"] <= 800:
            break
        page.wait_for_timeout(20)
    assert 0 <= box["y"] <= box["y"] + box["height"] <= 800
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_address_keeps_what_is_explained_and_enter_and_escape_open_and_close_it(page: Page) -> None:
    again(page, model=0, input=EIFFEL, why="0.head.1:2:1")
    expect(region(page, SCORE)).to_be_visible()
    assert page.locator("nav [data-step='1'][aria-current=step]").count() == 1  # it leads to its sublayer
    page.keyboard.press("Escape")
    expect(region(page, SCORE)).to_have_count(0)
    page.keyboard.press("Enter")
    expect(region(page, SCORE)).to_be_visible()
    page.wait_for_url(re.compile(r"why=0\.head\.0%3A2%3A1"))
    page.keyboard.press("Enter")
    expect(region(page, SCORE)).to_have_count(0)
    page.keyboard.press("ArrowDown")  # a lane is chosen: then Enter explains its cell
    page.keyboard.press("Enter")
    expect(page.get_by_label("who wrote this cell")).to_contain_text("embedding of")
    for strange in (
        "0.head.9:2:1",
        "5.neuron.0:1",
        "0.attention:2:no such lane",
        "logit:0:nothing",
        "x",
        "0.head.1:2:99",
    ):
        again(page, model=0, input=EIFFEL, why=strange)
        assert page.get_by_label(re.compile("comes from|who wrote")).locator("visible=true").count() <= 3


def test_another_source_of_the_same_reader_is_a_click_away_and_a_query_opens_its_sum(page: Page) -> None:
    again(page, model=0, input=EIFFEL, why="0.head.1:2:1")
    why = region(page, SCORE)
    why.get_by_role("button", name="The, position 0").click()
    expect(why.get_by_role("heading", level=2)).to_have_text(re.compile(r"Why does\s+Tower\s+not read\s+The\s+here\?"))
    expect(why).to_contain_text("The weight is 0: nothing moves.")
    why.get_by_role("button", name=re.compile("^query .* word Tower")).click()
    detail = page.get_by_role("group", name="where this lane of the query comes from")
    assert rows(detail.locator("table"))[1:] == ["word Tower 1 × −1 = −1", "b_Q 1"]
    expect(detail.locator("[data-sum]")).to_have_text("−1 × 1 + 1 = 0")


def test_an_activation_shows_all_of_its_terms_the_function_and_what_it_adds(page: Page) -> None:
    again(page, model=0, input=EIFFEL, why="0.neuron.0:2")
    why = region(page, "where this activation comes from")
    line = "0.7 × 0.8 + 0.4 × 0.1 + 0.5 × 0.9 − 0.2 × 0.1 − 1 × 1 + 1 × 0.3 + 1 × 0.87 = 1.2"
    expect(why.locator("[data-sum]")).to_have_text(line)
    assert rows(why.locator("section.one table"))[1] == "dim 0 0.7 × 0.8 = 0.56"
    expect(why).to_contain_text("relu(1.2) = 1.2")
    adds = rows(why.locator("section.two table"))
    assert adds[3] == "dim 42 Paris +1.08 +1.12 1.62"
    assert not page.get_by_label("feed-forward as a memory").get_by_text(re.compile(r"^\+\d+$")).count()
    page.get_by_role("button", name=re.compile("^5432")).click()
    page.wait_for_url(re.compile(r"why=0\.neuron\.1%3A2"))
    expect(why.locator("[data-sum]")).to_have_text(re.compile("= 0.4$"))
    assert why.evaluate(SMALLEST) >= 13


def test_a_cell_says_who_wrote_it(page: Page) -> None:
    again(page, model=0, input=EIFFEL, step=2)
    page.locator("[role=gridcell][aria-label^='dim 42 Paris at Tower']").first.click()
    why = page.get_by_label("who wrote this cell")
    assert rows(why.locator("table")) == [
        "who adds it then has", "embedding of Tower +0.2 0.2", "block 0 attention", "1head 1 +0.3 0.5",
        "block 0 feed-forward", "2847 +1.08", "5432 +0.04", "together +1.12 1.62",
        "block 0 feed-forward: the stream has 1.62",
    ]  # fmt: skip
    page.wait_for_url(re.compile(r"why=0\.feed-forward%3A2%3Adim\+42\+Paris"))
    why.get_by_role("button", name="2847").click()  # each part leads to where it comes from
    expect(region(page, "where this activation comes from")).to_be_visible()
    expect(why).to_have_count(0)


def test_a_logit_is_shown_lane_by_lane(page: Page) -> None:
    r = ws.run(ws.library.eiffel(), EIFFEL)
    again(page, model=0, input=EIFFEL, step=4, why="logit:4:Paris")
    why = region(page, "where this logit comes from")
    shown = number(why.locator("[data-sum] b").inner_text(), r.transformer.arithmetic)
    assert shown == pytest.approx(r.logits[r.transformer.classes.index("Paris")], abs=0.005)
    why.get_by_role("button", name="word Paris").click()
    expect(page.get_by_label("who wrote this cell")).to_contain_text("head 0")


def test_rounding_and_saturation_midway_are_shown_where_they_happen(opened: Opened, tmp_path: Path) -> None:
    """The sum so far of every lane is the partial sum of the reference, and its last one is the score."""
    A = ws.Fixed(4, 4)
    T = kind_of_model(A, 5, "relative", "relu", norms=True, heads=3)
    r = ws.run(T, list("abab"))
    page = opened(saved(r, tmp_path), "#model=0&input=abab&why=0.head.1:3:1", width=1900)
    why = region(page, SCORE)
    expect(why).to_contain_text("cut: beyond ∞ = 15.9375, so it stays there")
    expect(why).to_contain_text("Why does b₃ not read b₁ here?")
    sums = why.locator("section.one p.short").text_content() or ""
    found = [number(text.split()[0], A) for text in sums.split(": ")[1].split(", ")]
    assert found[-1] == pytest.approx(r.heads[0][1].scores[3, 1], abs=0.05)
    lanes = why.locator("section.one tbody tr")
    titles = [row.locator("td.side").get_attribute("title") for row in lanes.all()[:4]]
    assert sum("(cut at ∞)" in (title or "") for title in titles) >= 2
    page.keyboard.press("Escape")
    page.locator("[role=gridcell][data-row='0'][data-column='3']").click()
    cell = page.get_by_label("who wrote this cell")
    expect(cell.locator("tr.result")).to_contain_text("−∞")
    assert r.stream[1][3, 0] == -A.infinity


def test_sixty_four_head_lanes_are_strips_and_every_term_can_be_reached(opened: Opened, tmp_path: Path) -> None:
    T = ws.random_transformer("abc", 64, 1, 1, 200, 8, ws.Native("float64"), 3, weighting=ws.Softmax(True))
    page = opened(saved(ws.run(T, "abca"), tmp_path), "#model=0&input=abca&why=0.head.0:3:1")
    why = region(page, SCORE)
    assert why.get_by_role("img", name="64 lanes").count() == 3
    assert why.locator("section.one table tbody tr").count() == 8 + 2
    why.get_by_role("button", name="56 smaller terms, show all").click()
    assert why.locator("section.one table tbody tr").count() == 64 + 1
    again(page, model=0, input="abca", step=2, position=3)
    neuron = region(page, "where this activation comes from").first
    before = neuron.locator("section.one tbody tr").count()
    neuron.get_by_role("button", name=re.compile("show all")).first.click()
    assert before < neuron.locator("section.one tbody tr").count() == int(np.count_nonzero(_strongest(T, 3)) + 1)


def _strongest(T: ws.Transformer, position: int) -> Array:
    r, layer = ws.run(T, "abca"), T.blocks[0].feed_forward
    assert layer is not None
    neuron = int(np.abs(r.activations[0][position]).argmax())
    assert layer.b_1[neuron] != 0
    weights: Array = layer.W_1[neuron]
    return weights


def test_on_a_phone_the_explanation_fits(opened: Opened, tmp_path: Path) -> None:
    path = saved(ws.run(ws.library.eiffel(), EIFFEL), tmp_path)
    page = opened(path, "#model=0&input=The+Eiffel+Tower+is+in&why=0.head.1:2:1", width=400)
    why = region(page, SCORE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    for table in why.locator(".wide").all():
        assert table.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
    assert why.evaluate(SMALLEST) >= 13
