"""The activity of the plainest workflow: the request that Pointsman's adapter makes, and nothing around it."""

from __future__ import annotations

from typing import Any

from temporalio import activity

# The adapter's module sets LiteLLM up as production has it, before LiteLLM itself is imported.
from activities.providers import litellm as _set_up  # noqa: F401  # pyright: ignore[reportUnusedImport]

# isort: split
import litellm

TIMEOUT_S = 25.0


class LiteLLMCall:
    """One endpoint, asked through LiteLLM."""

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
            timeout=TIMEOUT_S,
            max_retries=0,
            num_retries=0,
        )
        return str(reply.choices[0].message.content)
