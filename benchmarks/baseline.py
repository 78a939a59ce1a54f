"""The baseline: the plainest workflow, served by one plain worker.

It is started with the options that `RouterClient.start` uses, so that what differs is Pointsman's own work.
"""

from __future__ import annotations

import uuid

from temporalio.client import Client, WorkflowHandle
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.worker import Worker

from benchmarks.history import Expense, expense
from benchmarks.litellm_call import LiteLLMCall
from benchmarks.one_activity import OneActivity
from benchmarks.stack import MAX_TOKENS, MODEL, PROMPT, Stack
from pointsman import search_attributes
from pointsman.messages import Question
from pointsman.narrative import headline

TASK_QUEUE = "benchmark-baseline"


def worker(stack: Stack) -> Worker:
    """A worker as the SDK makes it."""
    call = LiteLLMCall(MODEL, stack.baseline_api_base, MAX_TOKENS)
    return Worker(stack.server.client, task_queue=TASK_QUEUE, workflows=[OneActivity], activities=[call.call])


async def start(client: Client, prompt: str) -> WorkflowHandle[OneActivity, str]:
    """Start as `RouterClient.start` does."""
    question = Question(prompt=prompt)
    return await client.start_workflow(
        OneActivity.run,
        prompt,
        id=f"baseline-{uuid.uuid4()}",
        task_queue=TASK_QUEUE,
        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        search_attributes=search_attributes.at_start(question),
        static_summary=headline(question),
        priority=Priority(priority_key=question.priority, fairness_key=question.tenant),
    )


async def ask(client: Client, prompt: str) -> str:
    """Start and wait for the words."""
    return await (await start(client, prompt)).result()


async def spent(stack: Stack) -> Expense:
    """What one question costs, which is asked for that and served here."""
    client = stack.server.client
    async with worker(stack):
        one = await start(client, PROMPT)
        await one.result()
    return await expense(client, one.id)
