"""The page: the size of its parts, and the time until it draws, in chromium.

Keys are pressed as a reader presses them. Times run from the press to the end of the frame in which the stream is
another one: a message sent while a frame is prepared arrives when that frame has been drawn.
"""

import gzip
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from rich.table import Table

import weightsmith as ws
from weightsmith.files import model_bytes
from weightsmith.studio import document

REPEAT = 12
DRAWN = """new Promise(done => {
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => done(performance.now());
    port2.postMessage(null);
})"""
OPENED = f"async () => {{ await new Promise(requestAnimationFrame); return await {DRAWN}; }}"
# Wait for a key, and then for the frame in which a part of the page is another one
WATCH = f"""part => {{
    const watched = document.querySelector(part);
    const before = watched.textContent;
    const answered = async ({{timeStamp}}) => {{
        do await new Promise(requestAnimationFrame); while (watched.textContent === before);
        return await {DRAWN} - timeStamp;
    }};
    window.answer = new Promise(done => addEventListener("keydown", key => done(answered(key)), {{once: true}}));
}}"""
STREAM, PANELS = "[aria-label='the stream']", "main aside"
LETTERS = 12
PRESENTER = "#present"
LOOKED_AT = 1500  # milliseconds that the first picture is looked at; meanwhile the page prepares the steps
PAUSE = 300  # after the way back to the start


def measure() -> list[Table]:
    sizes = Table("", "bytes", "aim", title="Sizes")
    parts = [document.component(name).encode() for name in document.COMPONENT]
    sizes.add_row("component, gzipped", f"{sum(len(gzip.compress(part)) for part in parts):,}", "under 200,000")
    small = random_model(lanes=16, blocks=8)
    sizes.add_row(
        "file of 16 positions × 16 lanes × 8 blocks", f"{len(document.page(run(small, 16))):,}", "under 650,000"
    )
    written = Table("", "seconds", "× gzip -6 of the model file", "aim", title="Writing the page of a large model")
    million = ws.random_transformer("ab", lanes=128, blocks=4, heads=4, neurons=512, max_length=128, seed=1)
    seconds, alone = timed(lambda: document.page(million)), timed(lambda: gzip.compress(model_bytes(million), 6))
    written.add_row(f"{million.weights:,} weights", f"{seconds:.2f}", f"{seconds / alone:.2f}", "under 5 s")
    times = Table("", "milliseconds", "aim", title="Times in chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        large = run(random_model(lanes=64, blocks=24), 128)
        page, opening = opened(browser, large, Path(folder))
        times.add_row("128 positions × 64 lanes × 24 blocks: opens", f"{opening:.0f}", "under 2,000")
        page.keyboard.press("Home")
        steps = [pressed(page, "ArrowRight") for _ in range(REPEAT)]
        times.add_row("a step there: median, worst", f"{statistics.median(steps):.0f}, {max(steps):.0f}", "under 50")
        panels = [pressed(page, "ArrowLeft", PANELS) for _ in range(REPEAT)]
        times.add_row("until its panels follow, when the steps pause: median", f"{statistics.median(panels):.0f}", "")
        presented, _ = opened(browser, run(random_model(lanes=17, blocks=12), 5), Path(folder), PRESENTER)
        presented.wait_for_timeout(LOOKED_AT)
        presented.keyboard.press("Home")
        presented.wait_for_timeout(PAUSE)
        turns = [pressed(presented, key) for _ in range(REPEAT) for key in ("PageDown", "PageDown", "PageUp")]
        times.add_row(
            "presenter mode, 1920 × 1080, 5 positions × 17 lanes: a key, median, worst",
            f"{statistics.median(turns):.0f}, {max(turns):.0f}",
            "under 50",
        )
        usual = random_model(lanes=22, blocks=3)
        page, _ = opened(browser, run(usual, 6), Path(folder))
        keys = typed(page)
        times.add_row(
            "a keystroke, 22 lanes × 3 blocks: median, worst",
            f"{statistics.median(keys):.0f}, {max(keys):.0f}",
            "under 50",
        )
        heads = run(random_model(lanes=96, blocks=12, heads=12), 64)
        page, opening = opened(browser, heads, Path(folder))
        times.add_row("64 positions × 12 blocks × 12 heads, 96 lanes: opens", f"{opening:.0f}", "under 2,000")
        page.keyboard.press("Home")
        steps = [pressed(page, "ArrowRight") for _ in range(REPEAT)]
        times.add_row("a step there: median, worst", f"{statistics.median(steps):.0f}, {max(steps):.0f}", "under 50")
        page.keyboard.press("End")
        panels = [pressed(page, "ArrowLeft", PANELS) for _ in range(REPEAT)]
        times.add_row("until all heads are drawn, when the steps pause: median", f"{statistics.median(panels):.0f}", "")
        page.keyboard.press("Home")
        pressed(page, "ArrowRight", PANELS)
        chosen = [pressed(page, "h", PANELS) for _ in range(REPEAT)]
        times.add_row(
            "another head chosen: median, worst", f"{statistics.median(chosen):.0f}, {max(chosen):.0f}", "under 50"
        )
        browser.close()
    return [sizes, written, times]


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def random_model(lanes: int, blocks: int, heads: int = 1) -> ws.Transformer:
    """Return a model with twice as many neurons as lanes in each block."""
    return ws.random_transformer("ab", lanes, blocks, heads, 2 * lanes, max_length=128, seed=1)


def run(T: ws.Transformer, length: int) -> ws.Run:
    return ws.run(T, [T.vocabulary[i] for i in np.random.default_rng(1).integers(0, 2, length)])


def opened(browser: Browser, shown: ws.Run, folder: Path, address: str = "") -> tuple[Page, float]:
    """Open a page; return it, and the milliseconds from its address to its first picture of the stream."""
    path = folder / "page.html"
    shown.save_html(path)
    wide = address == PRESENTER
    page = browser.new_page(viewport={"width": 1920, "height": 1080} if wide else {"width": 1280, "height": 900})
    page.add_init_script("localStorage.setItem('weightsmith-tour', 'seen')")  # not a first visit
    page.goto(f"{path.as_uri()}{address}")
    page.wait_for_selector("[data-weightsmith] [role=grid]")
    shown_at: float = page.evaluate(OPENED)
    return page, shown_at


def pressed(page: Page, key: str, part: str = STREAM) -> float:
    """Press a key; return the milliseconds until the stream, or another part, that follows from it is drawn."""
    page.evaluate(WATCH, part)
    page.keyboard.press(key)
    answer: float = page.evaluate("window.answer")
    return answer


def typed(page: Page) -> list[float]:
    """Type inputs of one to twelve letters, letter by letter, each in place of the one before."""
    page.locator("[data-input]").select_text()
    first = [pressed(page, "ab"[n % 2]) for n in range(LETTERS)]
    page.locator("[data-input]").select_text()
    return first + [pressed(page, "ba"[n % 2]) for n in range(LETTERS)]
