"""The fleet's health for a command that can do without it: told within about a second, or not at all."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pointsman.address import address, listens

if TYPE_CHECKING:
    from pointsman.health.snapshot import Snapshot

_CONNECT_S = 0.2
_ANSWER_S = 0.5
_ALTOGETHER_S = 1.0


def snapshot() -> Snapshot | None:
    """What the workers' entity tells; `None` without a server or a worker, whatever the reason."""
    server = address(os.environ, Path(typer.get_app_dir("temporalio")))
    # The SDK takes a quarter of a second to import, which only a server that is there is worth.
    if server is not None and not listens(server, _CONNECT_S):
        return None
    try:
        return asyncio.run(_asked())
    except Exception:  # noqa: BLE001 - the command works without it
        return None


async def _asked() -> Snapshot:
    from pointsman.health_client import HealthClient  # noqa: PLC0415 - imports the SDK

    async with asyncio.timeout(_ALTOGETHER_S):
        connected = await HealthClient.connect()
        return await HealthClient(connected.temporal, answer_within_s=_ANSWER_S).snapshot()
