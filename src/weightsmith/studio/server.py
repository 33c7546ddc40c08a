"""The studio's server: routes, static files and error responses."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from weightsmith.studio.calls import Calls
from weightsmith.studio.connections import AtMost
from weightsmith.studio.folder import Folder
from weightsmith.studio.jobs import prepare
from weightsmith.studio.limits import Limits
from weightsmith.studio.refusal import StudioError
from weightsmith.studio.security import Guard, refused
from weightsmith.studio.served import FILES, served_file, served_page

Answering = Callable[[Request], Awaitable[Response]]


def application(
    port: int,
    token: str,
    *,
    files: Sequence[tuple[str, bytes]] = (),
    folder: Folder | None = None,
    limits: Limits | None = None,
) -> ASGIApp:
    """Return the studio as an application, guarded; the files are names and bytes of models to begin with."""
    limits = limits or Limits()
    calls = Calls(limits, folder, files)
    routes = [
        Route("/", _text(served_page(), "text/html")),
        *(Route(f"/{name}", _file(name)) for name in FILES),
        *(Route(f"/api/{path}", _answered(call), methods=[method]) for (method, path), call in calls.routes().items()),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        prepare()
        anyio.to_thread.current_default_thread_limiter().total_tokens = 16
        yield
        calls.end()

    handlers: dict[Any, Any] = {HTTPException: _not_there, Exception: _defect}
    studio = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(AtMost(studio, limits.requests), port, token)


def _text(text: str, kind: str) -> Answering:
    async def answer(_: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


def _file(name: str) -> Answering:
    async def answer(_: Request) -> Response:
        text, kind = served_file(name)
        return Response(text, media_type=kind)

    return answer


def _answered(call: Answering) -> Answering:
    async def answer(request: Request) -> Response:
        try:
            return await call(request)
        except StudioError as refusal:
            return refused(refusal)

    return answer


async def _not_there(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = {404: "there is nothing here", 405: "this cannot be asked for in this way"}
    return JSONResponse({"error": words.get(status, "refused")}, status, {"connection": "close"})


async def _defect(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": f"this is a defect of Weightsmith: {type(error).__name__}; please report it"}, 500)
