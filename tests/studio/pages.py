"""Pages taken apart, and names that try to break out of them."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page

import weightsmith as ws
from weightsmith.studio import save_html

BREAKING = "</script><script>alert(1)</script>"


HOSTILE = [BREAKING, "<!--<script>", "\"quoted\" 'twice'", "a\nb\r\u2028c", "&lt;", "]]>", "日本"]


class Elements(HTMLParser):
    """Notes every element with its text."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.found.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        """Note its text."""
        if self.found:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)


def elements(text: str) -> list[tuple[str, dict[str, str | None], str]]:
    parser = Elements()
    parser.feed(text)
    return parser.found


def carried(text: str) -> dict[str, Any]:
    """Return what a page carries."""
    (data,) = [inner for tag, attributes, inner in elements(text) if attributes.get("id") == "weightsmith-model"]
    found: dict[str, Any] = json.loads(data)
    return found


def hostile_model() -> ws.Transformer:
    lanes = [name for name in HOSTILE if name.isprintable()]
    return ws.Transformer(
        ws.Fixed(4, 4), HOSTILE, lanes, np.ones((len(HOSTILE), len(lanes))), output=np.ones((2, len(lanes))),
        classes=HOSTILE[:2], provenance=HOSTILE[:1],
    )  # fmt: skip


CELLS = """cells => cells.map(cell => cell.getAttribute("aria-label"))"""


LABEL = re.compile(r"(.*) at (.*), position (\d+): ([^,]*)(, before .*|, differs)?")


def saved(shown: ws.Run | ws.Transformer, folder: Path, **options: Any) -> Path:
    path = folder / "page.html"
    save_html(shown, path, **options)
    return path


def number(text: str, A: Any) -> float:
    text = text.replace("−", "-")
    return float(text.replace("∞", repr(float(A.infinity))))


def cells(page: Page) -> dict[tuple[str, int], str]:
    """Return what the stream shows, by lane and position: of the chosen sublayer, not the history beside it."""
    found: dict[tuple[str, int], str] = {}
    for label in page.get_by_label("the stream", exact=True).locator("[role=gridcell]").evaluate_all(CELLS):
        match = LABEL.fullmatch(label)
        assert match is not None, label
        found.setdefault((match[1], int(match[3])), match[4])
    return found
