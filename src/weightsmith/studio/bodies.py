"""Request bodies: JSON with known fields, or the bytes of one model file, each with a size limit."""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request

from weightsmith.errors import FileError, brief
from weightsmith.storage import parse_json
from weightsmith.studio.refusal import StudioError
from weightsmith.studio.security import BYTES, JSON

Fields = Mapping[str, type | tuple[type, ...]]


async def json_of(request: Request, fields: Fields, most: int, seconds: float) -> dict[str, Any]:
    """Return the JSON object of a request: exactly these fields, each of its type."""
    body = await _body(request, JSON, most, seconds)
    try:
        given = parse_json(body, "what the page sent")
    except FileError as error:
        raise StudioError(400, str(error)) from None
    for name in given:
        if name not in fields:
            raise StudioError(
                400, f"there is no field {brief(name)} here: the fields are {', '.join(fields) or 'none'}"
            )
    for name, kind in fields.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if name not in given and type(None) in kinds:
            given[name] = None
        if name not in given:
            raise StudioError(400, f"the field {name} is missing")
        if type(given[name]) not in kinds:  # not isinstance: True is no number here
            raise StudioError(400, f"the field {name} is {brief(given[name])}, which is not of its kind")
    return given


async def bytes_of(request: Request, most: int, seconds: float) -> bytes:
    """Return the file that a request carries."""
    return await _body(request, BYTES, most, seconds)


async def _body(request: Request, kind: str, most: int, seconds: float) -> bytes:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != kind:
        raise StudioError(415, f"the content type is {brief(given)}: this call takes {kind}")
    length = request.headers.get("content-length")
    if length is None or "transfer-encoding" in request.headers or request.headers.get("content-encoding"):
        raise StudioError(411, "the request does not say how long it is: it needs a Content-Length, and nothing packed")
    if not length.isascii() or not length.isdecimal() or len(length) > 15:
        raise StudioError(400, "the Content-Length is not a number")
    if int(length) > most:
        raise StudioError(413, f"the request has {int(length):,} bytes, and at most {most:,} are taken")
    parts, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise StudioError(413, f"the request has more than {most:,} bytes")
                parts.append(part)
    except TimeoutError:
        raise StudioError(408, f"the request did not arrive within {seconds:g} s") from None
    except ClientDisconnect:
        raise StudioError(400, "the request ended before its time") from None
    return b"".join(parts)
