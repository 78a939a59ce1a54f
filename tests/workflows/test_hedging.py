"""Two legs of one question: who wins, who is cut off, and what a denied hedge changes."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType

from pointsman import Answer, Question, QuestionCancelled, QuestionFailed, RouterClient
from pointsman.configuration import Configuration
from pointsman.contract import ALL_PROVIDERS_FAILED, QUESTION_NOT_ACCEPTED
from pointsman.outcomes import ErrorClass
from tests.builders import QUERY_TYPES
from tests.fakes import HANG, Later, failing, reply
from tests.workflows.conftest import PROVIDERS, Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")

NEVER_S = 30.0
"""A reply that is due so late is only seen as the end of its connection."""
SOON_MS = 60.0
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def hedging(delay_ms: float = SOON_MS, **changes: Any) -> Configuration:
    """Routes that hedge after `delay_ms`, which nothing measured replaces in so few calls."""
    return configuration(
        providers={name: {"latency": {"p50_ms": 10, "p95_ms": delay_ms}} for name in PROVIDERS},
        query_types={query_type: {"hedge": True} for query_type in QUERY_TYPES},
        hedging={"delay_min": 0.01},
        **changes,
    )


@pytest.fixture
def question_id() -> str:
    """An id that no other run of a test has."""
    return f"q-{uuid.uuid4()}"


async def events(pointsman: Pointsman, question_id: str) -> list[str]:
    history = await pointsman.env.client.get_workflow_handle(question_id).fetch_history()
    return [EventType.Name(event.event_type)[len("EVENT_TYPE_") :] for event in history.events]


async def _failure(pointsman: Pointsman, **fields: Any) -> QuestionFailed:
    with pytest.raises(QuestionFailed) as failed:
        await pointsman.ask(**fields)
    return failed.value


def _legs(answer: Answer) -> list[tuple[str, str, str | None, bool]]:
    return [(row.provider, row.outcome, row.kind, row.hedge) for row in answer.attempts]


async def test_the_second_leg_wins_over_a_hang_whose_connection_is_closed(
    pointsman: Pointsman, question_id: str
) -> None:
    pointsman.fleet.script("alpha", HANG)
    pointsman.fleet.script("beta", reply("second"))
    await pointsman.serve(hedging())
    answer = await pointsman.ask(id=question_id)
    assert (answer.text, answer.route_reason, answer.hedged, answer.hedge_won) == ("second", "hedge", True, True)
    assert _legs(answer) == [("beta", "answered", None, True), ("alpha", "cancelled", "hedge_lost", False)]
    await asyncio.wait_for(pointsman.fleet.completers["alpha"].closed.wait(), 10)
    assert (pointsman.fleet.calls("alpha"), pointsman.fleet.calls("gamma")) == (1, 0)
    assert "ACTIVITY_TASK_CANCEL_REQUESTED" in await events(pointsman, question_id)


async def test_f26_a_loser_is_billed_as_an_estimate(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve(hedging())
    answer = await pointsman.ask()
    winner, loser = answer.attempts
    assert (winner.usage.source, loser.usage.source, answer.usage.source) == ("reported", "estimated", "estimated")
    assert answer.cost_usd is not None
    assert winner.cost_usd is not None
    assert answer.cost_usd > winner.cost_usd


async def test_f29_a_loser_is_neutral_for_its_breaker_and_not_tried_again(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve(hedging())
    await pointsman.ask()
    await asyncio.wait_for(pointsman.fleet.completers["alpha"].closed.wait(), 10)
    told = [row.key for row in pointsman.health.reports.take().deltas]
    assert [key.partition("/")[0] for key in told] == ["beta"]
    assert pointsman.fleet.calls("alpha") == 1


async def test_an_answer_before_the_delay_cancels_the_timer_and_costs_three_events(
    pointsman: Pointsman, question_id: str
) -> None:
    await pointsman.serve(hedging(delay_ms=20_000))
    answer = await pointsman.ask(id=question_id)
    assert (answer.provider, answer.hedged, answer.hedge_won, answer.route_reason) == ("alpha", False, False, "primary")
    seen = await events(pointsman, question_id)
    assert "TIMER_CANCELED" in seen
    assert len(seen) <= 17
    assert pointsman.fleet.calls("beta") == 0


async def test_the_first_leg_may_still_win_and_the_second_is_cut_off(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", Later(0.6, reply("first")))
    pointsman.fleet.script("beta", Later(NEVER_S, reply("late")))
    await pointsman.serve(hedging())
    answer = await pointsman.ask()
    assert (answer.text, answer.route_reason, answer.hedged, answer.hedge_won) == ("first", "primary", True, False)
    assert _legs(answer) == [("alpha", "answered", None, False), ("beta", "cancelled", "hedge_lost", True)]
    await asyncio.wait_for(pointsman.fleet.completers["beta"].closed.wait(), 10)


async def test_a_failure_before_the_delay_starts_the_next_at_once_as_a_fallback(
    pointsman: Pointsman, question_id: str
) -> None:
    pointsman.fleet.script("alpha", failing())
    await pointsman.serve(hedging(delay_ms=20_000))
    answer = await pointsman.ask(id=question_id)
    assert (answer.provider, answer.route_reason, answer.hedged) == ("beta", "fallback:failure", False)
    assert pointsman.fleet.calls("alpha") == 1
    assert "TIMER_FIRED" not in await events(pointsman, question_id)


async def test_f29_when_both_legs_fail_no_hedge_has_won_and_the_next_is_asked(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", Later(0.5, failing()))
    pointsman.fleet.script("beta", failing())
    await pointsman.serve(hedging())
    answer = await pointsman.ask()
    assert (answer.provider, answer.hedged, answer.hedge_won) == ("gamma", True, False)
    assert [row.provider for row in answer.attempts] == ["beta", "alpha", "gamma"]


async def test_when_every_leg_fails_the_question_fails_with_each_reason(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", Later(0.5, failing()))
    for provider in ("beta", "gamma"):
        pointsman.fleet.script(provider, failing())
    await pointsman.serve(hedging())
    failure = await _failure(pointsman)
    assert failure.failure_type == ALL_PROVIDERS_FAILED
    assert [row.provider for row in failure.attempts] == ["beta", "alpha", "gamma", "gamma"]


async def test_a_denied_hedge_changes_nothing(pointsman: Pointsman, question_id: str) -> None:
    pointsman.fleet.script("alpha", Later(0.4, reply("patience")))
    await pointsman.serve(hedging(budget={"ratio": 0.0, "capacity": 2, "trickle": 0}))
    assert pointsman.health.budget.take_retry(0.0)
    answer = await pointsman.ask(id=question_id)
    assert (answer.text, answer.hedged, answer.route_reason) == ("patience", False, "primary")
    assert pointsman.fleet.calls("beta") == 0
    assert "TIMER_FIRED" in await events(pointsman, question_id)
    assert pointsman.health.budget.denied["hedge"] >= 1


async def test_a_first_leg_that_fails_after_a_denied_hedge_is_followed_at_once(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", Later(0.4, failing()))
    await pointsman.serve(hedging(budget={"ratio": 0.0, "capacity": 2, "trickle": 0}))
    assert pointsman.health.budget.take_retry(0.0)
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason, answer.hedged) == ("beta", "fallback:failure", False)


async def test_an_answer_that_fails_the_schema_does_not_win(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", Later(0.5, reply('{"name": "Ada"}')))
    pointsman.fleet.script("beta", reply("Sure! The name is Ada."))
    await pointsman.serve(hedging())
    answer = await pointsman.ask(response_schema=NAME)
    assert (answer.parsed, answer.provider, answer.hedge_won) == ({"name": "Ada"}, "alpha", False)


async def test_when_the_question_is_turned_away_the_other_leg_is_cut_off(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    pointsman.fleet.script("beta", failing(ErrorClass.CLIENT, "http_400", status=400))
    await pointsman.serve(hedging())
    failure = await _failure(pointsman)
    assert failure.failure_type == QUESTION_NOT_ACCEPTED
    await asyncio.wait_for(pointsman.fleet.completers["alpha"].closed.wait(), 10)
    assert pointsman.fleet.calls("gamma") == 0


async def test_a_provider_that_cools_down_is_no_second_leg(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", Later(0.4, reply("first")))
    await pointsman.serve(hedging())
    for provider in ("beta", "gamma"):
        pointsman.health.cooldowns.cool(provider, 5)
    answer = await pointsman.ask()
    assert (answer.text, answer.hedged) == ("first", False)


async def test_cancelling_the_question_cuts_off_both_legs(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    pointsman.fleet.script("beta", HANG)
    await pointsman.serve(hedging())
    client = RouterClient(pointsman.env.client)
    question_id = await client.start(Question(prompt="hello there"))
    await asyncio.wait_for(pointsman.fleet.completers["beta"].called.wait(), 10)
    await client.cancel(question_id)
    with pytest.raises(QuestionCancelled):
        await client.answer(question_id)
    for provider in ("alpha", "beta"):
        await asyncio.wait_for(pointsman.fleet.completers[provider].closed.wait(), 10)
    assert pointsman.fleet.calls("gamma") == 0


async def test_a_winner_is_not_kept_waiting_by_a_loser(pointsman: Pointsman, question_id: str) -> None:
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve(hedging())
    answer = await pointsman.ask(id=question_id)
    assert answer.hedge_won
    seen = await events(pointsman, question_id)
    assert seen.count("ACTIVITY_TASK_COMPLETED") == 1
    assert "ACTIVITY_TASK_CANCELED" not in seen
