"""Connections to the studio: many idle ones do not keep others out.

The server counts every open connection, and gives one that has sent nothing as long as it likes. Here a connection
counts as busy only from the end of a request's header to the end of its answer; one that is not busy is closed after
a while, and earlier where there are too many.
"""

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from weightsmith.studio.limits import Limits


class Connection(H11Protocol):
    """A connection with a time limit while it is idle: also for half a header, and for bytes that trickle in."""

    most: int
    seconds: float
    idle_since: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for it: the connection that has been idle longest is closed, or this one where all are busy."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self.most:
            idle = [one for one in self.connections if isinstance(one, Connection) and not one.busy]
            oldest = min(idle, key=lambda one: one.idle_since)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time limit."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive data; the time limit ends when a request has begun."""
        super().data_received(data)
        if self.busy:
            self._stop()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        if not self.busy and not self.transport.is_closing():
            self._wait()

    def end(self) -> None:
        """Close it, if no request has begun meanwhile."""
        self._stop()
        if not self.busy:
            self.transport.close()

    def _wait(self) -> None:
        self._stop()
        self.idle_since = self.loop.time()
        self._timer = self.loop.call_later(self.seconds, self.end)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def connection_class(limits: Limits) -> type[Connection]:
    """Return the kind of connection that a studio with these limits has."""
    return type("Connection", (Connection,), {"most": limits.connections, "seconds": limits.idle_seconds})


class AtMost:
    """Passes at most `most` requests at once to the application, and refuses the others."""

    def __init__(self, application: ASGIApp, most: int) -> None:
        """Count the requests to an application."""
        self.application, self.most, self.running = application, most, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        if self.running >= self.most:
            busy = JSONResponse({"error": f"{self.most} requests are being answered: try again"}, 503)
            await busy(scope, receive, send)
            return
        self.running += 1
        try:
            await self.application(scope, receive, send)
        finally:
            self.running -= 1
