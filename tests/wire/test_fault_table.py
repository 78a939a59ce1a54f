"""Each way in which a call fails, as bytes on a socket, and the fault that comes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from activities.providers.litellm import LiteLLM
from pointsman.acceptance import accept
from pointsman.faults import ProviderFault
from pointsman.messages import Parameters, Question
from tests.wire.asking import KEY, MODELS, NAME, PROMPT, ask, each_dialect, fault_of, provider, request
from workers.embedded.scripted import faults
from workers.embedded.scripted.script import ErrorInside, NoChoices, Raw, Reply, Reset, Status, Step
from workers.embedded.scripted.server import ScriptedProviders

HTML = b"<html><body>we are overloaded, insufficient_quota</body></html>"
CUT = b'{"choices": [{"message": {"content": "the account has insufficient_quota, prompt is too long'
NO_KEY_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY")


@dataclass(frozen=True)
class Row:
    """What the provider does, and the class and kind of the fault; `apart` holds the dialects that differ."""

    what: str
    step: Step
    fault: str
    apart: dict[str, str] = field(default_factory=dict[str, str])


def http(status: int, error_class: str, apart: dict[str, str] | None = None) -> Row:
    return Row(f"status {status}", Status(status), f"{error_class} http_{status}", apart or {})


def numbered(fault: str) -> dict[str, str]:
    return dict.fromkeys(("openai", "gemini"), fault)


TABLE = (
    http(400, "client"),
    http(422, "client"),
    http(413, "client"),
    http(401, "config"),
    http(403, "config"),
    http(404, "config"),
    http(405, "config"),
    Row("status 401 that echoes the key", faults.echoed_key, "config http_401"),
    Row("status 402", faults.payment_required, "quota out_of_quota"),
    Row("out of credit", faults.out_of_credit, "quota out_of_quota"),
    Row("status 429", Status(429), "throttle rate_limited"),
    Row("status 529 overloaded", faults.overloaded, "throttle overloaded"),
    Row("status 503 overloaded", faults.overloaded_503, "throttle overloaded"),
    http(529, "failure", {"anthropic": "throttle overloaded"}),
    http(408, "failure"),
    http(500, "failure"),
    http(502, "failure"),
    http(503, "failure"),
    http(504, "failure"),
    http(520, "failure"),
    Row("status 504 with timed out in its text", Status(504, "upstream timed out"), "failure http_504"),
    Row("status 503 in html", Raw(b"<html>Bad luck</html>", 503, "text/html"), "failure http_503"),
    Row("status 500 in html", Raw(b"<html>sorry</html>", 500, "text/html"), "failure http_500"),
    Row("status 500 without a body", Raw(b"", 500), "failure http_500"),
    Row("context length", faults.context_too_long, "client context_length"),
    Row("200 cut off", Raw(CUT), "failure unparsable"),
    Row("200 in html", Raw(HTML, content_type="text/html"), "failure unparsable"),
    Row("200 in html that says json", Raw(HTML), "failure unparsable"),
    Row("200 without a body", Raw(b""), "failure unparsable"),
    Row("204", Raw(b"", 204), "failure unparsable"),
    Row("200 with a list", Raw(b"[1, 2]"), "failure unparsable"),
    Row("200 with null", Raw(b"null"), "failure unparsable"),
    Row("200 with an empty object", Raw(b"{}"), "failure unparsable"),
    # Only these two vendors' errors hold a number.
    Row("200 with an error inside", ErrorInside(503), "failure unparsable", numbered("failure http_503")),
    Row("200 with a rate limit inside", ErrorInside(429), "failure unparsable", numbered("throttle rate_limited")),
    Row("reset", Reset(), "failure disconnected"),
)


def cases() -> Iterator[Any]:
    for row in TABLE:
        for dialect in MODELS:
            expected = row.apart.get(dialect, row.fault)
            yield pytest.param(dialect, row.step, expected, id=f"{dialect}: {row.what} is {expected}")


@pytest.mark.parametrize(("dialect", "step", "expected"), list(cases()))
async def test_fault(providers: ScriptedProviders, dialect: str, step: Step, expected: str) -> None:
    fault = await fault_of(providers, dialect, step)

    assert f"{fault.error_class} {fault.kind}" == expected
    assert len(providers.hits(NAME)) == 1
    assert PROMPT not in fault.model_dump_json()
    assert KEY not in fault.model_dump_json()


@pytest.mark.parametrize("host", ["http://127.0.0.1:9", "http://nobody.invalid"], ids=["refused", "unknown host"])
@each_dialect
async def test_no_connection(dialect: str, host: str) -> None:
    declared = provider(dialect, host)

    with pytest.raises(ProviderFault) as caught:
        await LiteLLM(NAME, declared, KEY).complete(request(declared.model))

    assert (caught.value.fault.error_class, caught.value.fault.kind) == ("failure", "connection")
    assert caught.value.fault.status is None


@each_dialect
async def test_an_unreadable_reply_has_no_status_so_that_its_tokens_are_not_taken_for_free(
    providers: ScriptedProviders, dialect: str
) -> None:
    assert (await fault_of(providers, dialect, Raw(CUT))).status is None


@each_dialect
async def test_a_reply_without_choices_is_no_answer(providers: ScriptedProviders, dialect: str) -> None:
    with pytest.raises(ProviderFault) as caught:
        accept(await ask(providers, dialect, NoChoices()), Question(prompt=PROMPT), None)

    # Anthropic's form of it is an empty list of content, and Ollama's breaks inside LiteLLM.
    kinds = {"anthropic": "empty_answer", "ollama": "unparsable"}
    assert caught.value.fault.error_class == "failure"
    assert caught.value.fault.kind == kinds.get(dialect, "no_choices")


@each_dialect
async def test_an_empty_answer_is_a_failure(providers: ScriptedProviders, dialect: str) -> None:
    with pytest.raises(ProviderFault) as caught:
        accept(await ask(providers, dialect, Reply(content_is_null=True)), Question(prompt=PROMPT), None)

    assert (caught.value.fault.error_class, caught.value.fault.kind) == ("failure", "empty_answer")


@each_dialect
async def test_a_content_policy_rejection_is_a_refusal(providers: ScriptedProviders, dialect: str) -> None:
    response = await ask(providers, dialect, faults.content_policy)

    assert response.refused
    assert response.finish_reason == "content_filter"
    assert response.content == ""
    assert (response.usage.output_tokens, response.usage.source) == (0, "reported")


async def test_anthropics_filtered_output_is_a_refusal(providers: ScriptedProviders) -> None:
    step = Status(400, "Output blocked by content filtering policy")

    assert (await ask(providers, "anthropic", step)).refused


@each_dialect
async def test_a_blocked_prompt_is_a_refusal(providers: ScriptedProviders, dialect: str) -> None:
    response = await ask(providers, dialect, faults.prompt_blocked)

    assert accept(response, Question(prompt=PROMPT), None).refused


def gemini_quota(quota_id: str) -> Raw:
    """Google words a rate limit and an empty account alike; only the violated quota tells them apart."""
    details = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"},
    ]
    message = "You exceeded your current quota, please check your plan and billing details."
    error = {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}
    return Raw(json.dumps({"error": error}, indent=2).encode(), 429)


async def test_googles_limit_per_minute_is_a_throttle_with_its_delay(providers: ScriptedProviders) -> None:
    fault = await fault_of(providers, "gemini", gemini_quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"))

    assert (fault.error_class, fault.kind, fault.retry_after_s) == ("throttle", "rate_limited", 12.5)


async def test_googles_limit_per_day_is_a_quota(providers: ScriptedProviders) -> None:
    fault = await fault_of(providers, "gemini", gemini_quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"))

    assert (fault.error_class, fault.kind) == ("quota", "out_of_quota")


@each_dialect
async def test_a_provider_that_never_answers_is_a_timeout(providers: ScriptedProviders, dialect: str) -> None:
    # The client's own limit lies a second behind the caller's: here it is all there is.
    providers.script(NAME, Reply(delay_s=20))
    declared = provider(dialect, providers.api_base(NAME, dialect))

    with pytest.raises(ProviderFault) as caught:
        await LiteLLM(NAME, declared, KEY).complete(request(declared.model, timeout_s=-0.8))

    assert (caught.value.fault.error_class, caught.value.fault.kind) == ("failure", "timeout")
    await providers.wait_for_hits(NAME, 1, 10, "aborted")


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "gemini"])
async def test_a_missing_key_is_found_before_the_network(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in NO_KEY_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    declared = provider(dialect, None)

    with pytest.raises(ProviderFault) as caught:
        await LiteLLM(NAME, declared, None).complete(request(declared.model))

    assert (caught.value.fault.error_class, caught.value.fault.kind) == ("config", "no_key")


async def test_an_unknown_model_string_is_found_before_the_network(providers: ScriptedProviders) -> None:
    fault = await fault_of(providers, "openai", Reply(), model="nobody/nothing")

    assert (fault.error_class, fault.kind, fault.status) == ("config", "unknown_model", None)
    assert providers.hits() == []


async def test_an_unsupported_parameter_is_found_before_the_network(providers: ScriptedProviders) -> None:
    question = Question(prompt=PROMPT, parameters=Parameters(reasoning_effort="low"))

    fault = await fault_of(providers, "openai", Reply(), question=question)

    assert (fault.error_class, fault.kind, fault.status) == ("client", "unsupported_parameter", None)
    assert providers.hits() == []


HINTS: dict[str, tuple[dict[str, str], float | None]] = {
    "int": ({"retry-after": "7"}, 7.0),
    "float": ({"retry-after": "0.5"}, 0.5),
    "date": ({"date": "Mon, 30 Nov 2026 08:00:00 GMT", "retry-after": "Mon, 30 Nov 2026 08:00:20 GMT"}, 20.0),
    "milliseconds": ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
    "zero": ({"retry-after": "0"}, None),
    "negative": ({"retry-after": "-5"}, None),
    "nan": ({"retry-after": "NaN"}, None),
    "infinity": ({"retry-after": "inf"}, None),
    "garbage": ({"retry-after": "soon"}, None),
    "past date": ({"retry-after": "Mon, 30 Nov 2020 08:00:00 GMT"}, None),
    "impossible zone": ({"retry-after": "Mon, 30 Nov 2026 08:00:00 +99999999999999"}, None),
    "none": ({}, None),
}


@pytest.mark.parametrize("status", [429, 503])
@each_dialect
async def test_retry_after(providers: ScriptedProviders, dialect: str, status: int) -> None:
    found = {
        form: (await fault_of(providers, dialect, Status(status, headers=headers))).retry_after_s
        for form, (headers, _) in HINTS.items()
    }

    assert found == {form: seconds for form, (_, seconds) in HINTS.items()}
