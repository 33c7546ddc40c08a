"""A real browser, offline: whatever a page asks of the network, or complains about, is a failure."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

Opened: TypeAlias = Callable[..., Page]
NO_BROWSER = "the page is tested in chromium, which is not here: write make test, or sudo apt-get install chromium"


@pytest.fixture(scope="module")  # not longer: while it is open, no other test of the process could have an event loop
def browser() -> Iterator[Browser]:
    """Return a chromium that stays open for the tests of a file."""
    program = shutil.which("chromium")
    assert program is not None, NO_BROWSER
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=["--no-sandbox"]) as chromium,
    ):
        yield chromium


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Return a function that opens a page from its file; at the end nothing may have been asked or complained of."""
    complaints: list[str] = []
    with ExitStack() as contexts:

        def open_file(path: Path, address: str = "", width: int = 1280, height: int = 900, **options: Any) -> Page:
            context = contexts.enter_context(
                browser.new_context(offline=True, viewport={"width": width, "height": height}, **options)
            )
            page = context.new_page()
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("dialog", lambda dialog: complaints.append(dialog.message))
            page.on("request", lambda request: note(request.url))
            page.goto(f"{path.as_uri()}{address}")
            page.wait_for_selector("[data-weightsmith] [role=grid], [data-weightsmith] .empty")
            return page

        def note(url: str) -> None:
            if not url.startswith(("file:", "data:", "blob:")):
                complaints.append(f"it asked for {url}")

        yield open_file
    assert complaints == []
