"""`ProviderHealth` as its callers see it: the entity that keeps the health of all providers.

    await handle.signal(ProviderHealth.report, report)
    snapshot = await handle.query(ProviderHealth.snapshot, worker_id)

The workflow that does the work subclasses this one and is what workers register.
"""

from __future__ import annotations

from temporalio import workflow

from pointsman.health.events import AdminCommand, HealthLog
from pointsman.health.overview import HealthOverview
from pointsman.health.report import Report
from pointsman.health.snapshot import Snapshot
from pointsman.health.state import HealthState

HEALTH_ENTITY_ID = "provider-health"


@workflow.defn
class ProviderHealth:
    """All breakers, cooldowns, spend and latencies of a fleet. It never ends by itself.

    Every worker process starts it on the task queue `pointsman`, with the conflict policy USE_EXISTING.
    """

    @workflow.run
    async def run(self, state: HealthState | None = None) -> None:
        """Keep the health of all providers; a state is only given by the run before."""
        raise NotImplementedError

    @workflow.signal
    def report(self, report: Report, /) -> None:
        """Take what a process saw."""
        raise NotImplementedError

    @workflow.signal
    def force_open(self, command: AdminCommand, /) -> None:
        """Send a provider, or one of its keys, no calls until further notice."""
        raise NotImplementedError

    @workflow.signal
    def force_close(self, command: AdminCommand, /) -> None:
        """Always admit calls to a provider, or to one of its keys: outcomes are only counted."""
        raise NotImplementedError

    @workflow.signal
    def reset(self, command: AdminCommand, /) -> None:
        """Begin anew: closed, nothing counted, no cooldown."""
        raise NotImplementedError

    @workflow.query
    def snapshot(self, worker_id: str) -> Snapshot:
        """The health of every key; `worker_id` is the asker, "" for one that does not report."""
        raise NotImplementedError

    @workflow.query
    def overview(self) -> HealthOverview:
        """The health of every key as people read it, with the processes that report."""
        raise NotImplementedError

    @workflow.query
    def events(self) -> HealthLog:
        """What happened of late, and what operators did."""
        raise NotImplementedError
