"""Carries health between this process and the fleet: reports out, snapshots in, and probes of its own when cut off.

One report is under way at a time, and one whose arrival is unknown goes out again under its number before the next.
No question ever waits for any of it. Source: resilience specification, section 7.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

from temporalio.client import Client, WorkflowHandle
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError

from activities.process_health import ProcessHealth
from pointsman.contract import TASK_QUEUE
from pointsman.health.keys import provider_of
from pointsman.health.probe import ProbeRequest, ProbeResult
from pointsman.health.report import Report
from pointsman.health.snapshot import Snapshot
from pointsman.health.spend import day_of
from pointsman.health_contract import HEALTH_ENTITY_ID, ProviderHealth

_log = logging.getLogger(__name__)

_SPREAD = 0.2
_SIGNAL_TIMEOUT = timedelta(seconds=5)
_PROBE_EVERY_S = 0.5
_SOON = 0.2
"""The share of an interval after which a snapshot that did not come is asked for again, once."""

SendProbe = Callable[[ProbeRequest], Awaitable[ProbeResult]]


class HealthFeed:
    """The feed of one process."""

    def __init__(self, client: Client, health: ProcessHealth, probes: dict[str, SendProbe]) -> None:
        """`probes` sends a probe straight from this process, by provider: for as long as no entity does."""
        self._client = client
        self._health = health
        self._probes = probes
        self._settings = health.configuration.health
        self._hurried = asyncio.Event()
        self._unsure: Report | None = None
        self._entity_has_policy = False
        self._probing: dict[str, asyncio.Task[None]] = {}
        self._told: set[str] = set()
        health.hurry = self._hurried.set

    @property
    def snapshot_interval_s(self) -> float:
        """How often a process of a fleet of this size asks an entity."""
        snapshot = self._health.view.snapshot
        return self._settings.snapshot_s(1 if snapshot is None else snapshot.active_workers)

    async def run(self) -> None:
        """Feed until cancelled; then report what is still unsent, if the server takes it soon."""
        loops = [self._report_for_ever(), self._read_for_ever(), self._probe_for_ever()]
        running = [asyncio.create_task(loop) for loop in loops]
        try:
            await asyncio.gather(*running)
        finally:
            for task in (*running, *self._probing.values()):
                task.cancel()
            await asyncio.gather(*running, *self._probing.values(), return_exceptions=True)
            with suppress(RPCError, TimeoutError):
                async with asyncio.timeout(1.0):
                    await self.report()

    async def report(self) -> None:
        """Send what has been seen since the last report.

        Raises:
            RPCError: it may not have arrived, and goes out again with the next call.
        """
        if self._unsure is None:
            policy = None if self._entity_has_policy else self._health.policy
            most, gauges = self._settings.batch_max, self._health.gauges()
            self._unsure = self._health.reports.take(most, policy=policy, gauges=gauges)
        try:
            await self._entity().signal(ProviderHealth.report, self._unsure, rpc_timeout=_SIGNAL_TIMEOUT)
        except RPCError:
            await self._start_entity()
            raise
        self._entity_has_policy = True
        self._unsure = None

    async def read(self) -> None:
        """Take in a snapshot.

        Raises:
            TimeoutError: none came in time.
            RPCError: the entity is not there, or the server does not answer.
        """
        # Around the client: it takes its own limit anew for each try, and tries for seconds where the server holds
        # another query for the entity already. One at a time is what a server keeps by default.
        async with asyncio.timeout(self._settings.query_timeout):
            snapshot = await self._entity().query(ProviderHealth.snapshot, self._health.reports.worker_id)
        self._take_in(snapshot)

    def _take_in(self, snapshot: Snapshot) -> None:
        health, now = self._health, self._health.clock()
        health.view.accept(snapshot, now)
        self._entity_has_policy = snapshot.has_policy and snapshot.acked_seq > 0
        processes, day, acked_seq = max(1, snapshot.active_workers), day_of(snapshot.issued_at), snapshot.acked_seq
        health.purse.tell(snapshot.spent_micro_usd, day, processes=processes, acked_seq=acked_seq)
        health.tenants.tell(snapshot.tenants_micro_usd, day, processes=processes, acked_seq=acked_seq)
        for limiter in health.limiters.values():
            limiter.processes = processes

    async def _report_for_ever(self) -> None:
        await self._start_entity()
        while True:
            await self._tried(self.report)
            await self._next_report()

    async def _next_report(self) -> None:
        """Wait for the interval, or less after a failure: others should know of it soon."""
        snapshot = self._health.view.snapshot
        interval_s = self._settings.flush_s(1 if snapshot is None else snapshot.active_workers)
        await asyncio.sleep(self._settings.early_flush_gap)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, _spread(interval_s) - self._settings.early_flush_gap)):
                await self._hurried.wait()
        self._hurried.clear()

    async def _read_for_ever(self) -> None:
        missed = False
        while True:
            came = await self._tried(self.read)
            interval_s = self.snapshot_interval_s
            # Only once: while the entity is away, a fleet does not ask for it more often than usual.
            soon = not came and not missed
            missed = not came
            await asyncio.sleep(_spread(interval_s * _SOON if soon else interval_s))

    async def _tried(self, step: Callable[[], Awaitable[None]]) -> bool:
        """Whether it went well. Whatever goes wrong between a process and its entity, the process serves on."""
        try:
            await step()
        except (RPCError, TimeoutError):
            return False
        except Exception as fault:  # noqa: BLE001 - an entity of another version may fail a query, or answer otherwise
            name = f"{step.__name__}: {type(fault).__name__}"
            if name not in self._told:
                self._told.add(name)
                _log.warning("the health of the fleet is out of reach (%s): %s", name, str(fault)[:200])
            return False
        return True

    async def _probe_for_ever(self) -> None:
        """Probe what this process's own breakers want probed; they want nothing while snapshots come."""
        while True:
            await asyncio.sleep(_PROBE_EVERY_S)
            for key in self._health.view.probes_due(self._health.clock()):
                provider = provider_of(key)
                if provider in self._probes and provider not in self._probing:
                    request = self._health.view.probe_started(key, self._health.clock())
                    self._probing[provider] = asyncio.create_task(self._probe(provider, request))
            for key, transition in self._health.view.transitions:
                _log.warning("no word from the fleet; here %s: %s -> %s", key, transition.source, transition.target)
            self._health.view.transitions.clear()

    async def _probe(self, provider: str, request: ProbeRequest) -> None:
        try:
            result = await self._probes[provider](request)
            self._health.view.probe_ended(request, result, self._health.clock())
        finally:
            del self._probing[provider]

    async def _start_entity(self) -> None:
        """Start the entity unless it runs; that it does is all that is wanted."""
        with suppress(RPCError):
            await self._client.start_workflow(
                ProviderHealth.run,
                None,
                id=HEALTH_ENTITY_ID,
                task_queue=TASK_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                static_summary="Health of all providers",
                rpc_timeout=_SIGNAL_TIMEOUT,
            )

    def _entity(self) -> WorkflowHandle[ProviderHealth, None]:
        return self._client.get_workflow_handle_for(ProviderHealth.run, HEALTH_ENTITY_ID)


def _spread(seconds: float) -> float:
    return seconds * random.uniform(1 - _SPREAD, 1 + _SPREAD)  # noqa: S311 - keeps processes out of step
