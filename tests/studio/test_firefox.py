"""The page in Firefox: it shows what `ws.run` computes, and its engine finds the same bits as Python.

The scripts that other tests run with Node run here in a page, with what they need of Node from `in_a_page/`.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PageTimeoutError

import weightsmith as ws
from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from tests.kernels.models import LENGTH, random_model
from tests.studio.conftest import DRAWN, Windows
from tests.studio.engine import Cases
from tests.studio.firefox import firefox
from tests.studio.folder_server import served
from tests.studio.node import COMPONENT
from tests.studio.pages import saved
from tests.studio.test_engine import inputs_of, near_midpoints
from tests.studio.test_figure import FITS
from tests.studio.test_page import assert_shows
from weightsmith import Block, FeedForward, Softmax, Transformer, parse_arithmetic

HERE = Path(__file__).parent
EMPTY = '<!doctype html><title>engine</title><script type="importmap">{"imports": %s}</script>'
RUN = """async ({script, nudged}) => {
    const printed = [];
    let turn = 0;
    for (const name of nudged) {
        const exact = Math[name];
        Math[name] = x => exact(x) * (1 + (turn++ % 3 - 1) * 2 ** -44);  // far worse than any browser
    }
    globalThis.process = {argv: ["", "", "/weightsmith.js", "/cases"]};
    console.log = text => printed.push(text);
    await import(script);
    return printed.join("\\n");
}"""
NUDGED = ("exp", "sin", "cos")
Script = Callable[..., str]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a Firefox that stays open for the tests of this file."""
    with sync_playwright() as playwright, firefox(playwright, tmp_path_factory.mktemp("firefox")) as found:
        yield found


@pytest.fixture
def script(windows: Windows, tmp_path: Path) -> Iterator[Script]:
    """Return a function like `run_node`, for scripts that get a folder: it runs them in a page."""
    root = tmp_path / "served"
    root.mkdir()
    shutil.copy(COMPONENT, root / "weightsmith.js")
    for path in (*HERE.glob("*.mjs"), *(HERE / "in_a_page").glob("*.mjs")):
        shutil.copy(path, root / path.name)
    names = json.dumps({f"node:{name}": f"/{name}.mjs" for name in ("fs", "url")})
    (root / "index.html").write_text(EMPTY % names, encoding="utf-8")
    with served(root) as address:

        def run(name: str, folder: Path, nudged: tuple[str, ...] = ()) -> str:
            (root / "cases").symlink_to(folder)
            page = windows.empty(viewport={"width": 1280, "height": 900})
            page.goto(f"{address}/index.html")
            return str(page.evaluate(RUN, {"script": f"/{name}", "nudged": nudged}))

        yield run
        complaints, _ = windows.leave()
        assert [text for text in complaints if "favicon" not in text] == []


@pytest.fixture
def opened(windows: Windows, tmp_path: Path) -> Iterator[Callable[[ws.Run], Page]]:
    """Return a function that opens the page of a run from its file."""

    def open_run(run: ws.Run) -> Page:
        page = windows.empty(viewport={"width": 1280, "height": 900})
        page.goto(saved(run, tmp_path).as_uri())
        page.wait_for_selector(DRAWN)
        return page

    yield open_run
    windows.leave_in_peace()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["fixed(4,4)", "float(4,3,ties=even)", "bfloat16", "fixed(12,13)"])
def test_random_models_run_in_firefox_as_in_python(form: str, script: Script, tmp_path: Path) -> None:
    A, cases = parse_arithmetic(form), Cases(tmp_path, script=script)
    for seed in range(5):
        cases.add_model(T := random_model(A, seed), inputs_of(T, seed))
    for n, rule in enumerate(RULES):
        how: Any = {"heads": 1 + n % 3, "norms": n % 2 == 1, "tied": n % 3 == 0, "parallel": n % 4 > 1}
        T = kind_of_model(A, n, rule, ACTIVATIONS[n % len(ACTIVATIONS)], **how)
        cases.add_model(T, inputs_of(T, n, (2, LENGTH)))
    cases.assert_equal()
    assert cases.runs >= 15


def test_the_bits_do_not_depend_on_a_browsers_own_functions(script: Script, tmp_path: Path) -> None:
    """Functions beside a midpoint, and exp, sin and cos of the browser made worse: the engine computes more bits."""
    A: Any = parse_arithmetic("float(8,25)")
    cases = Cases(tmp_path, script=partial(script, nudged=NUDGED))
    for name in ("gelu", "gelu_tanh", "silu"):
        hard = near_midpoints(A, name, 100)
        tokens = [f"t{n}" for n in range(len(hard))]
        layer = FeedForward(np.array([[1.0, 0.0]]), None, np.zeros((2, 1)), None, name)  # type: ignore[arg-type]
        embedding = np.array([[x, 1.0] for x in hard])
        cases.add_model(
            Transformer(A, tokens, ("x", "one"), embedding, None, (Block(None, layer),), np.zeros((2, 2)), mask="full"),
            [tokens],
        )
    for seed in range(4):
        cases.add_model(T := random_model(A, seed), inputs_of(T, seed))
    cases.assert_equal()


