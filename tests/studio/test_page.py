"""The page in a real browser, opened from its file with the network off: it shows what `ws.run` computes."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import Opened, Shared, Windows
from tests.studio.dropping import drop
from tests.studio.pages import HOSTILE, cells, hostile_model, number, saved

T = ws.library.contains("1") & ~ws.library.contains("0")


def assert_shows(page: Page, r: ws.Run, stage: int) -> None:
    """See that the stream in the page is that of a run after a sublayer."""
    shown = cells(page)
    assert len(shown) == r.stream[stage].size
    for (lane, position), text in shown.items():
        assert number(text, r.transformer.arithmetic) == r.at(r.stages[stage], position, lane), (lane, position)


def present(T: ws.Transformer) -> list[int]:
    """Return the stages at which something may change."""
    parts = [part for block in T.blocks for part in (block.attention, block.feed_forward)]
    return [0, *(n + 1 for n, part in enumerate(parts) if part is not None)]


def type_input(page: Page, text: str) -> None:
    page.locator("[data-input]").first.fill(text)


@pytest.fixture(scope="module")
def shared(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(ws.run(T, "0110"), tmp_path_factory.mktemp("shared")), "0110")


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    """The run on 0110, for tests that only look at it."""
    with shared.opened() as page:
        yield page


def test_every_step_shows_what_run_computes(page: Page) -> None:
    r = ws.run(T, "0110")
    for stage in present(T):
        assert_shows(page, r, stage)
        page.keyboard.press("ArrowRight")
    assert_shows(page, r, len(r.stages) - 1)  # there is no further step
    page.keyboard.press("Home")
    assert_shows(page, r, 0)


def test_typing_runs_the_model_on_what_is_typed(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(T, tmp_path))
    for text in ("1", "11", "1101", "000"):
        type_input(page, text)
        r = ws.run(T, text)
        expect(page.get_by_role("status")).to_contain_text(f"→ {r.decision}")
        page.locator("[data-input]").first.blur()
        page.keyboard.press("End")
        assert_shows(page, r, len(r.stages) - 1)


def test_cells_that_are_painted_while_one_types_can_be_read_one_by_one_when_the_typing_pauses(
    opened: Opened, tmp_path: Path
) -> None:
    page = opened(saved(T, tmp_path))
    cells = page.get_by_label("the stream", exact=True).locator("[role=gridcell]")
    type_input(page, "11")
    few = cells.count()
    type_input(page, "1101")
    expect(cells.nth(4 * len(T.lanes) - 1)).to_be_attached()
    assert few < cells.count()


@pytest.mark.parametrize("text", ["1", "0110", "10110"])
def test_the_page_runs_inputs_for_whoever_asks(text: str, page: Page) -> None:
    r = ws.run(T, text)
    found = page.evaluate("tokens => window.weightsmith.run(tokens)", list(text))
    assert found["decision"] == r.decision
    assert found["logits"] == r.logits.tolist()
    assert found["stream"] == r.stream.tolist()
    assert page.locator("[data-weightsmith]").count() == 1


def test_an_unknown_token_is_named_and_the_last_run_stays(opened: Opened, tmp_path: Path) -> None:
    r = ws.run(T, "01")
    page = opened(saved(r, tmp_path))
    type_input(page, "01x")
    expect(page.get_by_text(re.compile("“x” is not a token of this model"))).to_be_visible()
    assert cells(page)
    type_input(page, "011")
    expect(page.get_by_text(re.compile("is not a token"))).to_have_count(0)


def test_what_is_pointed_at_is_said_exactly(opened: Opened, tmp_path: Path) -> None:
    A = ws.Float.like("float16")
    S = ws.to_arithmetic(ws.random_transformer(seed=3), A)
    r = ws.run(S, [S.vocabulary[0], S.vocabulary[1]])
    page = opened(saved(r, tmp_path))
    page.keyboard.press("End")
    cell = page.locator("[role=gridcell][data-row='1'][data-column='0']")
    cell.hover()
    value = r.stream[-1][0, 1]
    expect(page.get_by_role("tooltip")).to_contain_text(repr(float(value)).replace("-", "−"))


def test_two_runs_stand_side_by_side_with_their_first_difference(opened: Opened, tmp_path: Path) -> None:
    r, s = ws.run(T, "0110"), ws.run(T, "1110")
    page = opened(saved(r, tmp_path, beside=s))
    expect(page.get_by_text("first difference").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"The first difference is at the embedding, position 0"))).to_be_visible()
    page.keyboard.press("Home")
    differing = int((r.stream[0] != s.stream[0]).sum())
    expect(page.get_by_text(re.compile(rf"^{differing} of {r.stream[0].size} values differ here"))).to_be_visible()
    rows = page.get_by_label("the stream", exact=True).locator("[role=rowheader]").count()
    page.keyboard.press("d")
    differ = (r.stream != s.stream).any(axis=(0, 1)).sum()
    assert rows == len(T.lanes)
    expect(page.get_by_label("the stream", exact=True).locator("[role=rowheader]")).to_have_count(int(differ))


def test_of_two_runs_either_is_told_in_full(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(T, "1111"), tmp_path, beside=ws.run(T, "0000")))
    chart = page.get_by_role("img", name=re.compile("^logits over the sublayers"))
    for side, decision in (("in A", "YES"), ("in B", "NO")):
        page.get_by_role("button", name=side).click()
        expect(chart).to_have_attribute("aria-label", re.compile(f"embedding {decision} "))
        expect(page.get_by_label("Where the logit of")).to_have_value(decision)


def test_a_readout_is_shown_with_its_codes_and_what_they_stand_for(opened: Opened, tmp_path: Path) -> None:
    embedding = np.array([[0, 0.5], [1, 0], [2, -1]])
    S = ws.Transformer(ws.Fixed(4, 4), "abc", ("code", "other"), embedding,
                       readout=ws.Readout(("code",), {0: "zero", 1: True}))  # fmt: skip
    page = opened(saved(ws.run(S, "abcb"), tmp_path))
    answer = page.get_by_label("the answer", exact=True)
    shown = [row.split() for row in answer.locator("tbody tr").all_inner_texts()]
    assert [row[-2:] for row in shown] == [["0", "zero"], ["1", "True"], ["2", "?"], ["1", "True"]]
    expect(answer.get_by_text("a code that is not in the table")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("→ True")
    type_input(page, "ba")
    expect(answer.locator("tbody tr")).to_have_count(2)
    expect(answer).not_to_contain_text("not in the table")
    page.get_by_label("matrix").select_option("readout")
    expect(page.get_by_label("zero, code: 0", exact=True)).to_be_visible()
    expect(page.get_by_label("True, code: 1", exact=True)).to_be_visible()


def test_a_link_opens_the_same_sight(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(T, "0110"), tmp_path))
    page.keyboard.press("End")
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile("position=2"))
    before = cells(page)
    again = opened(tmp_path / "page.html", address=page.url.partition("#")[2].join(["#", ""]))
    assert cells(again) == before
    assert again.url == page.url


def test_what_is_shown_is_saved_as_pictures(page: Page, tmp_path: Path) -> None:
    page.keyboard.press("End")
    for kind, begin in (("SVG", b"<"), ("PNG", b"\x89PNG\r\n")):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind).first.click()
        path = tmp_path / f"picture.{kind}"
        download.value.save_as(path)
        assert path.read_bytes().startswith(begin)
        assert download.value.suggested_filename.endswith(f".{kind.lower()}")
    drawing = (tmp_path / "picture.SVG").read_text(encoding="utf-8")
    assert "found" in drawing
    assert "<script" not in drawing


def test_a_dropped_file_is_opened_and_a_malformed_one_is_refused(opened: Opened, tmp_path: Path) -> None:
    S = ws.library.majority("a", "abc")
    ws.save(S, tmp_path / "m.safetensors")
    page = opened(saved(ws.run(T, "0110"), tmp_path))
    content = (tmp_path / "m.safetensors").read_bytes()
    for wrong, words in ((content[:-8], "bytes"), (b"hello, is this a model?", "header"), (b"", "bytes")):
        drop(page, "wrong.safetensors", wrong)
        expect(page.get_by_text(re.compile(f"wrong.safetensors.*{words}"))).to_be_visible()
    drop(page, "majority.safetensors", content)
    type_input(page, "aab")
    r = ws.run(S, "aab")
    expect(page.get_by_role("status")).to_contain_text(f"→ {r.decision}")
    page.locator("[data-input]").first.blur()
    page.keyboard.press("End")
    assert_shows(page, r, len(r.stages) - 1)


def test_names_that_look_like_code_are_names(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(hostile_model(), HOSTILE), tmp_path))
    assert page.locator("script").count() == 2
    assert HOSTILE[0] in page.locator("[data-weightsmith]").inner_text()


TEXTS = """() => {
    const found = [];
    for (const element of document.querySelectorAll("[data-weightsmith] *")) {
        const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join("");
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        if (text && box.width && style.visibility === "visible") found.push([text, parseFloat(style.fontSize)]);
    }
    return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.one_in(2)
def test_every_label_can_be_read_and_nothing_is_wider_than_the_page(
    width: int, scheme: str, opened: Opened, tmp_path: Path
) -> None:
    page = opened(saved(ws.run(T, "0110"), tmp_path), width=width, color_scheme=scheme)
    texts = page.evaluate(TEXTS)
    assert len(texts) > 50
    assert not [(text, size) for text, size in texts if size < 11]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_run_of_the_machines_arithmetic_is_not_called_exact(opened: Opened, tmp_path: Path) -> None:
    S = ws.to_arithmetic(T, ws.Native("float64"))
    page = opened(saved(ws.run(S, "0110"), tmp_path))
    assert "exact" not in page.locator("[data-weightsmith]").inner_text()
    found = page.evaluate("tokens => window.weightsmith.run(tokens)", list("0110"))
    np.testing.assert_allclose(found["stream"], ws.run(S, "0110").stream, rtol=1e-12)


def test_keys_move_from_cell_to_cell(page: Page) -> None:
    page.keyboard.press("Escape")
    places: Sequence[str] = []
    for key in ("ArrowDown", "ArrowDown", "[", "ArrowUp"):
        page.keyboard.press(key)
        places = [*places, str(page.locator("[role=gridcell][tabindex='0']").first.get_attribute("aria-label"))]
    assert len(set(places)) == len(places), places
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)  # not only hidden: the page has heard that it is closed
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.hasAttribute('data-input')")
