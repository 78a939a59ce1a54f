"""`ShadowQuestion`: one live question to a new model besides, and how its answer compares.

It is nobody's answer: its question neither waits for it nor pays for it. It ends by itself, whatever happens.
"""

from __future__ import annotations

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from activities.compare_shadow import CompareShadow
    from pointsman.call import Completion, FailedCall, ProviderCall
    from pointsman.catalogue.observations import ShadowResult
    from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, ProviderCatalogue
    from pointsman.shadow import (
        ANSWER_MARGIN_S,
        SHADOW_PRIORITY,
        ShadowComparison,
        ShadowFound,
        ShadowRequest,
        spent_usd,
    )
    from workflows.bugs import BUGS
    from workflows.provider_call import ask

_COMPARING = timedelta(seconds=30)
_RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=3)


@workflow.defn(failure_exception_types=BUGS)
class ShadowQuestion:
    """Asks the new model once, without a hedge, a retry or a token of the budget."""

    @workflow.run
    async def run(self, request: ShadowRequest) -> ShadowResult:
        """Ask, compare, and tell the catalogue."""
        outcome = await self._ask(request)
        found = await self._compare(request, outcome)
        result = ShadowResult(
            upgrade_id=request.plan.upgrade_id,
            provider=request.plan.provider,
            question_id=request.question_id,
            at=workflow.now(),
            base=found.base,
            new=found.new,
            agreement=found.agreement,
            spent_usd=spent_usd(outcome, request.plan),
        )
        catalogue = workflow.get_external_workflow_handle_for(ProviderCatalogue.run, CATALOGUE_ENTITY_ID)
        await catalogue.signal(ProviderCatalogue.shadowed, result)
        return result

    async def _ask(self, request: ShadowRequest) -> Completion | FailedCall:
        call = ProviderCall(
            question=request.question.model_copy(update={"priority": SHADOW_PRIORITY}),
            candidate=request.plan.candidate,
            response_schema=request.response_schema,
            retry=request.limits.retry,
            last_candidate=False,
            purpose="shadow",
            query_type=request.query_type,
        )
        # A worker that is lost is no reason to pay for a figure twice.
        once = request.limits.model_copy(update={"infrastructure_attempts": 1})
        deadline = request.asked_at + timedelta(seconds=request.plan.within_s)
        return await ask(call, once, max_attempts=1, deadline=deadline)

    async def _compare(self, request: ShadowRequest, outcome: Completion | FailedCall) -> ShadowFound:
        """What both came to; nothing, where it cannot be found out: the money is told all the same."""
        try:
            return await workflow.execute_activity_method(
                CompareShadow.compare_shadow,
                ShadowComparison(request=request, new=outcome),
                schedule_to_close_timeout=timedelta(seconds=request.plan.within_s + ANSWER_MARGIN_S) + _COMPARING,
                retry_policy=_RETRY,
                summary="with the answer that the question was given",
            )
        except ActivityError as fault:
            if is_cancelled_exception(fault):
                raise
            return ShadowFound()