def test_the_machines_arithmetic_is_as_near_in_firefox_as_its_bits(script: Script, tmp_path: Path) -> None:
    A, cases = parse_arithmetic("float64"), Cases(tmp_path, 1e-12, script)
    for seed in range(6):
        cases.add_model(T := random_model(A, seed, Softmax(shifted=True)), inputs_of(T, seed), sums="left")
    cases.assert_equal()
    assert cases.runs > 6


def test_texts_continue_in_firefox_as_in_python(script: Script, tmp_path: Path) -> None:
    T, text = ws.library.eiffel(), ["The", "Eiffel"]
    ws.save(T, tmp_path / "eiffel.safetensors")
    ways: list[tuple[float, int | None, int]] = [(h, k, seed) for h in (0.0, 2.0) for k in (None, 4) for seed in (0, 7)]
    texts = [{"tokens": text, "steps": 9, "how": {"temperature": h, "topK": k, "seed": s}} for h, k, s in ways]
    cases = {"cases": [{"file": "eiffel.safetensors", "texts": texts}]}
    (tmp_path / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    (found,) = json.loads(script("chains.mjs", tmp_path))
    assert found == [list(ws.generate(T, text, 9, temperature=h, top_k=k, seed=s)) for h, k, s in ways]


def test_the_page_opens_in_firefox_and_every_step_shows_what_run_computes(opened: Callable[[ws.Run], Page]) -> None:
    T = ws.library.contains("1")
    r = ws.run(T, "0010")
    page = opened(r)
    page.keyboard.press("Home")
    for stage in (0, 1):
        assert_shows(page, r, stage)
        page.keyboard.press("ArrowRight")
    page.fill("[data-input]", "0000")
    expect(page.get_by_role("status")).to_contain_text(f"→ {ws.run(T, '0000').decision}")
    page.fill("[data-input]", "00x")
    expect(page.get_by_text(re.compile("“x” is not a token of this model"))).to_be_visible()


def test_the_main_controls_work_in_firefox(opened: Callable[[ws.Run], Page], tmp_path: Path) -> None:
    page = opened(ws.run(ws.library.eiffel(), "The Eiffel Tower is in"))
    with suppress(PageTimeoutError):
        page.wait_for_url(lambda url: "#" in url, timeout=2000)
    page.get_by_role("button", name="previous sublayer").click()
    page.get_by_role("button", name="next sublayer").click()
    page.locator("[aria-label=sublayers] button").first.click()
    expect(page.locator("[aria-current=step]")).to_contain_text("embedding")
    page.get_by_role("button", name="play").click()
    expect(page.locator("[aria-current=step]")).to_contain_text("attention")
    page.get_by_role("button", name="pause").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    theme = page.locator("[data-weightsmith]").get_attribute("data-theme")
    page.get_by_role("button", name=re.compile("colours")).click()
    expect(page.locator("[data-weightsmith]")).not_to_have_attribute("data-theme", str(theme))
    page.get_by_label("Compare with").select_option(label="same model, other input")
    page.get_by_label("Input of B").fill("The London Tower is in")
    expect(page.get_by_role("status")).to_contain_text("different decisions")
    expect(page).to_have_url(re.compile("beside-input=The[+]London|beside-input=The%20London"))
    for kind, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG\r\n")):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind).first.click()
        download.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(begin)


def test_a_figure_fits_into_its_height_in_firefox_and_its_picture_is_saved_enlarged(
    opened: Callable[[ws.Run], Page], tmp_path: Path
) -> None:
    page = opened(ws.run(ws.library.eiffel(), "The Eiffel Tower is in"))
    page.goto(f"{page.url.partition('#')[0]}#model=0&input=The+Eiffel+Tower+is+in&step=3&panel=lens&height=600")
    page.reload()
    page.wait_for_selector(".figure .panel")
    page.wait_for_function(FITS)
    assert float(page.locator(".shown").evaluate("one => one.style.zoom")) > 1.2
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "lens.svg")
    sizes = re.findall('font-size="([0-9.]+)"', (tmp_path / "lens.svg").read_text(encoding="utf-8"))
    assert max(map(float, sizes)) > 1.2 * 14
