"""The plainest workflow that asks a model. A file of its own, since the SDK's sandbox reads it anew for each run."""

from __future__ import annotations

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from benchmarks.litellm_call import TIMEOUT_S, LiteLLMCall


@workflow.defn
class OneActivity:
    """A question, one call, its words."""

    @workflow.run
    async def run(self, prompt: str) -> str:
        """Call once, with Temporal's retries."""
        return await workflow.execute_activity_method(
            LiteLLMCall.call,
            prompt,
            start_to_close_timeout=timedelta(seconds=TIMEOUT_S + 5),
            retry_policy=RetryPolicy(maximum_attempts=2),
        )
