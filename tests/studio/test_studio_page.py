"""The studio in a real browser: from typing an input to a refuted claim and where its runs part."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import weightsmith as ws
from tests.studio.conftest import Windows, again
from tests.studio.dropping import drop
from tests.studio.pages import carried
from tests.studio.serving import Started, started
from weightsmith.files import model_bytes

PATIENCE = 120_000  # milliseconds: a first check compiles its loops


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    folder = tmp_path_factory.mktemp("folder")
    ws.save(ws.library.contains("b", "abc"), folder / "letters.safetensors")
    with started("--folder", folder) as running:
        yield running


def visit(windows: Windows, studio: Started) -> Page:
    page = windows.empty(viewport={"width": 1280, "height": 900})
    page.context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.goto(studio.address)
    expect(tab(page, "rewrite")).to_be_visible()
    return page


def leave(windows: Windows) -> None:
    """See that nothing was complained of."""
    complaints, _ = windows.leave()
    refusals = "the server responded with a status of 422"  # the browser's own words for what the studio refuses
    assert [said for said in complaints if refusals not in said] == []


@pytest.fixture
def fresh(windows: Windows, studio: Started) -> Iterator[Page]:
    """The studio's page, newly opened; whatever it complains about fails the test."""
    yield visit(windows, studio)
    leave(windows)


@pytest.fixture(scope="module")
def visited(windows: Windows, studio: Started) -> Page:
    page = visit(windows, studio)
    windows.keep(page)
    return page


@pytest.fixture
def page(visited: Page, windows: Windows) -> Iterator[Page]:
    """The studio's page in the middle of somebody's work, for tests that make models of their own."""
    again(visited, model=0, input="The Tower is in")
    yield visited
    leave(windows)


def tab(page: Page, tool: str) -> Any:
    return page.locator(f"[data-tool={tool}]")


def panel(page: Page, tool: str) -> Any:
    """Open a tool, and return its panel."""
    if tab(page, tool).get_attribute("aria-expanded") != "true":
        tab(page, tool).click()
    return page.locator(f"[data-tool-panel={tool}]")


def choose(page: Page, model: str) -> None:
    page.get_by_label("Model", exact=True).first.select_option(label=model)


def copied(page: Page, model: str) -> None:
    """Show a copy of a model, which no other test changes."""
    choose(page, model)
    panel(page, "files").get_by_role("button", name="copy the model").click()
    names = page.get_by_label("Model", exact=True).first.locator("option", has_text=f"{model}, copy")
    expect(names.last).to_be_attached()
    choose(page, names.last.inner_text())


def typed(page: Page, text: str) -> None:
    page.locator("[data-input]").fill(text)


def answer(page: Page) -> Any:
    return page.locator(".answer b")


def stream(page: Page, tokens: str) -> Any:
    return page.evaluate("tokens => window.weightsmith.run(tokens).stream", tokens)


def rewrite(page: Page, name: str, value: str) -> None:
    menu = panel(page, "rewrite")
    menu.locator("select").select_option(label=name)
    menu.locator("input").fill(value)
    menu.get_by_role("button", name="apply").click()
    expect(menu.locator("input")).to_have_value("")


def test_the_first_visit_shows_the_lectures_example(fresh: Page) -> None:
    expect(answer(fresh)).to_have_text("→ Paris")
    typed(fresh, "The Tower is in")
    expect(answer(fresh)).to_have_text("→ London")
    names = fresh.get_by_label("Model", exact=True).first.locator("option").all_inner_texts()
    assert {"eiffel", "bank", "contains('1')", "parity", "balanced(2)"} <= set(names)


def test_the_token_leaves_the_address_and_without_it_the_page_is_empty(fresh: Page, studio: Started) -> None:
    assert studio.token not in fresh.url
    fresh.wait_for_url("**/#model=*")
    assert studio.token not in fresh.url
    other = fresh.context.new_page()  # another tab of the same browser
    other.goto(f"{studio.base}/")
    expect(other.get_by_role("alert")).to_contain_text("Open the address that weightsmith studio printed")
    expect(tab(other, "rewrite")).to_have_count(0)
    other.close()


