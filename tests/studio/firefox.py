"""Debian's Firefox for Playwright, which drives it by WebDriver BiDi.

Playwright sets the media features of each window, and Firefox ESR does not know that command; Playwright knows a
download by its navigation, and Firefox ESR gives none to a file that a page made. So Playwright starts this module
instead of Firefox. It starts Firefox and relays the messages of both, but for these two.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import Browser, Playwright
from tornado import httpserver, ioloop, netutil, web, websocket

ANSWERED = "emulation.setMediaFeaturesOverride"
DOWNLOAD = '"method":"browsingContext.download'
SHORT = 100  # characters, within which an event is named
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
LARGEST = 1 << 28  # bytes of a message
NO_FIREFOX = "the page is tested in Firefox too: write make test, or sudo apt-get install firefox-esr"


def installed() -> str:
    """Return the program: Debian's, or another."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    assert program is not None, NO_FIREFOX
    return program


@contextmanager
def firefox(playwright: Playwright, folder: Path) -> Iterator[Browser]:
    """Start Firefox by this module; the folder gets the script that does it."""
    installed()
    program = folder / "firefox"
    root = Path(__file__).parents[2]
    program.write_text(f'#!/bin/sh\ncd "{root}" && exec "{sys.executable}" -m {__name__} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    with playwright.firefox.launch(channel="moz-firefox", executable_path=program) as browser:
        yield browser


class Relay(websocket.WebSocketHandler):
    """Playwright's end; the other one is a client of Firefox."""

    firefox: websocket.WebSocketClientConnection

    def initialize(self, address: str) -> None:
        """Take the address of Firefox."""
        self.address = address

    def check_origin(self, origin: str) -> bool:
        """Accept Playwright, which has none."""
        return True

    async def open(self, *_: str, **__: str) -> None:
        """Connect to Firefox."""
        self.firefox = await websocket.websocket_connect(
            f"{self.address}/session", on_message_callback=self.said, max_message_size=LARGEST
        )

    async def on_message(self, message: str | bytes) -> None:
        """Relay a command, or answer it."""
        command = json.loads(message)
        if command["method"] == ANSWERED:
            await self.write_message(json.dumps({"type": "success", "id": command["id"], "result": {}}))
        else:
            await self.firefox.write_message(message)

    def said(self, message: Any) -> None:
        """Relay an answer or an event; None is the end."""
        if message is None:
            self.close()
        elif DOWNLOAD in message[:SHORT]:
            event = json.loads(message)
            event["params"]["navigation"] = event["params"]["navigation"] or event["params"]["url"]
            self.write_message(json.dumps(event))
        else:
            self.write_message(message)

    def on_close(self) -> None:
        """End with Playwright."""
        self.firefox.close()


def main() -> int:
    """Start Firefox, name the relay's address where Firefox names its own, and return Firefox's exit code."""
    process = subprocess.Popen([installed(), *sys.argv[1:]], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    address = next((found[1] for line in process.stderr if (found := LISTENING.search(line))), None)
    if address is None:
        return process.wait() or 1
    Thread(target=process.stderr.read, daemon=True).start()  # so that Firefox never waits for a reader
    sockets = netutil.bind_sockets(0, "127.0.0.1")
    application = web.Application([("/session", Relay, {"address": address})], websocket_max_message_size=LARGEST)
    httpserver.HTTPServer(application).add_sockets(sockets)
    sys.stderr.write(f"WebDriver BiDi listening on ws://127.0.0.1:{sockets[0].getsockname()[1]}\n")
    sys.stderr.flush()
    loop = ioloop.IOLoop.current()

    def stop_with_firefox() -> None:
        process.wait()
        loop.add_callback(loop.stop)

    Thread(target=stop_with_firefox, daemon=True).start()
    loop.start()
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
