"""`pointsman ask`: what it prints, how it ends, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointsman import Answer
from tests.e2e.conftest import DIALECTS, Site, run, sentence
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import binary

ANSWER_FIELDS = {
    *("status", "text", "parsed", "claims", "confidence", "provider", "model_requested", "model_served", "query_type"),
    *("classification_confidence", "route_reason", "hedged", "hedge_won", "finish_reason", "refused", "latency_ms"),
    *("usage", "cost_usd", "cost_known", "decision", "attempts", "verified", "tags", "divergence", "review"),
}
USAGE_FIELDS = {"input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "source"}
ATTEMPT_FIELDS = {
    *("provider", "model", "attempt", "outcome", "error_class", "latency_ms", "usage", "cost_usd", "hedge"),
}
LONE_SURROGATE = b"what is \xed\xa0\x80?"


@pytest.fixture
def out_of_order(providers: ScriptedProviders) -> None:
    for name in DIALECTS:
        providers.script(name, Status(401))


def test_an_answer_is_printed_with_its_route_attempts_tokens_and_cost(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Reply(text="Paris, [bold]of course[/bold]"))
    ended = pointsman.cli("ask", "What is the capital of France?", "--id", "in-words")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    lines = [line.strip() for line in ended.stdout.splitlines()]
    assert lines[0] == "Paris, [bold]of course[/bold]"
    facts = dict(line.split(maxsplit=1) for line in lines[2:])
    assert facts.pop("latency").endswith(" ms")
    assert facts == {
        "id": "in-words",
        "provider": "alpha (gpt-5.2-2026-08-15-2026-01-01)",
        "route": "simple_factual, primary",
        "confidence": "0.50",
        "attempts": "alpha answered",
        "tokens": "11 in, 7 out (reported)",
        "cost": "$0.000081",
    }


def test_json_holds_every_field_of_an_answer_and_nothing_else_is_printed(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Status(401))
    providers.script("beta", Reply(text="Paris"))
    ended = pointsman.cli("ask", "What is the capital of France?", "--json")
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert document.keys() >= ANSWER_FIELDS | {"id"}
    assert document["usage"].keys() == USAGE_FIELDS
    assert [attempt["provider"] for attempt in document["attempts"]] == ["alpha", "beta"]
    assert all(attempt.keys() >= ATTEMPT_FIELDS for attempt in document["attempts"])
    assert document["decision"].keys() >= {"candidates", "rejected", "weights"}
    assert document["text"] == "Paris"
    assert document["route_reason"] == "fallback:config"
    assert document["cost_usd"] == sum(attempt["cost_usd"] for attempt in document["attempts"])
    assert Answer.model_validate(document).provider == "beta"


@pytest.mark.parametrize("provider", DIALECTS)
def test_every_protocol_answers(pointsman: Site, providers: ScriptedProviders, provider: str) -> None:
    providers.script(provider, Reply(text=f"answer of {provider}"))
    ended = pointsman.cli("ask", "What is 1 + 1?", "--allow", provider, "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["text"] == f"answer of {provider}"
    assert [hit.dialect for hit in providers.hits()] == [DIALECTS[provider][0]]


def test_a_schema_and_a_context_are_read_from_files(
    pointsman: Site, providers: ScriptedProviders, tmp_path: Path
) -> None:
    schema, context = tmp_path / "schema.json", tmp_path / "context.json"
    schema.write_text('{"type": "object", "required": ["city"]}', encoding="utf-8")
    context.write_text('[{"id": "r1", "text": "Lutetia is Paris."}]', encoding="utf-8")
    providers.script("alpha", Reply(text='{"city": "Paris"}'))
    ended = pointsman.cli("ask", "Which city?", "--schema", str(schema), "--context", str(context), "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["parsed"] == {"city": "Paris"}
    assert "Lutetia is Paris." in json.dumps(dict(providers.hits("alpha")[0].body))


@pytest.mark.usefixtures("out_of_order")
def test_a_question_that_fails_ends_with_1_and_each_providers_reason(pointsman: Site) -> None:
    ended = pointsman.cli("ask", "What is 1 + 1?")
    assert ended.returncode == 1
    assert sentence(ended).startswith("AllProviders")
    assert all(f"{provider}" in ended.stderr for provider in DIALECTS)


@pytest.mark.usefixtures("out_of_order")
def test_a_failure_as_json_is_one_object_beside_the_sentence(pointsman: Site) -> None:
    ended = pointsman.cli("ask", "What is 1 + 1?", "--json", "--id", "failed-json")
    assert ended.returncode == 1
    document = json.loads(ended.stdout)
    assert (document["id"], document["status"]) == ("failed-json", "failed")
    assert [attempt["provider"] for attempt in document["attempts"]] == list(DIALECTS)
    assert document["message"].rstrip(".") in ended.stderr


def test_a_task_that_no_route_has_is_refused(pointsman: Site, providers: ScriptedProviders) -> None:
    ended = pointsman.cli("ask", "What is 1 + 1?", "--task", "extrakt")
    assert ended.returncode == 2
    assert "extrakt" in sentence(ended)
    assert providers.hits() == []


@pytest.mark.parametrize("option", ["--allow", "--deny"])
def test_a_provider_that_nobody_knows_is_refused(pointsman: Site, providers: ScriptedProviders, option: str) -> None:
    ended = pointsman.cli("ask", "What is 1 + 1?", option, "alhpa")
    assert ended.returncode == 2
    assert "alhpa" in sentence(ended)
    assert providers.hits() == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([""], "prompt"),
        (["   \n"], "prompt"),
        (["x", "--deadline", "-1"], "deadline_s"),
        (["x", "--deadline", "0"], "deadline_s"),
        (["x", "--deadline", "soon"], "deadline"),
        (["x", "--deadline", "nan"], "deadline_s"),
        (["x", "--max-cost", "-0.1"], "max_cost_usd"),
        (["x", "--max-latency-ms", "-5"], "max_latency_ms"),
        (["x", "--max-output-tokens", "0"], "max_output_tokens"),
        (["x", "--stakes", "higher"], "stakes"),
        (["x", "--on-exhausted", "panic"], "on_exhausted"),
        (["x", "--allow", " , "], "allow"),
        (["x", "--tenant", ""], "tenant"),
        (["x", "--tenant", "y" * 3000], "tenant: is 3,000 bytes as UTF-8"),
        (["x", "--schema", "not-there.json"], "--schema"),
        (["x", "--context", "not-there.json"], "--context"),
        (["x", "--id", ""], "id is empty"),
        (["x", "--id", "y" * 1001], "id is 1,001 bytes as UTF-8 and at most 1,000 fit"),
        (["x", "--task", "y" * 3000], "task: is 3,000 bytes as UTF-8 and at most 255 fit"),
        (["x", "--allow", "y" * 100_000], "allow.0: is 100,000 bytes as UTF-8 and at most 64 fit"),
        (["x", "--no-such-option"], "--no-such-option"),
        ([], "PROMPT"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_bad_input_is_refused_in_one_sentence(
    pointsman: Site, providers: ScriptedProviders, arguments: list[str], named: str
) -> None:
    ended = pointsman.cli("ask", *arguments)
    assert ended.returncode == 2
    assert named in sentence(ended)
    assert providers.hits() == []


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--schema", "not JSON"),
        ("--schema", "[1, 2]"),
        ("--schema", '{"type": "no such type"}'),
        ("--context", '{"id": "r1"}'),
        ("--context", '[{"text": "no id"}]'),
        ("--context", '[{"id": "r1", "text": "x", "wieght": 1}]'),
        ("--context", '[{"id": "r1", "text": "x", "weight": -1}]'),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(
    pointsman: Site, providers: ScriptedProviders, tmp_path: Path, option: str, text: str
) -> None:
    path = tmp_path / "given.json"
    path.write_text(text, encoding="utf-8")
    ended = pointsman.cli("ask", "x", option, str(path))
    assert ended.returncode == 2
    assert {"--schema": "schema", "--context": "context"}[option] in sentence(ended)
    assert providers.hits() == []


@pytest.mark.parametrize("text", [b"caf\xe9", LONE_SURROGATE], ids=["latin-1", "surrogate"])
def test_standard_input_that_is_no_unicode_is_refused(pointsman: Site, text: bytes) -> None:
    ended = pointsman.cli("ask", "-", stdin=text)
    assert ended.returncode == 2
    assert "UTF-8" in sentence(ended)


def test_empty_standard_input_is_refused(pointsman: Site) -> None:
    ended = pointsman.cli("ask", "-", stdin="")
    assert ended.returncode == 2
    assert "empty" in sentence(ended)


@pytest.mark.parametrize("verb", ["status", "answer", "cancel"])
def test_an_id_that_no_question_has_is_refused(pointsman: Site, verb: str) -> None:
    ended = pointsman.cli(verb, "never-asked")
    assert ended.returncode == 2
    assert "never-asked" in sentence(ended)


@pytest.mark.parametrize(
    ("arguments", "status", "kind", "question_id"),
    [
        (("ask", "x", "--deadline", "-1"), 2, "InvalidQuestion", None),
        (("ask", "x", "--no-such-option"), 2, "Usage", None),
        (("ask", "x", "--task", "extrakt", "--id", "json-unknown-task"), 2, "InvalidQuestion", "json-unknown-task"),
        (("ask", "another", "--id", "json-taken"), 2, "IdTaken", "json-taken"),
        (("status", "json-never-asked"), 2, "UnknownQuestion", "json-never-asked"),
        (("answer", "json-never-asked"), 2, "UnknownQuestion", "json-never-asked"),
        (("cancel", "json-never-asked"), 2, "UnknownQuestion", "json-never-asked"),
        (("check", "--config", "not-there.toml"), 2, "ConfigurationError", None),
        (("route", ""), 2, "InvalidQuestion", None),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_any_failure_as_json_is_one_object_beside_the_sentence(
    pointsman: Site, arguments: tuple[str, ...], status: int, kind: str, question_id: str | None
) -> None:
    pointsman.cli("ask", "x", "--id", "json-taken")
    ended = pointsman.cli(*arguments, "--json")
    assert (ended.returncode, "Traceback" in ended.stderr) == (status, False)
    document = json.loads(ended.stdout)
    assert (document["error"], document.get("id")) == (kind, question_id)
    assert document["message"] == ended.stderr.strip()


def test_no_server_as_json_is_one_object(pointsman: Site) -> None:
    ended = pointsman.cli("ask", "x", "--json", TEMPORAL_ADDRESS="127.0.0.1:1")
    assert ended.returncode == 3
    assert json.loads(ended.stdout) == {"error": "NoServer", "message": ended.stderr.strip()}


def test_control_sequences_of_an_answer_do_not_reach_the_terminal(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Reply(text="Pa\x1b[2J\x1b]0;owned\x07ris", model="m\x1b[31m"))
    ended = pointsman.cli("ask", "What is the capital of France?")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("Pa\\x1b[2J\\x1b]0;owned\\x07ris\n")
    assert "\x1b" not in ended.stdout


@pytest.mark.parametrize(
    ("redirection", "status", "said"),
    [
        (">&-", 0, ""),
        ("> /dev/full", 1, "the output cannot be written (No space left on device)"),
        ("--json > /dev/full", 1, "the output cannot be written (No space left on device)"),
        ("--deadline 0 --json > /dev/full", 2, "deadline_s"),
        ("--deadline 0 2> /dev/full", 2, ""),
        ("| true", 0, ""),
        (">&- 2>&-", 0, ""),
        ("<&-", 0, ""),
    ],
)
def test_standard_streams_that_lead_nowhere_make_no_traceback(
    pointsman: Site, redirection: str, status: int, said: str
) -> None:
    command = f"{binary('pointsman')} ask 'What is 1 + 1?' {redirection}"
    ended = run(["bash", "-c", command], pointsman.environment())
    assert (ended.returncode, "Traceback" in ended.stderr) == (status, False)
    assert said in ended.stderr


def test_standard_input_that_is_closed_is_refused(pointsman: Site) -> None:
    ended = run(["bash", "-c", f"{binary('pointsman')} ask - <&-"], pointsman.environment())
    assert ended.returncode == 2
    assert "standard input is closed" in sentence(ended)
