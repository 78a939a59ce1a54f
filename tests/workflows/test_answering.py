"""A question's way when a provider answers, now or after others did not."""

from __future__ import annotations

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHandle

from pointsman import Answer, ErrorClass, Question, QuestionFailed, RouteAndAnswer
from pointsman.contract import NO_CANDIDATE, Status
from pointsman.search_attributes import COST_USD, PROVIDER, QUERY_TYPE, STATUS
from tests.fakes import failing, reply
from tests.workflows.conftest import Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAIN_EVENTS = [
    "WORKFLOW_EXECUTION_STARTED",
    "WORKFLOW_TASK_SCHEDULED",
    "WORKFLOW_TASK_STARTED",
    "WORKFLOW_TASK_COMPLETED",
    "MARKER_RECORDED",
    "MARKER_RECORDED",
    "ACTIVITY_TASK_SCHEDULED",
    "ACTIVITY_TASK_STARTED",
    "ACTIVITY_TASK_COMPLETED",
    "WORKFLOW_TASK_SCHEDULED",
    "WORKFLOW_TASK_STARTED",
    "WORKFLOW_TASK_COMPLETED",
    "UPSERT_WORKFLOW_SEARCH_ATTRIBUTES",
    "WORKFLOW_EXECUTION_COMPLETED",
]


async def _events(handle: WorkflowHandle[RouteAndAnswer, Answer]) -> list[str]:
    history = await handle.fetch_history()
    return [EventType.Name(event.event_type).removeprefix("EVENT_TYPE_") for event in history.events]


async def test_a_plain_question_takes_13_events_and_the_final_search_attributes(pointsman: Pointsman) -> None:
    await pointsman.serve()
    handle = await pointsman.start(Question(prompt="What is 1 + 1?"))
    await handle.result()
    assert await _events(handle) == PLAIN_EVENTS


async def test_the_answer_tells_who_gave_it_why_and_at_what_cost(pointsman: Pointsman) -> None:
    await pointsman.serve()
    answer = await pointsman.ask("What is 1 + 1?")
    assert (answer.text, answer.provider, answer.route_reason) == ("ok", "alpha", "primary")
    assert (answer.query_type, answer.classification_confidence) == ("simple_factual", 0.7)
    assert answer.cost_usd == pytest.approx(60e-6)
    assert [attempt.outcome for attempt in answer.attempts] == ["answered"]
    assert answer.decision.candidates[0].terms.fit == pytest.approx(0.5)


async def test_a_failed_attempt_is_repeated_at_the_same_provider_and_both_are_told(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing(), reply("second"))
    await pointsman.serve()
    answer = await pointsman.ask()
    assert (answer.text, answer.route_reason) == ("second", "primary")
    told = [(row.provider, row.attempt, row.outcome) for row in answer.attempts]
    assert told == [("alpha", 1, "failed"), ("alpha", 2, "answered")]


async def test_the_next_candidate_answers_when_the_first_keeps_failing(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing())
    await pointsman.serve()
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("beta", "fallback:failure")
    assert [row.provider for row in answer.attempts] == ["alpha", "alpha", "beta"]
    assert pointsman.fleet.calls("alpha") == 2


async def test_f01_a_question_without_a_task_falls_back_in_the_chain_of_its_query_type(pointsman: Pointsman) -> None:
    pointsman.fleet.script("gamma", failing())
    await pointsman.serve(
        configuration(query_types={"code_task": {"chain": ["gamma", "alpha"], "order": "chain", "max_attempts": 1}})
    )
    answer = await pointsman.ask("Write a function that adds two numbers")
    assert (answer.query_type, answer.provider) == ("code_task", "alpha")
    assert answer.route_reason == "fallback:failure"


