"""Access control: only the page that the studio opened may talk to it, no other page or user of this machine.

Another page in the same browser can send requests here, also under a name of its own that leads to 127.0.0.1 (DNS
rebinding). So every request must name this address as its Host, a request that comes from a page must come from ours,
and everything but the empty page itself needs a token that only the opened address carries.
"""

import secrets
from collections.abc import Mapping

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weightsmith.studio.refusal import StudioError

ADDRESS = "127.0.0.1"
TOKEN_HEADER = b"x-weightsmith-token"
JSON, BYTES = "application/json", "application/octet-stream"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
GUARDED = "/api/"


def new_token() -> str:
    """Return an unguessable token."""
    return secrets.token_urlsafe(32)


class Guard:
    """Lets a request through to the application, or refuses it before anything of its body is read."""

    def __init__(self, application: ASGIApp, port: int, token: str) -> None:
        """Guard an application that is reached at a port of this machine."""
        self.application = application
        self.token = token.encode()
        self.hosts = {f"{name}:{port}".encode() for name in (ADDRESS, "localhost")}
        self.origins = {b"http://" + host for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no other connections; the server then closes it

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name, value) for name, value in message["headers"] if name.decode("latin-1") not in HEADERS]
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*given, *own]}
            await send(message)

        try:
            self.check(scope)
        except StudioError as refusal:
            await refused(refusal)(scope, receive, send_guarded)
            return
        await self.application(scope, receive, send_guarded)

    def check(self, scope: Scope) -> None:
        """Refuse a request by its headers."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]

        def values(name: bytes) -> list[bytes]:
            return [value for key, value in headers if key.lower() == name]

        hosts = values(b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            raise StudioError(421, "this address is not the studio's: open the one that weightsmith studio printed")
        origins = values(b"origin")
        if any(origin not in self.origins for origin in origins) or len(origins) > 1:
            raise StudioError(403, "the request comes from another page: the studio answers only its own")
        if not scope["path"].startswith(GUARDED):
            return
        if scope["method"] == "POST" and not origins:
            raise StudioError(403, "the request does not say which page it comes from: it needs an Origin")
        if any(value not in (b"same-origin", b"none") for value in values(b"sec-fetch-site")):
            raise StudioError(403, "the request comes from another page: the studio answers only its own")
        tokens = values(TOKEN_HEADER)
        if len(tokens) != 1 or not secrets.compare_digest(tokens[0], self.token):
            raise StudioError(401, "the token is missing or wrong: open the address that weightsmith studio printed")


def refused(refusal: StudioError) -> JSONResponse:
    """Return the answer to a refused request; it ends the connection, so that no body is read."""
    return JSONResponse({"error": str(refusal)}, refusal.status, {"connection": "close"})
