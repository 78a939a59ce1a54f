"""What a question leaves behind: its events, what the UI shows of it, what it can be found by, and never a key."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent

from tests.e2e.conftest import CANARY, PATIENCE_S, Site
from workers.embedded.scripted.faults import echoed_key
from workers.embedded.scripted.script import Hang, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

UPSERT = "UPSERT_WORKFLOW_SEARCH_ATTRIBUTES"
PLAIN = [
    "WORKFLOW_EXECUTION_STARTED",
    *("WORKFLOW_TASK_SCHEDULED", "WORKFLOW_TASK_STARTED", "WORKFLOW_TASK_COMPLETED"),
    *("MARKER_RECORDED", "MARKER_RECORDED"),
    *("ACTIVITY_TASK_SCHEDULED", "ACTIVITY_TASK_STARTED", "ACTIVITY_TASK_COMPLETED"),
    *("WORKFLOW_TASK_SCHEDULED", "WORKFLOW_TASK_STARTED", "WORKFLOW_TASK_COMPLETED"),
    UPSERT,
    "WORKFLOW_EXECUTION_COMPLETED",
]
PROMPT = "Which confidential platypus is overdue?"


def _events(site: Site, question_id: str) -> list[HistoryEvent]:
    return [HistoryEvent.FromString(event) for event in site.history(question_id)]


def _until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S / 2
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.1)


def _found(site: Site, query: str) -> set[str]:
    """Ids of the questions that Temporal's own command line lists."""
    listed = site.temporal("workflow", "list", "--query", query, "--output", "json")
    assert listed.returncode == 0, listed.stderr
    return {row["execution"]["workflowId"] for row in json.loads(listed.stdout or "[]")}


def _becomes_findable(site: Site, question_id: str, query: str) -> None:
    # Visibility follows the history by a moment.
    _until(lambda: question_id in _found(site, query))


def test_a_plain_question_has_thirteen_events_and_one_upsert(pointsman: Site) -> None:
    assert pointsman.cli("ask", "What is 1 + 1?", "--id", "plain").returncode == 0
    kinds = [EventType.Name(event.event_type).removeprefix("EVENT_TYPE_") for event in _events(pointsman, "plain")]
    assert kinds == PLAIN
    assert len([kind for kind in kinds if kind != UPSERT]) == 13


def test_an_answered_question_is_found_by_what_became_of_it(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Status(401))
    ended = pointsman.cli("ask", "What is 1 + 1?", "--id", "found", "--task", "extract", "--stakes", "high", "--json")
    cost = json.loads(ended.stdout)["cost_usd"]
    for condition in (
        "PointsmanStatus = 'answered'",
        "PointsmanTask = 'extract'",
        "PointsmanQueryType = 'analysis'",
        "PointsmanProvider = 'beta'",
        "PointsmanStakes = 'high'",
        "PointsmanHedged = false",
        f"PointsmanCostUsd >= {cost} AND PointsmanCostUsd <= {cost}",
        "PointsmanDivergent = false",
    ):
        _becomes_findable(pointsman, "found", condition)
    assert "found" not in _found(pointsman, "PointsmanProvider = 'alpha'")


def test_questions_are_found_by_how_they_stand(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Hang())
    pointsman.cli("ask", "What is 1 + 1?", "--id", "under-way", "--allow", "alpha", "--no-wait")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    _becomes_findable(pointsman, "under-way", "PointsmanStatus = 'routing'")
    assert pointsman.cli("cancel", "under-way").returncode == 0
    _becomes_findable(pointsman, "under-way", "PointsmanStatus = 'cancelled'")
    providers.script("beta", Status(401))
    assert pointsman.cli("ask", "What is 1 + 1?", "--id", "in-vain", "--allow", "beta").returncode == 1
    _becomes_findable(pointsman, "in-vain", "PointsmanStatus = 'failed'")


def test_the_ui_shows_the_question_each_call_and_the_route_in_words(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Status(401))
    prompt = "What is the first line?\nAnd what is the second?"
    assert pointsman.cli("ask", prompt, "--id", "shown", "--task", "extract").returncode == 0

    async def summary() -> str | None:
        described = await pointsman.server.client.get_workflow_handle("shown").describe()
        return await described.static_summary()

    assert pointsman.wait_for(summary()) == "extract: What is the first line?"
    scheduled = EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    calls = [event.user_metadata for event in _events(pointsman, "shown") if event.event_type == scheduled]
    assert [json.loads(call.summary.data) for call in calls] == [
        "alpha (openai/gpt-5.2-2026-08-15)",
        "beta (anthropic/claude-sonnet-5-20260801)",
    ]
    details = pointsman.temporal("workflow", "metadata", "--workflow-id", "shown", "--output", "json")
    assert details.returncode == 0, details.stderr
    (found,) = json.loads(details.stdout)["queryResult"]
    words = found["currentDetails"]
    assert words.startswith("**beta** answered (fallback:config) in ")
    assert "- alpha, attempt 1: failed (" in words
    assert "- beta, attempt 1: answered" in words
    assert "chain `routes.extract`" in words


def test_a_key_is_in_no_event_log_or_output_and_a_prompt_in_no_log_at_info(
    pointsman: Site, unattended: Site, providers: ScriptedProviders
) -> None:
    """The shared worker logs at DEBUG; the one started here at the default level."""
    quiet = unattended.start_worker()
    written: list[bytes] = []
    for site in (pointsman, unattended):
        providers.script("alpha", echoed_key)
        providers.script("beta", Status(500, message=f"for url https://host/path?key={CANARY}"), Reply(text="done"))
        answered = site.cli("ask", PROMPT, "--id", "secret", "--json")
        assert json.loads(answered.stdout)["provider"] == "beta"
        for name in ("alpha", "beta", "gamma", "delta"):
            providers.script(name, echoed_key)
        failed = site.cli("ask", PROMPT, "--id", "secret-failed", "--json")
        assert failed.returncode == 1
        checked = site.cli("check")
        for ended in (answered, failed, checked):
            written += [ended.stdout.encode(), ended.stderr.encode()]
        written += [*site.history("secret"), *site.history("secret-failed")]
        written += [worker.said().encode() for worker in site.started]
    sent = [hit.headers for hit in providers.hits()]
    assert sum(CANARY in json.dumps(dict(headers)) for headers in sent) >= 4
    assert not [text for text in written if CANARY.encode() in text]
    assert quiet.signal(signal.SIGTERM) == 0
    assert PROMPT not in quiet.said()
    assert quiet.said()
