"""Interventions in a real browser: heads and neurons off, values edited and taken, beside the run as it is."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import weightsmith as ws
from tests.semantics.readouts import with_readout
from tests.studio.conftest import ANEW, Opened, Shared, Windows
from tests.studio.pages import LABEL, number, saved

T = ws.library.eiffel()
TEXT = "The Eiffel Tower is in"
R = ws.run(T, TEXT)
OFF = ws.ablate(R, block=0, head=1)
BOTH = ws.patch(OFF, {"compound": 1}, 0, after="attention", positions=[2])
S = ws.random_transformer(lanes=5, blocks=2, heads=2, neurons=4, arithmetic=ws.Fixed(4, 4), seed=7)
SEEN = """() => [...document.querySelectorAll("[data-weightsmith] *")].filter(one =>
    [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== "") && one.closest(PLACES)
    && one.checkVisibility()).map(one => [parseFloat(getComputedStyle(one).fontSize), one.textContent.trim()])"""

TOP = """arc => {
    const line = arc.querySelector("path") ?? arc;
    const point = line.getPointAtLength(line.getTotalLength() / 2);
    const box = line.ownerSVGElement.getBoundingClientRect();
    return [box.left + point.x, box.top + point.y];
}"""
REFUSAL = """asked => {
    try { window.weightsmith.run('0110', asked); } catch (error) { return error.message; }
}"""


@pytest.fixture(scope="module")
def shared(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    return Shared(windows, saved(R, tmp_path_factory.mktemp("shared")), TEXT)


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    """Eiffel at the embedding, without changes."""
    with shared.opened() as page:
        yield page


_numbers = iter(range(1 << 30))


def go(page: Page, *changes: tuple[str, str], text: str = TEXT, **sight: Any) -> None:
    """Show what an address says, with changes."""
    parts = [("model", 0), ("input", text), *sight.items(), *changes, ("number", f"own{next(_numbers)}")]
    page.evaluate(ANEW, urlencode(parts))


def parts(page: Page) -> list[tuple[str, str]]:
    """Return the changes in the address, once it is written."""
    page.wait_for_timeout(200)
    return [part for part in parse_qsl(page.url.partition("#")[2]) if part[0] in ("off", "set", "take", "carried")]


def changes(page: Page) -> Locator:
    return page.get_by_role("region", name="changes").get_by_role("listitem")


def side_b(page: Page, count: int) -> dict[tuple[str, int], str]:
    """Return what the stream of B shows, by lane and position."""
    labels = page.locator("[role=gridcell]").evaluate_all(
        "(cells, count) => cells.filter(cell => cell.dataset.column >= count).map(cell => cell.ariaLabel)", count
    )
    found = [LABEL.fullmatch(label) for label in labels]
    return {(match[1], int(match[3])): match[4] for match in found if match is not None}


def assert_b(page: Page, b: ws.Run, *, exact: bool = True) -> None:
    """See that B is a run of Python, after every sublayer."""
    A = b.transformer.arithmetic
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    steps = page.locator("[data-step]").count()
    parts = [part for block in b.transformer.blocks for part in (block.attention, block.feed_forward)]
    stages = [0, *(n + 1 for n, part in enumerate(parts) if part is not None)]
    assert steps == len(stages)
    for stage in stages:
        shown = side_b(page, len(b.tokens))
        assert len(shown) == b.stream[stage].size
        for (lane, position), text in shown.items():
            value, wanted = number(text, A), b.at(b.stages[stage], position, lane)
            assert value == wanted if exact else np.isclose(value, wanted, rtol=1e-10), (stage, lane, position)
        page.keyboard.press("ArrowRight")


def python(page: Page) -> str:
    return page.locator("[data-python]").inner_text()


def executed(lines: str, T: Any) -> ws.Run:
    """Execute lines of Python as somebody who copied them."""
    scope = {"ws": ws, "T": T}
    exec(lines, scope)
    found: Any = scope["b"]
    assert isinstance(found, ws.Run)
    return found


def test_a_click_on_an_arc_switches_its_head_off_and_a_click_on_the_switch_on_again(page: Page) -> None:
    go(page, step=1)
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_text("Click an arc to switch its head off")).to_be_visible()
    x, y = page.locator("[data-arc='1 2 1']").first.evaluate(TOP)
    page.mouse.click(x, y - 4)  # arcs are thin: a click beside one is enough
    expect(changes(page)).to_have_count(2)
    expect(changes(page).nth(0)).to_contain_text(re.compile(r"as it is.*Paris.*96 %", re.DOTALL))
    expect(changes(page).nth(1)).to_contain_text(re.compile(r"Head 1 of block 0 off.*London.*74 %", re.DOTALL))
    expect(page.get_by_role("status").first).to_contain_text("→ Paris and London")
    expect(page.get_by_text("3 of 85 values differ here. A and B part at Tower")).to_be_visible()
    expect(page.get_by_text("◆ they part: 3")).to_be_visible()
    expect(page.locator("path.off")).to_have_count(1)
    expect(page.get_by_text("head 1 off", exact=True)).to_be_visible()
    expect(page.locator("[data-side=b] [data-arc^='1 ']")).to_have_count(0)
    expect(page.locator("[data-side=a] [data-arc='1 2 1']")).to_have_count(1)
    assert parts(page) == [("off", "0.head.1")]
    assert_b(page, OFF, exact=False)
    page.get_by_role("switch", name="block 0 head 1 off").click()
    expect(page.get_by_role("status").first).to_contain_text(re.compile("→ Paris.*ahead"))
    expect(changes(page).nth(1)).to_contain_text("off")
    assert parts(page) == [("off", "-0.head.1")]


def test_keys_switch_off_the_chosen_head_or_neuron(page: Page) -> None:
    go(page, step=1)
    page.keyboard.press("x")
    expect(page.get_by_text("Block 0 has 2 heads: choose one with h, then press x.")).to_be_visible()
    for key in "hhx":
        page.keyboard.press(key)
    expect(changes(page).nth(1)).to_contain_text("Head 1 of block 0 off")
    page.keyboard.press("x")
    assert parts(page) == [("off", "-0.head.1")]
    go(page, step=2, position=2)
    page.keyboard.press("x")
    expect(changes(page).nth(1)).to_contain_text("Neuron 2847 of block 0 off")
    assert parts(page) == [("off", "0.neuron.2847")]
    forgetful = ws.ablate(R, block=0, neurons=["2847"])
    expect(page.get_by_role("status").first).to_contain_text(f"→ Paris and {forgetful.decision}")
    go(page, step=0)
    page.keyboard.press("x")
    expect(page.get_by_text("Go to an attention or feed-forward step")).to_be_visible()


def test_a_click_on_a_neuron_switches_it_off(page: Page) -> None:
    go(page, step=2, position=2)
    page.get_by_role("button", name="Change", exact=True).click()
    page.locator("[data-neuron]").filter(has_text="2847").first.click()
    assert parts(page) == [("off", "0.neuron.2847")]
    page.get_by_label("switch off", exact=True).get_by_role("button", name="switch off").first.click()
    assert len(parts(page)) == 2
    page.get_by_label("switch off", exact=True).get_by_role("button", name="switch on neuron").first.click()
    assert [text.startswith("-") for _, text in parts(page)].count(True) == 1


def test_a_cell_is_edited_by_typing_and_by_dragging_and_the_turn_of_the_answer_is_marked(page: Page) -> None:
    go(page, ("off", "0.head.1"), step=1)
    page.locator("[role=gridcell][aria-label^='compound at Tower']").last.click()
    field = page.get_by_role("textbox", name="compound at Tower, value")
    expect(field).to_be_focused()
    page.keyboard.type("1")
    expect(changes(page).nth(2)).to_contain_text(re.compile(r"compound at Tower: 0 → 1.*Paris.*61 %", re.DOTALL))
    expect(page.get_by_text("Paris from 0.77 on")).to_be_visible()
    expect(page.locator("rect.edited")).to_have_count(2)  # the cell, and the legend
    assert_b(page, BOTH, exact=False)
    expect(page.get_by_role("group", name="edit compound at Tower")).to_have_count(0)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("e")
    slider = page.get_by_role("slider", name="compound at Tower")
    slider.evaluate("slider => { slider.value = 0.5; slider.dispatchEvent(new Event('input', {bubbles: true})); }")
    expect(changes(page).nth(2)).to_contain_text("London")
    expect(page.get_by_text("Paris from 0.77 on")).to_be_visible()
    assert parts(page) == [("off", "0.head.1"), ("set", "0.attention:2:compound:0.5")]
    page.get_by_role("button", name="Put back").click()
    assert parts(page) == [("off", "0.head.1")]
    page.keyboard.press("Escape")
    expect(page.get_by_role("group", name="edit compound at Tower")).to_have_count(0)


def test_where_the_answer_turns_is_exact() -> None:
    """As the page marks it: below it one answer, at it the other."""
    at = [ws.patch(OFF, {"compound": x}, 0, after="attention", positions=[2]).decision for x in (0.764, 0.77)]
    assert at == ["London", "Paris"]


def test_wrong_values_are_named_and_rounding_is_said(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(S, "0101"), tmp_path), "#model=0&input=0101&step=1")
    page.keyboard.press("e")
    field = page.get_by_role("textbox", name="value")
    for text, words in {
        "much": "“much” is not a number: write one, such as 0.5 or −2.",
        "nan": "“nan” is not a number",
        "": "An empty field is not a number",
        "0,5": "write one, such as 0.5",
        "1e": "“1e” is not a number",
    }.items():
        field.fill(text)
        expect(page.get_by_role("alert")).to_contain_text(words)
        expect(field).to_have_attribute("aria-invalid", "true")
    assert parts(page) == []
    for text, words, value in (
        ("0.3", "0.3 is not a number of fixed(4,4): the nearest, 0.3125, is used.", "0.3125"),
        ("99", "99 is beyond ∞ of fixed(4,4): 15.9375 is used.", "15.9375"),
        ("-1e30", "is beyond ∞ of fixed(4,4): −15.9375 is used.", "-15.9375"),
    ):
        field.fill(text)
        expect(page.get_by_label("edit").get_by_role("status")).to_contain_text(words)
        assert parts(page)[0][1].endswith(f":{value}")
    field.fill("−∞")
    assert parts(page)[0][1].endswith(":-15.9375")
    field.fill("0.25")
    expect(page.get_by_label("edit").get_by_role("status")).to_have_count(0)
    assert_b(page, executed(python(page), S))


def test_values_come_from_another_input(page: Page) -> None:
    go(page, step=1, position=2)
    page.keyboard.press("e")
    page.get_by_role("button", name="Take from another input").click()
    other = page.get_by_role("textbox", name="Other input")
    for text, words in {
        "The Eiffel Turm": "“Turm” is not a token",
        "The": "position 2 is not in both inputs",
        "": "at least one",
    }.items():
        other.fill(text)
        other.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text(words)
    other.fill("The London Tower is in")
    other.press("Enter")
    expect(changes(page).nth(1)).to_contain_text("Tower from “The London Tower is in”")
    assert parts(page) == [("take", "0.attention:2:The London Tower is in")]
    assert_b(page, ws.patch(R, ws.run(T, "The London Tower is in"), 0, after="attention", positions=[2]), exact=False)
    go(page, step=1, position=2)
    page.locator("[role=gridcell][aria-label^='compound at Tower']").first.click()
    page.keyboard.press("e")
    page.get_by_role("button", name="Take from another input").click()
    page.get_by_label("only compound").check()
    page.get_by_role("textbox", name="Other input").fill("The London Tower")
    page.get_by_role("button", name="Take", exact=True).click()
    assert parts(page) == [("take", "0.attention/compound:2:The London Tower")]
    expect(page.locator("[data-python]")).to_contain_text('lanes=["compound"], positions=[2]')


def test_the_ledger_undoes_and_the_comparison_gives_way(page: Page) -> None:
    go(page, ("off", "0.head.1"), ("set", "0.attention:2:compound:1"), step=1)
    expect(changes(page)).to_have_count(3)
    page.get_by_role("button", name="remove change 1").click()
    assert parts(page) == [("set", "0.attention:2:compound:1")]
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_role("region", name="changes")).to_have_count(0)
    assert parts(page) == []
    page.get_by_role("button", name="Change", exact=True).click()
    assert parts(page) == [("set", "0.attention:2:compound:1")]
    page.get_by_role("button", name="Undo all").click()
    assert parts(page) == []
    page.keyboard.press("h")
    page.keyboard.press("x")
    page.get_by_label("Compare with").select_option("input")
    expect(page.get_by_role("region", name="changes")).to_have_count(0)
    assert parts(page) == []
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("End")
    page.keyboard.press("x")
    page.wait_for_timeout(200)
    assert "beside" not in dict(parse_qsl(page.url.partition("#")[2]))
    expect(page.get_by_label("Compare with")).to_have_value("")


def test_a_change_that_does_not_fit_the_input_is_not_made_and_says_why(page: Page) -> None:
    go(page, ("off", "0.head.1"), ("set", "0.attention:4:compound:1"), step=1)
    page.locator("[data-input]").fill("The Eiffel Tower")
    expect(changes(page).nth(2)).to_contain_text("there is no position 4: the positions are 0 to 2")
    expect(changes(page).nth(2)).to_contain_text("not made")
    expect(changes(page).nth(1)).not_to_contain_text("not made")
    assert "compound" not in python(page)
    page.locator("[data-input]").fill(TEXT)
    expect(page.get_by_text("there is no position 4")).to_have_count(0)


def test_addresses_are_restored_and_unknown_parts_ignored(opened: Opened, tmp_path: Path) -> None:
    told = [("off", "0.head.1"), ("set", "0.attention:2:compound:1"), ("off", "-1.attention"), ("off", "1.head.0:2,3"),
            ("set", "embedding:0:word The:0.5"), ("take", "1.feed-forward:*:The London Tower is in")]  # fmt: skip
    unknown = [
        ("off", "9.head.1"), ("off", "0.head"), ("off", "embedding"), ("off", "0.neuron.nobody"), ("off", ""),
        ("set", "0.attention:2:nolane:1"), ("set", "0.attention:2:compound:much"), ("set", "0.attention:x:compound:1"),
        ("set", "compound"), ("take", "0.attention:2:Nobody"), ("take", "0.attention"), ("carried", "0"), ("odd", "1"),
    ]  # fmt: skip
    query = urlencode([("model", 0), ("input", TEXT), ("step", 1), *unknown, *told])
    page = opened(saved(R, tmp_path), f"#{query}")
    expect(changes(page)).to_have_count(7)
    assert parts(page) == told
    page.reload()
    expect(changes(page)).to_have_count(7)
    b = ws.patch(OFF, {"compound": 1}, 0, after="attention", positions=[2])
    b = ws.ablate(b, block=1, head=0, positions=[2, 3])
    b = ws.patch(b, {"word The": 0.5}, after="embedding", positions=[0])
    b = ws.patch(b, ws.run(T, "The London Tower is in"), 1, after="feed-forward")
    assert_b(page, b, exact=False)
    assert_b(page, executed(python(page), T), exact=False)
    alone = opened(saved(R, tmp_path), "#off=0.head.1")
    expect(changes(alone).nth(1)).to_contain_text("London")


def random_address(T: ws.Transformer, length: int, random: np.random.Generator) -> list[tuple[str, str]]:
    """Return random changes, as an address says them."""
    result = []
    for _ in range(random.integers(2, 6)):
        b, position = int(random.integers(len(T.blocks))), int(random.integers(length))
        block = T.blocks[b]
        heads = 0 if block.attention is None else len(block.attention.heads)
        neurons = 0 if block.feed_forward is None else len(block.feed_forward.W_1)
        stage = str(random.choice(["embedding", f"{b}.attention", f"{b}.feed-forward"]))
        lane = str(random.choice(T.lanes))
        value = float(T.arithmetic.round(random.normal()))
        other = "".join(random.choice(T.vocabulary, length))
        told = {
            "head": ("off", f"{b}.head.{random.integers(max(heads, 1))}"),
            "neuron": ("off", f"{b}.neuron.{random.integers(max(neurons, 1))}:{position}"),
            "set": ("set", f"{stage}:{position}:{lane}:{value}"),
            "take": ("take", f"{stage}:{position}:{other}"),
            "lane": ("take", f"{stage}/{quote(lane)}:*:{other}"),
        }
        kinds = ["set", "take", "lane", *(["head"] if heads else []), *(["neuron"] if neurons else [])]
        result.append(told[str(random.choice(kinds))])
    return result


@pytest.mark.parametrize("seed", range(4))
def test_the_python_that_is_copied_gives_the_same_bits(seed: int, opened: Opened, tmp_path: Path) -> None:
    """The lines are executed; every value of B that the page shows equals that of the run. With a readout, too."""
    random = np.random.default_rng(seed)
    model = ws.random_transformer(lanes=5, blocks=2, heads=2, neurons=4, arithmetic=ws.Fixed(4, 4), seed=seed)
    model = with_readout(model, seed)[0] if seed % 2 else model
    address = random_address(model, 4, random)
    query = urlencode([("model", 0), ("input", "0110"), *address])
    page = opened(saved(ws.run(model, "0110"), tmp_path), f"#{query}")
    assert parts(page) == address
    b = executed(python(page), model)
    assert b.changed
    assert_b(page, b)
    said = "?" if model.readout is not None and b.answer_ids[-1] < 0 else str(b.decision)
    expect(page.get_by_label("what the answer becomes")).to_contain_text(said)


def test_the_lines_are_copied(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(BOTH, tmp_path), permissions=["clipboard-read", "clipboard-write"])
    wanted = "\n".join((
        'r = ws.run(T, "The Eiffel Tower is in")',
        "b = ws.ablate(r, block=0, head=1)",
        'b = ws.patch(b, {"compound": 1}, block=0, after="attention", positions=[2])',
        'b.decision  # "Paris"',
    ))  # fmt: skip
    assert python(page) == wanted
    for key in (True, False):
        page.evaluate("navigator.clipboard.writeText('')")
        if key:
            page.keyboard.press("y")
        else:
            page.get_by_role("button", name="copy as Python").click()
        expect(page.get_by_text("Copied as Python.")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == wanted
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_changed_runs_of_python_open_in_the_page(opened: Opened, tmp_path: Path) -> None:
    r, other = ws.run(S, "0101"), ws.run(S, "1111")
    changed = ws.ablate(r, block=1, neurons=[2, 3], positions=[0, 1])
    changed = ws.patch(changed, {S.lanes[0]: 0.5, S.lanes[2]: -1}, 0, after="feed-forward", positions=[-1])
    changed = ws.patch(changed, other, 0, head=1, lanes=[S.lanes[1]])
    changed = ws.patch(changed, ws.ablate(other, block=0), 1, head=0)  # of a run that was changed itself
    page = opened(saved(changed, tmp_path))
    expect(changes(page)).to_have_count(7)
    assert [name for name, _ in parts(page)] == ["off", "off", "set", "set", "take", "carried"]
    expect(changes(page).nth(6)).to_contain_text("Values from Python: head 0 of block 1")
    assert_b(page, changed)
    assert_b(page, executed(python(page), S))
    page.reload()
    expect(changes(page)).to_have_count(7)
    assert_b(page, changed)


def test_a_chain_is_changed_at_the_text_that_it_wrote(opened: Opened, tmp_path: Path) -> None:
    C = ws.library.parity_chain()
    done = ws.library.parity_chain().run("1011")
    path = tmp_path / "chain.html"
    done.save_html(path)
    page = opened(path)
    page.get_by_role("button", name="Change", exact=True).click()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("h")
    page.keyboard.press("x")
    expect(changes(page)).to_have_count(2)
    b = executed(python(page), C)
    assert np.array_equal(b.stream, ws.ablate(done.run, block=0, head=0).stream)
    assert_b(page, b, exact=not isinstance(C.transformer.arithmetic, ws.Native))


def written_with(C: ws.Chain, text: str, change: Callable[[ws.Run], ws.Run]) -> list[str]:
    """Return what a chain writes with a change, from runs of its transformer."""
    plain, tokens = C.run(text), [*text, *C.prompt]
    for _ in plain.generated:
        tokens.append(change(ws.run(C.transformer, tokens)).decision)
    return tokens[len(text) + len(C.prompt) :]


def test_a_chain_writes_on_with_changes(opened: Opened, tmp_path: Path) -> None:
    C = ws.library.parity_chain()
    done, answers = C.run("1011"), cast(tuple[tuple[str, str], ...], C.answers)
    path = tmp_path / "chain.html"
    done.save_html(path)
    page = opened(path)
    told = page.get_by_role("group", name="what the chain writes with the changes")
    expect(told).to_have_count(0)
    cases: list[tuple[tuple[str, str], Callable[[ws.Run], ws.Run]]] = [
        (("off", "0.head.0"), lambda r: ws.ablate(r, block=0, head=0)),
        (
            ("set", "0.feed-forward:8:odd:1"),  # where there is such a position
            lambda r: r if len(r.tokens) <= 8 else ws.patch(r, {"odd": 1}, 0, after="feed-forward", positions=[8]),
        ),
    ]
    for part, change in cases:
        go(page, part, text="1011")
        expected = written_with(C, "1011", change)
        assert expected != list(done.generated)
        expect(told.locator(".token")).to_have_text(expected)
        expect(told).to_contain_text(f"the answer is {dict(answers)[expected[-1]]}.")


def test_scripts_run_the_model_with_changes(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(S, tmp_path))
    r, other = ws.run(S, "0110"), ws.run(S, "1010")
    asked = {
        "ablate": ["block 0 head 0", "block 1 neuron 3", {"site": "block 1 attention", "positions": [1]}],
        "patch": [
            {"site": "block 0 attention", "positions": [2], "values": {S.lanes[0]: 0.5}},
            {"site": "block 1 head 1", "from": list("1010"), "lanes": [S.lanes[3]]},
        ],
    }
    b = ws.ablate(ws.ablate(r, block=0, head=0), block=1, neurons=[3])
    b = ws.ablate(b, block=1, sublayer="attention", positions=[1])
    b = ws.patch(b, {S.lanes[0]: 0.5}, 0, after="attention", positions=[2])
    b = ws.patch(b, other, 1, head=1, lanes=[S.lanes[3]])
    found = page.evaluate("asked => window.weightsmith.run('0110', asked)", asked)
    assert found["stream"] == b.stream.tolist()
    assert (found["logits"], found["decision"]) == (b.logits.tolist(), b.decision)
    for wrong, words in (
        ({"ablate": ["block 7 head 0"]}, "there is no block 7: the blocks are 0 to 1"),
        ({"ablate": ["head 0"]}, "names no part of a model: write “block 0 head 1”"),
        ({"ablate": ["block 0 head 5"]}, "there is no head 5 in block 0: the heads are 0 to 1"),
        ({"ablate": ["embedding"]}, "the embedding cannot be switched off"),
        ({"patch": [{"site": "block 0 attention", "values": {"no": 1}}]}, "there is no lane no: the lanes are"),
        ({"patch": [{"site": "block 0 attention", "values": {S.lanes[0]: 0.3}}]}, "the nearest is 0.3125"),
        ({"patch": [{"site": "block 0 attention", "values": {S.lanes[0]: "1"}}]}, "is not a number"),
        ({"patch": [{"site": "block 0 attention"}]}, "either values"),
        ({"patch": [{"site": "embedding", "values": {S.lanes[0]: 1}, "positions": [9]}]}, "there is no position 9"),
        ({"patch": [{"site": "embedding", "from": list("01")}]}, "the inputs have 4 and 2 tokens"),
    ):
        told = page.evaluate(
            "asked => { try { window.weightsmith.run('0110', asked); } catch (error) { return error.message; } }", wrong
        )
        assert words in told


def odd_names() -> ws.Transformer:
    """Return a model whose names use every sign that an address or Python could mistake."""
    lanes, names = ("a:b/c", "x.y:1", "é “ü” & = #", '"q"'), ("0", "#1", "n:1,2/3.%41", "")
    random = np.random.default_rng(3)

    def draw(*shape: int) -> np.ndarray:
        return np.asarray(random.integers(-2, 3, shape) / 4)

    layer = ws.FeedForward(draw(4, 4), np.full(4, 0.5), draw(4, 4), np.zeros(4), names=names)
    head = ws.Head(draw(2, 4), draw(2, 4), draw(2, 4), draw(4, 2))
    block = ws.Block(ws.Attention((head,)), layer)
    vocabulary = ("a b", "[", '"')
    return ws.Transformer(ws.Fixed(4, 4), vocabulary, lanes, draw(3, 4), None, (block,), draw(2, 4), ("u", "v"))


def test_odd_names_survive_the_address_and_python(opened: Opened, tmp_path: Path) -> None:
    odd = odd_names()
    r, other = ws.run(odd, ["a b", "[", '"']), ws.run(odd, ['"', '"', "a b"])
    b = r
    for lane in odd.lanes:
        b = ws.patch(b, {lane: 0.25}, 0, after="attention", positions=[1])
        b = ws.patch(b, other, after="embedding", lanes=[lane], positions=[2])
    for neuron in range(4):
        b = ws.ablate(b, block=0, neurons=[neuron], positions=[neuron % 3])
    page = opened(saved(b, tmp_path))
    told = parts(page)
    assert len(told) == 12
    assert_b(page, b)
    page.reload()
    expect(changes(page)).to_have_count(13)
    assert parts(page) == told
    assert_b(page, executed(python(page), odd))


def test_the_editor_closes_where_its_position_is_gone(page: Page) -> None:
    go(page, ("set", "0.attention:4:compound:1"), step=1, position=4)
    page.keyboard.press("e")
    expect(page.get_by_role("group", name="edit compound at in")).to_be_visible()
    page.locator("[data-input]").fill("The Eiffel")
    expect(page.get_by_role("group", name=re.compile("^edit"))).to_have_count(0)
    expect(changes(page).nth(1)).to_contain_text("there is no position 4")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080), (400, 900)])
def test_every_size_has_room(width: int, height: int, opened: Opened, tmp_path: Path) -> None:
    """Nothing is wider than the page, no text of the ledger, the editor and the panels is below 13 pixels."""
    page = opened(saved(BOTH, tmp_path), width=width, height=height)
    page.keyboard.press("e")
    expect(page.get_by_role("group", name="edit compound at Tower")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    places = "[aria-label=changes], [aria-label='as Python'], [aria-label='switch off'], .editor"
    small = [one for one in page.evaluate(SEEN.replace("PLACES", repr(places))) if one[0] < 13]
    assert not small
    if width == 1280:
        for part in ("what the answer becomes", "as Python"):
            box = page.get_by_label(part, exact=True).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= height, part


def test_every_control_has_a_name(page: Page) -> None:
    go(page, ("off", "0.head.1"), ("set", "0.attention:2:compound:1"), step=1)
    page.keyboard.press("e")
    names = page.evaluate(
        """() => [...document.querySelectorAll(".ledger *, .editor *")].filter(one => one.matches("button, input"))
            .map(one => one.ariaLabel || one.textContent.trim() || one.labels?.[0]?.textContent)"""
    )
    assert len(names) >= 9
    assert all(names)
    expect(page.get_by_role("switch", name="block 0 head 1 off")).to_be_checked()