async def test_an_answer_below_the_minimum_confidence_is_passed_over(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", reply("unsure", confidence=0.2))
    pointsman.fleet.script("beta", reply("sure", confidence=0.9))
    await pointsman.serve(configuration(query_types={"analysis": {"min_confidence": 0.6}}))
    answer = await pointsman.ask()
    assert (answer.text, answer.route_reason, answer.tags) == ("sure", "fallback:quality", ())
    assert answer.attempts[0].outcome == "low_confidence"
    assert answer.attempts[0].error_class is ErrorClass.QUALITY


async def test_the_surest_answer_is_given_and_tagged_when_all_are_below_the_minimum(pointsman: Pointsman) -> None:
    for provider, confidence in (("alpha", 0.2), ("beta", 0.4), ("gamma", 0.3)):
        pointsman.fleet.script(provider, reply(provider, confidence=confidence))
    await pointsman.serve(configuration(query_types={"analysis": {"min_confidence": 0.6}}))
    answer = await pointsman.ask()
    assert (answer.text, answer.tags) == ("beta", ("low_confidence",))


async def test_a_refusal_is_delivered_where_the_route_returns_refusals(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", reply("I cannot help with that."))
    await pointsman.serve()
    answer = await pointsman.ask()
    assert (answer.refused, answer.provider, answer.route_reason) == (True, "alpha", "primary")


async def test_a_refusal_moves_on_where_the_route_says_next(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", reply("", finish_reason="content_filter"))
    await pointsman.serve(configuration(query_types={"analysis": {"on_refusal": "next"}}))
    answer = await pointsman.ask()
    assert (answer.refused, answer.provider, answer.route_reason) == (False, "beta", "refusal_fallback")


async def test_a_refusal_is_the_answer_when_every_provider_refuses(pointsman: Pointsman) -> None:
    for provider in ("alpha", "beta", "gamma"):
        pointsman.fleet.script(provider, reply("no", refused=True))
    await pointsman.serve(configuration(query_types={"analysis": {"on_refusal": "next"}}))
    assert (await pointsman.ask()).refused is True


async def test_allow_and_deny_choose_among_the_members(pointsman: Pointsman) -> None:
    await pointsman.serve()
    answer = await pointsman.ask(allow=["beta", "gamma"], deny=["beta"])
    assert answer.provider == "gamma"
    assert {row.provider: row.reason for row in answer.decision.rejected} == {"alpha": "not_allowed", "beta": "denied"}


async def test_a_question_that_no_provider_may_answer_fails_without_a_call(pointsman: Pointsman) -> None:
    await pointsman.serve()
    with pytest.raises(QuestionFailed) as failed:
        await pointsman.ask(max_cost_usd=1e-9)
    assert failed.value.failure_type == NO_CANDIDATE
    assert {row.reason for row in failed.value.rejected} == {"over_cost"}
    assert pointsman.fleet.calls("alpha") == 0


async def test_the_final_search_attributes_tell_status_type_provider_and_cost(pointsman: Pointsman) -> None:
    await pointsman.serve()
    handle = await pointsman.start(Question(prompt="What is 1 + 1?"))
    await handle.result()
    found = (await handle.describe()).typed_search_attributes
    assert found.get(STATUS) == Status.ANSWERED
    assert (found.get(QUERY_TYPE), found.get(PROVIDER)) == ("simple_factual", "alpha")
    assert found.get(COST_USD) == pytest.approx(60e-6)


async def test_status_and_decision_can_be_queried(pointsman: Pointsman) -> None:
    await pointsman.serve()
    handle = await pointsman.start(Question(prompt="What is 1 + 1?"))
    await handle.result()
    assert await handle.query(RouteAndAnswer.status) == Status.ANSWERED
    decision = await handle.query(RouteAndAnswer.decision)
    assert decision is not None
    assert [candidate.provider for candidate in decision.candidates] == ["alpha", "beta", "gamma"]


async def test_a_question_of_1_5_megabytes_falls_back_and_replays(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing())
    await pointsman.serve()
    answer = await pointsman.ask("ä" * 740_000, max_output_tokens=50)
    assert answer.provider == "beta"
