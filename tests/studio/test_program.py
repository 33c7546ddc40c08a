"""The program beside the weights in the page: the same lines as in the package, marked as one steps, always as text."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import weightsmith as ws
from tests.programs.examples import EXAMPLES
from tests.programs.examples_as_text import BACK
from tests.studio.conftest import Opened, Shared, Windows
from tests.studio.node import run_node
from tests.studio.pages import BREAKING, saved
from weightsmith.programs import compile, compile_ltl, compile_rasp, rasp
from weightsmith.programs.source_map import SourceMap


def said_in_python(T: ws.Transformer) -> dict[str, Any] | None:
    program = SourceMap.of(T)
    if not program.lines:
        return None
    by_part: list[list[str]] = []
    lanes: list[list[str]] = []
    for part in program.parts:
        numbers = [line.number for line in program.computed(part)]
        kind, *words = part.where.split()
        if kind == "lane":
            lanes.append(numbers)
        elif len(words) > 1:  # one of a block's, or several that are called alike
            by_part += [numbers] * (int(words[-1]) - int(words[2]) + 1)
    return {
        "lines": [{key: getattr(line, key) for key in ("number", "what", "name", "source")} for line in program.lines],
        "textLines": [line.text_line for line in program.lines],
        "text": [list(line) for line in program.text.items()],
        "parts": by_part,
        "lanes": lanes,
        "inside": [[each.number for each in program.inside(line)] for line in program.lines],
    }


def test_the_page_finds_the_same_lines_as_the_package(tmp_path: Path) -> None:
    models = [compile(example.make(), example.vocabulary, 4).transformer for example in EXAMPLES[::3]]
    models += [compile_rasp(BACK, "abc", 6).transformer, compile_rasp(BACK, "abc", 4, backend="softmax").transformer]
    strange = ("compiled from x", "<b>", "  %0 = '%1'  # a  line 1: x", "%1 = %0 + %1", " 3 | x", "2 | y", "  %2 = z")
    twice = (*models[-1].provenance, *models[-1].provenance)
    models += [replace(models[-1], provenance=strange), replace(models[-1], provenance=twice)]
    models += [compile_ltl("O a", "ab").transformer]
    files = []
    for n, T in enumerate(models):
        ws.save(T, tmp_path / f"{n}.safetensors")
        files.append(str(tmp_path / f"{n}.safetensors"))
    (tmp_path / "files.json").write_text(json.dumps(files))
    found = json.loads(run_node("program.mjs", tmp_path / "files.json"))
    for T, said in zip(models, found, strict=True):
        assert said == said_in_python(T)
    assert found[-2:] == [None, None]
    assert [len(one["text"]) for one in found[-5:-2]] == [7, 7, 1]


@pytest.fixture(scope="module")
def shared(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    run = ws.run(compile_rasp(BACK, "abc", 6).transformer, "abca")
    return Shared(windows, saved(run, tmp_path_factory.mktemp("shared")), "abca")


@pytest.fixture
def page(shared: Shared) -> Iterator[Page]:
    with shared.opened() as page:
        yield page


def program(page: Page) -> Locator:
    return page.get_by_role("region", name="the program")


def test_every_line_is_shown_with_its_number(page: Page) -> None:
    rows = program(page).get_by_role("listitem")
    expect(rows).to_have_count(7)
    expect(rows.nth(0)).to_contain_text("# how often does each token occur?")
    expect(rows.nth(5)).to_contain_text("reverse = aggregate(select(indices, flip, ==), tokens);")
    assert [rows.nth(n).get_attribute("data-line") for n in range(7)] == [str(n) for n in range(1, 8)]


def marked(page: Page) -> Locator:
    return program(page).locator("li.own")


def test_the_lines_of_heads_and_neurons_are_marked_as_one_steps(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    expect(marked(page)).to_contain_text(["heads 0 and 1", "head 2"])
    assert [line.get_attribute("data-line") for line in marked(page).all()] == ["2", "5"]
    page.keyboard.press("ArrowRight")
    expect(marked(page)).to_contain_text(["neuron 0"])
    expect(marked(page)).to_have_attribute("data-line", "7")
    page.keyboard.press("End")
    expect(marked(page)).to_contain_text(["heads 0 and 1"])
    expect(marked(page)).to_have_attribute("data-line", "6")
    inside = program(page).locator("li.inside:not(.own)")
    expect(inside).to_have_attribute("data-line", "5")  # flip has no weights of its own: it is in those heads


def test_a_head_or_a_lane_that_is_chosen_marks_its_own_lines(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="block 0, head 2", exact=True).click()
    expect(marked(page)).to_have_attribute("data-line", "5")
    page.locator("[role=gridcell][aria-label^='hist at']").first.click()
    expect(marked(page)).to_contain_text(["lane hist", "head 2"])


def test_at_the_start_the_lanes_that_are_given_are_marked(page: Page) -> None:
    expect(marked(page)).to_contain_text(["lane token", "lane position"])


def test_blocks_and_heads_are_called_after_lines_of_the_text(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("region", name="attention")).to_contain_text("length (line 5)")
    expect(page.get_by_role("navigation", name="sublayers")).to_contain_text("hist, length (line 5), back")


def test_hostile_text_is_shown_as_text(opened: Opened, tmp_path: Path) -> None:
    text = (
        f"# {BREAKING} <img src=x onerror=alert(1)>\nx = selector_width(select(tokens, tokens, ==)); # {{@html 1}} &lt;"
    )
    T = compile_rasp(text, "ab", 4).transformer
    named = [replace(head, name=BREAKING) for head in T.blocks[0].attention.heads]  # type: ignore[union-attr]
    T = replace(T, blocks=(replace(T.blocks[0], attention=ws.Attention(named)), *T.blocks[1:]))
    page = opened(saved(ws.run(T, "ab"), tmp_path))
    rows = program(page).get_by_role("listitem")
    expect(rows.nth(0)).to_contain_text(f"# {BREAKING} <img src=x onerror=alert(1)>")
    expect(rows.nth(1)).to_contain_text("{@html 1} &lt;")
    expect(page.get_by_role("region", name="attention")).to_contain_text(BREAKING)
    assert page.locator("img").count() == 0


def test_of_a_program_in_python_the_dump_is_shown(opened: Opened, tmp_path: Path) -> None:
    same = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ).named("same")
    page = opened(saved(ws.run(compile(rasp.SelectorWidth(same).named("hist"), "abc", 5).transformer, "aba"), tmp_path))
    rows = program(page).get_by_role("listitem")
    expect(rows).to_contain_text(["%0 tokens", "%1 same = select(key %0 == query %0)", "%2 hist = selector_width(%1)"])
    expect(marked(page)).to_have_attribute("data-line", "%2")


def test_a_model_that_was_not_compiled_has_no_such_panel(opened: Opened, tmp_path: Path) -> None:
    page = opened(saved(ws.run(ws.library.contains("1"), "01"), tmp_path))
    expect(program(page)).to_have_count(0)
