"""A provider dies, hangs, flaps or comes back: who calls it meanwhile, and how soon the fleet knows."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from temporalio.api.enums.v1 import EventType

from benchmarks.chaos.calls import call_of
from pointsman.health.events import HealthEvent
from pointsman.outcomes import ErrorClass
from tests.e2e.conftest import Site, new_site
from tests.e2e.fleet import OPEN_S, Ended, Fleet, every_request_is_on_record
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Behaviour, Hang, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

THRESHOLD = 3
MAX_ATTEMPTS = 2
TIMEOUT_S = 2.0
OPENS_WITHIN_S = 2.0
CLOSES_WITHIN_S = 10.0
SEEN_WITHIN_S = 1.5
"""Seconds after which every process has seen an opening, at the default intervals."""
PAIRS = ("dead", "mute", "seen", "flap", "storm")
FIT = 10
"""Calls at once that the second provider of `storm` takes."""


@pytest.fixture(scope="module")
def fleet(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    """Two processes; each task has a first and a second provider of its own."""
    with new_site(loop, providers, tmp_path_factory.mktemp("outage")) as site:
        fleet = Fleet(site, providers)
        members = {f"{pair}-{leg}": {"timeout_s": TIMEOUT_S} for pair in PAIRS for leg in ("first", "second")}
        # What a busy machine delays is no outage.
        members["storm-first"] = {"timeout_s": 60}
        members["storm-second"] = {"max_concurrent": FIT // 2, "rate_limit_per_minute": 3000, "timeout_s": 60}
        fleet.configure(members, {pair: {"chain": [f"{pair}-first", f"{pair}-second"]} for pair in PAIRS})
        fleet.start(2)
        yield fleet


@pytest.fixture
def lone(unserved: Site, providers: ScriptedProviders) -> Fleet:
    """No process yet; two providers."""
    fleet = Fleet(unserved, providers)
    members = {name: {"timeout_s": TIMEOUT_S} for name in ("first", "second")}
    fleet.configure(members, {"ask": {"chain": ["first", "second"], "max_attempts": 1}})
    return fleet


def legal(events: list[HealthEvent]) -> None:
    """Each change of state follows from the one before, and each generation has exactly one."""
    assert [event.gen for event in events] == list(range(2, len(events) + 2))
    assert all(before.state == after.source for before, after in pairwise(events))
    assert {(event.source, event.state) for event in events} <= {
        ("closed", "open"),
        ("open", "half_open"),
        ("half_open", "closed"),
        ("half_open", "open"),
    }


@pytest.mark.parametrize(
    ("pair", "fault", "extra_s"),
    [pytest.param("dead", Status(503), 0.0, id="503"), pytest.param("mute", Hang(), TIMEOUT_S, id="hang")],
)
def test_f12_a_lone_primary_that_is_down_is_spared_and_comes_back(
    fleet: Fleet, providers: ScriptedProviders, pair: str, fault: Behaviour, extra_s: float
) -> None:
    first, second = f"{pair}-first", f"{pair}-second"
    providers.script(first, fault)
    failed = [fleet.ask(pair) for _ in range(THRESHOLD)]
    third_failed_at = time.time()
    assert all(one.answered.provider == second and first in one.asked for one in failed)

    opened = fleet.until(lambda: fleet.events(first))[0]
    assert (opened.kind, opened.reason) == ("opened", "consecutive_failures")
    assert opened.at - third_failed_at < OPENS_WITHIN_S
    time.sleep(SEEN_WITHIN_S)
    burnt = len(fleet.questions(first))
    assert burnt <= THRESHOLD * MAX_ATTEMPTS
    # From here on nobody waits for the dead one: one call a question, and none but probes there.
    until_probed = max(2, len(fleet.probes(first)) + 1)
    for _ in range(60):
        ended = fleet.ask(pair)
        assert ended.asked == [second]
        assert ended.answered.route_reason == f"breaker_open:{first}"
        time.sleep(0.5)
        if len(fleet.probes(first)) >= until_probed:
            break
    assert len(fleet.probes(first)) >= until_probed
    assert len(fleet.questions(first)) == burnt

    back_at = time.time()
    providers.script(first)
    fleet.until_state(first, "closed")
    events = fleet.events(first)
    legal(events)
    assert events[-1].at - back_at < CLOSES_WITHIN_S + extra_s
    fleet.until(lambda: fleet.ask(pair).asked == [first])


def test_f13_a_process_that_saw_no_failure_passes_the_provider_over_too(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    providers.script("seen-first", Status(503))
    ids = [fleet.ask("seen").id for _ in range(THRESHOLD)]
    fleet.until(lambda: fleet.events("seen-first"))
    time.sleep(SEEN_WITHIN_S)
    burnt = Counter(process for question_id in ids for process in callers(fleet, question_id, "seen-first"))
    # Of three failures one process alone can have seen all: the other decides by what the fleet has told it.
    told = {process for process in processes(fleet) if burnt[process] < THRESHOLD}
    assert told
    deciders: set[str] = set()

    def decided() -> bool:
        ended = fleet.ask("seen")
        assert ended.asked == ["seen-second"]
        assert ended.answered.decision.reason == "breaker_open:seen-first"
        deciders.add(decider(fleet, ended.id))
        return deciders >= told

    fleet.until(decided)


def processes(fleet: Fleet) -> set[str]:
    """The identities under which the running worker processes take tasks."""
    return {f"{worker.process.pid}" for worker in fleet.site.started if worker.process.poll() is None}


def callers(fleet: Fleet, question_id: str, provider: str) -> list[str]:
    """The process of each call to a provider."""
    history = fleet.history(question_id)
    scheduled = {
        event.event_id
        for event in history
        if event.activity_task_scheduled_event_attributes.task_queue.name == f"pointsman-provider-{provider}"
    }
    started = [event.activity_task_started_event_attributes for event in history]
    return [_process(one.identity) for one in started if one.scheduled_event_id in scheduled]


def decider(fleet: Fleet, question_id: str) -> str:
    """The process that made a question's decision: that of its first workflow task."""
    started = EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED
    event = next(event for event in fleet.history(question_id) if event.event_type == started)
    return _process(event.workflow_task_started_event_attributes.identity)


