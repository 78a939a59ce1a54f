"""The health entity on the time-skipping server: it opens, probes, closes, listens to operators and never ends."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from temporalio import activity
from temporalio.client import WorkflowExecutionStatus
from temporalio.testing import WorkflowEnvironment

from activities.probe import PROMPT, Probe
from pointsman.contract import TASK_QUEUE
from pointsman.health.breaker import BreakerState
from pointsman.health.events import AdminCommand
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.health.report_builder import ReportBuilder
from pointsman.health_contract import ProviderHealth as Contract
from pointsman.outcomes import ErrorClass
from tests.builders import provider
from tests.fakes import HANG, failing, reply
from tests.workflows.entity import ALPHA, BETA, OPEN_S, Entity, replay

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def entity(env: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Entity]:
    running = Entity(env, request.param)
    yield running
    await running.stop()


async def test_three_failed_questions_open_a_key_and_leave_the_others_alone(entity: Entity) -> None:
    await entity.start()
    await entity.fail(times=2)
    assert (await entity.health()).state is BreakerState.CLOSED
    await entity.fail(times=1)
    opened = await entity.health()
    assert (opened.state, opened.gen, opened.k) == (BreakerState.OPEN, 2, 1)
    assert opened.open_until is not None
    assert OPEN_S - 10 < opened.open_until - await entity.now() <= OPEN_S * 1.1
    assert (await entity.health(BETA)).state is BreakerState.CLOSED
    assert await entity.happened() == ["opened"]


async def test_two_probes_that_succeed_close_it_and_the_history_replays(entity: Entity) -> None:
    await entity.start("alpha")
    await entity.to_half_open()
    closed = await entity.until(BreakerState.CLOSED)
    assert (closed.gen, closed.k) == (4, 0)
    assert entity.fleet.calls("alpha") == 2
    assert await entity.happened() == ["opened", "half_open", "closed"]
    await replay(await entity.histories())


async def test_a_probe_names_the_entity_and_costs_a_few_tokens(entity: Entity) -> None:
    await entity.start("alpha")
    await entity.to_half_open()
    await entity.until(BreakerState.CLOSED)
    request = entity.fleet.completers["alpha"].requests[0]
    assert (request.identity.workflow_id, request.identity.attempt) == (entity.handle.id, 1)
    assert (request.question.prompt, request.max_output_tokens) == (PROMPT, 16)
    assert (await entity.snapshot()).spent_micro_usd == {"alpha": 120}


async def test_a_probe_that_fails_opens_it_again(entity: Entity) -> None:
    entity.fleet.script("alpha", reply("ok"), failing())
    await entity.start("alpha")
    await entity.to_half_open()
    opened = await entity.until(BreakerState.OPEN, probes=2)
    assert (opened.k, opened.gen) == (2, 4)


async def test_f16_probes_that_tell_nothing_are_followed_by_another_and_the_third_opens_it_again(
    entity: Entity,
) -> None:
    """F16: 400, 401 and cancelled (here by its worker's end) are one round; then probing goes on."""
    entity.fleet.script(
        "alpha",
        failing(ErrorClass.CLIENT, "http_400", status=400),
        failing(ErrorClass.CONFIG, "http_401", status=401),
        HANG,
    )
    await entity.start("alpha")
    await entity.to_half_open()
    for probes in (1, 2):
        waiting = await entity.until(BreakerState.HALF_OPEN, probes=probes)
        assert waiting.state is BreakerState.HALF_OPEN
        await entity.until_told("probe_inconclusive", probes)
        entity.fleet.completers["alpha"].called.clear()
        await entity.pass_time(10.1)
    await entity.until(BreakerState.HALF_OPEN, probes=3)
    # A probe that no worker has taken yet ends otherwise than one that is cut off.
    await entity.fleet.completers["alpha"].called.wait()
    await entity.stop_provider("alpha")
    opened = await entity.until(BreakerState.OPEN)
    assert opened.k == 2
    reasons = [event.reason for event in (await entity.log()).events if event.kind == "probe_inconclusive"]
    assert reasons == ["http_400", "http_401", "worker_shutdown"]
    entity.fleet.script("alpha", reply("ok"))
    entity.serve_provider("alpha", Probe(entity.fleet.make("alpha", None, None), provider()).probe_provider)
    await entity.pass_time(OPEN_S * 1.11)
    assert (await entity.until(BreakerState.CLOSED)).k == 0


async def test_a_throttled_probe_cools_the_key_and_the_next_waits_as_long_as_it_asked(entity: Entity) -> None:
    entity.fleet.script("alpha", failing(ErrorClass.THROTTLE, "http_429", status=429, retry_after_s=40), reply("ok"))
    await entity.start("alpha")
    await entity.to_half_open()
    await entity.until_told("cooled")
    health = await entity.health()
    assert (health.cooldown_reason, health.state) == ("throttle", BreakerState.HALF_OPEN)
    assert health.next_probe_at is not None
    assert 35 < health.next_probe_at - await entity.now() <= 40
    await entity.pass_time(40.1)
    await entity.until(BreakerState.CLOSED)


async def test_f15_a_probe_whose_worker_is_lost_times_out_and_another_is_sent(entity: Entity) -> None:
    """F15: the worker takes the probe and never says anything again, as a killed one does."""
    taken: list[ProbeRequest] = []

    @activity.defn(name="probe_provider")
    async def lost_with_its_worker(request: ProbeRequest) -> ProbeResult:
        taken.append(request)
        if len(taken) == 1:
            await asyncio.sleep(1.5)
        return ProbeResult(outcome=ProbeOutcome.SUCCESS)

    await entity.start()
    entity.serve_provider("alpha", lost_with_its_worker)
    await entity.to_half_open()
    await entity.until_told("probe_inconclusive")
    assert (await entity.log()).events[-1].reason == "worker_lost"
    await entity.pass_time(10.1)
    assert (await entity.until(BreakerState.CLOSED)).gen == 4
    assert [request.n for request in taken] == [1, 2, 3]


async def test_without_a_worker_on_the_queue_a_round_ends_too(entity: Entity) -> None:
    """Property 2: nothing rejects for ever, also with no worker for the provider."""
    await entity.start()
    await entity.to_half_open()
    for count in (1, 2):
        await entity.until_told("probe_inconclusive", count)
        await entity.pass_time(10.1)
    opened = await entity.until(BreakerState.OPEN)
    assert opened.k == 2
    assert {event.reason for event in (await entity.log()).events if event.kind == "probe_inconclusive"} == {
        "no_worker"
    }


async def test_f17_two_hundred_reports_at_the_moment_of_half_opening_start_one_probe(entity: Entity) -> None:
    """F17 and property 1: one probe in flight, whatever arrives."""
    running, most, probes = 0, 0, 0

    @activity.defn(name="probe_provider")
    async def slow(_request: ProbeRequest) -> ProbeResult:
        nonlocal running, most, probes
        running, probes = running + 1, probes + 1
        most = max(most, running)
        await asyncio.sleep(0.3)
        running -= 1
        return ProbeResult(outcome=ProbeOutcome.SUCCESS)

    await entity.start()
    entity.serve_provider("alpha", slow)
    await entity.to_half_open()
    reporters = [ReportBuilder(f"worker-{number}") for number in range(200)]
    second = int(await entity.now())
    epoch = (await entity.snapshot()).epoch
    for reporter in reporters:
        reporter.record(ALPHA, epoch, 1, second, "fail")
    await asyncio.gather(*(entity.handle.signal(Contract.report, reporter.take()) for reporter in reporters))
    await entity.until(BreakerState.CLOSED)
    assert (most, probes) == (1, 2)
    assert await entity.happened() == ["opened", "half_open", "closed"]


async def test_an_operator_opens_admits_and_resets_and_each_is_on_record(entity: Entity) -> None:
    await entity.start()
    seen: list[BreakerState] = []
    for signal in (Contract.force_open, Contract.force_close, Contract.reset):
        await entity.handle.signal(signal, AdminCommand(target="alpha", operator="ada", note="drill"))
        seen.append((await entity.health()).state)
    assert seen == [BreakerState.FORCED_OPEN, BreakerState.DISABLED, BreakerState.CLOSED]
    log = await entity.log()
    assert [(entry.action, entry.command.operator, entry.keys) for entry in log.audit] == [
        ("force_open", "ada", 1),
        ("force_close", "ada", 1),
        ("reset", "ada", 1),
    ]
    assert await entity.happened() == ["forced_open", "disabled", "reset"]
    assert (await entity.health(BETA)).gen == 1


async def test_a_probe_in_flight_is_cancelled_by_an_operator_and_its_result_ignored(entity: Entity) -> None:
    """Property 4: a result of an old generation changes nothing after a reset."""
    entity.fleet.script("alpha", HANG)
    await entity.start("alpha")
    await entity.to_half_open()
    await entity.until(BreakerState.HALF_OPEN, probes=1)
    await entity.handle.signal(Contract.reset, AdminCommand(target=ALPHA))
    assert (await entity.health()).state is BreakerState.CLOSED
    await asyncio.sleep(1.2)
    health = await entity.health()
    assert (health.state, health.gen) == (BreakerState.CLOSED, 4)
    assert await entity.happened() == ["opened", "half_open", "reset"]
    assert entity.fleet.calls("alpha") == 1
    await replay(await entity.histories())


async def test_no_message_however_wrong_stops_the_entity(entity: Entity) -> None:
    await entity.start()
    handle = entity.env.client.get_workflow_handle(entity.handle.id)
    await handle.signal("force_open", "alpha")
    await handle.signal("force_open")
    await handle.signal("reset", args=[{"target": "alpha"}, "surplus"])
    await handle.signal("report", {"worker_id": "w", "seq": -1})
    await handle.signal("report", {"worker_id": "w", "seq": 1, "deltas": [{"key": "x", "ok": float("inf")}]})
    await handle.signal("report", None)
    await handle.signal("no_such_signal", 1)
    await entity.handle.signal(Contract.force_open, AdminCommand(target="nobody", operator="ada"))
    kinds = [event.kind for event in (await entity.log()).events]
    assert kinds.count("message_refused") == 5
    assert kinds[-1] == "unknown_target"
    assert (await entity.log()).audit[-1].keys == 0
    assert (await entity.handle.describe()).status is WorkflowExecutionStatus.RUNNING
    await entity.fail()
    assert (await entity.health()).state is BreakerState.OPEN


async def test_a_report_that_comes_twice_counts_once(entity: Entity) -> None:
    """Property 13: delivery is at least once."""
    await entity.start()
    epoch, second = (await entity.snapshot()).epoch, int(await entity.now())
    entity.builder.record(ALPHA, epoch, 1, second, "fail")
    entity.builder.record(ALPHA, epoch, 1, second, "fail")
    report = entity.builder.take()
    for _ in range(3):
        await entity.handle.signal(Contract.report, report)
    snapshot = await entity.snapshot()
    assert snapshot.keys[ALPHA].state is BreakerState.CLOSED
    assert snapshot.acked_seq == report.seq


async def test_a_daily_cap_takes_the_provider_out_until_midnight_utc(entity: Entity) -> None:
    capped = KeyPolicy(daily_cost_cap_usd=1.0)
    await entity.start(told=HealthPolicy(keys={ALPHA: capped, BETA: KeyPolicy()}))
    now = await entity.now()
    entity.builder.spent("alpha", datetime.fromtimestamp(now, tz=UTC).date().isoformat(), 1.0)
    await entity.tell()
    health = await entity.health()
    midnight = (datetime.fromtimestamp(now, tz=UTC) + timedelta(days=1)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    assert health.capped_until == midnight.timestamp()
    assert health.barred(now) == "daily_cost_cap"
    assert (await entity.health(BETA)).barred(now) is None
    await entity.pass_time(midnight.timestamp() - now + 1)
    assert (await entity.health()).capped_until is None
    assert (await entity.snapshot()).spent_micro_usd == {"alpha": 0}


async def test_a_state_that_cannot_be_read_fails_the_run_instead_of_its_task_for_ever(entity: Entity) -> None:
    await entity.start()
    broken = await entity.env.client.start_workflow(
        "ProviderHealth", {"epoch": "x"}, id=f"broken-{uuid.uuid4()}", task_queue=TASK_QUEUE
    )
    for _ in range(100):
        if (await broken.describe()).status is not WorkflowExecutionStatus.RUNNING:
            break
        await asyncio.sleep(0.05)
    else:
        await broken.terminate()
    assert (await broken.describe()).status is WorkflowExecutionStatus.FAILED
