"""How a question's shadow is started: beside the question's own call, and never waited for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import TemporalError

with workflow.unsafe.imports_passed_through():
    from pointsman.catalogue_contract import CATALOGUE_QUEUE
    from pointsman.decision import Decision, ShadowPlan
    from pointsman.messages import Question
    from pointsman.shadow import HOLD_S, ShadowRequest
    from workflows.provider_call import consume
    from workflows.shadow_question import ShadowQuestion


def start_shadow(question: Question, decision: Decision, plan: ShadowPlan, asked_at: datetime) -> None:
    """Start it with the next command of this workflow task, whatever becomes of it."""
    asyncio.create_task(_start(question, decision, plan, asked_at)).add_done_callback(consume)


async def _start(question: Question, decision: Decision, plan: ShadowPlan, asked_at: datetime) -> None:
    info = workflow.info()
    # It may be there already, or not be startable at all: that is nothing to the question.
    with suppress(TemporalError):
        shadow = await workflow.start_child_workflow(
            ShadowQuestion.run,
            ShadowRequest(
                question=question,
                question_id=info.workflow_id,
                run_id=info.run_id,
                asked_at=asked_at,
                plan=plan,
                query_type=decision.query_type,
                response_schema=decision.response_schema,
                limits=decision.limits,
            ),
            id=f"{info.workflow_id}/shadow",
            task_queue=CATALOGUE_QUEUE,
            parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            cancellation_type=workflow.ChildWorkflowCancellationType.ABANDON,
            execution_timeout=timedelta(seconds=plan.within_s + HOLD_S),
            retry_policy=RetryPolicy(maximum_attempts=1),
            static_summary=f"{plan.candidate.model} beside {plan.base}",
        )
        shadow.add_done_callback(consume)
