"""What a question may hold goes through unchanged, and what must stay secret goes nowhere."""

from __future__ import annotations

import json

from tests.processes.conftest import CANARY, DIALECTS, Site, sentence
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

UNICODE = "naïve Ω 漢字 עברית 👩‍👩‍👧 \u202e \u0301 \U0010ffff"
LARGE = "word " * 280_000
TOO_LARGE = "word " * 310_000


def test_a_question_of_1_4_mb_is_answered_by_the_second_provider(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Status(401))
    providers.script("beta", Reply(text="long read"))
    ended = pointsman.cli("ask", "-", "--id", "large", "--json", "--max-latency-ms", "1e9", stdin=LARGE)
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert (answer["provider"], answer["text"]) == ("beta", "long read")
    assert [(hit.name, hit.prompt == LARGE) for hit in providers.hits()] == [("alpha", True), ("beta", True)]


def test_a_question_over_1_5_mb_is_refused_before_anything_is_scheduled(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    ended = pointsman.cli("ask", "-", "--id", "too-large", stdin=TOO_LARGE)
    assert ended.returncode == 2
    assert "1,500,000" in sentence(ended)
    assert pointsman.cli("status", "too-large").returncode == 2
    assert providers.hits() == []


def test_unicode_of_every_kind_comes_back_as_it_went(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(text=lambda request: request.prompt))
    by_argument = pointsman.cli("ask", UNICODE, "--id", "unicode-ü", "--json")
    by_input = pointsman.cli("ask", "-", stdin=UNICODE)
    assert by_argument.returncode == 0, by_argument.stderr
    assert json.loads(by_argument.stdout)["text"] == UNICODE
    assert UNICODE in by_argument.stdout
    assert by_input.stdout.splitlines()[0] == UNICODE
    assert [hit.prompt for hit in providers.hits()] == [UNICODE, UNICODE]


def test_a_key_is_in_no_history_log_or_output(pointsman: Site, providers: ScriptedProviders) -> None:
    for provider in DIALECTS:
        # Vendors do quote keys in their errors.
        providers.script(provider, Status(401, message=f"Incorrect API key provided: {CANARY}"), Reply(text="ok"))
    failed = pointsman.cli("ask", "What is 1 + 1?", "--id", "secret-failed", "--json")
    answered = pointsman.cli("ask", "What is 1 + 1?", "--id", "secret-answered", "--json")
    assert (failed.returncode, answered.returncode) == (1, 0)
    sent = [json.dumps(dict(hit.headers)) for hit in providers.hits()]
    assert any(CANARY in headers for headers in sent)
    events = [*pointsman.history("secret-failed"), *pointsman.history("secret-answered")]
    assert any(b"What is 1 + 1?" in event for event in events)
    assert not any(CANARY.encode() in event for event in events)
    said = [ended.stdout + ended.stderr for ended in (failed, answered, pointsman.cli("check"))]
    assert not any(CANARY in text for text in (*said, pointsman.started[0].said()))
    assert "DEBUG" in pointsman.started[0].said()


def test_questions_are_found_by_their_search_attributes(pointsman: Site) -> None:
    ended = pointsman.cli("ask", "What is 1 + 1?", "--id", "found", "--task", "extract")
    assert ended.returncode == 0, ended.stderr
    query = "PointsmanStatus = 'answered' AND PointsmanTask = 'extract' AND PointsmanProvider = 'alpha'"
    assert pointsman.listed(query) == ["found"]


def test_any_client_can_ask_by_name_and_json(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(text="Paris"))
    started = pointsman.temporal(
        *("workflow", "start", "--type", "RouteAndAnswer", "--task-queue", "pointsman", "--workflow-id", "by-name"),
        *("--input", '{"prompt": "What is the capital of France?"}'),
    )
    assert started.returncode == 0, started.stderr
    result = pointsman.temporal("workflow", "result", "--workflow-id", "by-name", "--output", "json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["result"]["text"] == "Paris"
    assert pointsman.cli("answer", "by-name").returncode == 0


def test_a_bad_question_by_name_fails_with_a_sentence(pointsman: Site, providers: ScriptedProviders) -> None:
    pointsman.temporal(
        *("workflow", "start", "--type", "RouteAndAnswer", "--task-queue", "pointsman", "--workflow-id", "bad-by-name"),
        *("--input", '{"prompt": "x", "messages": [{"role": "user", "content": "y"}]}'),
    )
    result = pointsman.temporal("workflow", "result", "--workflow-id", "bad-by-name")
    assert result.returncode == 1
    assert "prompt and messages are both given" in result.stdout + result.stderr
    ended = pointsman.cli("answer", "bad-by-name")
    assert ended.returncode == 2
    assert "prompt and messages are both given" in sentence(ended)
    assert providers.hits() == []


def test_twenty_looks_at_a_question_all_end_with_0(pointsman: Site) -> None:
    assert pointsman.cli("ask", "What is 1 + 1?", "--id", "looked-at").returncode == 0
    looks = [pointsman.cli("status", "looked-at") for _ in range(20)]
    assert [look.returncode for look in looks] == [0] * 20
    assert len({look.stdout for look in looks}) == 1
