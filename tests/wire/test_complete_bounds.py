"""The bounds of the activity `complete` on real sockets: time, cancellation and money."""

from __future__ import annotations

import asyncio

import pytest

from pointsman.outcomes import Attempt, Usage
from tests.wire.asking import LONG_S, NAME, each_dialect
from tests.wire.calling import BOUND_S, Activity
from workers.embedded.scripted.script import Drip, Hang, Raw, Reply, Reset, Status, Step
from workers.embedded.scripted.server import ScriptedProviders


@pytest.mark.parametrize("step", [Hang(), Drip(0.01)], ids=["hang", "drip"])
@each_dialect
async def test_f20_the_bound_ends_a_call_and_closes_its_socket(
    providers: ScriptedProviders, dialect: str, step: Step
) -> None:
    failed = await Activity(providers, dialect, timeout_s=BOUND_S).fail(step)

    # The drip also shows whose limit it is: the client's own counts per read and never comes.
    await providers.wait_for_hits(NAME, 1, LONG_S, "aborted")
    assert failed.named == ("ProviderFailure", "timeout")
    (row,) = failed.detail.attempts
    assert row.latency_ms is not None
    assert row.latency_ms >= BOUND_S * 1000 * 0.9


@pytest.mark.parametrize("last", [True, False])
async def test_a_hang_is_repeated_only_where_no_other_provider_is_left(
    providers: ScriptedProviders, *, last: bool
) -> None:
    failed = await Activity(providers, timeout_s=BOUND_S, last_candidate=last).fail(Hang())

    assert failed.error.non_retryable is not last
    assert (failed.delay_s is None) is not last


@each_dialect
async def test_f26_a_call_that_timed_out_is_not_free(providers: ScriptedProviders, dialect: str) -> None:
    failed = await Activity(providers, dialect, timeout_s=BOUND_S).fail(Hang())

    (row,) = failed.detail.attempts
    assert row.usage.source == "estimated"
    assert row.usage.output_tokens == 50
    assert row.cost_usd is not None
    assert row.cost_usd > 0


@pytest.mark.parametrize(
    ("step", "billed"),
    [
        pytest.param(Status(503), False, id="503"),
        pytest.param(Status(429), False, id="429"),
        pytest.param(Reset(), True, id="reset"),
        pytest.param(Raw(b'{"choices": [{"mes', delay_s=0.1), True, id="unreadable"),
        pytest.param(Reply("", usage=None), True, id="empty without usage"),
        pytest.param(Reply("half", finish=None), True, id="truncated"),
    ],
)
@each_dialect
async def test_f26_what_was_turned_away_is_free_and_what_was_answered_is_not(
    providers: ScriptedProviders, dialect: str, step: Step, *, billed: bool
) -> None:
    (row,) = (await Activity(providers, dialect).fail(step)).detail.attempts

    assert row.cost_usd is not None
    assert (row.cost_usd > 0) is billed


@each_dialect
async def test_cancellation_closes_the_socket(providers: ScriptedProviders, dialect: str) -> None:
    activity = Activity(providers, dialect)
    running = asyncio.create_task(activity.run(Hang()))
    await providers.wait_for_hits(NAME, 1, LONG_S)
    assert activity.health.in_flight(NAME) == 1

    activity.env.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    await providers.wait_for_hits(NAME, 1, LONG_S, "aborted")
    assert activity.health.in_flight(NAME) == 0


async def test_a_deadline_shorter_than_the_providers_time_is_nobodys_fault(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, deadline_s=BOUND_S, latency_ms=1000).fail(Hang())

    assert failed.named == ("CallCancelled", "deadline")
    assert failed.error.non_retryable
    await providers.wait_for_hits(NAME, 1, LONG_S, "aborted")


async def test_a_deadline_that_has_passed_makes_no_call(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, deadline_s=0).fail(Reply())

    assert failed.named == ("CallNotMade", "deadline")
    assert failed.detail.attempts == ()
    assert providers.hits() == []


async def test_waiting_for_an_attempt_takes_from_its_time(providers: ScriptedProviders) -> None:
    waited = Activity(providers, deadline_s=30, waited_s=30 - BOUND_S, latency_ms=1000)

    failed = await waited.fail(Hang())

    assert failed.named == ("CallCancelled", "deadline")
    (row,) = failed.detail.attempts
    assert row.outcome == "cancelled"
    assert row.cost_usd is not None
    assert row.cost_usd > 0


async def test_a_hang_up_to_the_deadline_is_the_providers_where_it_had_time_enough(
    providers: ScriptedProviders,
) -> None:
    failed = await Activity(providers, deadline_s=BOUND_S, latency_ms=10).fail(Hang())

    assert failed.named == ("ProviderFailure", "timeout")


async def test_without_a_deadline_the_calls_own_limit_holds(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, deadline_s=None, timeout_s=BOUND_S).fail(Hang())

    assert failed.named == ("ProviderFailure", "timeout")


async def test_what_the_question_has_cost_elsewhere_counts_too(providers: ScriptedProviders) -> None:
    failed = await Activity(providers, spent_usd=0.01).fail(Reply(), max_cost_usd=0.01)

    assert failed.named == ("CallNotMade", "over_cost")
    assert providers.hits() == []


async def test_f25_an_unknown_price_is_an_unknown_cost(providers: ScriptedProviders) -> None:
    (answered,) = (await Activity(providers, price=None).run(Reply())).attempts
    (slow,) = (await Activity(providers, price=None, timeout_s=BOUND_S).fail(Hang())).detail.attempts
    (turned_away,) = (await Activity(providers, price=None).fail(Status(503))).detail.attempts

    # Only where nothing was bought is the price of no matter.
    assert (answered.cost_usd, slow.cost_usd, turned_away.cost_usd) == (None, None, 0.0)


async def test_what_earlier_attempts_have_cost_shortens_the_answer(providers: ScriptedProviders) -> None:
    spent = Attempt(provider=NAME, model="m", attempt=1, outcome="failed", usage=Usage(source="reported"), cost_usd=0.5)

    await Activity(providers, attempt=2, earlier=(spent,)).run(Reply(), max_cost_usd=0.5005)

    (hit,) = providers.hits()
    assert hit.max_tokens is not None
    assert 16 <= hit.max_tokens < 50


async def test_money_that_is_spent_makes_no_call(providers: ScriptedProviders) -> None:
    failed = await Activity(providers).fail(Reply(), max_cost_usd=0.0000001)

    assert failed.named == ("CallNotMade", "over_cost")
    assert providers.hits() == []
