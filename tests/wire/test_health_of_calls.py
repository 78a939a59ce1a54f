"""What a call at a real socket does to its provider's health, and how health keeps a call from being made."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest
from temporalio.testing import ActivityEnvironment

from activities.process_health import ProcessHealth
from pointsman.health.breaker import BreakerState
from pointsman.health.keys import key_of
from pointsman.health.report import Report
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.hedge_delay import CallClass, tokens_bucket
from pointsman.standing import WELL
from pointsman.throttling import ThrottlingSettings
from tests.builders import configuration, provider_table
from tests.wire.asking import LONG_S, MODELS, NAME
from tests.wire.calling import Activity
from workers.embedded.scripted.script import Hang, Reply, Reset, Status, Step
from workers.embedded.scripted.server import ScriptedProviders

MODEL = MODELS["openai"]


def _report(activity: Activity) -> Report:
    return activity.health.reports.take()


def _counts(report: Report) -> tuple[int, int, int]:
    rows = report.deltas
    return sum(row.ok for row in rows), sum(row.fail for row in rows), sum(row.throttle for row in rows)


@pytest.mark.parametrize(
    ("step", "counts", "cooled"),
    [
        pytest.param(Reply("fine"), (1, 0, 0), [], id="answer"),
        pytest.param(Reply("I'm sorry, but I can't help with that."), (0, 0, 0), [], id="refusal"),
        pytest.param(Status(503), (0, 1, 0), [], id="503"),
        pytest.param(
            Status(503, headers={"retry-after": "7"}), (0, 1, 0), [("retry_after", 7.0)], id="503 with a hint"
        ),
        pytest.param(Reset(), (0, 1, 0), [], id="reset"),
        pytest.param(Status(429), (0, 0, 1), [("throttle", None)], id="429"),
        pytest.param(Status(429, headers={"retry-after": "30"}), (0, 0, 1), [("throttle", 30.0)], id="429 with a hint"),
        pytest.param(Status(402), (0, 0, 0), [("quota", None)], id="402"),
        pytest.param(Status(401), (0, 0, 0), [("config", None)], id="401"),
        pytest.param(Status(400), (0, 0, 0), [], id="F18 400"),
        pytest.param(Status(422), (0, 0, 0), [], id="F18 422"),
    ],
)
async def test_each_end_of_a_call_counts_as_its_class_says(
    providers: ScriptedProviders, step: Step, counts: tuple[int, int, int], cooled: list[tuple[str, float | None]]
) -> None:
    activity = Activity(providers)
    if isinstance(step, Reply):
        await activity.run(step)
    else:
        await activity.fail(step)
    report = _report(activity)
    assert _counts(report) == counts
    assert [(row.reason, row.seconds) for row in report.cooled] == cooled


async def test_f22_a_fast_failure_is_no_latency(providers: ScriptedProviders) -> None:
    activity = Activity(providers)
    await activity.run(Reply("fine", delay_s=0.05))
    for _ in range(5):
        await activity.fail(Status(503))
    (measured,) = _report(activity).measured
    figures = measured.measures.figures()
    assert figures.n == 1
    assert figures.error_rate == pytest.approx(5 / 6)
    assert figures.median_ms is not None
    assert figures.median_ms >= 45


async def test_a_timed_out_attempt_is_a_failure_and_a_sample_for_the_hedge_delay(providers: ScriptedProviders) -> None:
    activity = Activity(providers, timeout_s=0.3)
    failed = await activity.fail(Hang())
    assert failed.named == ("ProviderFailure", "timeout")
    assert _counts(_report(activity)) == (0, 1, 0)


async def test_three_calls_that_run_far_past_the_median_cool_their_provider_before_the_first_has_failed(
    providers: ScriptedProviders,
) -> None:
    activity = Activity(providers, timeout_s=LONG_S)
    health, overdue = activity.health, asyncio.Semaphore(0)
    health.hurry = overdue.release
    admitted = {key_of(NAME, MODEL): KeyHealth(gen=WELL.gen)}
    health.view.accept(Snapshot(epoch=WELL.epoch, version=1, issued_at=0, keys=admitted), health.clock())
    usual = CallClass(NAME, MODEL, "", tokens_bucket(99))
    for _ in range(20):
        health.samples.record(usual, "success", 0.01, health.monotonic())
    running = [asyncio.create_task(replace(activity, env=ActivityEnvironment()).run(Hang())) for _ in range(3)]
    for _ in running:
        await asyncio.wait_for(overdue.acquire(), LONG_S)
    assert health.view.health(key_of(NAME, MODEL), health.clock()).cooling(health.clock()) == "overdue"
    assert _counts(report := _report(activity)) == (0, 0, 0)
    assert [row.count for row in report.overdue] == [3]
    for call in running:
        call.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def test_f26_a_cancelled_call_is_neutral_and_its_estimate_is_spent(providers: ScriptedProviders) -> None:
    activity = Activity(providers)
    running = asyncio.create_task(activity.run(Hang()))
    await providers.wait_for_hits(NAME, 1, LONG_S)
    activity.env.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    report = _report(activity)
    assert _counts(report) == (0, 0, 0)
    (spent,) = report.spent
    assert spent.micro_usd > 0
    assert activity.health.purse.reserved(NAME) == 0


async def test_an_open_breaker_lets_no_attempt_through(providers: ScriptedProviders) -> None:
    activity = Activity(providers)
    opened = KeyHealth(state=BreakerState.OPEN, open_until=activity.health.clock() + 100)
    snapshot = Snapshot(epoch=1, version=1, issued_at=0, keys={key_of(NAME, MODEL): opened})
    activity.health.view.accept(snapshot, activity.health.clock())
    failed = await activity.fail(Reply("never sent"))
    assert failed.named == ("CallNotMade", "breaker_open")
    assert (failed.detail.attempts, providers.hits(NAME)) == ((), [])
    assert _counts(_report(activity)) == (0, 0, 0)


async def test_a_cooldown_stops_no_attempt_that_was_decided(providers: ScriptedProviders) -> None:
    activity = Activity(providers)
    cooled = KeyHealth(cooldown_until=activity.health.clock() + 100, cooldown_reason="throttle")
    snapshot = Snapshot(epoch=1, version=1, issued_at=0, keys={key_of(NAME, MODEL): cooled})
    activity.health.view.accept(snapshot, activity.health.clock())
    assert (await activity.run(Reply("sent"))).text == "sent"


async def test_a_second_attempt_without_a_token_is_not_made(providers: ScriptedProviders) -> None:
    activity = Activity(providers, attempt=2)
    while activity.health.budget.take_retry(activity.health.monotonic()):
        pass
    failed = await activity.fail(Reply("never sent"))
    assert failed.named == ("CallNotMade", "retry_budget_exhausted")
    assert providers.hits(NAME) == []


async def test_f27_the_days_cap_lets_no_call_through_that_it_would_not_pay_for(providers: ScriptedProviders) -> None:
    capped = configuration({NAME: provider_table(daily_cost_cap_usd=0.00105), "other": provider_table()})
    activity = Activity(providers, health=ProcessHealth.of(capped, "worker"))
    await activity.run(Reply("fine"))
    failed = await activity.fail(Reply("never sent"))
    assert failed.named == ("CallNotMade", "daily_cost_cap")
    assert len(providers.hits(NAME)) == 1


async def test_a_low_rate_limit_turns_a_call_away_that_would_wait_too_long(providers: ScriptedProviders) -> None:
    slow = configuration({NAME: provider_table(rate_limit_per_minute=1), "other": provider_table()})
    activity = Activity(providers, last_candidate=False, health=ProcessHealth.of(slow, "worker"))
    assert (await activity.run(Reply("at once"))).text == "at once"
    failed = await activity.fail(Reply("never sent"))
    assert failed.named == ("CallNotMade", "rate_limit")
    # A call a minute: it says when the next one may start.
    assert failed.detail.fault.retry_after_s == pytest.approx(60, abs=1)
    assert len(providers.hits(NAME)) == 1


async def test_a_call_cancelled_while_it_waits_leaves_its_slot_and_its_money_to_others(
    providers: ScriptedProviders,
) -> None:
    slow = configuration(
        {NAME: provider_table(rate_limit_per_minute=6, daily_cost_cap_usd=1.0), "other": provider_table()}
    )
    activity = Activity(providers, health=ProcessHealth.of(slow, "worker"))
    await activity.run(Reply("at once"))
    asked_for_a_slot = asyncio.Event()

    def monotonic() -> float:
        asked_for_a_slot.set()
        return time.monotonic()

    activity.health.monotonic = monotonic
    waiting = asyncio.create_task(activity.run(Reply("never sent")))
    await asked_for_a_slot.wait()
    activity.env.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert activity.health.purse.reserved(NAME) == 0
    # A call every 10 s: the next one takes the place of the one that was cancelled, and not the place behind it.
    assert activity.health.limiters[NAME].reserve(activity.health.monotonic()).wait_s <= 10
    assert len(providers.hits(NAME)) == 1


async def test_a_call_that_waited_for_its_slot_is_not_sent_through_a_breaker_that_opened_meanwhile(
    providers: ScriptedProviders,
) -> None:
    slow = configuration({NAME: provider_table(rate_limit_per_minute=120), "other": provider_table()})
    activity = Activity(providers, health=ProcessHealth.of(slow, "worker"))
    health = activity.health
    limiter = health.limiters[NAME]
    while limiter.reserve(health.monotonic()).wait_s == 0:
        pass
    waiting = asyncio.create_task(activity.fail(Reply("never sent")))
    await asyncio.sleep(0)
    opened = KeyHealth(state=BreakerState.OPEN, open_until=health.clock() + 42)
    keys = {key_of(NAME, MODEL): opened}
    health.view.accept(Snapshot(epoch=1, version=1, issued_at=health.clock(), keys=keys), health.clock())
    failed = await waiting
    assert failed.named == ("CallNotMade", "breaker_open")
    assert failed.detail.fault.summary == "its breaker is open"
    assert failed.detail.fault.retry_after_s == pytest.approx(42, abs=5)
    assert providers.hits(NAME) == []


async def test_a_failure_cools_its_provider_down_where_the_rehearsal_wants_it(providers: ScriptedProviders) -> None:
    settings = configuration({NAME: provider_table(), "other": provider_table()})
    throttling = ThrottlingSettings(failure_cooldown_calls=3)
    settings = settings.model_copy(update={"throttling": throttling})
    activity = Activity(providers, health=ProcessHealth.of(settings, "worker"))
    await activity.fail(Status(503))
    assert activity.health.cooldowns.left == {NAME: 3}
