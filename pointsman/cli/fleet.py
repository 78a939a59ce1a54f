"""What the workers' entities tell a command that can do without it: within about a second, or not at all."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from pointsman.address import address, listens

if TYPE_CHECKING:
    from pointsman.catalogue.snapshot import CatalogueSnapshot
    from pointsman.health.snapshot import Snapshot

_CONNECT_S = 0.2
_ANSWER_S = 0.5
_ALTOGETHER_S = 1.0

_Told = TypeVar("_Told")


@dataclass(frozen=True)
class Fleet:
    """How the fleet's providers are, and what was measured of them; `None` where nobody tells."""

    health: Snapshot | None = None
    catalogue: CatalogueSnapshot | None = None


def told() -> Fleet:
    """What the entities tell; nothing without a server or a worker, whatever the reason."""
    server = address(os.environ, Path(typer.get_app_dir("temporalio")))
    # The SDK takes a quarter of a second to import, which only a server that is there is worth.
    if server is not None and not listens(server, _CONNECT_S):
        return Fleet()
    try:
        return asyncio.run(_asked())
    except Exception:  # noqa: BLE001 - the command works without it
        return Fleet()


async def _asked() -> Fleet:
    from pointsman.catalogue_client import CatalogueClient  # noqa: PLC0415 - imports the SDK
    from pointsman.health_client import HealthClient  # noqa: PLC0415

    async with asyncio.timeout(_ALTOGETHER_S):
        connected = (await HealthClient.connect()).temporal
        health, catalogue = await asyncio.gather(
            _or_none(HealthClient(connected, answer_within_s=_ANSWER_S).snapshot()),
            _or_none(CatalogueClient(connected, answer_within_s=_ANSWER_S).snapshot()),
        )
    return Fleet(health, catalogue)


async def _or_none(asking: Awaitable[_Told]) -> _Told | None:
    try:
        return await asking
    except Exception:  # noqa: BLE001 - one may tell where the other does not
        return None
