"""Puts a behaviour on the wire."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from itertools import cycle
from typing import TYPE_CHECKING, NoReturn

from aiohttp import web

from workers.embedded.scripted.script import CutOff, Drip, ErrorInside, NoChoices, Raw, Reply, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workers.embedded.scripted.dialect import Dialect, Json
    from workers.embedded.scripted.request import Request

Worded = Reply | Status | Raw | NoChoices | ErrorInside
"""Behaviours that end in a whole HTTP reply."""


def worded(behaviour: Worded, dialect: Dialect, request: Request) -> Raw:
    """The bytes of a behaviour in a vendor's protocol."""
    match behaviour:
        case Raw():
            return behaviour
        case Reply():
            return _json(dialect.reply(behaviour, request), 200, behaviour.headers, behaviour.delay_s)
        case Status():
            return _json(dialect.error(behaviour), behaviour.status, behaviour.headers, behaviour.delay_s)
        case NoChoices():
            return _json(dialect.no_choices(request))
        case ErrorInside():
            # Here the code is the number: those who answer so, OpenRouter for one, have no other place for the status.
            return _json(dialect.error(Status(behaviour.code, behaviour.message, code=behaviour.code)))


async def send(raw: Raw, http: web.Request, request_id: str) -> web.StreamResponse:
    """Write a whole reply; raises `ConnectionError` or is cancelled where the client does not take it."""
    ids = {"x-request-id": request_id, "request-id": request_id}
    headers = {"content-type": raw.content_type, **ids, **raw.headers}
    response = web.Response(body=raw.body, status=raw.status, headers=headers)
    await response.prepare(http)
    await response.write_eof()
    return response


async def cut_off(behaviour: CutOff, raw: Raw, http: web.Request) -> web.StreamResponse:
    """Write headers and a part of the body, and close the connection."""
    await asyncio.sleep(raw.delay_s)
    transport = _transport(http)
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {raw.content_type}\r\ncontent-length: {len(raw.body)}\r\n\r\n"
    transport.write(head.encode() + raw.body[: int(len(raw.body) * behaviour.share)])
    transport.close()
    return web.Response()


async def hang() -> web.StreamResponse:
    """Wait for a response that never comes: only cancellation ends it."""
    never: asyncio.Future[web.StreamResponse] = asyncio.get_running_loop().create_future()
    return await never


async def drip(behaviour: Drip, http: web.Request) -> NoReturn:
    """Write headers byte by byte for ever: only cancellation ends it."""
    transport = _transport(http)
    transport.write(b"HTTP/1.1 200 OK\r\n")
    # Many short headers: clients turn away one endless header long before they turn away many.
    header = cycle(b"x-drip: 1\r\n")
    while True:
        await asyncio.sleep(behaviour.interval_s)
        transport.write(bytes((next(header),)))


def reset(http: web.Request) -> web.StreamResponse:
    """Destroy the connection; the response that comes back can no longer be sent."""
    transport = _transport(http)
    # A linger time of 0 makes the kernel send RST, where an ordinary close would send FIN.
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
    return web.Response()


def _transport(http: web.Request) -> asyncio.Transport:
    transport = http.transport
    if not isinstance(transport, asyncio.Transport):
        msg = "the client is gone"
        raise ConnectionResetError(msg)
    return transport


def _json(body: Json, status: int = 200, headers: Mapping[str, str] | None = None, delay_s: float = 0.0) -> Raw:
    return Raw(json.dumps(body).encode(), status, headers=headers or {}, delay_s=delay_s)