def _process(identity: str) -> str:
    return identity.partition("@")[0]


def test_f19_a_provider_that_flaps_changes_state_no_faster_than_openings_last(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    began, ended = time.time(), list[Ended]()
    for _ in range(5):
        for fault in (Status(503), Reply("up")):
            providers.script("flap-first", fault)
            for _ in range(4):
                ended.append(fleet.ask("flap"))
                time.sleep(0.4)
    assert {one.answered.text for one in ended} <= {"up", "ok"}
    events = fleet.events("flap-first")
    legal(events)
    openings = sum(event.state == "open" for event in events)
    assert 1 <= openings <= (time.time() - began) / OPEN_S + 1
    # Each opening leads to half-open once, and from there to an end.
    assert len(events) <= 3 * openings


def test_f24_a_burst_is_spread_when_its_first_provider_dies(fleet: Fleet, providers: ScriptedProviders) -> None:
    questions = 200

    def full_or_fine(_: Request) -> Behaviour:
        fits = providers.in_flight("storm-second") <= FIT
        return Reply("ok", delay_s=0.2) if fits else Status(429)

    # It dies with twenty answers out.
    providers.script("storm-first", *[Reply("ok", delay_s=0.2)] * 20, Status(503))
    providers.script("storm-second", full_or_fine)
    ended = fleet.ask_all([{"task": "storm", "deadline_s": 600}] * questions)
    assert [one.answered.text for one in ended] == ["ok"] * questions
    calls = fleet.questions("storm-first") + fleet.questions("storm-second")
    every_request_is_on_record(calls, ended)
    rows = [row for one in ended for row in one.attempts]
    first_failures = sum(row.provider == "storm-first" and row.attempt == 1 and row.outcome == "failed" for row in rows)
    # A worker that a busy machine keeps from its heartbeats counts as lost, and its call is made again.
    lost = sum(row.error_class is ErrorClass.INFRASTRUCTURE for row in rows)
    assert first_failures > 0
    assert len(calls) - lost <= 1.1 * questions + first_failures
    # The second one got no more at once than it takes, and never had to say so.
    assert "rate_limited" not in {row.kind for row in rows}


def test_f15_a_probe_whose_worker_is_killed_is_followed_by_another(lone: Fleet, providers: ScriptedProviders) -> None:
    (worker,) = lone.start(1)
    providers.script("first", Status(503))
    for _ in range(THRESHOLD):
        assert lone.ask("ask").answered.provider == "second"
    providers.script("first", Hang())
    lone.until(lambda: any(hit.outcome == "open" for hit in lone.probes("first")))
    assert worker.signal(signal.SIGKILL) == -signal.SIGKILL
    probes = len(lone.probes("first"))
    providers.script("first")
    lone.start(1)
    lone.until_state("first", "closed")
    events = lone.events("first")
    legal(events)
    # The lost one told nothing: another was sent under the same opening.
    calls = [call_of(hit) for hit in lone.probes("first")]
    assert len(calls) > probes
    assert len(set(calls)) == len(calls)
    lone.until(lambda: lone.ask("ask").asked == ["first"])


def test_a_question_waits_for_a_provider_while_all_workers_are_replaced(
    lone: Fleet, providers: ScriptedProviders
) -> None:
    (worker,) = lone.start(1)
    providers.script("first", Status(503, headers={"retry-after": "8"}))
    providers.script("second", Status(503, headers={"retry-after": "8"}))
    question_id = lone.begin("ask", on_exhausted="wait", deadline_s=600)

    def kinds() -> list[EventType.ValueType]:
        return [event.event_type for event in lone.history(question_id)]

    lone.until(lambda: EventType.EVENT_TYPE_TIMER_STARTED in kinds())
    assert worker.signal(signal.SIGKILL) == -signal.SIGKILL
    assert EventType.EVENT_TYPE_TIMER_FIRED not in kinds()
    asked = [(hit.name, call_of(hit).attempt) for hit in providers.hits()]
    providers.script("first", Reply("well again"))
    lone.start(1)
    ended = lone.end_of(question_id)
    assert ended.answered.text == "well again"
    assert asked == [("first", 1), ("second", 1)]
    assert ended.asked == ["first", "second", "first"]
    assert len(providers.hits()) == 3
