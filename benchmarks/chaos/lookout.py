"""Who looks on while it happens: at the health entity, at the ledger's file, and at the machine."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from temporalio.client import Client

from benchmarks.chaos.witness import Evidence, Look, note
from pointsman.errors import PointsmanError
from pointsman.health.breaker import BreakerState
from pointsman.health_client import HealthClient

_LOOK_EVERY_S = 1.0
_TRY_EVERY_S = 0.1


async def watch(client: Client, found: Evidence) -> None:
    """Note every change of state before the entity forgets it: it keeps the last hundred events. Until cancelled."""
    health = HealthClient(client)
    while True:
        found.load = max(found.load, os.getloadavg()[0] / (os.cpu_count() or 1))
        began = time.monotonic()
        heard_after_s = None
        try:
            log = await health.events()
        except PointsmanError:
            # The server, or every worker, is away.
            pass
        else:
            heard_after_s = time.monotonic() - began
            note(log.events, found.changes)
        found.looks.append(Look(began, time.monotonic(), heard_after_s))
        await asyncio.sleep(_LOOK_EVERY_S)


async def watch_lock(ledger: Path, found: Evidence) -> None:
    """Note from when to when a process that wants to write to a file of SQLite had to wait. Until cancelled."""
    free_at = time.monotonic()
    while True:
        if _free(ledger):
            free_at = time.monotonic()
        elif found.locked and found.locked[-1][0] == free_at:
            found.locked[-1] = (free_at, time.monotonic() + _TRY_EVERY_S)
        else:
            found.locked.append((free_at, time.monotonic() + _TRY_EVERY_S))
        await asyncio.sleep(_TRY_EVERY_S)


async def until_closed(client: Client, members: tuple[str, ...], patience_s: float) -> dict[str, BreakerState]:
    """Wait until every breaker is closed; returns the states of the last look either way."""
    health = HealthClient(client)
    states: dict[str, BreakerState] = {}
    give_up = time.monotonic() + patience_s
    while time.monotonic() < give_up:
        try:
            overview = await health.overview()
        except PointsmanError:
            pass
        else:
            states = {row.provider: row.state for row in overview.keys if row.provider in members}
            if len(states) == len(members) and set(states.values()) == {BreakerState.CLOSED}:
                break
        await asyncio.sleep(0.2)
    return states


def _free(ledger: Path) -> bool:
    """Whether a writer gets the file at once; it is given back in the same moment."""
    if not ledger.exists():
        return True
    with closing(sqlite3.connect(ledger, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        connection.execute("ROLLBACK")
    return True