def test_a_page_that_is_loaded_again_has_the_same_models_and_the_same_view(page: Page, studio: Started) -> None:
    copied(page, "parity")
    rewrite(page, "pad", "1")
    typed(page, "0010")
    page.locator("[data-input]").blur()
    page.keyboard.press("Home")
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile("input=0010&step=0&position=2"))
    model = page.get_by_label("Model", exact=True).first.locator("option:checked").inner_text()
    names = page.get_by_label("Model", exact=True).first.locator("option").all_inner_texts()
    panel(page, "facts")
    page.reload()
    expect(page.locator("[data-tool-panel=facts]")).to_be_visible()
    assert page.get_by_label("Model", exact=True).first.locator("option").all_inner_texts() == names
    expect(page.get_by_label("Model", exact=True).first.locator("option:checked")).to_have_text(model)
    expect(page.locator("[data-input]")).to_have_value("0010")
    expect(page.locator("[aria-current=step]")).to_contain_text("embedding")
    expect(page).to_have_url(re.compile("input=0010&step=0&position=2"))
    expect(tab(page, "steps")).to_have_text("steps 1")
    page.get_by_role("button", name="undo").click()
    expect(tab(page, "steps")).to_have_text("steps 0")
    assert studio.token not in page.url


def test_a_claim_is_proved_at_every_length_or_refuted(page: Page) -> None:
    choose(page, "contains('1')")
    claims = panel(page, "check")
    claims.get_by_label("claim").select_option("recognizes")
    claims.get_by_label("Inputs").select_option(label="of every length")
    expect(claims.get_by_label("up to")).to_have_count(0)
    for regex, state, words in (("0*1(0|1)*", "holds", "proved"), ("(0|1)*11", "refuted", "refuted by 1")):
        claims.get_by_label("regular expression").fill(regex)
        claims.get_by_role("button", name="Check", exact=True).click()
        row = claims.locator("li", has_text=f"recognizes {regex}, at every length").first
        expect(row).to_have_attribute("data-state", state)
        expect(row).to_contain_text(words)
    claims.get_by_label("claim").select_option("same logits")
    expect(claims.get_by_label("up to")).to_be_visible()
    claims.get_by_label("claim").select_option("recognizes")
    claims.get_by_label("Inputs").select_option(label="up to a length")


def test_the_whole_story_from_an_input_to_a_refuted_claim_and_its_divergence(page: Page) -> None:
    T = ws.library.contains("1")
    copied(page, "contains('1')")
    typed(page, "0010")
    expect(answer(page)).to_have_text("→ YES")
    assert stream(page, "0010") == ws.run(T, "0010").stream.tolist()

    rewrite(page, "normal form", "infinity")
    new = ws.infinity_form(T)
    expect(tab(page, "steps")).to_have_text("steps 1")
    assert stream(page, "0010") == ws.run(new, "0010").stream.tolist()
    lines = panel(page, "steps").locator("[data-provenance] li")
    expect(lines).to_have_text(list(new.provenance))

    claims = panel(page, "check")
    claims.get_by_label("claim").select_option("same decisions")
    claims.get_by_label("up to").fill("6")
    claims.get_by_role("button", name="Check", exact=True).click()
    held = claims.locator("li", has_text="same decisions, up to 6").first
    expect(held).to_have_attribute("data-state", "holds")
    expect(held).to_contain_text("exhaustive up to 6, all 126 inputs")

    claims.get_by_label("claim").select_option("recognizes")
    claims.get_by_label("regular expression").fill("(0|1)*11")
    claims.get_by_role("button", name="Check", exact=True).click()
    wrong = claims.locator("li", has_text="recognizes (0|1)*11").first
    expect(wrong).to_have_attribute("data-state", "refuted")
    expect(wrong).to_contain_text("refuted by 1, the shortest")
    wrong.get_by_role("button", name="show the run").click()
    expect(page.locator("[data-input]")).to_have_value("1")
    expect(answer(page)).to_have_text("→ YES")

    rewrite(page, "ignore lanes", "found")
    claims = panel(page, "check")
    claims.get_by_label("claim").select_option("same decisions")
    claims.get_by_label("Other model").select_option(label="this model, as opened")
    claims.get_by_label("up to").fill("5")
    claims.get_by_role("button", name="Check", exact=True).click()
    parted = claims.locator("li", has_text="same decisions, up to 5").first
    expect(parted).to_have_attribute("data-state", "refuted")
    found = ws.check.same_decisions(T, ws.ignore_lanes(new, ["found"]), up_to=5)
    assert found.divergence is not None
    expect(parted).to_contain_text(str(found.divergence))
    parted.get_by_role("button", name="show the run").click()
    expect(page.locator("[data-input]")).to_have_value("".join(found.counterexample or ()))
    expect(answer(page)).to_have_text("→ YES and NO")
    expect(page.get_by_text("The first difference is at the")).to_contain_text("attention of block 0")
    expect(page.get_by_text("◆ first difference")).to_be_visible()
    names = page.get_by_label("Model", exact=True).first.locator("option").all_inner_texts()
    assert len([name for name in names if name.endswith(", copy, opened")]) == 1  # both checks had the same copy


