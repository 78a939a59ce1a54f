"""High stakes on the time-skipping server: several answers, one truth, or a person."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import timedelta
from typing import Any

import pytest
from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError

from pointsman import Answer, Question, QuestionFailed, RouteAndAnswer, RouterClient
from pointsman.contract import Status
from pointsman.outcomes import ErrorClass
from pointsman.review import PendingReview, Review
from tests.fakes import HANG, Step, failing, reply
from tests.workflows.conftest import Pointsman, configuration

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIVE, SIX = "The answer is 5.", "The answer is 6."
ASKED = "How many apples are left?"


async def _serve(pointsman: Pointsman, *, tables: dict[str, Any] | None = None, **route: Any) -> None:
    await pointsman.serve(configuration(query_types={"analysis": route, "simple_factual": route}, **(tables or {})))


def _script(pointsman: Pointsman, **steps: Step) -> None:
    for provider, step in steps.items():
        pointsman.fleet.completers[provider].steps = deque([step])


async def _ask(pointsman: Pointsman, **fields: Any) -> Answer:
    return await pointsman.ask(ASKED, stakes="high", **fields)


async def _waiting(pointsman: Pointsman, **fields: Any) -> tuple[WorkflowHandle[RouteAndAnswer, Answer], PendingReview]:
    """A question that waits for a person."""
    handle = await pointsman.start(Question(prompt=ASKED, stakes="high", **fields))
    async with asyncio.timeout(20):
        while (pending := await handle.query(RouteAndAnswer.pending_review)) is None:
            await asyncio.sleep(0.02)
    return handle, pending


async def test_two_that_agree_give_the_surer_ones_answer(pointsman: Pointsman) -> None:
    await _serve(pointsman)
    _script(pointsman, alpha=reply(FIVE, confidence=0.7), beta=reply("So it is 5.0", confidence=0.9))
    answer = await _ask(pointsman)
    assert (answer.provider, answer.route_reason, answer.verified) == ("beta", "consensus", True)
    assert answer.confidence == 0.9
    assert answer.divergence is not None
    assert (answer.divergence.outcome, answer.divergence.votes) == ("agree", (("beta", "alpha"),))
    assert "unverified" not in answer.tags
    assert pointsman.fleet.calls("gamma") == 0


async def test_one_that_is_half_as_sure_again_outweighs_the_other(pointsman: Pointsman) -> None:
    await _serve(pointsman)
    _script(pointsman, alpha=reply(FIVE, confidence=0.9), beta=reply(SIX, confidence=0.5))
    answer = await _ask(pointsman)
    assert (answer.text, answer.route_reason, answer.verified) == (FIVE, "highest_confidence", True)
    assert answer.divergence is not None
    assert (answer.divergence.outcome, answer.divergence.dissent) == ("margin", ("beta",))
    assert "divergent" in answer.tags


async def test_a_majority_ends_the_vote_and_the_third_is_cut_off(pointsman: Pointsman) -> None:
    await _serve(pointsman, fan_out=3, reconcile="majority")
    _script(pointsman, alpha=HANG, beta=reply(FIVE), gamma=reply(FIVE))
    answer = await _ask(pointsman)
    assert answer.text == FIVE
    assert answer.divergence is not None
    assert answer.divergence.outcome == "agree"
    cut_off = [row for row in answer.attempts if row.provider == "alpha"]
    assert [(row.kind, row.usage.source) for row in cut_off] == [("not_needed", "estimated")]
    async with asyncio.timeout(10):
        await pointsman.fleet.completers["alpha"].closed.wait()


async def test_who_fails_is_replaced_and_has_no_vote(pointsman: Pointsman) -> None:
    await _serve(pointsman, max_attempts=1)
    _script(pointsman, alpha=failing(), beta=reply(FIVE), gamma=reply(FIVE))
    answer = await _ask(pointsman)
    assert answer.divergence is not None
    assert sorted(answer.divergence.votes[0]) == ["beta", "gamma"]
    assert [row.provider for row in answer.attempts if row.outcome == "failed"] == ["alpha"]


@pytest.mark.parametrize("policy", ["answer", "fail", "review"])
async def test_a_lone_answer_is_handled_as_the_route_says(pointsman: Pointsman, policy: str) -> None:
    await _serve(pointsman, max_attempts=1, on_unverifiable=policy)
    _script(pointsman, alpha=failing(), beta=failing(), gamma=reply(FIVE))
    if policy == "fail":
        with pytest.raises(QuestionFailed) as caught:
            await _ask(pointsman)
        assert caught.value.failure_type == "Unverifiable"
        return
    if policy == "review":
        handle, pending = await _waiting(pointsman)
        assert [answer.provider for answer in pending.answers] == ["gamma"]
        await handle.execute_update(RouteAndAnswer.review, Review(choose="gamma"))
        assert (await handle.result()).status == "reviewed"
        return
    answer = await _ask(pointsman)
    assert (answer.text, answer.verified, answer.tags) == (FIVE, False, ("unverified",))
    assert answer.route_reason == "fallback:failure"


async def test_without_an_equal_it_is_asked_as_any_other_question_and_marked(pointsman: Pointsman) -> None:
    tiers = {name: {"tier": name} for name in ("alpha", "beta", "gamma")}
    await _serve(pointsman, tables={"providers": tiers}, max_attempts=1)
    _script(pointsman, alpha=failing(), beta=reply(FIVE))
    answer = await _ask(pointsman)
    assert (answer.provider, answer.verified) == ("beta", False)


async def test_when_all_equals_fail_the_reasons_are_told(pointsman: Pointsman) -> None:
    await _serve(pointsman, max_attempts=1)
    _script(pointsman, alpha=failing(), beta=failing(), gamma=failing(ErrorClass.QUALITY))
    with pytest.raises(QuestionFailed) as caught:
        await _ask(pointsman)
    assert caught.value.failure_type == "AllProvidersFailed"
    assert len(caught.value.attempts) == 3


async def test_nothing_is_asked_beyond_the_cost_limit(pointsman: Pointsman) -> None:
    await _serve(pointsman)
    _script(pointsman, alpha=reply(FIVE), beta=reply(FIVE))
    answer = await _ask(pointsman, max_cost_usd=0.002)
    asked = [pointsman.fleet.completers[name].requests[0].max_output_tokens for name in ("alpha", "beta")]
    assert all(tokens * 10 / 1e6 <= 0.001 for tokens in asked)
    assert answer.verified


async def _differing(pointsman: Pointsman, **route: Any) -> None:
    await _serve(pointsman, **route)
    _script(pointsman, alpha=reply(FIVE, confidence=0.8), beta=reply(SIX, confidence=0.8))


async def test_a_person_chooses_by_signal(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, pending = await _waiting(pointsman)
    assert [(answer.provider, answer.text) for answer in pending.answers] == [("alpha", FIVE), ("beta", SIX)]
    assert pending.differences
    assert await handle.query(RouteAndAnswer.status) is Status.AWAITING_REVIEW
    await handle.signal(RouteAndAnswer.submit_review, Review(choose="beta", reviewer="ada", note="counted"))
    answer = await handle.result()
    assert (answer.status, answer.text, answer.route_reason, answer.verified) == ("reviewed", SIX, "review", True)
    assert answer.review is not None
    assert (answer.review.outcome, answer.review.reviewer, answer.review.note) == ("chosen", "ada", "counted")


async def test_a_person_writes_the_answer_himself(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, _ = await _waiting(pointsman)
    await handle.execute_update(RouteAndAnswer.review, Review(text="It is 7.", reviewer="ada"))
    answer = await handle.result()
    assert (answer.text, answer.provider, answer.confidence) == ("It is 7.", "reviewer", 1.0)
    assert answer.cost_usd == pytest.approx(sum(row.cost_usd or 0 for row in answer.attempts))


async def test_a_person_rejects_all(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, _ = await _waiting(pointsman)
    await handle.execute_update(RouteAndAnswer.review, Review(reject=True, reviewer="ada"))
    with pytest.raises(QuestionFailed, match="rejected by ada") as caught:
        await RouterClient(pointsman.env.client).answer(handle.id)
    assert caught.value.failure_type == "ReviewRejected"


async def test_an_update_that_cannot_be_taken_is_refused_with_a_sentence(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, _ = await _waiting(pointsman)
    for sent, told in ((Review(choose="gamma"), "gave no answer"), ({"chose": "alpha"}, "unknown key")):
        with pytest.raises(WorkflowUpdateFailedError) as caught:
            await handle.execute_update("review", sent)
        assert told in str(caught.value.cause)
    await handle.signal("submit_review", {"nonsense": 1})
    pending = await handle.query(RouteAndAnswer.pending_review)
    assert pending is not None
    assert "nonsense" in (pending.last_refused or "")
    await handle.signal(RouteAndAnswer.submit_review, Review(choose="alpha"))
    assert (await handle.result()).text == FIVE


@pytest.mark.parametrize("policy", ["best", "fail"])
async def test_days_pass_and_nobody_decides(pointsman: Pointsman, policy: str) -> None:
    await _differing(pointsman, on_review_timeout=policy)
    if policy == "fail":
        with pytest.raises(QuestionFailed) as caught:
            await _ask(pointsman)
        assert caught.value.failure_type == "ReviewTimedOut"
        return
    answer = await _ask(pointsman)
    assert (answer.text, answer.verified, answer.status) == (FIVE, False, "answered")
    assert "review_timeout" in answer.tags
    assert answer.review is not None
    assert (answer.review.outcome, answer.review.reminders) == ("timed_out", 2)
    assert answer.review.decided_at - answer.review.opened_at >= timedelta(days=3)


async def test_a_review_that_is_extended_waits_on(pointsman: Pointsman) -> None:
    await _differing(pointsman, on_review_timeout="extend")
    handle, pending = await _waiting(pointsman)
    await pointsman.env.sleep(timedelta(days=4))
    still = await handle.query(RouteAndAnswer.pending_review)
    assert still is not None
    assert still.decide_by > pending.decide_by
    await handle.signal(RouteAndAnswer.submit_review, Review(choose="beta"))
    answer = await handle.result()
    assert answer.review is not None
    assert answer.review.extensions == 1


async def test_a_review_sent_before_the_question_asks_for_one_counts_then(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    client = pointsman.env.client
    handle = await client.start_workflow(
        RouteAndAnswer.run,
        Question(prompt=ASKED, stakes="high"),
        id="early-review" + ("-cached" if pointsman.cached else ""),
        task_queue="pointsman",
        start_signal="submit_review",
        start_signal_args=[Review(choose="beta", reviewer="ada")],
    )
    assert (await handle.result()).text == SIX
