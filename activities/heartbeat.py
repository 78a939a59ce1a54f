"""Heartbeats while a provider call runs: they tell Temporal that the worker lives, and bring cancellations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

from temporalio import activity


@asynccontextmanager
async def heartbeats(details: Sequence[Any], *, every_s: float | None) -> AsyncGenerator[None]:
    """Beat while the block runs, repeating `details` so that a later attempt still finds them.

    With `every_s = None` the first beat comes at half the heartbeat timeout and the others each half of it; a server
    that cannot push cancellations to a worker needs a beat every 0.25 s to deliver them (DESIGN ruling 6).
    """
    timeout = activity.info().heartbeat_timeout or timedelta(seconds=10)
    interval = timeout.total_seconds() / 2 if every_s is None else every_s
    beating = asyncio.create_task(_beat(details, interval))
    try:
        yield
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating


async def _beat(details: Sequence[Any], interval_s: float) -> None:
    while True:
        await asyncio.sleep(interval_s)
        activity.heartbeat(*details)
