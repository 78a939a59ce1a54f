"""A vendor that quotes the prompt does not mean it: words tell a fault only under a status that goes with them."""

from __future__ import annotations

import pytest

from tests.wire.asking import each_dialect, fault_of
from workers.embedded.scripted.script import Status
from workers.embedded.scripted.server import ScriptedProviders

PROMPTS = {
    "overload": "Why is my server overloaded and told to slow down?",
    "quota": "What does insufficient_quota mean? I exceeded your current quota, payment required.",
    "connection": "Connection error: cannot connect, connection refused. Why?",
    "json": "Expecting value: line 1 column 1 (char 0). Why?",
    "key": "Missing credentials, or the api_key must be set. Which?",
    "timeout": "timeout value=30, time taken=30 seconds. Why?",
}


@pytest.mark.parametrize("prompt", list(PROMPTS.values()), ids=list(PROMPTS))
@pytest.mark.parametrize("status", [400, 413, 422])
@each_dialect
async def test_a_question_that_is_not_accepted_stays_one(
    providers: ScriptedProviders, dialect: str, status: int, prompt: str
) -> None:
    fault = await fault_of(providers, dialect, Status(status, f"invalid prompt: {prompt!r}"))

    assert (fault.error_class, fault.kind, fault.status) == ("client", f"http_{status}", status)


@pytest.mark.parametrize("status", [500, 502, 503])
@each_dialect
async def test_a_failure_stays_one(providers: ScriptedProviders, dialect: str, status: int) -> None:
    words = "prompt is too long? insufficient_quota? content_policy_violation? llm provider not provided?"

    fault = await fault_of(providers, dialect, Status(status, words))

    assert (fault.error_class, fault.kind) == ("failure", f"http_{status}")


@each_dialect
async def test_an_upstream_that_is_gone_is_the_providers_answer(providers: ScriptedProviders, dialect: str) -> None:
    fault = await fault_of(providers, dialect, Status(503, "upstream: connection refused"))

    assert (fault.error_class, fault.kind, fault.status) == ("failure", "http_503", 503)
