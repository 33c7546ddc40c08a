"""A real browser, offline: whatever a page asks of the network, or complains about, is a failure.

A window costs more than what is shown in it, so windows stay open for the tests of a file, and each test loads its
document anew in one that no other test uses meanwhile.
"""

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

Opened: TypeAlias = Callable[..., Page]
NO_BROWSER = "the page is tested in chromium, which is not here: write make test, or sudo apt-get install chromium"
# Beside an address bar that nobody sees, chromium renders its list of suggestions: pages of its own, in every window,
# which take longer than ours. What follows them is what Playwright leaves out, for the last such option alone counts.
WITHOUT = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    *("AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding"),
    *("PreconnectToSearch", "ThirdPartyStoragePartitioning", "Translate"),
)


@pytest.fixture(scope="module")  # not longer: while it is open, no other test of the process could have an event loop
def browser() -> Iterator[Browser]:
    """Return a chromium that stays open for the tests of a file."""
    program = shutil.which("chromium")
    assert program is not None, NO_BROWSER
    arguments = ["--no-sandbox", f"--disable-features={','.join(WITHOUT)}"]
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=arguments) as chromium,
    ):
        yield chromium


class Windows:
    """Windows that stay open, and what was asked or complained of in them."""

    def __init__(self, browser: Browser) -> None:
        """Begin with none."""
        self.browser = browser
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._free: dict[str, list[Page]] = defaultdict(list)
        self._used: list[tuple[str, Page]] = []

    def empty(self, **options: Any) -> Page:
        """Return an empty page, in a window with such options that no test has now."""
        kind = repr(sorted(options.items()))
        page = self._free[kind].pop() if self._free[kind] else self._opened(options)
        if page.viewport_size != options["viewport"]:
            page.set_viewport_size(options["viewport"])
        self._used.append((kind, page))
        return page

    def _opened(self, options: dict[str, Any]) -> Page:
        page = self.browser.new_context(**options).new_page()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("request", lambda request: self.requests.append(request.url))
        return page

    def leave(self) -> tuple[list[str], list[str]]:
        """Empty all windows for the next test; return what was complained of and asked for."""
        for kind, page in self._used:
            page.mouse.move(0, 0)
            page.goto("about:blank")
            self._free[kind].append(page)
        found = self.complaints, self.requests
        self.complaints, self.requests, self._used = [], [], []
        return found


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Windows:
    """Return the windows of a file's tests."""
    return Windows(browser)


@pytest.fixture
def opened(windows: Windows) -> Iterator[Opened]:
    """Return a function that opens a page from its file; at the end nothing may have been asked or complained of."""

    def open_file(path: Path, address: str = "", width: int = 1280, height: int = 900, **options: Any) -> Page:
        page = windows.empty(offline=True, viewport={"width": width, "height": height}, **options)
        page.goto(f"{path.as_uri()}{address}")
        page.wait_for_selector("[data-weightsmith] [role=grid], [data-weightsmith] .empty")
        return page

    yield open_file
    complaints, requests = windows.leave()
    asked = [url for url in requests if not url.startswith(("file:", "data:", "blob:", "about:"))]
    assert (complaints, asked) == ([], [])
