"""Who answers beside Pointsman: LiteLLM's Router, and the failover that everybody writes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# The adapter's module sets LiteLLM up as production has it, before LiteLLM itself is imported.
from activities.providers import litellm as _set_up  # noqa: F401  # pyright: ignore[reportUnusedImport]

# isort: split
import litellm

from benchmarks.resilience.arrivals import Ask
from benchmarks.resilience.endpoints import Endpoints
from benchmarks.resilience.titles import LITELLM, NAIVE
from benchmarks.stack import MAX_TOKENS, MODEL

_ALLOWED_FAILS = 2
_NO_KEY = "none"


def litellm_router(at: Endpoints) -> Ask:
    """With a fallback, without retries at the provider that hangs, and out after three failures as Pointsman has it."""
    deployments = [
        {"model_name": name, "litellm_params": {"model": MODEL, "api_base": api_base, "api_key": _NO_KEY}}
        for name, api_base in (("primary", at.primary), ("secondary", at.secondary))
    ]
    router: Any = litellm.Router(  # pyright: ignore[reportPrivateImportUsage]
        model_list=deployments,  # type: ignore[arg-type,unused-ignore]
        fallbacks=[{"primary": ["secondary"]}],
        timeout=at.timeout_s,
        num_retries=0,
        allowed_fails=_ALLOWED_FAILS,
        cooldown_time=at.out_s,
    )

    async def ask(prompt: str) -> str:
        reply = await router.acompletion(model="primary", **_request(prompt, at.timeout_s))
        return str(reply.choices[0].message.content)

    return ask


def naive(at: Endpoints) -> Ask:
    """The first provider, and the second when that fails."""

    async def ask(prompt: str) -> str:
        try:
            return await _ask_one(at.primary, prompt, at.timeout_s)
        except Exception:  # noqa: BLE001 - whatever it is, the other provider is asked
            return await _ask_one(at.secondary, prompt, at.timeout_s)

    return ask


OTHERS: dict[str, Callable[[Endpoints], Ask]] = {LITELLM: litellm_router, NAIVE: naive}


async def _ask_one(api_base: str, prompt: str, timeout_s: float) -> str:
    reply: Any = await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
        model=MODEL, api_base=api_base, api_key=_NO_KEY, num_retries=0, **_request(prompt, timeout_s)
    )
    return str(reply.choices[0].message.content)


def _request(prompt: str, timeout_s: float) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}]
    return {"messages": messages, "max_tokens": MAX_TOKENS, "timeout": timeout_s, "max_retries": 0}
