"""Reviews on the time-skipping server: chosen, written, rejected, refused, late, early, and overdue after days."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from temporalio.client import WorkflowUpdateFailedError

from pointsman import Question, QuestionFailed, Review, RouteAndAnswer, RouterClient, Status
from tests.fakes import reply
from tests.workflows.conftest import Pointsman
from tests.workflows.high_stakes import ASKED, FIVE, SIX, ask, script, serve, waiting

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _differing(pointsman: Pointsman, **route: Any) -> None:
    await serve(pointsman, **route)
    script(pointsman, alpha=reply(FIVE, confidence=0.8), beta=reply(SIX, confidence=0.8))


async def test_a_person_chooses_by_signal(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, pending = await waiting(pointsman)
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
    handle, _ = await waiting(pointsman)
    await handle.execute_update(RouteAndAnswer.review, Review(text="It is 7.", reviewer="ada"))
    answer = await handle.result()
    assert (answer.text, answer.provider, answer.confidence) == ("It is 7.", "reviewer", 1.0)
    assert answer.cost_usd == pytest.approx(sum(row.cost_usd or 0 for row in answer.attempts))


async def test_a_person_rejects_all(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, _ = await waiting(pointsman)
    await handle.execute_update(RouteAndAnswer.review, Review(reject=True, reviewer="ada"))
    with pytest.raises(QuestionFailed, match="rejected by ada") as caught:
        await RouterClient(pointsman.env.client).answer(handle.id)
    assert caught.value.failure_type == "ReviewRejected"


async def test_an_update_that_cannot_be_taken_is_refused_with_a_sentence(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, _ = await waiting(pointsman)
    for sent, told in ((Review(choose="gamma"), "gave no answer"), ({"chose": "alpha"}, "unknown key")):
        with pytest.raises(WorkflowUpdateFailedError) as caught:
            await handle.execute_update("review", sent)
        assert told in str(caught.value.cause)
    await handle.signal("submit_review")
    await handle.signal("submit_review", args=[{"choose": "alpha"}, {"choose": "beta"}])
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
            await ask(pointsman)
        assert caught.value.failure_type == "ReviewTimedOut"
        return
    answer = await ask(pointsman)
    assert (answer.text, answer.verified, answer.status) == (FIVE, False, "answered")
    assert "review_timeout" in answer.tags
    assert answer.review is not None
    assert (answer.review.outcome, answer.review.reminders) == ("timed_out", 2)
    assert answer.review.decided_at - answer.review.opened_at >= timedelta(days=3)


async def test_a_review_that_is_extended_waits_on(pointsman: Pointsman) -> None:
    await _differing(pointsman, on_review_timeout="extend")
    handle, pending = await waiting(pointsman)
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


async def test_what_was_refused_is_still_shown_after_a_reminder(pointsman: Pointsman) -> None:
    await _differing(pointsman)
    handle, pending = await waiting(pointsman)
    await handle.signal("submit_review", {"choose": "nobody"})
    await pointsman.env.sleep(timedelta(days=1, hours=1))
    later = await handle.query(RouteAndAnswer.pending_review)
    assert later is not None
    assert later.remind_at is not None
    assert pending.remind_at is not None
    assert later.remind_at > pending.remind_at
    assert "nobody" in (later.last_refused or "")
    await handle.signal(RouteAndAnswer.submit_review, Review(reject=True))
    with pytest.raises(QuestionFailed) as caught:
        await RouterClient(pointsman.env.client).answer(handle.id)
    assert caught.value.review is not None
    assert caught.value.review.ignored == ("choose: 'nobody' gave no answer; choose alpha or beta",)
    assert caught.value.divergence is not None
