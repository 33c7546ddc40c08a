"""A real browser, offline: whatever a page asks of the network, or complains about, is a failure.

A window costs more than what is shown in it, so windows stay open for the tests of a file, and each test loads its
document anew in one that no other test uses meanwhile. To load it costs more than to look at it, so tests that only
look at a run share the document, and each begins where an address leads.
"""

import itertools
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import TimeoutError as PageTimeoutError

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
SEEN = "try { localStorage.setItem('weightsmith-tour', 'seen'); } catch {}"  # no page of a test is a first visit
DRAWN = "[data-weightsmith] [role=grid], [data-weightsmith] .empty"
ANEW = """address => new Promise(done => {
    document.activeElement?.blur();
    const own = address.slice(address.lastIndexOf("number="));
    const set = () => {
        // after the page's own listener; again, if the page wrote the address of the view before in the meantime
        addEventListener("hashchange", () => location.hash.endsWith(own) ? done() : set(), {once: true});
        location.hash = address;
    };
    set();
})"""


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
        page = self._free[kind].pop() if self._free[kind] else self._opened({**options})
        if page.viewport_size != options["viewport"]:
            page.set_viewport_size(options["viewport"])
        self._used.append((kind, page))
        return page

    def keep(self, page: Page) -> None:
        """Leave a page as it is between tests."""
        self._used = [(kind, other) for kind, other in self._used if other is not page]

    def _opened(self, options: dict[str, Any]) -> Page:
        first_visit = options.pop("first_visit", False)
        context = self.browser.new_context(**options)
        if not first_visit:
            context.add_init_script(SEEN)
        page = context.new_page()
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

    def leave_in_peace(self) -> None:
        """Empty all windows; nothing may have been complained of, and nothing asked of the network."""
        complaints, requests = self.leave()
        asked = [url for url in requests if not url.startswith(("file:", "data:", "blob:", "about:"))]
        assert (complaints, asked) == ([], [])


_numbers = itertools.count()


def again(page: Page, **sight: Any) -> None:
    """Show something with nothing chosen, whatever a test before has done: by an address.

    One part of it the page does not know: so each address is a new one.
    """
    page.evaluate(ANEW, urlencode({**sight, "number": next(_numbers)}))


class Shared:
    """A document that tests look at one after the other, without loading it again."""

    def __init__(self, windows: Windows, path: Path, text: str) -> None:
        """Load a page from its file, whose input is a text."""
        self.windows, self.text = windows, text
        self.page = windows.empty(offline=True, viewport={"width": 1280, "height": 900})
        windows.keep(self.page)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(DRAWN)
        with suppress(PageTimeoutError):  # its own address, written a little later, would undo another one
            self.page.wait_for_url(lambda url: "#" in url, timeout=2000)

    @contextmanager
    def opened(self) -> Iterator[Page]:
        """Show it at the embedding; at the end nothing may have been asked or complained of."""
        again(self.page, model=0, input=self.text, step=0)
        yield self.page
        self.windows.leave_in_peace()


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
        page.wait_for_selector(DRAWN)
        return page

    yield open_file
    windows.leave_in_peace()
