"""Make the pictures of the documentation: `make pictures` writes them to docs/pictures/.

They are taken from the page itself, in chromium, at 1280 and at 400 pixels of width. Needs what `make test` needs.
"""

import io
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import weightsmith as ws
from weightsmith.studio import page

FOLDER = Path(__file__).parent / "pictures"
WIDTHS = (1280, 400)
LARGEST = 150_000  # bytes
MARGIN = 12  # pixels around a panel
REVERSE = """flip = length - indices - 1;
reverse = aggregate(select(indices, flip, ==), tokens);"""


@dataclass(frozen=True)
class View:
    """A picture: a run, optionally a second one, the view, and the panels to include."""

    run: ws.Run
    beside: ws.Run | None = None
    sight: dict[str, int | str] = field(default_factory=dict)
    panels: tuple[str, ...] = ("the stream",)  # by label; the picture spans from the first to the last
    from_top: bool = True  # at 1280 pixels the picture begins at the top of the page
    press: str = ""  # the label of a box to tick first
    circuit: int | None = None  # the length of inputs on which edges are cut
    part: str = ""  # of the circuit, to click first


def views() -> dict[str, View]:
    """Return the views by the names of their pictures."""
    eiffel, bank = ws.library.eiffel(), ws.library.bank()
    paris = ws.run(eiffel, "The Eiffel Tower is in")
    river = ws.run(bank, "the river by the bank")
    word = ws.library.contains_word("101")
    reverse = ws.programs.compile_rasp(REVERSE, vocabulary="abc", max_length=10).transformer
    return {
        "stream": View(paris, sight={"step": 3}),
        "attention": View(paris, sight={"step": 1, "position": 2}, panels=("the stream", "attention")),
        "memory": View(river, sight={"step": 2}, panels=("the stream", "feed-forward as a memory")),
        "answer": View(paris, sight={"step": 4}, panels=("the answer",), from_top=False),
        "weights": View(
            paris,
            sight={"step": 3},
            panels=("weights",),
            from_top=False,
            press="Hide rows and columns of zeros",
        ),
        "program": View(ws.run(reverse, "abca"), sight={"step": 2}, panels=("the stream", "attention", "the program")),
        "circuit": View(
            ws.run(reverse, "abca"), panels=("the circuit",), from_top=False, circuit=3, part="blocks.1.attn.head.0"
        ),
        "two": View(
            ws.run(word, "01010"),
            beside=ws.run(word, "01100"),
            sight={"step": 2},
            panels=("the stream", "what differs here"),
        ),
    }


def take(browser: Browser, view: View, width: int) -> bytes:
    """Return a picture of a view as PNG."""
    shown = page(
        view.run, beside=view.beside, names=[_name(view.run), _name(view.beside or view.run)], circuit=view.circuit
    )
    sheet = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="light", reduced_motion="reduce")
    sheet.add_init_script("localStorage.setItem('weightsmith-tour', 'seen')")  # without the tour of a first visit
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(shown, encoding="utf-8")
        sheet.goto(f"{file.as_uri()}#{urlencode(_sight(view))}")
        sheet.wait_for_selector("[data-weightsmith] main")
        if view.press:
            sheet.get_by_label(view.press).check()
        if view.part:
            sheet.locator(f'[data-part="{view.part}"]').dispatch_event("click")
        height = sheet.evaluate("document.querySelector('[data-weightsmith] > *').scrollHeight")
        sheet.set_viewport_size({"width": width, "height": height + 80})  # so that nothing scrolls or overlaps
        sheet.wait_for_timeout(600)
        taken = sheet.screenshot(clip=_clip(sheet, view, width))
    sheet.close()
    return _small(taken)


def _sight(view: View) -> dict[str, int | str]:
    """Return the URL of the page with the view."""
    letters = all(len(token) == 1 for token in view.run.transformer.vocabulary)
    gap = "" if letters else " "
    beside = {} if view.beside is None else {"beside": 0, "beside-input": gap.join(view.beside.tokens)}
    return {"model": 0, "input": gap.join(view.run.tokens), **beside, **view.sight}


def _clip(sheet: Page, view: View, width: int) -> dict[str, float]:
    """Return the rectangle of the page for the picture."""
    boxes = [sheet.locator(f'section.panel[aria-label="{panel}"]').bounding_box() for panel in view.panels]
    found = [box for box in boxes if box is not None]
    assert len(found) == len(boxes), f"the page has not all of the panels {view.panels}"
    bottom = max(box["y"] + box["height"] for box in found) + MARGIN
    if view.from_top:
        return {"x": 0, "y": 0, "width": width, "height": bottom}
    left = max(0, found[0]["x"] - MARGIN)
    top = found[0]["y"] - MARGIN
    return {"x": left, "y": top, "width": min(width - left, found[0]["width"] + 2 * MARGIN), "height": bottom - top}


def _name(run: ws.Run) -> str:
    return run.transformer.provenance[0].removeprefix("library.").removesuffix("()")


def _small(taken: bytes) -> bytes:
    """Return a picture with 256 colours that look like the true ones, because colours encode values."""
    few = (
        Image.open(io.BytesIO(taken)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    out = io.BytesIO()
    few.save(out, "png", optimize=True)
    return out.getvalue()


def drawings() -> dict[str, str]:
    """Return the pictures that Python draws, by their names in `_static/`."""
    paris = ws.run(ws.library.eiffel(ws.Fixed(4, 4)), "The Eiffel Tower is in")
    return {"lens": ws.lens(paris).svg(), "circuit": ws.export.circuit_svg(ws.library.balanced(2))}


def main() -> int:
    """Write all pictures, or those named."""
    for name, drawing in drawings().items():
        (FOLDER.parent / "_static" / f"{name}.svg").write_text(drawing, encoding="utf-8")
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("the pictures are taken in a browser: install chromium")
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, view in views().items():
            for width in WIDTHS:
                if sys.argv[1:] and name not in sys.argv[1:]:
                    continue
                content = take(browser, view, width)
                path = FOLDER / f"{name}-{width}.png"
                path.write_bytes(content)
                sys.stdout.write(f"{path.name}: {len(content):,} bytes\n")
                if len(content) > LARGEST:
                    sys.exit(f"{path.name} has {len(content):,} bytes, and {LARGEST:,} are enough: show a smaller run")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
