"""What a product engineer's own test looks like with `pointsman.testing`."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from temporalio import workflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from pointsman import Question, QuestionFailed, RouteAndAnswer, RouterClient
from pointsman.contract import DEADLINE_EXCEEDED, TASK_QUEUE
from pointsman.testing import ScriptedPointsman, scripted_answer

pytestmark = pytest.mark.asyncio(loop_scope="module")


@workflow.defn
class Newsletter:
    """Somebody's own workflow: waits a day, then has a subject line written."""

    @workflow.run
    async def run(self, topic: str) -> str:
        await workflow.sleep(timedelta(days=1))
        answer = await workflow.execute_child_workflow(
            RouteAndAnswer.run, Question(prompt=f"A subject line about {topic}"), task_queue=TASK_QUEUE
        )
        return answer.text


async def test_a_client_gets_the_scripted_answers_in_order(env: WorkflowEnvironment) -> None:
    async with ScriptedPointsman(env.client) as pointsman:
        pointsman.answers("Paris")
        pointsman.answers(scripted_answer("Rome", provider="another", refused=True))
        client = RouterClient(env.client)
        assert (await client.ask("What is the capital of France?", max_cost_usd=0.01)).text == "Paris"
        second = await client.ask("And of Italy?")
    assert (second.text, second.provider, second.refused) == ("Rome", "another", True)
    assert [question.prompt for question in pointsman.questions] == ["What is the capital of France?", "And of Italy?"]
    assert pointsman.questions[0].max_cost_usd == 0.01


async def test_a_client_meets_the_scripted_failure(env: WorkflowEnvironment) -> None:
    async with ScriptedPointsman(env.client) as pointsman:
        pointsman.fails(DEADLINE_EXCEEDED, "too late", retry_after_s=7)
        with pytest.raises(QuestionFailed, match="too late") as failed:
            await RouterClient(env.client).ask("hello")
    assert (failed.value.failure_type, failed.value.retry_after_s) == (DEADLINE_EXCEEDED, 7)


async def test_a_workflow_of_ones_own_meets_the_scripted_answer_after_a_skipped_day(env: WorkflowEnvironment) -> None:
    runner = SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_modules("pointsman"))
    async with ScriptedPointsman(env.client) as pointsman:
        pointsman.answers("Points that switch themselves")
        async with Worker(env.client, task_queue="own", workflows=[Newsletter], workflow_runner=runner):
            subject = await env.client.execute_workflow(
                Newsletter.run, "railways", id=f"own-{uuid.uuid4()}", task_queue="own"
            )
    assert subject == "Points that switch themselves"
