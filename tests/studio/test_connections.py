"""Connections that say nothing keep nobody out of the studio, and do not stay for ever: with real sockets."""

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.studio.serving import sent
from weightsmith.studio.limits import Limits
from weightsmith.studio.serving import Serving

SECONDS = 60  # nobody waits so long, but a machine may be loaded
SAID: dict[str, bytes] = {
    "nothing": b"",
    "half a header": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "half a body": b"POST /api/models HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nabc",
}


@contextlib.contextmanager
def listening(limits: Limits) -> Iterator[Serving]:
    with Serving(limits=limits) as studio:
        thread = threading.Thread(target=studio.run)
        thread.start()
        try:
            yield studio
        finally:
            studio.stop()
            thread.join(SECONDS)
        assert not thread.is_alive()


@contextlib.contextmanager
def idle(port: int, count: int, said: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open connections that have said something, and then nothing more."""
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.create_connection(("127.0.0.1", port), SECONDS)) for _ in range(count)]
        for connection in found:
            connection.sendall(said)
        yield found


def page_of(studio: Serving) -> int:
    """Ask for the page, which nobody needs a token for; return the status.

    While a hundred others are being answered, the server closes a new connection; on a loaded machine that may take a
    while. Then it is tried again.
    """
    end = time.monotonic() + SECONDS
    while True:
        try:
            return sent(studio.port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\n\r\n".encode()).status
        except ConnectionResetError:
            assert time.monotonic() < end
            time.sleep(0.05)


def is_closed(connection: socket.socket) -> bool:
    """Read to the end of a connection: it fails where nobody ends it."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("count", [70, 150])
def test_idle_connections_keep_nobody_out(said: str, count: int) -> None:
    with listening(Limits(connections=100, idle_seconds=SECONDS)) as studio, idle(studio.port, count, SAID[said]):
        assert [page_of(studio) for _ in range(3)] == [200, 200, 200]


@pytest.mark.parametrize("said", SAID)
def test_idle_connections_are_closed_after_a_while(said: str) -> None:
    with listening(Limits(idle_seconds=0.2)) as studio, idle(studio.port, 5, SAID[said]) as connections:
        assert all(is_closed(connection) for connection in connections)
        assert page_of(studio) == 200


def test_bytes_that_trickle_in_do_not_keep_a_connection_open() -> None:
    with listening(Limits(idle_seconds=0.3)) as studio, idle(studio.port, 1, b"GET / HTTP/1.1\r\n") as (connection,):
        connection.settimeout(0.02)
        for _ in range(50 * SECONDS):
            try:
                connection.sendall(b"X-More: 1\r\n")
                if connection.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:  # it is closed
                return
        pytest.fail("the connection is still open")


def test_more_connections_than_allowed_end_those_that_were_idle_longest() -> None:
    with (
        listening(Limits(connections=10, idle_seconds=SECONDS)) as studio,
        idle(studio.port, 10) as first,
        idle(studio.port, 4) as others,
    ):
        assert page_of(studio) == 200  # which was a connection too
        assert all(is_closed(connection) for connection in first[:5])
        for connection in (*first[5:], *others):
            connection.settimeout(0)
            with pytest.raises(BlockingIOError):
                connection.recv(1)


def test_a_connection_is_used_for_one_request_after_the_other() -> None:
    with listening(Limits(idle_seconds=SECONDS)) as studio:
        connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=SECONDS)
        with contextlib.closing(connection):
            connection.connect()
            own = connection.sock.getsockname()
            for _ in range(3):
                connection.request("GET", "/")
                assert connection.getresponse().read().startswith(b"<!doctype html>")
                assert connection.sock is not None
                assert connection.sock.getsockname() == own


def test_more_requests_at_once_than_allowed_are_refused() -> None:
    with listening(Limits(requests=0)) as studio:
        assert page_of(studio) == 503
