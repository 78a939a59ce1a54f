"""A question's way when nobody answers: typed errors, deadlines, waiting, cancellation, bad input."""

from __future__ import annotations

from typing import Any

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from pointsman import InvalidQuestion, Question, QuestionCancelled, QuestionFailed, RouterClient, narrative
from pointsman.contract import (
    ALL_PROVIDERS_FAILED,
    ALL_PROVIDERS_UNAVAILABLE,
    DEADLINE_EXCEEDED,
    INVALID_QUESTION,
    QUESTION_NOT_ACCEPTED,
    TASK_QUEUE,
    Status,
)
from pointsman.outcomes import ErrorClass
from pointsman.search_attributes import STATUS
from tests.fakes import HANG, failing, reply
from tests.workflows.conftest import PROVIDERS, Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _failure(pointsman: Pointsman, **fields: Any) -> QuestionFailed:
    with pytest.raises(QuestionFailed) as failed:
        await pointsman.ask(**fields)
    return failed.value


async def test_f31_the_failure_lists_every_attempt_when_all_providers_fail(pointsman: Pointsman) -> None:
    for provider in PROVIDERS:
        pointsman.fleet.script(provider, failing())
    await pointsman.serve()
    failure = await _failure(pointsman)
    assert failure.failure_type == ALL_PROVIDERS_FAILED
    assert [row.provider for row in failure.attempts] == ["alpha", "alpha", "beta", "gamma"]
    assert all(provider in str(failure) for provider in PROVIDERS)
    assert failure.retry_after_s is not None


async def test_f31_a_bug_in_workflow_code_fails_the_question(
    pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_decision: object) -> str:
        raise ValueError("a bug")

    monkeypatch.setattr(narrative, "of_decision", broken)
    await pointsman.serve()
    assert "a bug" in str(await _failure(pointsman))


