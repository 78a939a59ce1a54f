"""What a shadow is compared with: the base model's own answer, if there is one within the bound."""

from __future__ import annotations

import asyncio
import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.compare_shadow import CompareShadow
from pointsman.call import FailedCall
from pointsman.decision import ShadowPlan
from pointsman.divergence.settings import DEFAULTS
from pointsman.messages import Answer, ContextRecord, Question
from pointsman.outcomes import Claim, ErrorClass, Usage
from pointsman.shadow import ShadowComparison, ShadowFound, ShadowRequest, base_side, spent_usd
from tests.builders import attempt, candidate, completion, decision
from tests.fakes import failing
from tests.upgrades import BASE, NEW

_CONTEXT = (ContextRecord(id="r1", text="The bridge was opened in 1931."),)


class _Waiting:
    """A client whose question has this answer, or none for as long as anybody waits."""

    def __init__(self, answer: Answer | None) -> None:
        self._answer = answer

    def get_workflow_handle_for(self, *_names: object, **_run: object) -> _Waiting:
        return self

    async def result(self, **_options: object) -> Answer:
        if self._answer is None:
            await asyncio.Event().wait()
        assert self._answer is not None
        return self._answer


def _request(**changes: Any) -> ShadowRequest:
    new = candidate().model_copy(update={"model": NEW})
    plan = ShadowPlan(upgrade_id="u", provider="alpha", base=BASE, candidate=new, within_s=60, most_usd=0.01)
    told: dict[str, Any] = {
        "question": Question(prompt="When was the bridge opened?"),
        "question_id": "q",
        "run_id": "r",
        "asked_at": datetime.now(UTC) - timedelta(hours=1),
        "plan": plan,
        "query_type": "analysis",
        "limits": decision().limits,
        **changes,
    }
    return ShadowRequest(**told)


def _answer(text: str = "In 1931.", **changes: Any) -> Answer:
    told: dict[str, Any] = {
        "confidence": 0.9,
        "provider": "alpha",
        "model_requested": BASE,
        "model_served": None,
        "query_type": "analysis",
        "classification_confidence": 1.0,
        "route_reason": "primary",
        "finish_reason": "stop",
        "latency_ms": 500.0,
        "usage": Usage(),
        "cost_usd": 0.001,
        "cost_known": True,
        "decision": decision(),
        "attempts": (attempt(latency_ms=400.0),),
        **changes,
    }
    return Answer(text=text, **told)


async def _found(answer: Answer | None, request: ShadowRequest | None = None, **new: Any) -> ShadowFound:
    activity = CompareShadow(_Waiting(answer), DEFAULTS)  # type: ignore[arg-type]  # a stand-in with what is used
    said = new.pop("outcome", None) or completion("It was opened in 1931.", **new)
    comparison = ShadowComparison(request=request or _request(), new=said)
    env = ActivityEnvironment()
    env.info = dataclasses.replace(env.info, started_time=datetime.now(UTC))
    return await env.run(activity.compare_shadow, comparison)


async def test_an_answer_that_does_not_come_in_time_is_not_waited_for() -> None:
    found = await _found(None)
    assert (found.base, found.agreement) == (None, None)
    assert found.new is not None


async def test_both_answers_are_held_against_the_context() -> None:
    request = _request(question=Question(prompt="When was the bridge opened?", context=_CONTEXT))
    claims = (Claim(text="It was opened in 1931.", sources=("r1",)), Claim(text="It cost 5 million.", sources=("r1",)))
    found = await _found(_answer("In 1931, for 5 million.", claims=claims), request)
    assert found.base is not None
    assert found.new is not None
    assert (found.base.grounded, found.new.grounded) == (0.5, 1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"provider": "beta"},
        {"model_requested": NEW},
        {"hedge_won": True},
        {"attempts": (attempt("beta"),)},
    ],
)
async def test_an_answer_that_is_not_the_base_models_own_is_no_comparison(changes: dict[str, Any]) -> None:
    found = await _found(_answer(**changes))
    assert found.agreement is None or "attempts" in changes
    assert found.base is None


@pytest.mark.parametrize("error_class", [ErrorClass.LOCAL, ErrorClass.CANCEL, ErrorClass.INFRASTRUCTURE])
async def test_a_shadow_call_that_was_cut_off_says_nothing_of_the_model(error_class: ErrorClass) -> None:
    fault = failing(error_class, "x", status=None)
    found = await _found(_answer(), outcome=FailedCall(fault=fault, attempts=()))
    assert (found.new, found.agreement) == (None, None)
    assert found.base is not None


def test_a_base_that_was_cut_off_says_nothing_of_the_model() -> None:
    cut = attempt(outcome="cancelled", error_class=ErrorClass.CANCEL)
    assert base_side(None, (cut,), _request()) is None


def test_an_unknown_cost_counts_with_the_most_that_it_may_be() -> None:
    plan = _request().plan
    assert spent_usd(completion(attempts=(attempt(cost_usd=None),)), plan) == 0.01
    assert spent_usd(completion(), plan) == 0.001
