"""What reaches a provider: everything that a question says, nothing else, and once."""

from __future__ import annotations

import copy
import json
from typing import Any

import litellm
import pytest

from activities.ports import CallIdentity
from activities.providers.litellm import LiteLLM
from pointsman.faults import ProviderFault
from pointsman.messages import ContextRecord, Parameters, Question
from pointsman.request_settings import OWN_ARGUMENTS
from tests.wire.asking import KEY, MODELS, NAME, PROMPT, ask, each_dialect, fault_of, provider, request
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "born": {"type": ["integer", "null"]}},
    "required": ["name"],
    "additionalProperties": False,
}
TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks a record up.",
        "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
    },
}
AUTH_HEADERS = {
    "openai": "authorization",
    "anthropic": "x-api-key",
    "gemini": "x-goog-api-key",
    "ollama": "authorization",
}


async def sent(
    providers: ScriptedProviders,
    dialect: str,
    question: Question | None = None,
    *,
    asked: dict[str, Any] | None = None,
    **changes: Any,
) -> Hit:
    """The one request that asking makes."""
    await ask(providers, dialect, Reply(), question=question, asked=asked, **changes)
    (hit,) = providers.hits()
    return hit


def settings(hit: Hit) -> dict[str, Any]:
    """The part of a body that holds the settings, in each vendor's place for them."""
    nested = {"gemini": "generationConfig", "ollama": "options"}
    return dict(hit.body[nested[hit.dialect]]) if hit.dialect in nested else dict(hit.body)


@each_dialect
async def test_a_plain_question(providers: ScriptedProviders, dialect: str) -> None:
    hit = await sent(providers, dialect)

    assert hit.model == MODELS[dialect].partition("/")[2]
    assert (hit.prompt, hit.system) == (PROMPT, None)
    assert hit.max_tokens == 99
    assert hit.temperature is None
    assert not hit.body.get("stream")


@each_dialect
async def test_system_and_temperature(providers: ScriptedProviders, dialect: str) -> None:
    hit = await sent(providers, dialect, Question(prompt=PROMPT, system="be brief", temperature=0.25))

    assert (hit.prompt, hit.system, hit.temperature) == (PROMPT, "be brief", 0.25)


@each_dialect
async def test_temperature_zero_is_sent(providers: ScriptedProviders, dialect: str) -> None:
    assert (await sent(providers, dialect, Question(prompt=PROMPT, temperature=0))).temperature == 0


@each_dialect
async def test_context_records_and_the_form_of_claims(providers: ScriptedProviders, dialect: str) -> None:
    records = (ContextRecord(id="r-1", text="Water boils at 100 \N{DEGREE SIGN}C."),)

    hit = await sent(providers, dialect, Question(prompt=PROMPT, context=records))

    assert hit.system is not None
    assert '"id": "r-1", "text": "Water boils at 100 \N{DEGREE SIGN}C."' in hit.system
    assert '{"answer": ' in hit.system
    assert hit.prompt == PROMPT


@each_dialect
async def test_a_conversation(providers: ScriptedProviders, dialect: str) -> None:
    messages = (
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "reply"},
        {"role": "user", "content": [{"type": "text", "text": "second"}]},
    )
    question = Question(messages=messages)
    before = copy.deepcopy(question)

    hit = await sent(providers, dialect, question)

    assert (hit.system, hit.prompt) == ("be brief", "second")
    turns = hit.body["contents" if dialect == "gemini" else "messages"]
    spoken = [turn["role"].replace("model", "assistant") for turn in turns if turn["role"] != "system"]
    assert spoken == ["user", "assistant", "user"]
    assert question == before


@each_dialect
async def test_stop_and_top_p(providers: ScriptedProviders, dialect: str) -> None:
    question = Question(prompt=PROMPT, parameters=Parameters(stop=("END",), top_p=0.5))

    body = settings(await sent(providers, dialect, question))

    stops = {"anthropic": "stop_sequences", "gemini": "stop_sequences"}
    assert body[stops.get(dialect, "stop")] == ["END"]
    assert body["top_p"] == 0.5


async def test_seed(providers: ScriptedProviders) -> None:
    question = Question(prompt=PROMPT, parameters=Parameters(seed=7))

    for dialect in ("openai", "gemini", "ollama"):
        providers.reset()
        assert settings(await sent(providers, dialect, question))["seed"] == 7


