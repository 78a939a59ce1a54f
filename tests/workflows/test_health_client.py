"""Health from Python, against the entity on the time-skipping server."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from temporalio.client import WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from pointsman import HealthClient, NoServer, NoWorker, UnknownProvider
from pointsman.health.breaker import BreakerState
from pointsman.health.gauges import BudgetGauge, Gauges
from pointsman.health.probe import ProbeOutcome
from pointsman.health.window import Counts
from pointsman.health_contract import HEALTH_ENTITY_ID
from pointsman.health_contract import ProviderHealth as Contract
from tests.fakes import reply
from tests.workflows.entity import ALPHA, BETA, Entity, replay

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def entity(env: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Entity]:
    running = Entity(env, request.param)
    await running.start("alpha", workflow_id=HEALTH_ENTITY_ID)
    yield running
    await running.stop()


async def test_the_overview_shows_an_outage_its_probes_and_its_end(entity: Entity) -> None:
    entity.fleet.script("alpha", reply("ok"))
    client = HealthClient(entity.env.client)
    await entity.fail(times=2)
    told = await client.overview()
    (alpha,) = told.of("alpha")
    assert (alpha.state, alpha.window, alpha.run) == (BreakerState.CLOSED, Counts(fail=2), 2)
    # The end of this second, which no failure that is counted in it comes after.
    entity.builder.failed(ALPHA, int(await entity.now()) + 1, "http_503")
    await entity.fail(times=1)
    (alpha,) = (await client.overview()).of(ALPHA)
    assert (alpha.state, alpha.window_before) == (BreakerState.OPEN, Counts(fail=3))
    assert alpha.last_failure is not None
    assert alpha.last_failure.kind == "http_503"
    opened = alpha.since
    assert opened is not None
    await entity.pass_time(331)
    await entity.until(BreakerState.CLOSED)
    (alpha,) = (await client.overview()).of(ALPHA)
    assert alpha.last_probe is not None
    assert alpha.last_probe.outcome is ProbeOutcome.SUCCESS
    assert alpha.since is not None
    assert opened < alpha.since <= await entity.now()
    assert [event.kind for event in (await client.events()).events if event.target == ALPHA] == [
        *("opened", "half_open", "closed"),
    ]
    await replay(await entity.histories())


async def test_the_overview_adds_up_what_the_processes_have_under_way(entity: Entity) -> None:
    gauges = Gauges(in_flight={"alpha": 2}, calls_left={"beta": 2}, budget=BudgetGauge(level=3, capacity=10))
    await entity.handle.signal(Contract.report, entity.builder.take(gauges=gauges))
    told = await HealthClient(entity.env.client).overview()
    assert {key.provider: (key.in_flight, key.calls_left) for key in told.keys} == {"alpha": (2, 0), "beta": (0, 2)}
    assert told.budget == BudgetGauge(level=3, capacity=10)
    assert [process.worker_id for process in told.processes] == [entity.builder.worker_id]


async def test_an_operators_order_shows_in_what_it_returns_and_stands_on_record(entity: Entity) -> None:
    client = HealthClient(entity.env.client)
    seen: list[BreakerState] = []
    for order in (client.open, client.close, client.reset):
        after = await order("beta", operator="ada", note="drill")
        seen.append(after.of(BETA)[0].state)
    assert seen == [BreakerState.FORCED_OPEN, BreakerState.DISABLED, BreakerState.CLOSED]
    log = await client.events()
    assert [(entry.action, entry.command.operator, entry.command.note) for entry in log.audit] == [
        (action, "ada", "drill") for action in ("force_open", "force_close", "reset")
    ]
    assert (await client.snapshot()).keys[BETA].gen == 4


async def test_a_provider_that_nobody_knows_is_refused_and_nothing_is_sent(entity: Entity) -> None:
    client = HealthClient(entity.env.client)
    with pytest.raises(UnknownProvider, match="'gamma' is no provider; known: alpha, beta"):
        await client.open("gamma")
    with pytest.raises(ValueError, match="note: "):
        await client.open("alpha", note="x" * 501)
    assert (await client.events()).audit == ()


async def test_without_an_entity_or_a_worker_it_says_so_and_does_not_hang(env: WorkflowEnvironment) -> None:
    client = HealthClient(env.client, answer_within_s=0.5)
    lonely = await env.client.start_workflow(Contract.run, None, id=HEALTH_ENTITY_ID, task_queue="pointsman")
    try:
        with pytest.raises(NoWorker, match="no worker answers"):
            await client.overview()
    finally:
        await lonely.terminate()


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (RPCStatusCode.UNAVAILABLE, "tcp connect error"),
        (RPCStatusCode.UNKNOWN, "transport error"),
    ],
)
async def test_a_server_that_has_gone_is_named_by_its_address_whatever_the_call_ended_with(
    env: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch, status: RPCStatusCode, message: str
) -> None:
    async def gone(*_arguments: object, **_options: object) -> object:
        raise RPCError(message, status, b"")

    monkeypatch.setattr(WorkflowHandle, "query", gone)
    address = env.client.service_client.config.target_host
    with pytest.raises(NoServer, match=f"the Temporal server at {re.escape(address)} does not answer"):
        await HealthClient(env.client).overview()
