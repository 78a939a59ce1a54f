"""The baseline: the plainest workflow, served by one plain worker.

It is started with the options that `RouterClient.start` uses, so that what differs is Pointsman's own work.
"""

from __future__ import annotations

import uuid

from temporalio.client import Client, WorkflowHandle
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.worker import Worker

from benchmarks.litellm_call import LiteLLMCall
from benchmarks.one_activity import OneActivity
from pointsman import search_attributes
from pointsman.messages import Question
from pointsman.narrative import headline

TASK_QUEUE = "benchmark-baseline"


def worker(client: Client, call: LiteLLMCall) -> Worker:
    """A worker as the SDK makes it."""
    return Worker(client, task_queue=TASK_QUEUE, workflows=[OneActivity], activities=[call.call])


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
