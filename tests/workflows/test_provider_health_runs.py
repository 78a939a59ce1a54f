"""The health entity goes on in a new run: nothing is lost, no probe is cut, and every run replays.

On the development server, which is the real one: it lets a new run begin a second after the last at the earliest, and
refuses to end a run while signals pour in.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime

import pytest
import pytest_asyncio
from temporalio import activity
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from pointsman.connection import DATA_CONVERTER
from pointsman.health.breaker import BreakerState
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.state import HealthState
from pointsman.health_contract import ProviderHealth as Contract
from tests.workflows.entity import ALPHA, Entity, replay
from workers.embedded.temporal_server import binary

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncGenerator[WorkflowEnvironment]:
    local = await WorkflowEnvironment.start_local(
        data_converter=DATA_CONVERTER, dev_server_existing_path=binary("temporal")
    )
    async with local:
        yield local


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def entity(server: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Entity]:
    running = Entity(server, request.param)
    yield running
    await running.stop()


async def test_a_signal_is_never_lost_when_the_entity_goes_on_in_a_new_run(entity: Entity) -> None:
    """Property 14: 10,000 signals over at least three runs; state, generation and epoch go along, and all replays."""
    now = await entity.now()
    # Without a cache each task reads the whole run again: fewer signals, and shorter runs.
    rounds, event_limit = (50, 3000) if entity.cached else (10, 200)
    begun = HealthState(epoch=42, now=now, event_limit=event_limit)
    await entity.start("alpha", state=begun)
    await entity.fail()
    day = datetime.fromtimestamp(now, tz=UTC).date().isoformat()
    reporters = [ReportBuilder(f"fleet-{number}") for number in range(20)]

    async def send(reporter: ReportBuilder) -> None:
        for _ in range(10):
            reporter.spent("alpha", day, 0.000001)
            report = reporter.take()
            while True:
                try:
                    await entity.handle.signal(Contract.report, report)
                    break
                except RPCError:
                    await asyncio.sleep(0.01)

    for _ in range(rounds):
        await asyncio.gather(*(send(reporter) for reporter in reporters))
        await entity.snapshot()
    snapshot = await entity.snapshot()
    assert snapshot.spent_micro_usd == {"alpha": rounds * 200}
    assert snapshot.epoch == 42
    # The one that reported the failures has been silent since, on a slow machine for longer than counts.
    assert snapshot.active_workers >= len(reporters)
    assert (snapshot.keys[ALPHA].state, snapshot.keys[ALPHA].gen) == (BreakerState.OPEN, 2)
    histories = await entity.histories()
    assert len(histories) >= 3
    await replay(histories)


async def test_a_new_run_waits_for_the_probe_in_flight_and_starts_the_next(entity: Entity) -> None:
    """Property 14: continue-as-new never cuts a probe."""
    taken: list[ProbeRequest] = []

    @activity.defn(name="probe_provider")
    async def slow(request: ProbeRequest) -> ProbeResult:
        taken.append(request)
        await asyncio.sleep(0.5)
        return ProbeResult(outcome=ProbeOutcome.SUCCESS)

    told = HealthPolicy(keys={ALPHA: KeyPolicy(open_s=1.0, attempt_timeout_s=10.0)})
    await entity.start(state=HealthState(epoch=42, now=await entity.now(), event_limit=60), told=told)
    entity.serve_provider("alpha", slow)
    await entity.fail()
    await entity.until(BreakerState.HALF_OPEN)
    for _ in range(40):
        await entity.tell()
    await entity.until(BreakerState.CLOSED)
    assert [(request.gen, request.n) for request in taken] == [(3, 1), (3, 2)]
    histories = await entity.histories()
    assert len(histories) >= 2
    await replay(histories)
