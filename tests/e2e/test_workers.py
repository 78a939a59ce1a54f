"""Worker processes: killed, told to stop, badly configured, or not there at all."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from pointsman.search_attributes import register
from tests.e2e.conftest import (
    CANARY,
    DIALECTS,
    KEY_VARIABLE,
    PATIENCE_S,
    READY,
    Site,
    environment,
    python,
    run,
    sentence,
)
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Hang, Raw, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import binary, free_port, temporal_server

PROMPT = "What is the capital of France?"


def _calls(hits: list[Hit]) -> list[list[str]]:
    """Question, activity and attempt of each request, as its header says."""
    return [hit.headers["x-pointsman-call"].rsplit("/", 2) for hit in hits]


def test_no_worker_is_said_in_a_sentence_and_the_question_waits_for_one(
    unserved: Site, providers: ScriptedProviders
) -> None:
    unserved.wait_for(register(unserved.server.client))
    ended = unserved.cli("ask", PROMPT, "--id", "unattended")
    assert ended.returncode == 3
    assert "no worker polls" in sentence(ended)
    assert "`pointsman answer unattended`" in ended.stderr
    as_json = unserved.cli("ask", PROMPT, "--id", "unattended", "--json")
    document = json.loads(as_json.stdout)
    assert (document["id"], document["error"]) == ("unattended", "NoWorker")
    left_as_json = unserved.cli("ask", PROMPT, "--id", "unattended", "--no-wait", "--json")
    assert (left_as_json.returncode, json.loads(left_as_json.stdout)["id"]) == (3, "unattended")
    left = unserved.cli("ask", PROMPT, "--id", "unattended-left", "--no-wait")
    assert (left.returncode, left.stdout) == (3, "unattended-left\n")
    assert "no worker polls" in left.stderr
    providers.script("alpha", Reply(text="Paris"))
    worker = unserved.start_worker()
    for question_id in ("unattended", "unattended-left"):
        fetched = unserved.cli("answer", question_id, "--json")
        assert fetched.returncode == 0, fetched.stderr
        assert json.loads(fetched.stdout)["text"] == "Paris"
    assert worker.signal(signal.SIGTERM) == 0


@pytest.mark.parametrize(
    "arguments",
    [("ask", "x"), ("ask", "x", "--no-wait"), ("status", "x"), ("answer", "x"), ("cancel", "x")],
    ids=" ".join,
)
def test_no_server_is_said_in_a_sentence(unattended: Site, arguments: tuple[str, ...]) -> None:
    address = f"127.0.0.1:{free_port(0)}"
    ended = unattended.cli(*arguments, TEMPORAL_ADDRESS=address)
    assert ended.returncode == 3
    assert address in sentence(ended)


def test_a_namespace_that_the_server_lacks_is_said_in_a_sentence(unattended: Site) -> None:
    asked = unattended.cli("ask", "x", TEMPORAL_NAMESPACE="nowhere")
    for verb in ("status", "answer", "cancel"):
        looked = unattended.cli(verb, "x", TEMPORAL_NAMESPACE="nowhere")
        assert (looked.returncode, sentence(looked)) == (3, sentence(asked))
    served = run(python("-m", "workers"), unattended.environment({"TEMPORAL_NAMESPACE": "nowhere"}))
    assert (asked.returncode, served.returncode) == (3, 3)
    assert "nowhere" in sentence(asked)
    assert "nowhere" in sentence(served)


def test_a_worker_says_in_a_sentence_that_no_server_is_there(unattended: Site) -> None:
    address = f"127.0.0.1:{free_port(0)}"
    ended = run(python("-m", "workers"), unattended.environment({"TEMPORAL_ADDRESS": address}))
    assert ended.returncode == 3
    assert address in sentence(ended)


@pytest.mark.parametrize("config", [None, ""], ids=["unset", "empty"])
def test_a_worker_without_a_configuration_names_the_variable(config: str | None) -> None:
    ended = run(python("-m", "workers"), environment({"POINTSMAN_CONFIG": config}))
    assert ended.returncode == 2
    assert "POINTSMAN_CONFIG" in sentence(ended)


def test_a_worker_names_the_configuration_that_is_missing(tmp_path: Path) -> None:
    ended = run(python("-m", "workers"), environment({"POINTSMAN_CONFIG": str(tmp_path / "gone.toml")}))
    assert ended.returncode == 2
    assert "gone.toml" in sentence(ended)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("tier =", "teir =", "providers.alpha.teir: unknown key"),
        ("[retry]", "[retries]", "retries: unknown key"),
        ("initial_s = 0.01", "initial_s = -1", "retry.initial_s"),
        ("initial_s = 0.01", "initial_s = ", "not TOML"),
        ("[providers.beta]", "[providers.alpha]", "declared twice"),
        ('[routes.extract]\nchain = ["alpha", "beta", "gamma", "delta"]', '[routes.extract]\nchain = ["alpha"]', "two"),
    ],
    ids=lambda text: text.split("\n")[-1],
)
def test_a_worker_refuses_a_configuration_and_names_the_place(
    unattended: Site, tmp_path: Path, old: str, new: str, fault: str
) -> None:
    config = tmp_path / "router.toml"
    text = unattended.config.read_text(encoding="utf-8")
    assert old in text
    config.write_text(text.replace(old, new, 1), encoding="utf-8")
    ended = run(python("-m", "workers"), unattended.environment({"POINTSMAN_CONFIG": str(config)}))
    assert ended.returncode == 2
    assert fault in ended.stderr
    assert "Traceback" not in ended.stderr
    checked = unattended.cli("check", "--config", str(config))
    assert (checked.returncode, checked.stdout, checked.stderr) == (2, "", ended.stderr)


def test_a_worker_names_the_key_that_is_missing_and_never_its_value(unattended: Site) -> None:
    ended = run(python("-m", "workers"), unattended.environment({KEY_VARIABLE: None}))
    assert ended.returncode == 2
    assert ended.stderr.count(KEY_VARIABLE) == len(DIALECTS)
    assert len(ended.stderr.splitlines()) == len(DIALECTS)
    assert CANARY not in ended.stderr
    assert ended.stdout == ""


def test_another_worker_finishes_what_a_killed_one_had_under_way(
    unattended: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Hang(), Reply(text="after the kill"))
    first = unattended.start_worker()
    unattended.cli("ask", PROMPT, "--id", "killed", "--no-wait", "--deadline", "120")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    assert first.signal(signal.SIGKILL) == -signal.SIGKILL
    second = unattended.start_worker()
    ended = unattended.cli("answer", "killed", "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert answer["text"] == "after the kill"
    # A lost worker is no provider's failure: the same provider is asked again, and no other.
    assert [hit.name for hit in providers.hits()] == ["alpha", "alpha"]
    told = [(row["attempt"], row["outcome"], row["error_class"]) for row in answer["attempts"]]
    assert told == [(1, "failed", "infrastructure"), (2, "answered", None)]
    assert (answer["route_reason"], answer["usage"]["source"]) == ("primary", "estimated")
    assert answer["cost_usd"] > answer["attempts"][1]["cost_usd"]
    assert second.signal(signal.SIGTERM) == 0


def test_the_death_of_the_last_worker_is_said_soon_after_the_deadline_and_the_question_stays(
    unattended: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Hang(), Reply(text="never asked for"))
    worker = unattended.start_worker()
    waiting = unattended.start_cli("ask", PROMPT, "--id", "orphaned", "--deadline", "12", "--allow", "alpha")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    assert worker.signal(signal.SIGKILL) == -signal.SIGKILL
    # The server lists the dead worker for five minutes.
    said, complained = waiting.communicate(timeout=60)
    assert (waiting.returncode, said) == (3, "")
    assert "no worker has taken the question" in complained
    assert "`pointsman answer orphaned`" in complained
    assert json.loads(unattended.cli("status", "orphaned", "--json").stdout)["status"] == "routing"
    unattended.cli("cancel", "orphaned")
    other = unattended.start_worker()
    assert unattended.cli("answer", "orphaned").returncode == 1
    assert other.signal(signal.SIGTERM) == 0


def test_when_the_server_goes_away_the_id_is_told(
    loop: asyncio.AbstractEventLoop, unattended: Site, providers: ScriptedProviders, tmp_path: Path
) -> None:
    providers.script("alpha", Hang())
    context = temporal_server(tmp_path / "temporal.db", port=free_port(0), ui_port=free_port(0))
    server = unattended.wait_for(context.__aenter__())
    site = Site(server, loop, unattended.config, tmp_path)
    worker = site.start_worker()
    plain = site.start_cli("ask", PROMPT, "--id", "left-behind")
    as_json = site.start_cli("ask", PROMPT, "--id", "left-behind-too", "--json")
    providers.wait_for_hits_blocking("alpha", 2, PATIENCE_S)
    unattended.wait_for(context.__aexit__(None, None, None))
    said, complained = plain.communicate(timeout=PATIENCE_S)
    document = json.loads(as_json.communicate(timeout=PATIENCE_S)[0])
    worker.end()
    assert (plain.returncode, as_json.returncode, said) == (3, 3, "")
    assert "`pointsman answer left-behind`" in complained
    assert "::" not in complained
    assert (document["id"], document["error"]) == ("left-behind-too", "NoServer")


SETTINGS: dict[str, tuple[dict[str, str | None], int, str]] = {
    "certificate": ({"TEMPORAL_TLS_CLIENT_CERT_PATH": "/nope"}, 2, "TEMPORAL_TLS_CLIENT_CERT_PATH: /nope cannot be"),
    "no TOML": ({"TEMPORAL_CONFIG_FILE": "/etc/passwd"}, 2, "TOML parse error"),
    "profile": ({"TEMPORAL_PROFILE": "nope"}, 2, "Profile 'nope' not found"),
    "port": ({"TEMPORAL_ADDRESS": "localhost:99999"}, 2, "'localhost:99999' is no address (invalid port number)"),
    "no port": ({"TEMPORAL_ADDRESS": "foo:bar"}, 2, "'foo:bar' is no address"),
    "no host": ({"TEMPORAL_ADDRESS": "::1"}, 2, "'::1' is no address"),
    "scheme": ({"TEMPORAL_ADDRESS": "http://localhost:1"}, 2, "'http://localhost:1' is no address"),
    "half a pair": ({"TEMPORAL_TLS_CLIENT_CERT_DATA": "x"}, 2, "Must have both client cert and private key"),
    "pair of no keys": (
        {"TEMPORAL_TLS_CLIENT_CERT_DATA": "x", "TEMPORAL_TLS_CLIENT_KEY_DATA": "x"},
        2,
        "Temporal's TLS settings: the client's private key is no PEM key",
    ),
    "server name": (
        {"TEMPORAL_TLS_SERVER_NAME": "a b"},
        2,
        "Temporal's TLS settings: the server name is no host name",
    ),
    "key": ({"TEMPORAL_API_KEY": f"{CANARY}\n"}, 2, "TEMPORAL_API_KEY: holds what no HTTP header can"),
    "metadata": ({"TEMPORAL_GRPC_META_FOO": "x\ny"}, 2, "TEMPORAL_GRPC_META"),
    "refused": (
        {"TEMPORAL_ADDRESS": "127.0.0.1:1"},
        3,
        "no Temporal server reached at 127.0.0.1:1 (Connection refused)",
    ),
    "name": ({"TEMPORAL_ADDRESS": "no.invalid:1"}, 3, "no Temporal server reached at no.invalid:1 (failed to lookup"),
    "no TLS": ({"TEMPORAL_TLS": "true"}, 3, "(it does not speak TLS)"),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_connection_settings_that_cannot_be_used_are_said_in_a_sentence(unattended: Site, case: str) -> None:
    changes, status, said = SETTINGS[case]
    env = unattended.environment(changes)
    for command in ([binary("pointsman"), "status", "x"], python("-m", "workers")):
        ended = run(command, env)
        assert ended.returncode == status
        assert said in sentence(ended)
        assert not any(part in ended.stderr for part in ("::Error", "root:x", CANARY))


def test_a_worker_names_the_key_that_no_header_can_hold_and_never_its_value(unattended: Site) -> None:
    env = unattended.environment({KEY_VARIABLE: f"{CANARY}\n"})
    for command in ([binary("pointsman"), "check"], python("-m", "workers")):
        ended = run(command, env)
        assert ended.returncode == 2
        assert ended.stderr.count(f"{KEY_VARIABLE} holds what no HTTP header can") == len(DIALECTS)
        assert CANARY not in ended.stderr + ended.stdout


def test_sigterm_lets_a_running_call_finish(unattended: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Reply(text="finished first", delay_s=4))
    worker = unattended.start_worker()
    unattended.cli("ask", PROMPT, "--id", "drained", "--no-wait", "--deadline", "300")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    assert worker.signal(signal.SIGTERM) == 0
    assert [hit.outcome for hit in providers.hits()] == ["answered"]
    other = unattended.start_worker()
    ended = unattended.cli("answer", "drained")
    assert (ended.returncode, ended.stdout.splitlines()[0]) == (0, "finished first")
    assert len(providers.hits()) == 1
    assert other.signal(signal.SIGTERM) == 0


def test_five_workers_told_to_stop_all_end_with_0(unattended: Site) -> None:
    statuses: list[int] = []
    for _ in range(5):
        worker = unattended.start_worker()
        statuses.append(worker.signal(signal.SIGTERM))
        assert READY in worker.said()
        assert "Traceback" not in worker.said()
    assert statuses == [0] * 5


def test_every_request_that_providers_saw_is_an_attempt_of_the_answer(
    pointsman: Site, providers: ScriptedProviders
) -> None:
    providers.script("alpha", Status(503), Raw(b"<html>busy</html>", content_type="text/html"))
    providers.script("beta", Status(429))
    providers.script("gamma", Status(500))
    providers.script("delta", Reply(text="Paris"))
    ended = pointsman.cli("ask", PROMPT, "--id", "one/to/one", "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    attempts = [(attempt["provider"], str(attempt["attempt"])) for attempt in answer["attempts"]]
    hits = providers.hits()
    calls = _calls(hits)
    assert [(hit.name, call[2]) for hit, call in zip(hits, calls, strict=True)] == attempts
    assert attempts == [("alpha", "1"), ("alpha", "2"), ("beta", "1"), ("gamma", "1"), ("delta", "1")]
    assert {call[0] for call in calls} == {"one/to/one"}
    # A retry is the same activity again, a fallback is another one.
    activities = [call[1] for call in calls]
    assert activities[0] == activities[1]
    assert len(set(activities)) == 4
    assert [attempt["outcome"] for attempt in answer["attempts"]] == ["failed"] * 4 + ["answered"]
    assert answer["route_reason"].startswith("fallback:")