@pytest.mark.long
def test_a_counterexample_is_shown_on_the_model_as_it_was_then(page: Page) -> None:
    copied(page, "contains('1')")
    rewrite(page, "ignore lanes", "symbol")
    claims = panel(page, "check")
    claims.get_by_label("claim").select_option("recognizes")
    claims.get_by_label("regular expression").fill("0*1.*")
    claims.get_by_role("button", name="Check", exact=True).click()
    wrong = claims.locator("li", has_text="recognizes 0*1.*").first
    expect(wrong).to_have_attribute("data-state", "refuted")
    page.get_by_role("button", name="undo").click()
    expect(tab(page, "steps")).to_have_text("steps 0")
    typed(page, "01")
    expect(answer(page)).to_have_text("→ YES")
    wrong.get_by_role("button", name="show the run").click()
    expect(tab(page, "steps")).to_have_text("steps 1")
    expect(answer(page)).to_have_text("→ NO")


def test_steps_are_undone_and_done_again(page: Page) -> None:
    T = ws.library.length_modulo(3)
    copied(page, "length_modulo(3)")
    undo, redo = page.get_by_role("button", name="undo"), page.get_by_role("button", name="redo")
    expect(undo).to_be_disabled()
    expect(redo).to_be_disabled()
    rewrite(page, "flag", "here=2")
    rewrite(page, "make the vector 0", "here")
    expect(tab(page, "steps")).to_have_text("steps 2")
    flagged = ws.flag(T, "here", [2])
    zeroed = ws.zero_vector(flagged, at="here")
    assert stream(page, "0010") == ws.run(zeroed, "0010").stream.tolist()
    undo.click()
    expect(tab(page, "steps")).to_have_text("steps 1")
    assert stream(page, "0010") == ws.run(flagged, "0010").stream.tolist()
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("Control+z")
    expect(tab(page, "steps")).to_have_text("steps 0")
    expect(undo).to_be_disabled()
    assert stream(page, "0010") == ws.run(T, "0010").stream.tolist()
    redo.click()
    expect(tab(page, "steps")).to_have_text("steps 1")
    page.keyboard.press("Control+Shift+z")
    expect(tab(page, "steps")).to_have_text("steps 2")
    expect(redo).to_be_disabled()
    assert stream(page, "0010") == ws.run(zeroed, "0010").stream.tolist()
    panel(page, "steps").get_by_role("button", name="as it was opened").click()
    expect(tab(page, "steps")).to_have_text("steps 0")
    assert stream(page, "0010") == ws.run(T, "0010").stream.tolist()


def test_what_is_refused_is_said_and_changes_nothing(page: Page) -> None:
    copied(page, "contains('1')")
    menu = panel(page, "rewrite")
    menu.locator("select").select_option(label="flag")
    menu.locator("input").fill("here")
    menu.get_by_role("button", name="apply").click()
    expect(page.get_by_role("alert")).to_contain_text("--flag here: write NAME=POSITION, as in --flag here=3")
    expect(menu.locator("input")).to_have_value("here")
    expect(page.get_by_role("button", name="undo")).to_be_disabled()


