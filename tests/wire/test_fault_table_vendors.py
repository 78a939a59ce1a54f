"""Vendors that have adapters of their own in LiteLLM and speak OpenAI's protocol, or fail like those who do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from activities.providers.litellm import LiteLLM
from pointsman.faults import ProviderFault
from pointsman.outcomes import Fault
from tests.wire.asking import KEY, NAME, provider, request
from workers.embedded.scripted import faults
from workers.embedded.scripted.script import ErrorInside, NoChoices, Raw, Reply, Reset, Status, Step
from workers.embedded.scripted.server import ScriptedProviders

VENDORS = {
    "mistral": "mistral/mistral-large-2512",
    "groq": "groq/llama-3.3-70b-versatile",
    "openrouter": "openrouter/openai/gpt-4o",
    "cohere": "cohere/command-a-03-2025",
}
each_vendor = pytest.mark.parametrize("vendor", list(VENDORS))
_ANSWERS = ("mistral", "groq", "openrouter")
"""Those whose replies the scripted endpoint can give; Cohere only takes its errors."""

TABLE: dict[str, tuple[Step, str]] = {
    **{str(status): (Status(status), f"client http_{status}") for status in (400, 413, 422)},
    **{str(status): (Status(status), f"config http_{status}") for status in (401, 403, 404)},
    **{str(status): (Status(status), f"failure http_{status}") for status in (408, 500, 502, 503, 504, 529)},
    "402": (faults.payment_required, "quota out_of_quota"),
    "429": (Status(429), "throttle rate_limited"),
    "429 out of credit": (faults.out_of_credit, "quota out_of_quota"),
    "529 overloaded": (faults.overloaded, "throttle overloaded"),
    "503 overloaded": (faults.overloaded_503, "throttle overloaded"),
    "context length": (faults.context_too_long, "client context_length"),
    "200 cut off": (Raw(b'{"choices": [{"mes'), "failure unparsable"),
    "200 html": (Raw(b"<html>overloaded</html>", content_type="text/html"), "failure unparsable"),
    "200 empty": (Raw(b""), "failure unparsable"),
    "200 list": (Raw(b"[]"), "failure unparsable"),
    "200 empty object": (Raw(b"{}"), "failure unparsable"),
    "500 html": (Raw(b"<html>sorry</html>", 500, "text/html"), "failure http_500"),
    "reset": (Reset(), "failure disconnected"),
}
OWN_REPLIES: dict[str, tuple[Step, str]] = {
    "no choices": (NoChoices(), "failure no_choices"),
    "200 with an error inside": (ErrorInside(503), "failure http_503"),
    "200 with a rate limit inside": (ErrorInside(429), "throttle rate_limited"),
}


def api_base(providers: ScriptedProviders, vendor: str) -> str:
    base = providers.api_base(NAME, "openai")
    # LiteLLM takes Cohere's as the whole address.
    return f"{base}/chat/completions" if vendor == "cohere" else base


async def fault_at(providers: ScriptedProviders, vendor: str, step: Step) -> Fault:
    providers.script(NAME, step)
    declared = provider("openai", api_base(providers, vendor), model=VENDORS[vendor])
    with pytest.raises(ProviderFault) as caught:
        await LiteLLM(NAME, declared, KEY).complete(request(declared.model))
    return caught.value.fault


def cases() -> Iterator[Any]:
    for vendor in VENDORS:
        for what, (step, expected) in (TABLE | (OWN_REPLIES if vendor in _ANSWERS else {})).items():
            yield pytest.param(vendor, step, expected, id=f"{vendor}: {what} is {expected}")


@pytest.mark.parametrize(("vendor", "step", "expected"), list(cases()))
async def test_fault(providers: ScriptedProviders, vendor: str, step: Step, expected: str) -> None:
    fault = await fault_at(providers, vendor, step)

    assert f"{fault.error_class} {fault.kind}" == expected
    assert len(providers.hits(NAME)) == 1


@each_vendor
async def test_retry_after(providers: ScriptedProviders, vendor: str) -> None:
    fault = await fault_at(providers, vendor, Status(429, headers={"retry-after": "7"}))

    assert fault.retry_after_s == 7


@each_vendor
async def test_a_content_policy_rejection_is_a_refusal(providers: ScriptedProviders, vendor: str) -> None:
    providers.script(NAME, faults.content_policy)
    declared = provider("openai", api_base(providers, vendor), model=VENDORS[vendor])

    assert (await LiteLLM(NAME, declared, KEY).complete(request(declared.model))).refused


@pytest.mark.parametrize("vendor", _ANSWERS)
async def test_an_answer(providers: ScriptedProviders, vendor: str) -> None:
    providers.script(NAME, Reply("it is blue"))
    declared = provider("openai", api_base(providers, vendor), model=VENDORS[vendor])

    response = await LiteLLM(NAME, declared, KEY).complete(request(declared.model))

    assert (response.content, response.finish_reason, response.usage.output_tokens) == ("it is blue", "stop", 7)
