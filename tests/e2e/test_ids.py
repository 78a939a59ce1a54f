"""One id is one question: asked again, left, looked at, fetched and cancelled from other processes."""

from __future__ import annotations

import json
import signal

from tests.e2e.conftest import PATIENCE_S, Site, sentence
from workers.embedded.scripted.script import Hang, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

PROMPT = "What is the capital of France?"


def test_a_question_asked_twice_under_one_id_is_answered_and_paid_once(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Reply(text="first"), Reply(text="second"))
    documents = [json.loads(pointsman.cli("ask", PROMPT, "--id", "twice", "--json").stdout) for _ in range(2)]
    assert documents[0] == documents[1]
    assert documents[0]["text"] == "first"
    assert len(providers.hits()) == 1


def test_a_question_asked_again_while_it_runs_joins_it(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(text="the one answer", delay_s=3))
    first = pointsman.start_cli("ask", PROMPT, "--id", "joined", "--json")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    second = pointsman.cli("ask", PROMPT, "--id", "joined", "--json")
    said, complained = first.communicate(timeout=PATIENCE_S)
    assert (first.returncode, second.returncode) == (0, 0), complained + second.stderr
    assert json.loads(said) == json.loads(second.stdout)
    assert len(providers.hits()) == 1


def test_an_id_that_another_question_has_is_refused(pointsman: Site, providers: ScriptedProviders) -> None:
    assert pointsman.cli("ask", PROMPT, "--id", "taken").returncode == 0
    other_prompt = pointsman.cli("ask", "What is the capital of Spain?", "--id", "taken")
    other_limit = pointsman.cli("ask", PROMPT, "--id", "taken", "--deadline", "30")
    assert (other_prompt.returncode, other_limit.returncode) == (2, 2)
    assert "'taken'" in sentence(other_prompt)
    assert sentence(other_prompt) == sentence(other_limit)
    assert len(providers.hits()) == 1


def test_after_a_failure_the_id_runs_anew(pointsman: Site, providers: ScriptedProviders) -> None:
    # A reply that says nothing about the provider's health, so that it is asked again at once.
    providers.script("alpha", Status(400), Reply(text="now it works"))
    arguments = ("ask", PROMPT, "--id", "anew", "--allow", "alpha")
    failed, again, third = (pointsman.cli(*arguments) for _ in range(3))
    assert (failed.returncode, again.returncode, third.returncode) == (1, 0, 0)
    assert again.stdout.startswith("now it works")
    assert third.stdout == again.stdout
    assert len(providers.hits()) == 2


def test_after_a_failure_another_question_under_the_id_is_refused(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Status(401))
    failed = pointsman.cli("ask", PROMPT, "--id", "failed-once", "--allow", "alpha")
    other = pointsman.cli("ask", "What is the capital of Spain?", "--id", "failed-once", "--allow", "alpha")
    assert (failed.returncode, other.returncode) == (1, 2)
    assert "'failed-once'" in sentence(other)
    assert len(providers.hits()) == 1


def test_a_question_can_be_left_looked_at_and_fetched(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(text="Paris", delay_s=12))
    left = pointsman.cli("ask", PROMPT, "--id", "left", "--no-wait")
    assert (left.returncode, left.stdout, left.stderr) == (0, "left\n", "")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    running = json.loads(pointsman.cli("status", "left", "--json").stdout)
    assert (running["id"], running["status"], running["ended_at"]) == ("left", "routing", None)
    fetched = pointsman.cli("answer", "left")
    assert (fetched.returncode, fetched.stdout.splitlines()[0]) == (0, "Paris")
    ended = json.loads(pointsman.cli("status", "left", "--json").stdout)
    assert ended.keys() == running.keys()
    assert (ended["status"], ended["provider"], ended["query_type"]) == ("answered", "alpha", "simple_factual")
    assert ended["ended_at"] > ended["asked_at"]
    words = pointsman.cli("status", "left").stdout
    assert dict(line.split(maxsplit=1) for line in words.splitlines())["status"] == "answered"


def test_without_an_id_no_wait_prints_one_that_can_be_fetched(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(text="Paris"))
    left = pointsman.cli("ask", PROMPT, "--no-wait", "--json")
    assert left.returncode == 0, left.stderr
    fetched = json.loads(pointsman.cli("answer", json.loads(left.stdout)["id"], "--json").stdout)
    assert fetched["text"] == "Paris"
    assert fetched["id"] == json.loads(left.stdout)["id"]


def test_a_cancel_closes_the_providers_connection(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Hang())
    pointsman.cli("ask", PROMPT, "--id", "cancelled", "--no-wait")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    ended = pointsman.cli("cancel", "cancelled")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "cancelled" in ended.stdout
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S, outcome="aborted")
    answer = pointsman.cli("answer", "cancelled")
    assert answer.returncode == 1
    assert "cancelled" in sentence(answer)
    assert len(providers.hits()) == 1
    status = json.loads(pointsman.cli("status", "cancelled", "--json").stdout)
    assert status["status"] == "cancelled"
    assert "cancelled" in pointsman.listed("PointsmanStatus = 'cancelled' AND PointsmanStakes = 'normal'")
    again = json.loads(pointsman.cli("cancel", "cancelled", "--json").stdout)
    assert again == {"id": "cancelled", "cancel_requested": False, "status": "cancelled"}


def test_a_cancel_reaches_the_process_that_waits(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Hang())
    waiting = pointsman.start_cli("ask", PROMPT, "--id", "cancelled-while-waiting")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    pointsman.cli("cancel", "cancelled-while-waiting")
    said, complained = waiting.communicate(timeout=PATIENCE_S)
    assert (waiting.returncode, said) == (1, "")
    assert complained.strip() == "the question cancelled-while-waiting was cancelled"
    as_json = pointsman.cli("answer", "cancelled-while-waiting", "--json")
    assert json.loads(as_json.stdout) == {
        "id": "cancelled-while-waiting",
        "error": "QuestionCancelled",
        "message": complained.strip(),
    }


def test_ctrl_c_leaves_the_question_running_and_says_how_to_fetch_it(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Reply(text="still answered", delay_s=12))
    waiting = pointsman.start_cli("ask", PROMPT, "--id", "interrupted")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    waiting.send_signal(signal.SIGINT)
    said, complained = waiting.communicate(timeout=PATIENCE_S)
    assert (waiting.returncode, said) == (130, "")
    assert "Traceback" not in complained
    assert "`pointsman answer interrupted`" in complained
    assert "`pointsman cancel interrupted`" in complained
    assert [hit.outcome for hit in providers.hits()] == ["open"]
    fetched = pointsman.cli("answer", "interrupted")
    assert (fetched.returncode, fetched.stdout.splitlines()[0]) == (0, "still answered")
    assert [hit.outcome for hit in providers.hits()] == ["answered"]
