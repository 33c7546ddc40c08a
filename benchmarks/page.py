"""The page: how large its parts are, and how soon it shows something, in chromium.

Times run from the key to the end of the frame that shows what it changed: a message sent while a frame is prepared
arrives when that frame has been drawn.
"""

import gzip
import shutil
import statistics
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from rich.table import Table

import weightsmith as ws
from weightsmith.studio import document

REPEAT = 12
# Press a key, or type a text, and wait until the browser has drawn what follows from it (a text: that differs)
DRAWN = """new Promise(done => requestAnimationFrame(() => {
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => done(performance.now());
    port2.postMessage(null);
}))"""
STEP = f"""async key => {{
    const begin = performance.now();
    window.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true}}));
    return await {DRAWN} - begin;
}}"""
TYPE = f"""async text => {{
    const input = document.querySelector("[data-input]");
    const stream = document.querySelector("[aria-label='the stream']");
    const before = stream.textContent;
    const begin = performance.now();
    input.value = text;
    input.dispatchEvent(new Event("input", {{bubbles: true}}));
    await null;  // the page follows as soon as the event is over
    while (stream.textContent === before) await new Promise(requestAnimationFrame);
    return await {DRAWN} - begin;
}}"""


def measure() -> list[Table]:
    sizes = Table("", "bytes", "aim", title="Sizes")
    parts = [document.component(name).encode() for name in document.COMPONENT]
    sizes.add_row("component, gzipped", f"{sum(len(gzip.compress(part)) for part in parts):,}", "under 150,000")
    small = random_model(lanes=16, blocks=8)
    sizes.add_row(
        "file of 16 positions × 16 lanes × 8 blocks", f"{len(document.page(run(small, 16))):,}", "under 400,000"
    )
    times = Table("", "milliseconds", "aim", title="Times in chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        large = run(random_model(lanes=64, blocks=24), 128)
        page, opening = opened(browser, large, Path(folder))
        times.add_row("128 positions × 64 lanes × 24 blocks: opens", f"{opening:.0f}", "under 2,000")
        page.keyboard.press("Home")
        steps = [page.evaluate(STEP, "ArrowRight") for _ in range(REPEAT)]
        times.add_row("a step there: median, worst", f"{statistics.median(steps):.0f}, {max(steps):.0f}", "under 50")
        usual = random_model(lanes=22, blocks=3)
        page, _ = opened(browser, run(usual, 6), Path(folder))
        keys = [page.evaluate(TYPE, "ab" * (1 + n % 6)) for n in range(2 * REPEAT)]
        times.add_row(
            "a keystroke, 22 lanes × 3 blocks: median, worst",
            f"{statistics.median(keys):.0f}, {max(keys):.0f}",
            "under 50",
        )
        browser.close()
    return [sizes, times]


def random_model(lanes: int, blocks: int) -> ws.Transformer:
    """Return a model with one head and twice as many neurons as lanes in each block."""
    return ws.random_transformer("ab", lanes=lanes, blocks=blocks, heads=1, neurons=2 * lanes, max_length=128, seed=1)


def run(T: ws.Transformer, length: int) -> ws.Run:
    return ws.run(T, [T.vocabulary[i] for i in np.random.default_rng(1).integers(0, 2, length)])


def opened(browser: Browser, shown: ws.Run, folder: Path) -> tuple[Page, float]:
    """Open a page; return it, and the milliseconds from its address to its first picture of the stream."""
    path = folder / "page.html"
    shown.save_html(path)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector("[data-weightsmith] [role=grid]")
    shown_at: float = page.evaluate(f"async () => await {DRAWN}")
    return page, shown_at
