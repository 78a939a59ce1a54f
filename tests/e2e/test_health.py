"""`pointsman health`: what it shows of a real outage, what an operator's hand does, and how it ends without anyone."""

from __future__ import annotations

import asyncio
import getpass
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.conftest import DIALECTS, PATIENCE_S, Site, new_site, sentence
from workers.embedded.scripted.script import Status
from workers.embedded.scripted.server import ScriptedProviders

UNFLAGGED = """
[throttling]
latency_factor = 1e9
length_ratio = 0.0
density_drop = 1.0
"""
"""A busy machine makes answers late, for which their provider would be passed over."""


@pytest.fixture(scope="module")
def served(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A server and a worker whose providers' health is nobody else's."""
    with new_site(loop, providers, tmp_path_factory.mktemp("health"), UNFLAGGED) as site:
        site.start_worker()
        until(site, "alpha", state="closed")
        # What came of a call counts once the worker has heard of the breaker as it now is.
        give_up = time.monotonic() + PATIENCE_S
        while row(site, "alpha")["window"]["ok"] == 0:
            assert answered_by(site) == "alpha"
            assert time.monotonic() < give_up
        yield site


def told(site: Site) -> dict[str, Any]:
    ended = site.cli("health", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def events(site: Site) -> dict[str, Any]:
    """The event log and the orders, oldest first."""
    found: dict[str, Any] = json.loads(site.cli("health", "events", "--json").stdout)
    return found


def row(site: Site, provider: str) -> dict[str, Any]:
    found: dict[str, Any] = next(key for key in told(site)["keys"] if key["provider"] == provider)
    return found


def until(site: Site, provider: str, **expected: Any) -> dict[str, Any]:
    """Wait until the provider's row shows this."""
    return until_row(site, provider, lambda found: expected.items() <= found.items())


def until_row(site: Site, provider: str, shows: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until the provider has a row that shows this."""
    give_up = time.monotonic() + PATIENCE_S
    while True:
        ended = site.cli("health", "--json")
        keys: list[dict[str, Any]] = json.loads(ended.stdout)["keys"] if ended.returncode == 0 else []
        found = next((key for key in keys if key["provider"] == provider), dict[str, Any]())
        if found and shows(found):
            return found
        assert time.monotonic() < give_up, f"{provider} is {found}; {ended.stderr}"
        time.sleep(0.2)


def answered_by(site: Site) -> str:
    ended = site.cli("ask", "What is 1 + 1?", "--json")
    assert ended.returncode == 0, ended.stderr
    return str(json.loads(ended.stdout)["provider"])


def until_answered_by(site: Site, provider: str) -> None:
    """Ask until an order has reached the worker, which looks about once a second."""
    give_up = time.monotonic() + PATIENCE_S
    while (name := answered_by(site)) != provider:
        assert time.monotonic() < give_up, f"{name} goes on answering"


def test_an_outage_shows_and_an_operators_hand_ends_it(served: Site, providers: ScriptedProviders) -> None:
    before = events(served)
    providers.script("alpha", Status(503))
    assert [answered_by(served) for _ in range(3)] == ["beta"] * 3
    alpha = until(served, "alpha", state="open")
    assert alpha["window_before"]["fail"] >= 3
    assert alpha["last_failure"]["kind"] == "http_503"
    assert alpha["open_until"] > alpha["since"]
    beta = until_row(served, "beta", lambda beta: beta["window"]["ok"] >= 3)
    assert (beta["window"]["fail"], beta["window"]["throttle"]) == (0, 0)
    table = served.cli("health").stdout
    assert "open, " in next(line for line in table.splitlines() if "alpha" in line)
    assert "1 process reports; retry budget" in table

    routed = json.loads(served.cli("route", "What is 1 + 1?", "--json").stdout)
    assert (routed["health"], routed["reason"]) == ("live", "breaker_open:alpha")
    assert routed["candidates"][0]["provider"] == "beta"

    providers.script("alpha")
    asked = len(providers.hits("alpha"))
    closed = served.cli("health", "close", "alpha", "--note", "they say it is over")
    assert (closed.returncode, closed.stderr) == (0, "")
    assert "always admitted" in closed.stdout
    assert "beta" not in closed.stdout
    until_answered_by(served, "alpha")
    assert len(providers.hits("alpha")) == asked + 1

    reset = served.cli("health", "reset", "alpha", "--json")
    (alpha,) = json.loads(reset.stdout)["keys"]
    assert (alpha["state"], alpha["window"], alpha["cooldowns"]) == ("closed", {"ok": 0, "fail": 0, "throttle": 0}, [])
    log = events(served)
    since = log["events"][len(before["events"]) :]
    assert [event["kind"] for event in since if event["target"].startswith("alpha/")] == ["opened", "disabled", "reset"]
    orders = log["audit"][len(before["audit"]) :]
    assert [(entry["action"], entry["command"]["operator"]) for entry in orders] == [
        ("force_close", getpass.getuser()),
        ("reset", getpass.getuser()),
    ]
    lines = served.cli("health", "events").stdout.splitlines()
    times = [line.split("  ")[0] for line in lines]
    assert times == sorted(times)
    assert any(f"force_close by {getpass.getuser()} (they say it is over)" in line for line in lines)


def test_what_is_opened_by_hand_gets_no_calls_until_it_is_reset(served: Site, providers: ScriptedProviders) -> None:
    opened = served.cli("health", "open", "alpha", "--json")
    assert json.loads(opened.stdout)["keys"][0]["state"] == "forced_open"
    routed = json.loads(served.cli("route", "What is 1 + 1?", "--json").stdout)
    assert {rejected["provider"]: rejected["reason"] for rejected in routed["rejected"]} == {"alpha": "forced_open"}
    until_answered_by(served, "beta")
    asked = len(providers.hits("alpha"))
    assert answered_by(served) == "beta"
    assert len(providers.hits("alpha")) == asked
    assert served.cli("health", "reset", "alpha").returncode == 0
    until_answered_by(served, "alpha")


def test_an_unknown_provider_is_named_with_the_known_ones(served: Site) -> None:
    for order in ("open", "close", "reset"):
        ended = served.cli("health", order, "omega")
        assert ended.returncode == 2
        said = sentence(ended)
        assert "'omega' is no provider" in said
        assert all(name in said for name in DIALECTS)


def test_a_note_that_is_too_long_is_refused_in_a_sentence(served: Site) -> None:
    ended = served.cli("health", "open", "alpha", "--note", "x" * 501)
    assert ended.returncode == 2
    assert "note: " in sentence(ended)


def test_without_a_worker_it_says_so(unserved: Site) -> None:
    for words in (("health",), ("health", "events"), ("health", "open", "alpha")):
        ended = unserved.cli(*words)
        assert ended.returncode == 3
        assert "no worker has told of its providers yet" in sentence(ended)
    as_json = unserved.cli("health", "--json")
    assert (as_json.returncode, json.loads(as_json.stdout)["error"]) == (3, "NoWorker")
    routed = json.loads(unserved.cli("route", "What is 1 + 1?", "--json").stdout)
    assert routed["health"] == "unknown"


def test_without_a_server_it_says_so(served: Site) -> None:
    for words in (("health",), ("health", "events"), ("health", "reset", "alpha")):
        ended = served.cli(*words, TEMPORAL_ADDRESS="127.0.0.1:1")
        assert ended.returncode == 3
        assert "no Temporal server reached at 127.0.0.1:1" in sentence(ended)


def test_a_namespace_that_the_server_does_not_have_is_named(unserved: Site) -> None:
    ended = unserved.cli("health", TEMPORAL_NAMESPACE="elsewhere")
    assert ended.returncode == 3
    assert "no namespace 'elsewhere'" in sentence(ended)


def test_when_the_last_worker_has_gone_it_says_so_and_does_not_hang(unserved: Site) -> None:
    worker = unserved.start_worker()
    until(unserved, "alpha", state="closed")
    worker.end()
    began = time.monotonic()
    ended = unserved.cli("health")
    assert ended.returncode == 3
    assert "no worker answers for the health of the providers" in sentence(ended)
    assert time.monotonic() - began < 30
