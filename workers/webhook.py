"""Posting to a webhook: the adapter at the port of `activities.announce`."""

from __future__ import annotations

import httpx

from activities.announce import TIMEOUT_S


async def post(url: str, body: str) -> int:
    """Post JSON and give the status of the reply.

    Raises:
        OSError: nobody was reached, or no reply came in time.
    """
    try:
        async with httpx.AsyncClient(timeout=TIMEOUT_S) as client:
            reply = await client.post(url, content=body, headers={"content-type": "application/json"})
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, ExceptionGroup) as fault:
        raise OSError(type(fault).__name__) from fault
    return reply.status_code
