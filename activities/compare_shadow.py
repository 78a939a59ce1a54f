"""The activity that holds a new model's answer against the one that its question was given."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from activities.process_telemetry import ProcessTelemetry
from pointsman.call import Completion, FailedCall
from pointsman.contract import RouteAndAnswer, Unanswered
from pointsman.divergence.detector import compare
from pointsman.divergence.settings import DivergenceSettings
from pointsman.divergence.statement import Statement
from pointsman.messages import Answer
from pointsman.outcomes import Attempt
from pointsman.shadow import (
    ANSWER_MARGIN_S,
    Agreed,
    ShadowComparison,
    ShadowFound,
    ShadowRequest,
    answered_by_base,
    base_side,
    new_side,
)

_Given = tuple[Answer | None, tuple[Attempt, ...]]
_NOTHING: _Given = (None, ())
_LEAST_S = 1.0
_FETCHED_WITHIN_S = 10.0


class CompareShadow:
    """Fetches the question's own answer, waiting for it within a bound, and compares."""

    def __init__(self, client: Client, settings: DivergenceSettings, telemetry: ProcessTelemetry | None = None) -> None:
        """`settings` say which detector compares, and how strictly."""
        self._client = client
        self._settings = settings
        self._telemetry = telemetry or ProcessTelemetry()

    @activity.defn
    async def await_base(self, request: ShadowRequest) -> bool:
        """Wait for the question to end; whether it shows what its base model does."""
        give_up_at = request.asked_at + timedelta(seconds=request.plan.within_s + ANSWER_MARGIN_S)
        answer, attempts = await self._given(request, (give_up_at - activity.info().started_time).total_seconds())
        return base_side(answer, attempts, request) is not None

    @activity.defn
    async def compare_shadow(self, comparison: ShadowComparison) -> ShadowFound:
        """What came of both, once the question has ended."""
        answer, attempts = await self._given(comparison.request, _FETCHED_WITHIN_S)
        # Long answers take seconds to compare, in which this process's calls must go on.
        found = await asyncio.to_thread(self._found, comparison, answer, attempts)
        self._telemetry.shadow_compared(found.agreement)
        return found

    async def _given(self, request: ShadowRequest, within_s: float) -> _Given:
        """The question's answer, or what was tried where it has none; nothing where it does not end in time."""
        # Untyped: whether mypy can follow the overloads here depends on the order in which it reads the modules.
        fetch: Any = self._client.get_workflow_handle_for
        handle: WorkflowHandle[RouteAndAnswer, Answer] = fetch(
            RouteAndAnswer.run, request.question_id, run_id=request.run_id
        )
        try:
            async with asyncio.timeout(max(_LEAST_S, within_s)):
                answer = await handle.result(follow_runs=False)
        except WorkflowFailureError as fault:
            return None, _tried(fault.cause)
        except (TimeoutError, RPCError):
            return _NOTHING
        return answer, answer.attempts

    def _found(self, comparison: ShadowComparison, answer: Answer | None, attempts: tuple[Attempt, ...]) -> ShadowFound:
        request, new = comparison.request, comparison.new
        return ShadowFound(
            base=base_side(answer, attempts, request),
            new=new_side(new, request),
            agreement=self._agreement(request, answer, new),
        )

    def _agreement(self, request: ShadowRequest, answer: Answer | None, new: Completion | FailedCall) -> Agreed | None:
        if answer is None or isinstance(new, FailedCall) or not answered_by_base(answer, request.plan):
            return None
        return compare(
            _statement(answer),
            _statement(new),
            question=request.question.text,
            schema=request.answer_schema,
            settings=self._settings,
        ).verdict


def _statement(said: Answer | Completion) -> Statement:
    return Statement(text=said.text, parsed=said.parsed, claims=tuple(claim.text for claim in said.claims))


def _tried(cause: BaseException) -> tuple[Attempt, ...]:
    if isinstance(cause, ApplicationError) and cause.details and isinstance(cause.details[0], dict):
        return Unanswered.model_validate(cause.details[0]).attempts
    return ()
