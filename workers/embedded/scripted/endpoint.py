"""Takes a request, notes it, and carries out the step that it falls to."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from workers.embedded.scripted.delivery import cut_off, drip, hang, reset, send, worded
from workers.embedded.scripted.script import CutOff, Drip, Hang, Reset

if TYPE_CHECKING:
    from aiohttp.typedefs import Handler

    from workers.embedded.scripted.dialect import Dialect
    from workers.embedded.scripted.journal import Journal
    from workers.embedded.scripted.request import Hit
    from workers.embedded.scripted.script import Behaviour


def handler(dialect: Dialect, journal: Journal) -> Handler:
    """What serves one dialect for endpoints of all names."""

    async def handle(http: web.Request) -> web.StreamResponse:
        try:
            body: dict[str, Any] = await http.json()
            asked = dialect.asked(body, http.match_info.get("model", ""))
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise web.HTTPBadRequest(text=f"not a request in {dialect.name}'s protocol") from error
        hit_id, hit, step = journal.open(http.match_info["name"], dialect.name, asked, http.headers, body)
        try:
            behaviour = step(hit) if callable(step) else step
            return await _perform(behaviour, hit_id, hit, http)
        except (asyncio.CancelledError, ConnectionError):
            journal.end(hit_id, "aborted")
            raise

    async def _perform(behaviour: Behaviour, hit_id: int, hit: Hit, http: web.Request) -> web.StreamResponse:
        match behaviour:
            case Hang():
                return await hang()
            case Drip():
                return await drip(behaviour, http)
            case CutOff():
                journal.end(hit_id, "answered")
                return await cut_off(behaviour, worded(behaviour.reply, dialect, hit), http)
            case Reset():
                journal.end(hit_id, "answered")
                return reset(http)
            case _:
                raw = worded(behaviour, dialect, hit)
                await asyncio.sleep(raw.delay_s)
                # Noted before the bytes leave, so that a client that has its answer finds the hit answered.
                journal.end(hit_id, "answered")
                return await send(raw, http, f"req_{hit.name}_{hit.number}")

    return handle
