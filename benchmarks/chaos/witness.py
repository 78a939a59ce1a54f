"""Everything that a run of chaos leaves behind, for the verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchmarks.chaos.askers import Told
from benchmarks.chaos.calls import Call
from benchmarks.chaos.histories import Run
from benchmarks.chaos.schedule import Schedule, Target
from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthEvent
from pointsman.ledger.entry import LedgerEntry
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Behaviour

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

Changes = dict[tuple[str, int | None], list[HealthEvent]]
"""The changes of state of each key's breaker, by generation."""


@dataclass(frozen=True)
class Killed:
    """A process that was killed, at a monotonic time."""

    target: Target
    at: float
    away_s: float
    """For how long nobody was in its place."""
    worker: str = ""
    """Which process, where it was a worker."""
    moment: datetime = _LONG_AGO
    """When, by the clock that the server has too."""


@dataclass(frozen=True)
class Look:
    """A look at the health entity, in monotonic seconds."""

    began: float
    ended: float
    heard_after_s: float | None
    """How long its answer took; `None` where none came."""


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
    ready: dict[str, float] = field(default_factory=dict[str, float])
    """When each worker took questions, in monotonic seconds."""
    looks: list[Look] = field(default_factory=list[Look])
    """At the health entity, every second or so."""
    locked: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """From when to when the ledger's file was seen to be held by a process; monotonic seconds."""
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


def note(events: tuple[HealthEvent, ...], changes: Changes) -> None:
    """Take in a look at the entity's log, which for what it still holds goes before an earlier look.

    A query may be answered from a step that is undone when the server is killed before it is on record, and made again.
    """
    seen: Changes = defaultdict(list)
    for event in events:
        if event.state is not None:
            seen[event.target, event.gen].append(event)
    changes.update(seen)
