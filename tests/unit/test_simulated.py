"""The simulated provider, as the ensemble document describes its mock."""

from __future__ import annotations

import pytest

from activities.ports import CompletionRequest
from activities.providers.simulated import Simulated, claims_from
from pointsman.faults import ProviderFault
from pointsman.messages import ContextRecord, Question
from pointsman.response import ProviderResponse

RECORDS = tuple(ContextRecord(id=f"r{number}", text=f"record {number}") for number in range(8))


def _request(budget: float = 1.0) -> CompletionRequest:
    question = Question(prompt="hello", context=RECORDS, budget=budget)
    return CompletionRequest("simulated/x", question, [{"role": "user", "content": "hello"}], 100, 1.0)


async def _replies(provider: Simulated, count: int) -> list[ProviderResponse]:
    return [await provider.complete(_request()) for _ in range(count)]


async def test_the_first_records_become_claims_of_falling_confidence() -> None:
    assert [claim.confidence for claim in claims_from(_request().question)] == [0.95, 0.88, 0.81, 0.74, 0.67]
    assert [claim.sources for claim in claims_from(_request(budget=0).question)] == [("r0",), ("r1",), ("r2",)]
    assert len(claims_from(_request(budget=100).question)) == 8


async def test_the_answer_is_a_list_of_its_claims_and_the_same_each_time() -> None:
    first, second = await _replies(Simulated("x", latency_s=0), 2)
    assert first.content == "- record 0\n- record 1\n- record 2\n- record 3\n- record 4"
    assert second.content == first.content


async def test_after_so_many_calls_it_fails() -> None:
    provider = Simulated("x", fail_after=2, latency_s=0)
    await _replies(provider, 2)
    for call in (3, 4):
        with pytest.raises(ProviderFault, match=f"simulated outage on call {call}"):
            await provider.complete(_request())


async def test_after_so_many_calls_it_refuses_or_cuts_its_answers_repeatably() -> None:
    replies = await _replies(Simulated("x", degrade_after=1, latency_s=0, seed=3), 21)
    again = await _replies(Simulated("x", degrade_after=1, latency_s=0, seed=3), 21)
    assert [reply.refused for reply in replies] == [reply.refused for reply in again]
    assert not replies[0].refused
    degraded = replies[1:]
    assert {reply.refused for reply in degraded} == {True, False}
    cut = [reply for reply in degraded if not reply.refused]
    assert all(len(reply.claims) == 1 and len(reply.content) == len(replies[0].content) // 5 for reply in cut)
