"""High stakes on the time-skipping server: several answers are compared, and one is given."""

from __future__ import annotations

import asyncio

import pytest

from pointsman import QuestionFailed, Review, RouteAndAnswer
from pointsman.outcomes import ErrorClass
from tests.fakes import HANG, failing, reply
from tests.workflows.conftest import Pointsman
from tests.workflows.high_stakes import FIVE, SIX, ask, script, serve, waiting

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_two_that_agree_give_the_surer_ones_answer(pointsman: Pointsman) -> None:
    await serve(pointsman)
    script(pointsman, alpha=reply(FIVE, confidence=0.7), beta=reply("So it is 5.0", confidence=0.9))
    answer = await ask(pointsman)
    assert (answer.provider, answer.route_reason, answer.verified) == ("beta", "consensus", True)
    assert answer.confidence == 0.9
    assert answer.divergence is not None
    assert (answer.divergence.outcome, answer.divergence.votes) == ("agree", (("beta", "alpha"),))
    assert "unverified" not in answer.tags
    assert pointsman.fleet.calls("gamma") == 0


async def test_one_that_is_half_as_sure_again_outweighs_the_other(pointsman: Pointsman) -> None:
    await serve(pointsman)
    script(pointsman, alpha=reply(FIVE, confidence=0.9), beta=reply(SIX, confidence=0.5))
    answer = await ask(pointsman)
    assert (answer.text, answer.route_reason, answer.verified) == (FIVE, "highest_confidence", True)
    assert answer.divergence is not None
    assert (answer.divergence.outcome, answer.divergence.dissent) == ("margin", ("beta",))
    assert "divergent" in answer.tags


async def test_a_majority_ends_the_vote_and_the_third_is_cut_off(pointsman: Pointsman) -> None:
    await serve(pointsman, fan_out=3, reconcile="majority")
    script(pointsman, alpha=HANG, beta=reply(FIVE), gamma=reply(FIVE))
    answer = await ask(pointsman)
    assert answer.text == FIVE
    assert answer.divergence is not None
    assert answer.divergence.outcome == "agree"
    cut_off = [row for row in answer.attempts if row.provider == "alpha"]
    assert [(row.kind, row.usage.source) for row in cut_off] == [("not_needed", "estimated")]
    async with asyncio.timeout(10):
        await pointsman.fleet.completers["alpha"].closed.wait()


async def test_who_fails_is_replaced_and_has_no_vote(pointsman: Pointsman) -> None:
    await serve(pointsman, max_attempts=1)
    script(pointsman, alpha=failing(), beta=reply(FIVE), gamma=reply(FIVE))
    answer = await ask(pointsman)
    assert answer.divergence is not None
    assert sorted(answer.divergence.votes[0]) == ["beta", "gamma"]
    assert [row.provider for row in answer.attempts if row.outcome == "failed"] == ["alpha"]


@pytest.mark.parametrize("policy", ["answer", "fail", "review"])
async def test_a_lone_answer_is_handled_as_the_route_says(pointsman: Pointsman, policy: str) -> None:
    await serve(pointsman, max_attempts=1, on_unverifiable=policy)
    script(pointsman, alpha=failing(), beta=failing(), gamma=reply(FIVE))
    if policy == "fail":
        with pytest.raises(QuestionFailed) as caught:
            await ask(pointsman)
        assert caught.value.failure_type == "Unverifiable"
        return
    if policy == "review":
        handle, pending = await waiting(pointsman)
        assert [answer.provider for answer in pending.answers] == ["gamma"]
        await handle.execute_update(RouteAndAnswer.review, Review(choose="gamma"))
        assert (await handle.result()).status == "reviewed"
        return
    answer = await ask(pointsman)
    assert (answer.text, answer.verified, answer.tags) == (FIVE, False, ("unverified",))
    assert answer.route_reason == "fallback:failure"


async def test_without_an_equal_it_is_asked_as_any_other_question_and_marked(pointsman: Pointsman) -> None:
    tiers = {name: {"tier": name} for name in ("alpha", "beta", "gamma")}
    await serve(pointsman, tables={"providers": tiers}, max_attempts=1)
    script(pointsman, alpha=failing(), beta=reply(FIVE))
    answer = await ask(pointsman)
    assert (answer.provider, answer.verified) == ("beta", False)


async def test_when_all_equals_fail_the_reasons_are_told(pointsman: Pointsman) -> None:
    await serve(pointsman, max_attempts=1)
    script(pointsman, alpha=failing(), beta=failing(), gamma=failing(ErrorClass.QUALITY))
    with pytest.raises(QuestionFailed) as caught:
        await ask(pointsman)
    assert caught.value.failure_type == "AllProvidersFailed"
    assert len(caught.value.attempts) == 3


async def test_nothing_is_asked_beyond_the_cost_limit(pointsman: Pointsman) -> None:
    await serve(pointsman)
    script(pointsman, alpha=reply(FIVE), beta=reply(FIVE))
    answer = await ask(pointsman, max_cost_usd=0.002)
    asked = [pointsman.fleet.completers[name].requests[0].max_output_tokens for name in ("alpha", "beta")]
    assert all(tokens * 10 / 1e6 <= 0.001 for tokens in asked)
    assert answer.verified
