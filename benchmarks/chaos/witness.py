"""Everything that a run of chaos leaves behind, for the verdict."""

from __future__ import annotations

import asyncio
import os
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from temporalio.client import Client

from benchmarks.chaos.askers import Told
from benchmarks.chaos.calls import Call
from benchmarks.chaos.histories import Run
from benchmarks.chaos.schedule import Schedule, Target
from pointsman.errors import PointsmanError
from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthEvent
from pointsman.health_client import HealthClient
from pointsman.ledger.entry import LedgerEntry
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Behaviour

_LOOK_EVERY_S = 2.0

Changes = dict[tuple[str, int | None], list[HealthEvent]]
"""The changes of state of each key's breaker, by generation."""


@dataclass(frozen=True)
class Killed:
    """A process that was killed, at a monotonic time."""

    target: Target
    at: float
    away_s: float
    """For how long nobody was in its place."""


@dataclass
class Evidence:
    """What is looked at."""

    schedule: Schedule
    told: list[Told] = field(default_factory=list[Told])
    runs: list[Run] = field(default_factory=list[Run])
    hits: list[Hit] = field(default_factory=list[Hit])
    behaviours: Mapping[str, Mapping[int, Behaviour]] = field(default_factory=dict[str, Mapping[int, Behaviour]])
    """What each request was told: by provider, by number."""
    rows: list[LedgerEntry] = field(default_factory=list[LedgerEntry])
    changes: Changes = field(default_factory=lambda: defaultdict(list))
    probes: set[Call] = field(default_factory=set[Call])
    """What the health entity has scheduled."""
    states: dict[str, BreakerState] = field(default_factory=dict[str, BreakerState])
    """The last state of each provider's breaker."""
    killed: list[Killed] = field(default_factory=list[Killed])
    logs: dict[str, str] = field(default_factory=dict[str, str])
    statuses: list[int] = field(default_factory=list[int])
    """Of the workers that were told to stop at the end."""
    load: float = 0.0
    """The highest load average of a minute, for each core, by whomever."""
    deserters: list[str] = field(default_factory=list[str])
    """What workers said last that ended by themselves."""

    def behaviour(self, hit: Hit) -> Behaviour:
        """What a request was told."""
        return self.behaviours[hit.name][hit.number]


async def watch(client: Client, found: Evidence) -> None:
    """Note every change of state before the entity forgets it: it keeps the last hundred events. Until cancelled."""
    health = HealthClient(client)
    while True:
        found.load = max(found.load, os.getloadavg()[0] / (os.cpu_count() or 1))
        try:
            log = await health.events()
        except PointsmanError:
            # The server, or every worker, is away.
            pass
        else:
            note(log.events, found.changes)
        await asyncio.sleep(_LOOK_EVERY_S)


def note(events: tuple[HealthEvent, ...], changes: Changes) -> None:
    """Take in a look at the entity's log, which for what it still holds goes before an earlier look.

    A query may be answered from a step that is undone when the server is killed before it is on record, and made again.
    """
    seen: Changes = defaultdict(list)
    for event in events:
        if event.state is not None:
            seen[event.target, event.gen].append(event)
    changes.update(seen)


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