async def test_an_unforeseen_error_of_an_adapter_is_a_failure_of_that_provider(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", ValueError("the prompt was SECRET"))
    await pointsman.serve()
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("beta", "fallback:failure")
    assert "SECRET" not in answer.model_dump_json()


async def test_a_question_that_is_not_accepted_is_not_repeated_elsewhere(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing(ErrorClass.CLIENT, "http_400", status=400))
    await pointsman.serve()
    failure = await _failure(pointsman)
    assert failure.failure_type == QUESTION_NOT_ACCEPTED
    assert (pointsman.fleet.calls("alpha"), pointsman.fleet.calls("beta")) == (1, 0)


async def test_a_question_too_long_for_one_member_goes_to_a_larger_one_only(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing(ErrorClass.CLIENT, "context_length", status=400))
    await pointsman.serve(configuration(providers={"gamma": {"context_tokens": 2_000_000}}))
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("gamma", "fallback:client")
    assert pointsman.fleet.calls("beta") == 0


async def test_f11_a_rejected_parameter_moves_on_to_the_member_that_drops_it(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing(ErrorClass.CLIENT, "http_400", status=400))
    await pointsman.serve(configuration(providers={"gamma": {"drop_params": ["reasoning_effort"]}}))
    answer = await pointsman.ask(parameters={"reasoning_effort": "none"})
    assert answer.provider == "gamma"
    assert (pointsman.fleet.calls("alpha"), pointsman.fleet.calls("beta")) == (1, 0)


@pytest.mark.parametrize("error_class", [ErrorClass.QUOTA, ErrorClass.CONFIG, ErrorClass.QUALITY])
async def test_what_a_repeat_cannot_mend_goes_to_the_next_at_once(
    pointsman: Pointsman, error_class: ErrorClass
) -> None:
    pointsman.fleet.script("alpha", failing(error_class, "kind"))
    await pointsman.serve()
    answer = await pointsman.ask()
    assert answer.route_reason == f"fallback:{error_class}"
    assert pointsman.fleet.calls("alpha") == 1


async def test_f14_a_long_retry_after_goes_to_the_next_and_a_short_one_is_waited_for(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", failing(ErrorClass.THROTTLE, "rate_limited", retry_after_s=0.2), reply("patient"))
    pointsman.fleet.script("beta", failing(ErrorClass.THROTTLE, "rate_limited", retry_after_s=30))
    await pointsman.serve()
    assert (await pointsman.ask()).text == "patient"
    answer = await pointsman.ask(deny=["alpha"])
    assert (answer.provider, answer.route_reason) == ("gamma", "fallback:throttle")
    assert pointsman.fleet.calls("beta") == 1


async def test_a_hang_ends_at_the_deadline_and_its_connection_is_closed(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve()
    failure = await _failure(pointsman, deadline_s=1.0)
    assert failure.failure_type == DEADLINE_EXCEEDED
    assert pointsman.fleet.completers["alpha"].aborted == 1
    assert pointsman.fleet.calls("beta") == 0


async def test_a_hang_shorter_than_the_deadline_moves_on_without_a_repeat(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve(configuration(providers={"alpha": {"timeout_s": 0.2}}))
    answer = await pointsman.ask()
    assert (answer.provider, answer.route_reason) == ("beta", "fallback:failure")
    assert pointsman.fleet.calls("alpha") == 1
    timed_out = answer.attempts[0]
    assert (timed_out.kind, timed_out.usage.source) == ("timeout", "estimated")


async def test_a_provider_without_a_worker_becomes_a_fallback(pointsman: Pointsman) -> None:
    settings = configuration()
    await pointsman.serve(settings.model_copy(update={"providers": {**settings.providers}}))
    await pointsman.stop_provider("alpha")
    answer = await pointsman.ask(deadline_s=3)
    assert (answer.provider, answer.route_reason) == ("beta", "fallback:local")


async def test_waiting_out_an_outage_answers_when_a_provider_returns(pointsman: Pointsman) -> None:
    throttled = failing(ErrorClass.THROTTLE, "rate_limited", status=429, retry_after_s=3600)
    pointsman.fleet.script("alpha", throttled, throttled, reply("back"))
    for provider in ("beta", "gamma"):
        pointsman.fleet.script(provider, throttled)
    await pointsman.serve()
    answer = await pointsman.ask(on_exhausted="wait", deadline_s=6 * 3600)
    assert (answer.text, answer.route_reason) == ("back", "primary")
    assert [row.provider for row in answer.attempts] == [*PROVIDERS, *PROVIDERS, "alpha"]


async def test_waiting_fails_at_once_when_the_wake_up_would_pass_the_deadline(pointsman: Pointsman) -> None:
    for provider in PROVIDERS:
        pointsman.fleet.script(provider, failing(ErrorClass.THROTTLE, "rate_limited", retry_after_s=3600))
    await pointsman.serve()
    failure = await _failure(pointsman, on_exhausted="wait", deadline_s=600)
    assert (failure.failure_type, failure.retry_after_s) == (ALL_PROVIDERS_FAILED, 3600)


async def test_a_cost_limit_counts_every_attempt(pointsman: Pointsman) -> None:
    await pointsman.serve()
    answer = await pointsman.ask("hi", max_cost_usd=0.01)
    sent = pointsman.fleet.completers["alpha"].requests[0].max_output_tokens
    assert sent * 10 / 1e6 <= 0.01
    assert answer.cost_usd is not None
    assert answer.cost_usd <= 0.01


async def test_nothing_is_asked_that_the_rest_of_the_cost_limit_cannot_pay(pointsman: Pointsman) -> None:
    # alpha's hang is billed as an estimate, after which nothing is left for beta.
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve(configuration(providers={"alpha": {"timeout_s": 0.6}}))
    failure = await _failure(pointsman, max_cost_usd=0.0015, max_output_tokens=140)
    assert failure.failure_type in {ALL_PROVIDERS_FAILED, ALL_PROVIDERS_UNAVAILABLE}
    assert pointsman.fleet.calls("beta") == 0


async def test_a_cancelled_question_closes_its_call(pointsman: Pointsman) -> None:
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve()
    handle = await pointsman.start(Question(prompt="wait for me"))
    await pointsman.fleet.completers["alpha"].called.wait()
    await handle.cancel()
    with pytest.raises(QuestionCancelled):
        await RouterClient(pointsman.env.client).answer(handle.id)
    assert (await handle.describe()).typed_search_attributes.get(STATUS) == Status.CANCELLED
    assert pointsman.fleet.calls("beta") == 0
    await pointsman.fleet.completers["alpha"].closed.wait()


async def test_an_unknown_task_is_a_bad_question(pointsman: Pointsman) -> None:
    await pointsman.serve()
    with pytest.raises(InvalidQuestion, match="task: 'nowhere' is not a route"):
        await pointsman.ask(task="nowhere")


async def test_an_unknown_provider_is_a_bad_question(pointsman: Pointsman) -> None:
    await pointsman.serve()
    with pytest.raises(InvalidQuestion, match="allow: nobody is not a provider"):
        await pointsman.ask(allow=["nobody"])


async def test_json_that_is_no_question_fails_with_a_sentence(pointsman: Pointsman) -> None:
    await pointsman.serve()
    with pytest.raises(WorkflowFailureError) as failed:
        await pointsman.env.client.execute_workflow(
            "RouteAndAnswer", {"prompt": "hi", "deadlin_s": 3}, id=f"bad-{id(pointsman)}", task_queue=TASK_QUEUE
        )
    cause = failed.value.cause
    assert isinstance(cause, ApplicationError)
    assert (cause.type, cause.message) == (INVALID_QUESTION, "deadlin_s: unknown key; did you mean deadline_s?")


async def test_an_id_that_nobody_asked_under_is_unknown(pointsman: Pointsman) -> None:
    await pointsman.serve()
    with pytest.raises(RPCError):
        await pointsman.env.client.get_workflow_handle("nobody-asked").describe()