def test_facts_are_written_and_removed(page: Page) -> None:
    copied(page, "eiffel")
    T = ws.library.eiffel()
    facts = panel(page, "facts")
    facts.get_by_label("name").fill("towers")
    facts.get_by_label("key").fill("word Tower=1")
    facts.get_by_label("adds").fill("dim 0=2")
    facts.get_by_role("button", name="Add").click()
    row = facts.locator("tr", has_text="towers")
    expect(row).to_contain_text("word Tower=1")
    written = ws.memory.write(T, 0, {"word Tower": 1.0}, {"dim 0": 2.0}, 1.0, "towers")
    tokens = "The Tower is in"
    assert stream(page, tokens)[2] == pytest.approx(ws.run(written, tokens).stream[2], rel=1e-12)
    facts.get_by_role("button", name="edit towers").click()
    expect(facts.get_by_label("key")).to_have_value("word Tower=1.0")
    expect(facts.get_by_label("Block", exact=True)).to_be_disabled()
    facts.get_by_label("adds").fill("dim 0=3,dim 1=1")
    facts.get_by_label("name").fill("all towers")
    facts.get_by_role("button", name="Change", exact=True).click()
    expect(facts.locator("tr", has_text="all towers")).to_contain_text("dim 0=3, dim 1=1")
    (fact,) = [each for each in ws.memory.facts(written) if each.name == "towers"]
    assert fact.neuron is not None
    edited = ws.memory.edit(
        written, 0, fact.neuron, {"word Tower": 1.0}, {"dim 0": 3.0, "dim 1": 1.0}, 1.0, "all towers"
    )
    assert stream(page, tokens)[2] == pytest.approx(ws.run(edited, tokens).stream[2], rel=1e-12)
    expect(facts.get_by_role("button", name="Add", exact=True)).to_be_visible()
    facts.get_by_role("button", name="remove 2847").click()
    expect(facts.locator("tr", has_text="2847")).to_have_count(0)
    typed(page, "The Eiffel Tower is in")
    expect(answer(page)).to_have_text("→ London")  # the neuron that knew better is gone
    page.get_by_role("button", name="undo").click()
    expect(answer(page)).to_have_text("→ Paris")


@pytest.mark.long
def test_models_are_composed(page: Page) -> None:
    copied(page, "contains('1')")
    menu = panel(page, "compose")
    menu.get_by_label("composition").select_option("formula")
    menu.get_by_role("textbox").fill("S & ~T")
    menu.get_by_label("T", exact=True).select_option(label="parity")
    menu.get_by_role("button", name="compose").click()
    expect(tab(page, "steps")).to_have_text("steps 1")
    typed(page, "11")
    expect(answer(page)).to_have_text("→ YES")
    typed(page, "01")
    expect(answer(page)).to_have_text("→ NO")


def test_a_dropped_file_is_opened_and_a_malformed_one_is_refused(fresh: Page) -> None:
    T = ws.library.ends_with("ab", "abc")
    drop(fresh, "mine.safetensors", model_bytes(T))
    chosen = fresh.get_by_label("Model", exact=True).first
    expect(chosen.locator("option:checked")).to_have_text("mine")
    typed(fresh, "cab")
    expect(answer(fresh)).to_have_text("→ YES")
    drop(fresh, "<b>bad.safetensors", b"\xff" * 8 + model_bytes(T)[8:])
    said = fresh.get_by_text("<b>bad.safetensors cannot be opened")
    expect(said).to_contain_text("its header claims 18,446,744,073,709,551,615 bytes")
    expect(chosen.locator("option:checked")).to_have_text("mine")
    expect(answer(fresh)).to_have_text("→ YES")
    rewrite(fresh, "pad", "1")  # the model that was dropped is one to work with
    expect(tab(fresh, "steps")).to_have_text("steps 1")


@pytest.mark.long
def test_a_dropped_chain_plays_and_its_page_is_saved(fresh: Page, tmp_path: Path) -> None:
    C = ws.library.parity_chain(max_length=4)
    drop(fresh, "odd ones.safetensors", model_bytes(C))
    strip = fresh.get_by_label("the chain", exact=True)
    expect(strip).to_be_visible()
    typed(fresh, "0111")
    expect(answer(fresh)).to_have_text("→ YES")
    fresh.get_by_role("button", name="to the start of the chain").click()
    fresh.get_by_role("button", name="write the next token").click()
    assert strip.locator("li button").all_inner_texts() == list(C.run("0111").generated[:1])
    menu = panel(fresh, "rewrite")
    menu.locator("select").select_option(label="flag")
    menu.locator("input").fill("here=1")
    menu.get_by_role("button", name="apply").click()
    expect(fresh.get_by_role("alert")).to_contain_text("the studio plays and checks chains, and rewrites transformers")
    files = panel(fresh, "files")
    with fresh.expect_download() as saved:
        files.get_by_role("button", name="save the page").click()
    saved.value.save_as(tmp_path / "page.html")
    assert carried((tmp_path / "page.html").read_text())["input"] == [*"0111"]


def test_a_model_of_the_folder_is_opened(fresh: Page) -> None:
    files = panel(fresh, "files")
    files.get_by_label("from the folder").select_option("letters.safetensors")
    files.get_by_role("button", name="Open", exact=True).click()
    expect(fresh.get_by_label("Model", exact=True).first.locator("option:checked")).to_have_text("letters")
    typed(fresh, "aba")
    expect(answer(fresh)).to_have_text("→ YES")


