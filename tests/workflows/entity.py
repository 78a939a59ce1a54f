"""A health entity to talk to, with workers for the providers that a test gives it."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from temporalio.client import WorkflowHandle, WorkflowHistory
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from activities.probe import Probe
from pointsman.connection import DATA_CONVERTER
from pointsman.contract import TASK_QUEUE
from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthLog
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.settings import BreakerSettings
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.health.state import HealthState
from pointsman.health_contract import ProviderHealth as Contract
from pointsman.provider import task_queue
from tests.builders import provider
from tests.fakes import Fleet
from workers.wiring import SANDBOX
from workflows.provider_health import ProviderHealth

ALPHA = "alpha/openai/model-2026-01-01"
BETA = "beta/openai/model-2026-01-01"
OPEN_S = 300.0


def policy(*keys: str, **changes: Any) -> HealthPolicy:
    breaker = BreakerSettings(probe_queue_wait=0.3, **changes)
    return HealthPolicy(breaker=breaker, keys={key: KeyPolicy(attempt_timeout_s=1.0) for key in keys or (ALPHA, BETA)})


@dataclass
class Entity:
    """A health entity with the workers of its providers."""

    env: WorkflowEnvironment
    cached: int
    fleet: Fleet = field(default_factory=Fleet)
    builder: ReportBuilder = field(default_factory=lambda: ReportBuilder("worker-1"))
    _handle: WorkflowHandle[Contract, None] | None = None
    _workers: list[tuple[Worker, asyncio.Task[None]]] = field(default_factory=list[tuple[Worker, asyncio.Task[None]]])

    @property
    def handle(self) -> WorkflowHandle[Contract, None]:
        assert self._handle is not None
        return self._handle

    async def start(
        self,
        *providers: str,
        state: HealthState | None = None,
        told: HealthPolicy | None = None,
        workflow_id: str | None = None,
    ) -> None:
        self._serve(TASK_QUEUE, workflows=[ProviderHealth])
        for name in providers:
            self.serve_provider(name, Probe(self.fleet.make(name, None, None), provider()).probe_provider)
        self._handle = await self.env.client.start_workflow(
            Contract.run, state, id=workflow_id or f"provider-health-{uuid.uuid4()}", task_queue=TASK_QUEUE
        )
        await self.tell(told or policy())

    def serve_provider(self, name: str, probe: Any) -> None:
        self._serve(task_queue(name), activities=[probe])

    def _serve(self, queue: str, **serves: Any) -> None:
        worker = Worker(
            self.env.client,
            task_queue=queue,
            workflow_runner=SANDBOX,
            max_cached_workflows=self.cached,
            graceful_shutdown_timeout=timedelta(),
            **serves,
        )
        self._workers.append((worker, asyncio.create_task(worker.run())))

    async def stop_provider(self, name: str) -> None:
        gone = [entry for entry in self._workers if entry[0].task_queue == task_queue(name)]
        self._workers = [entry for entry in self._workers if entry not in gone]
        for worker, running in gone:
            await worker.shutdown()
            await running

    async def stop(self) -> None:
        await self.handle.terminate()
        for worker, running in reversed(self._workers):
            await worker.shutdown()
            await running

    async def now(self) -> float:
        return (await self.env.get_current_time()).timestamp()

    async def tell(self, told: HealthPolicy | None = None) -> None:
        await self.handle.signal(Contract.report, self.builder.take(policy=told))

    async def fail(self, key: str = ALPHA, times: int = 3) -> None:
        """So many questions failed at this key, under the token that calls are now admitted under."""
        snapshot = await self.snapshot()
        second = int(await self.now())
        for _ in range(times):
            self.builder.record(key, snapshot.epoch, snapshot.keys[key].gen, second, "fail")
        await self.tell()

    async def snapshot(self) -> Snapshot:
        return await self.handle.query(Contract.snapshot, self.builder.worker_id)

    async def health(self, key: str = ALPHA) -> KeyHealth:
        return (await self.snapshot()).keys[key]

    async def log(self) -> HealthLog:
        return await self.handle.query(Contract.events)

    async def happened(self, key: str = ALPHA) -> list[str]:
        return [event.kind for event in (await self.log()).events if event.target == key]

    async def until(self, *states: BreakerState, key: str = ALPHA, probes: int | None = None) -> KeyHealth:
        """Wait, in real time, for what activities lead to."""
        name, health = key.partition("/")[0], await self.health(key)
        for _ in range(400):
            health = await self.health(key)
            if health.state in states and (probes is None or self.fleet.calls(name) >= probes):
                return health
            await asyncio.sleep(0.02)
        raise AssertionError(f"{health} and {self.fleet.calls(name)} probes instead of {states} and {probes}")

    async def until_told(self, kind: str, times: int = 1, key: str = ALPHA) -> None:
        for _ in range(400):
            if (await self.happened(key)).count(kind) >= times:
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"not {times} x {kind}: {await self.happened(key)}")

    async def pass_time(self, seconds: float) -> None:
        await self.env.sleep(seconds)

    async def to_half_open(self, key: str = ALPHA) -> None:
        await self.fail(key)
        health = await self.health(key)
        assert health.state is BreakerState.OPEN
        assert health.open_until is not None
        await self.pass_time(health.open_until - await self.now() + 0.1)

    async def histories(self) -> list[WorkflowHistory]:
        """Of all runs, first to last."""
        found: list[WorkflowHistory] = []
        run_id: str | None = self.handle.first_execution_run_id
        while run_id:
            history = await self.env.client.get_workflow_handle(self.handle.id, run_id=run_id).fetch_history()
            found.append(history)
            ended = history.events[-1].workflow_execution_continued_as_new_event_attributes
            run_id = ended.new_execution_run_id or None
        return found


async def replay(histories: list[WorkflowHistory]) -> None:
    replayer = Replayer(workflows=[ProviderHealth], data_converter=DATA_CONVERTER, workflow_runner=SANDBOX)
    for history in histories:
        if not any(event.HasField("workflow_task_completed_event_attributes") for event in history.events):
            continue  # a run that has only just begun: there is nothing to replay
        await replayer.replay_workflow(history)
