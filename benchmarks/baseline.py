"""The plainest workflow that asks a model: one activity that makes the call, served by one plain worker.

It is started with the options that `RouterClient.start` uses, so that what differs is Pointsman's own work.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.common import Priority, RetryPolicy, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    # The adapter's module sets LiteLLM up as production has it, before LiteLLM itself is imported.
    from activities.providers import litellm as _set_up  # noqa: F401  # pyright: ignore[reportUnusedImport]

    # isort: split
    import litellm

    from pointsman import search_attributes
    from pointsman.messages import Question
    from pointsman.narrative import headline

TASK_QUEUE = "benchmark-baseline"
_TIMEOUT_S = 25.0


class LiteLLMCall:
    """The activity: the request that Pointsman's adapter makes, and nothing around it."""

    def __init__(self, model: str, api_base: str, max_tokens: int) -> None:
        """What a provider's table in the configuration says."""
        self._arguments: dict[str, Any] = {"model": model, "api_base": api_base, "max_tokens": max_tokens}

    @activity.defn
    async def call(self, prompt: str) -> str:
        """The model's words."""
        reply: Any = await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
            **self._arguments,
            messages=[{"role": "user", "content": prompt}],
            api_key="none",
            timeout=_TIMEOUT_S,
            max_retries=0,
            num_retries=0,
        )
        return str(reply.choices[0].message.content)


@workflow.defn
class OneActivity:
    """A question, one call, its words."""

    @workflow.run
    async def run(self, prompt: str) -> str:
        """Call once, with Temporal's retries."""
        return await workflow.execute_activity_method(
            LiteLLMCall.call,
            prompt,
            start_to_close_timeout=timedelta(seconds=_TIMEOUT_S + 5),
            retry_policy=RetryPolicy(maximum_attempts=2),
        )


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
