"""A studio as a person starts it, in a process of its own, and requests to it as anybody on this machine could send."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Started(NamedTuple):
    """A studio that runs."""

    process: subprocess.Popen[str]
    address: str  # with the token
    base: str
    port: int
    token: str


@contextlib.contextmanager
def started(*arguments: str | Path, **environment: str) -> Iterator[Started]:
    """Start a studio, and end it as Ctrl-C does."""
    command = [sys.executable, "-m", "weightsmith", "studio", "--no-browser", *map(str, arguments)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **environment})
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        address = process.stdout.readline().strip()
        assert address, process.stderr.read()
        base, _, token = address.partition("/#token=")
        yield Started(process, address, base, int(base.rpartition(":")[2]), token)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, process.stderr.read()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> str:
        """The words of a refusal."""
        text: str = json.loads(self.body)["error"]
        return text


def sent(port: int, request: bytes, address: str = "127.0.0.1") -> Answer:
    """Send bytes and read the answer, up to the end of the connection or of what it announces."""
    with socket.create_connection((address, port), timeout=60) as connection:
        connection.sendall(request)
        received = b""
        while b"\r\n\r\n" not in received:
            part = connection.recv(65536)
            assert part, received
            received += part
        head, _, body = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", "0")):
            part = connection.recv(65536)
            if not part:
                break
            body += part
    return Answer(int(first.split()[1]), headers, body)


def request(studio: Started, method: str, path: str, body: bytes = b"", **changed: Any) -> bytes:
    """Return a request as the page would send it; a header that is changed to None is left out."""
    headers: dict[str, Any] = {
        "Host": f"127.0.0.1:{studio.port}",
        "Origin": studio.base,
        "X-Weightsmith-Token": studio.token,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode() + body
