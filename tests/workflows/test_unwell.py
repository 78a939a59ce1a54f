"""Questions while providers are open, cooling or degraded: who is asked, in which order, and what is waited for."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from pointsman import QuestionFailed
from pointsman.configuration import Configuration
from pointsman.contract import ALL_PROVIDERS_FAILED, ALL_PROVIDERS_UNAVAILABLE, TENANT_CAP_REACHED
from pointsman.health.breaker import BreakerState
from pointsman.health.keys import key_of
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.health.spend import day_of
from pointsman.outcomes import ErrorClass
from tests.builders import QUERY_TYPES
from tests.fakes import failing, reply
from tests.workflows.conftest import PROVIDERS, Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG = " ".join(f"word{number}" for number in range(30))


def told(pointsman: Pointsman, **health: KeyHealth) -> None:
    """The process has just read this of the fleet, which knows all it reported, and goes on taking it for fresh."""
    settings = pointsman.health.configuration
    keys = {key_of(name, settings.providers[name].model): found for name, found in health.items()}
    seq = pointsman.health.reports.seq + 1
    snapshot = Snapshot(epoch=1, version=1, issued_at=time.time(), active_workers=1, acked_seq=seq, keys=keys)
    pointsman.health.view.accept(snapshot, time.time() + 10_000)


def opened(seconds: float, gen: int = 2) -> KeyHealth:
    return KeyHealth(state=BreakerState.OPEN, gen=gen, k=1, open_until=time.time() + seconds)


def cooled(seconds: float, reason: Any = "throttle") -> KeyHealth:
    return KeyHealth(cooldown_until=time.time() + seconds, cooldown_reason=reason)


async def _failure(pointsman: Pointsman, **fields: Any) -> QuestionFailed:
    with pytest.raises(QuestionFailed) as failed:
        await pointsman.ask(**fields)
    return failed.value


async def test_an_open_provider_is_passed_over_and_the_answer_says_so(pointsman: Pointsman) -> None:
    await pointsman.serve()
    told(pointsman, alpha=opened(100))
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("beta", "breaker_open:alpha")
    (rejected,) = (found for found in answer.decision.rejected if found.provider == "alpha")
    assert rejected.reason == "breaker_open"
    assert rejected.recovers_in_s == pytest.approx(100, abs=30)
    assert pointsman.fleet.calls("alpha") == 0


async def test_f17_nobody_is_asked_who_is_half_open(pointsman: Pointsman) -> None:
    await pointsman.serve()
    told(pointsman, alpha=KeyHealth(state=BreakerState.HALF_OPEN, gen=3))
    answers = [await pointsman.ask() for _ in range(5)]
    assert {answer.route_reason for answer in answers} == {"breaker_open:alpha"}
    assert pointsman.fleet.calls("alpha") == 0


async def test_a_call_carries_the_token_that_it_was_admitted_under(pointsman: Pointsman) -> None:
    await pointsman.serve()
    told(pointsman, alpha=KeyHealth(gen=7))
    await pointsman.ask()
    (row,) = pointsman.health.reports.take().deltas
    assert (row.epoch, row.gen, row.ok) == (1, 7, 1)


async def test_with_all_open_the_failure_says_when_to_come_back_and_nobody_is_asked(pointsman: Pointsman) -> None:
    await pointsman.serve()
    told(pointsman, alpha=opened(300), beta=opened(120), gamma=KeyHealth(state=BreakerState.FORCED_OPEN))
    failure = await _failure(pointsman)
    assert failure.failure_type == ALL_PROVIDERS_UNAVAILABLE
    assert failure.retry_after_s == pytest.approx(120, abs=30)
    assert all(f"{provider}: " in str(failure) for provider in PROVIDERS)
    assert [pointsman.fleet.calls(provider) for provider in PROVIDERS] == [0, 0, 0]


async def test_with_one_left_that_fails_the_others_are_named_and_their_recovery_counts(pointsman: Pointsman) -> None:
    pointsman.fleet.script("gamma", failing(ErrorClass.CONFIG, "http_401", status=401))
    await pointsman.serve()
    told(pointsman, alpha=opened(300), beta=opened(120))
    failure = await _failure(pointsman)
    assert failure.failure_type == ALL_PROVIDERS_FAILED
    assert failure.retry_after_s == pytest.approx(120, abs=30)
    assert "alpha: breaker_open" in str(failure)


async def test_all_that_only_cool_down_are_tried_the_soonest_first(pointsman: Pointsman) -> None:
    pointsman.fleet.script("beta", failing())
    await pointsman.serve()
    told(pointsman, alpha=cooled(300), beta=cooled(60), gamma=cooled(120))
    answer = await pointsman.ask()
    assert (answer.provider, answer.decision.reason) == ("gamma", "cooldown:alpha")
    assert pointsman.fleet.calls("alpha") == 0


@pytest.mark.parametrize("reason", ["quota", "config"])
async def test_what_does_not_heal_by_asking_is_not_tried_at_all(pointsman: Pointsman, reason: str) -> None:
    await pointsman.serve()
    told(pointsman, alpha=cooled(300, reason), beta=cooled(300, reason), gamma=cooled(300, reason))
    failure = await _failure(pointsman)
    assert failure.failure_type == ALL_PROVIDERS_UNAVAILABLE
    assert [pointsman.fleet.calls(provider) for provider in PROVIDERS] == [0, 0, 0]


async def test_waiting_out_a_long_outage_answers_when_a_breaker_closes(
    pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pointsman.serve()
    hours = 3 * 3600.0
    rounds: list[str] = []

    def begin(request_id: str) -> dict[str, int]:
        # Each round is one decision; by the second one the fleet has seen a probe succeed.
        rounds.append(request_id)
        until = {"alpha": hours, "beta": hours, "gamma": hours} if len(rounds) == 1 else {"alpha": hours}
        told(pointsman, **{name: opened(seconds) for name, seconds in until.items()})
        return {}

    monkeypatch.setattr(pointsman.health.cooldowns, "begin", begin)
    answer = await pointsman.ask(on_exhausted="wait", deadline_s=6 * 3600)
    assert (answer.provider, answer.route_reason, len(rounds)) == ("beta", "breaker_open:alpha", 2)
    assert answer.latency_ms >= hours * 1000 * 0.99


async def test_a_call_decided_before_the_opening_is_stopped_at_the_gate(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing(), reply("never asked for"))
    await pointsman.serve(configuration(retry={"initial_s": 1.0}))
    told(pointsman)
    asking = asyncio.create_task(pointsman.ask())
    await asyncio.wait_for(pointsman.fleet.completers["alpha"].called.wait(), 10)
    told(pointsman, alpha=opened(100))
    answer = await asking
    assert (answer.provider, answer.route_reason) == ("beta", "fallback:failure")
    assert pointsman.fleet.calls("alpha") == 1


async def test_three_failed_questions_bar_a_provider_in_this_process_at_once(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing())
    await pointsman.serve()
    told(pointsman)
    reasons = [(await pointsman.ask()).route_reason for _ in range(5)]
    assert reasons == ["fallback:failure"] * 3 + ["breaker_open:alpha"] * 2
    # Each question tries twice, but for the third: its second attempt is stopped at the gate.
    assert pointsman.fleet.calls("alpha") == 5


async def test_the_second_fallback_is_paid_for_and_a_denial_ends_the_question(pointsman: Pointsman) -> None:
    for provider in ("alpha", "beta"):
        pointsman.fleet.script(provider, failing(ErrorClass.QUOTA, "out_of_quota", status=402))
    await pointsman.serve(configuration(budget={"ratio": 0.0, "capacity": 2, "trickle": 0}))
    for _ in range(2):
        told(pointsman)
        assert (await pointsman.ask()).provider == "gamma"
    told(pointsman)
    failure = await _failure(pointsman)
    assert failure.failure_type == ALL_PROVIDERS_FAILED
    assert [row.provider for row in failure.attempts] == ["alpha", "beta"]
    assert pointsman.fleet.calls("gamma") == 2


async def test_the_first_fallback_is_free_unless_the_budget_is_strict(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing(ErrorClass.QUOTA, "out_of_quota", status=402))
    strict = {"ratio": 0.0, "capacity": 2, "trickle": 0, "strict_budget": True}
    await pointsman.serve(configuration(budget=strict))
    for _ in range(2):
        told(pointsman)
        assert (await pointsman.ask()).provider == "beta"
    told(pointsman)
    assert [row.provider for row in (await _failure(pointsman)).attempts] == ["alpha"]


async def test_a_retry_without_a_token_makes_no_call_and_goes_on(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing())
    await pointsman.serve(configuration(budget={"ratio": 0.0, "capacity": 2, "trickle": 0}))
    told(pointsman)
    for _ in range(2):
        assert pointsman.health.budget.take_retry(0.0)
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("beta", "fallback:failure")
    assert pointsman.fleet.calls("alpha") == 1


async def test_a_degraded_answer_leads_to_the_next_and_its_provider_sits_out(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", reply(LONG), reply(LONG), reply("limit " * 30), reply(LONG))
    pointsman.fleet.script("beta", reply("sound"))
    await pointsman.serve()
    told(pointsman)
    answers = [await pointsman.ask() for _ in range(7)]
    assert [answer.provider for answer in answers] == ["alpha", "alpha", "beta", "beta", "beta", "beta", "alpha"]
    assert [answer.route_reason for answer in answers[2:6]] == ["throttled:alpha"] * 4
    assert pointsman.fleet.calls("alpha") == 4


async def test_when_all_answers_are_degraded_the_last_is_given(pointsman: Pointsman) -> None:
    for provider in PROVIDERS:
        pointsman.fleet.script(provider, reply(LONG), reply(LONG), reply(f"{provider} " * 30))
    await pointsman.serve(_chain_by_chain())
    told(pointsman)
    for provider in PROVIDERS:
        for _ in range(2):
            await pointsman.ask(allow=[provider])
    answer = await pointsman.ask()
    assert (answer.provider, answer.text.split()[0]) == ("gamma", "gamma")
    assert answer.tags == ("degraded:density",)


def _chain_by_chain() -> Configuration:
    return configuration(query_types={query_type: {"order": "chain"} for query_type in QUERY_TYPES})


async def test_a_provider_that_asks_to_wait_is_not_asked_by_the_next_question_of_the_process(
    pointsman: Pointsman,
) -> None:
    pointsman.fleet.script("alpha", failing(ErrorClass.THROTTLE, "http_429", status=429, retry_after_s=30.0))
    await pointsman.serve()
    told(pointsman)
    answers = [await pointsman.ask() for _ in range(3)]
    assert [answer.route_reason for answer in answers] == ["fallback:throttle", "cooldown:alpha", "cooldown:alpha"]
    assert pointsman.fleet.calls("alpha") == 1


async def test_f27_whom_the_days_cap_would_not_pay_for_is_not_scheduled_and_stands_rejected(
    pointsman: Pointsman,
) -> None:
    # The longest answer costs 0.01024 USD, and those that come next to nothing.
    await pointsman.serve(configuration(providers={"alpha": {"daily_cost_cap_usd": 0.0105}}))
    assert (await pointsman.ask()).provider == "alpha"
    pointsman.health.purse.tell({"alpha": 400}, day_of(time.time()), processes=1, acked_seq=9)
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("beta", "cooldown:alpha")
    (rejected,) = answer.decision.rejected
    assert (rejected.provider, rejected.reason) == ("alpha", "daily_cost_cap")
    assert rejected.recovers_in_s is not None
    # A shorter answer is still within it; and when more is free, so is the longest.
    assert (await pointsman.ask(max_output_tokens=100)).provider == "alpha"
    pointsman.health.purse.tell({}, day_of(time.time()), processes=1, acked_seq=9)
    assert (await pointsman.ask()).provider == "alpha"


def _capped(cap_usd: float, tenant: str = "blue") -> Configuration:
    return configuration(tenants={tenant: {"daily_cost_cap_usd": cap_usd}})


async def test_a_tenants_used_up_cap_refuses_his_questions_at_the_entrance_and_nobody_elses(
    pointsman: Pointsman,
) -> None:
    # The longest answer costs 0.01024 USD.
    await pointsman.serve(_capped(0.0105))
    assert (await pointsman.ask(tenant="blue")).provider == "alpha"
    pointsman.health.tenants.tell({"blue": 400}, day_of(time.time()), processes=1, acked_seq=9)
    refused = await _failure(pointsman, tenant="blue")
    assert refused.failure_type == TENANT_CAP_REACHED
    assert str(refused).startswith("The tenant blue has spent $0.0004 of $0.0105 for today, and what is left does not")
    assert " 00:00 UTC" in str(refused)
    assert (refused.attempts, refused.cost_usd) == ((), 0.0)
    assert {rejection.reason for rejection in refused.rejected} == {"tenant_cost_cap"}
    assert refused.retry_after_s is not None
    assert refused.retry_after_s <= 86_400
    assert pointsman.fleet.calls("alpha") == 1
    # A shorter answer is still within it, and others have money of their own.
    assert (await pointsman.ask(tenant="blue", max_output_tokens=100)).provider == "alpha"
    assert (await pointsman.ask(tenant="red")).provider == "alpha"


async def test_tenants_without_a_cap_of_their_own_share_one(pointsman: Pointsman) -> None:
    await pointsman.serve(_capped(0.0105, "*"))
    pointsman.health.tenants.tell({"*": 400}, day_of(time.time()), processes=1, acked_seq=9)
    for tenant in (None, "red", "made-up-name"):
        assert str(await _failure(pointsman, tenant=tenant)).startswith("All without a cap of their own have spent")


async def test_a_question_waits_for_the_day_on_which_its_tenants_cap_begins_anew(
    pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pointsman.serve(_capped(0.0105))
    asked: list[str] = []

    def affords(account: str, _usd: float, _now: float) -> bool:
        # This process's clock does not skip a day as the server's does: the next round is on another one.
        asked.append(account)
        return len(asked) > len(PROVIDERS)

    monkeypatch.setattr(pointsman.health.tenants, "affords", affords)
    answer = await pointsman.ask(tenant="blue", on_exhausted="wait", deadline_s=3 * 86_400)
    assert (answer.provider, answer.route_reason) == ("alpha", "primary")
    assert answer.latency_ms > 1000


async def test_a_call_that_its_tenants_cap_stops_at_the_gate_is_a_failure_of_that_kind(
    pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a decision lets through, another question may have spent when the call comes to be made.
    await pointsman.serve(_capped(0.0105))

    def reserve(_account: str, _usd: float, _now: float) -> None: ...

    with monkeypatch.context() as spent_meanwhile:
        spent_meanwhile.setattr(pointsman.health.tenants, "reserve", reserve)
        refused = await _failure(pointsman, tenant="blue")
    assert (refused.failure_type, refused.attempts) == (TENANT_CAP_REACHED, ())
    assert refused.retry_after_s is not None
    assert pointsman.fleet.calls("alpha") == 0
    assert pointsman.health.purse.reserved("alpha") == 0
    assert (await pointsman.ask(tenant="blue")).provider == "alpha"
