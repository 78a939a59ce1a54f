"""Asking one scripted endpoint through the LiteLLM adapter, in each vendor's dialect."""

from __future__ import annotations

from typing import Any

import pytest

from activities.ports import CompletionRequest
from activities.providers.litellm import LiteLLM
from pointsman.faults import ProviderFault
from pointsman.messages import Question
from pointsman.outcomes import Fault
from pointsman.prompt import chat_messages
from pointsman.provider import Provider
from pointsman.response import ProviderResponse
from workers.embedded.scripted.script import Step
from workers.embedded.scripted.server import ScriptedProviders

MODELS = {
    "openai": "openai/gpt-4o-mini",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "gemini": "gemini/gemini-2.5-flash",
    "ollama": "ollama_chat/llama3.2",
}
NAME = "a"
"""The endpoint that `ask` scripts."""
KEY = "sk-test-CANARY"
PROMPT = "what is it?"
LONG_S = 30.0
"""Far longer than anything here takes."""

each_dialect = pytest.mark.parametrize("dialect", list(MODELS))


def provider(dialect: str, api_base: str | None, **changes: Any) -> Provider:
    declared: dict[str, Any] = {
        "model": MODELS[dialect],
        "api_base": api_base,
        "tier": "one",
        "reasoning_depth": 3,
        "context_tokens": 100_000,
        "rate_limit_per_minute": 600,
        "supports": ["json_schema", "tools"],
        "latency": {"p50_ms": 500, "p95_ms": 1000},
        "price": {"input": 1.0, "output": 10.0},
    }
    return Provider.model_validate(declared | changes)


def request(model: str, question: Question | None = None, **changes: Any) -> CompletionRequest:
    question = question or Question(prompt=PROMPT)
    given: dict[str, Any] = {
        "model": model,
        "question": question,
        "messages": chat_messages(question, question.response_schema),
        "max_output_tokens": 99,
        "timeout_s": LONG_S,
        "response_schema": question.response_schema,
    }
    return CompletionRequest(**(given | changes))


async def ask(
    providers: ScriptedProviders,
    dialect: str,
    *steps: Step,
    question: Question | None = None,
    asked: dict[str, Any] | None = None,
    **changes: Any,
) -> ProviderResponse:
    """Script the endpoint and ask it once; `asked` changes the request, `changes` the provider."""
    providers.script(NAME, *steps)
    declared = provider(dialect, providers.api_base(NAME, dialect), **changes)
    return await LiteLLM(NAME, declared, KEY).complete(request(declared.model, question, **(asked or {})))


async def fault_of(providers: ScriptedProviders, dialect: str, *steps: Step, **changes: Any) -> Fault:
    """How asking the endpoint fails."""
    with pytest.raises(ProviderFault) as caught:
        await ask(providers, dialect, *steps, **changes)
    return caught.value.fault
