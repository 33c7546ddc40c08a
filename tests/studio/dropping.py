"""Files that are dropped on a page, as a person does."""

import base64

from playwright.sync_api import Page

HELD = """([name, text]) => {
    const held = new DataTransfer();
    held.items.add(new File([Uint8Array.from(atob(text), letter => letter.charCodeAt(0))], name));
    return held;
}"""


def drop(page: Page, name: str, content: bytes) -> None:
    """Drag a file over the page and let go of it."""
    held = page.evaluate_handle(HELD, [name, base64.b64encode(content).decode()])
    for event in ("dragover", "drop"):
        page.dispatch_event("[data-weightsmith] .page", event, {"dataTransfer": held})