@each_dialect
async def test_tools(providers: ScriptedProviders, dialect: str) -> None:
    question = Question(prompt=PROMPT, parameters=Parameters(tools=(TOOL,)))
    before = copy.deepcopy(question)

    hit = await sent(providers, dialect, question)

    assert "look_up" in json.dumps(hit.body["tools"])
    assert question == before


@pytest.mark.parametrize("name", ["reasoning_effort", "temperature", "response_format"])
async def test_a_dropped_parameter_is_not_sent(providers: ScriptedProviders, name: str) -> None:
    question = Question(
        prompt=PROMPT, temperature=0.5, response_schema=SCHEMA, parameters=Parameters(reasoning_effort="none")
    )

    hit = await sent(providers, "openai", question, drop_params=["reasoning_effort", name])

    assert "reasoning_effort" not in hit.body
    assert name not in hit.body
    assert {"temperature", "response_format"} - {name} <= set(hit.body)


async def test_a_parameter_that_one_provider_drops_still_reaches_another(providers: ScriptedProviders) -> None:
    question = Question(prompt=PROMPT, parameters=Parameters(seed=7))

    assert "seed" not in (await sent(providers, "openai", question, drop_params=["seed"])).body
    providers.reset()
    assert (await sent(providers, "openai", question)).body["seed"] == 7


async def test_a_response_schema_is_sent_whole_to_openai_and_ollama(providers: ScriptedProviders) -> None:
    question = Question(prompt=PROMPT, response_schema=SCHEMA)

    at_openai = await sent(providers, "openai", question)
    providers.reset()
    at_ollama = await sent(providers, "ollama", question)

    assert at_openai.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert at_ollama.body["format"] == SCHEMA


@each_dialect
async def test_a_response_schema_reaches_the_provider_and_is_not_changed_on_the_way(
    providers: ScriptedProviders, dialect: str
) -> None:
    schema = copy.deepcopy(SCHEMA)

    hit = await sent(providers, dialect, asked={"response_schema": schema})

    assert '"born"' in json.dumps(hit.body)
    assert schema == SCHEMA


@each_dialect
async def test_headers_name_the_attempt(providers: ScriptedProviders, dialect: str) -> None:
    identity = CallIdentity("q-1", "complete-2", 3, "run-4")

    hit = await sent(
        providers,
        dialect,
        asked={"identity": identity},
        extra_headers={"x-call": "{workflow_id}/{activity_id}/{attempt}/{run_id}", "x-team": "blue {other}"},
    )

    assert hit.headers["x-call"] == "q-1/complete-2/3/run-4"
    assert hit.headers["x-team"] == "blue {other}"


@each_dialect
async def test_the_key_is_in_the_header_for_it_and_nowhere_else(providers: ScriptedProviders, dialect: str) -> None:
    hit = await sent(providers, dialect)

    holding = [name.lower() for name, value in hit.headers.items() if KEY in value]
    assert holding == [AUTH_HEADERS[dialect]]
    assert KEY not in json.dumps(dict(hit.body))


@each_dialect
async def test_a_provider_at_an_own_address_needs_no_key(
    providers: ScriptedProviders, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A key of the vendor's must not go to somebody else's server.
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    declared = provider(dialect, providers.api_base(NAME, dialect))

    await LiteLLM(NAME, declared, None).complete(request(declared.model))

    (hit,) = providers.hits()
    assert KEY not in str(dict(hit.headers))


async def test_further_arguments_of_a_provider_are_passed_on(providers: ScriptedProviders) -> None:
    hit = await sent(providers, "openai", extra={"extra_body": {"provider": {"order": ["x"]}}})

    assert hit.body["provider"] == {"order": ["x"]}


@each_dialect
async def test_no_setting_brings_the_clients_retries_back(providers: ScriptedProviders, dialect: str) -> None:
    await fault_of(providers, dialect, Status(503), extra={"max_retries": 2, "num_retries": 2})

    assert len(providers.hits()) == 1


async def test_what_each_request_sets_itself_is_refused_in_a_providers_table(monkeypatch: pytest.MonkeyPatch) -> None:
    names: set[str] = set()

    async def seen(**arguments: Any) -> None:
        names.update(arguments)

    monkeypatch.setattr(litellm, "acompletion", seen)
    declared = provider("openai", "http://127.0.0.1:9")
    with pytest.raises(ProviderFault):
        await LiteLLM(NAME, declared, KEY).complete(request(declared.model))
    assert {"model", "messages", "api_key", "timeout"} <= names <= OWN_ARGUMENTS