def test_models_and_pages_are_saved(page: Page, tmp_path: Path, windows: Windows) -> None:
    copied(page, "contains('1')")
    rewrite(page, "normal form", "infinity")
    typed(page, "0110")
    files = panel(page, "files")
    with page.expect_download() as model:
        files.get_by_role("button", name="save the model").click()
    model.value.save_as(tmp_path / "model.safetensors")
    assert ws.load(tmp_path / "model.safetensors") == ws.infinity_form(ws.library.contains("1"))
    assert model.value.suggested_filename.endswith(".safetensors")
    with page.expect_download() as saved:
        files.get_by_role("button", name="save the page").click()
    saved.value.save_as(tmp_path / "page.html")
    alone = windows.empty(offline=True, viewport={"width": 1280, "height": 900})
    alone.goto((tmp_path / "page.html").as_uri())
    expect(alone.locator("[data-input]")).to_have_value("0110")
    expect(alone.locator(".answer b")).to_have_text("→ YES")


@pytest.mark.long
def test_a_running_check_is_watched_and_cancelled(page: Page) -> None:
    copied(page, "parity")
    claims = panel(page, "check")
    claims.get_by_label("claim").select_option("same logits")
    claims.get_by_label("Other model").select_option(label="parity")
    claims.get_by_label("up to").fill("40")
    claims.get_by_role("button", name="Check", exact=True).click()
    row = claims.locator("li", has_text="same logits, up to 40").first
    expect(row).to_have_attribute("data-state", "running")
    expect(row).to_contain_text("inputs …")
    row.get_by_role("button", name="cancel").click()
    expect(row).to_have_attribute("data-state", "cancelled")


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.one_in(2)
def test_nothing_stands_beyond_the_edge(fresh: Page, width: int) -> None:
    fresh.set_viewport_size({"width": width, "height": 860})
    for tool in ("steps", "rewrite", "compose", "facts", "check", "files"):
        expect(panel(fresh, tool)).to_be_visible()
        assert fresh.evaluate("document.documentElement.scrollWidth") <= width
        parts = fresh.locator(f"[data-tool-panel={tool}] :is(button, label)")
        edges = parts.evaluate_all("parts => parts.map((part) => part.getBoundingClientRect().right)")
        assert max(edges, default=0) <= width, tool


def story_steps(page: Page) -> Any:
    return page.locator("[data-tool-panel=story] li")


def test_a_story_is_written_step_by_step_told_saved_and_undone(page: Page, studio: Started) -> None:
    copied(page, "bank")
    tool = panel(page, "story")
    expect(story_steps(page)).to_have_count(7)
    for _ in range(7):
        tool.get_by_role("button", name="remove step 1").click()
    typed(page, "the river by the bank")
    page.locator("[data-input]").blur()
    page.keyboard.press("Home")
    tool.get_by_role("button", name="Take this view as a step").click()
    tool.get_by_label("caption of step 1").fill("Each word is a vector.")
    expect(story_steps(page).first).to_contain_text("embedding, at bank")
    page.locator("[data-step='1']").first.click()
    page.locator("[role=columnheader][data-position='1']").first.click()
    tool.get_by_role("button", name="Take this view as a step").click()
    expect(tool.get_by_role("button", name="Save the story")).to_be_disabled()  # a caption is missing
    tool.get_by_label("caption of step 2").fill("`river` stands here.")
    expect(story_steps(page).last).to_contain_text("block 0 attention, at river")
    tool.get_by_label("Title").fill("Two steps")
    tool.get_by_role("button", name="move step 2 up").click()
    tool.get_by_role("button", name="show step 1").click()  # told before it is saved
    expect(page.get_by_role("region", name="the story", exact=True)).to_contain_text("river stands here.")
    tool.get_by_role("button", name="Save the story").click()
    expect(tab(page, "steps")).to_have_text("steps 1")
    expect(tool.get_by_role("button", name="Save the story")).to_be_disabled()
    panel(page, "files")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the model").click()
    told = ws.load(download.value.path()).told
    assert told.to_json() == {
        "title": "Two steps",
        "input": "the river by the bank",
        "steps": [
            {
                **{"stage": "block 0 attention", "position": 1},
                **{"panels": ["stream", "heads"], "text": "`river` stands here."},
            },
            {"stage": "embedding", "position": 4, "panels": ["stream"], "text": "Each word is a vector."},
        ],
    }
    page.get_by_role("button", name="undo").click()
    panel(page, "story")
    expect(story_steps(page)).to_have_count(7)
