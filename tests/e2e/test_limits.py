"""Limits of providers over two worker processes: calls a minute, calls at once, and who comes first in a full queue."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest
from temporalio.api.enums.v1 import EventType

from benchmarks.chaos.calls import call_of
from pointsman.rate_limit import most_per_minute
from tests.e2e.conftest import PATIENCE_S, new_site
from tests.e2e.fleet import Fleet, most_in_flight
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Hang, Reply
from workers.embedded.scripted.server import ScriptedProviders

PROCESSES = 2
RATES = (6, 60, 600)
AT_ONCE = 3
JITTER_S = 2.0
"""Between the gate that admits a call and the provider that sees it lies a busy machine."""
BUSY = 5
"""The same in calls, of ten a second."""


@pytest.fixture(scope="module")
def fleet(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    """Two processes; whom a test is about has its task to itself, `spare` stands behind everyone."""
    with new_site(loop, providers, tmp_path_factory.mktemp("limits")) as site:
        fleet = Fleet(site, providers)
        members = {
            **{f"rate-{rate}": {"rate_limit_per_minute": rate} for rate in RATES},
            "patient": {"rate_limit_per_minute": 30, "timeout_s": 4},
            "narrow": {"max_concurrent": AT_ONCE},
            "stuck": {"max_concurrent": 2, "timeout_s": 300},
            "swift": {},
            "queue": {"max_concurrent": 1},
            "shared": {"max_concurrent": 1},
            "spare": {},
        }
        fleet.configure(members, {name: {"chain": [name, "spare"]} for name in members if name != "spare"})
        fleet.start(PROCESSES)
        yield fleet


def within(hits: list[Hit], window_s: float) -> int:
    """The most requests that came within any such window."""
    times = [hit.started for hit in hits]
    return max((sum(start <= time < start + window_s for time in times) for start in times), default=0)


def test_six_a_minute_hold_over_two_processes_and_a_first_call_is_not_delayed(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    """A call that would wait for longer than it would for a worker goes to the next provider instead."""
    assert fleet.ask("rate-6").asked == ["rate-6"]
    ended = fleet.ask_all([{"task": "rate-6"}] * 12)
    answered = Counter(one.answered.provider for one in ended)
    # A call every 20 s for each process: what one has not used, nobody else may.
    assert 1 <= len(providers.hits("rate-6")) <= PROCESSES < most_per_minute(6, PROCESSES)
    assert answered["rate-6"] == len(providers.hits("rate-6")) - 1
    assert answered["spare"] == 12 - answered["rate-6"]


def test_sixty_a_minute_hold_over_two_processes_and_a_first_call_is_not_delayed(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    assert fleet.ask("rate-60").asked == ["rate-60"]
    # The last candidate waits for its turn.
    ended = fleet.ask_all([{"task": "rate-60", "allow": ["rate-60"]}] * 12)
    assert [one.answered.provider for one in ended] == ["rate-60"] * 12
    hits = providers.hits("rate-60")
    assert len(hits) == 13
    # Each process may start a call every 2 s; in a longer window all thirteen would be allowed.
    assert within(hits, 8.0 - JITTER_S) <= PROCESSES * 8 / 2


def test_a_wait_for_a_slot_that_is_longer_than_a_call_may_take_loses_no_attempt(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    # Each process may start one at once and one every 4 s, and Temporal would end a call after 9 s.
    ended = fleet.ask_all([{"task": "patient", "allow": ["patient"], "deadline_s": 120}] * 8)
    assert [[row.kind for row in one.answered.attempts] for one in ended] == [[None]] * 8
    assert len(providers.hits("patient")) == 8


def test_six_hundred_a_minute_hold_over_two_processes_and_a_first_call_is_not_delayed(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    """From 300 a minute upwards the task queue keeps the limit: 10 calls a second, one second's worth at once."""
    assert fleet.ask("rate-600").asked == ["rate-600"]
    ended = fleet.ask_all([{"task": "rate-600", "allow": ["rate-600"]}] * 60)
    assert [one.answered.provider for one in ended] == ["rate-600"] * 60
    hits = providers.hits("rate-600")
    assert len(hits) == 61
    for window_s in (1.0, 2.0, 4.0):
        assert within(hits, window_s) <= 10 + 10 * window_s + BUSY


def test_no_process_makes_more_calls_at_once_than_its_provider_allows(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    providers.script("narrow", Reply("ok", delay_s=0.5))
    ended = fleet.ask_all([{"task": "narrow", "allow": ["narrow"]}] * 24)
    assert [one.answered.provider for one in ended] == ["narrow"] * 24
    hits = providers.hits("narrow")
    assert len(hits) == 24
    assert AT_ONCE < most_in_flight(hits) <= PROCESSES * AT_ONCE


def test_a_provider_that_hangs_holds_up_none_but_its_own_questions(fleet: Fleet, providers: ScriptedProviders) -> None:
    providers.script("stuck", Hang())
    stuck = [fleet.begin("stuck", allow=["stuck"], deadline_s=600) for _ in range(10)]
    providers.wait_for_hits_blocking("stuck", 2 * PROCESSES, PATIENCE_S)
    ended = fleet.ask_all([{"task": "swift"}] * 20)
    assert [one.asked for one in ended] == [["swift"]] * 20
    # All that time the hanging provider had as many calls as fit, and kept each of them.
    assert [hit.outcome for hit in providers.hits("stuck")] == ["open"] * 2 * PROCESSES
    # One that waits in the queue may take a place that comes free before it hears of its own cancellation.
    fleet.cancel(stuck)
    fleet.until(lambda: {hit.outcome for hit in providers.hits("stuck")} == {"aborted"})


def queued(fleet: Fleet, name: str, **fields: object) -> str:
    """Ask a question and wait until its call stands in its provider's queue."""
    question_id = fleet.begin(name, allow=[name], deadline_s=600, **fields)
    scheduled = EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    fleet.until(lambda: any(event.event_type == scheduled for event in fleet.history(question_id)))
    return question_id


def order(fleet: Fleet, name: str, blockers: list[str], waiting: list[str]) -> list[str]:
    """The order in which a full queue is served, once those that hold it up are gone."""
    fleet.providers.script(name, Reply("ok"))
    fleet.cancel(blockers)
    for question_id in waiting:
        assert fleet.end_of(question_id).answered.provider == name
    served = [call_of(hit).workflow for hit in fleet.providers.hits(name)]
    assert sorted(served) == sorted([*blockers, *waiting])
    return [question_id for question_id in served if question_id in waiting]


def test_an_urgent_question_overtakes_in_a_full_queue(fleet: Fleet, providers: ScriptedProviders) -> None:
    providers.script("queue", Hang())
    blockers = [fleet.begin("queue", allow=["queue"], deadline_s=600) for _ in range(PROCESSES)]
    providers.wait_for_hits_blocking("queue", PROCESSES, PATIENCE_S)
    patient = [queued(fleet, "queue", priority=5) for _ in range(6)]
    urgent = [queued(fleet, "queue", priority=1) for _ in range(2)]
    served = order(fleet, "queue", blockers, [*patient, *urgent])
    # What one process was handed may reach the provider after the next of another, which was handed out later.
    assert set(urgent) <= set(served[: len(urgent) + PROCESSES - 1])


def test_a_tenant_with_many_questions_does_not_keep_another_one_waiting(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    providers.script("shared", Hang())
    blockers = [fleet.begin("shared", allow=["shared"], deadline_s=600) for _ in range(PROCESSES)]
    providers.wait_for_hits_blocking("shared", PROCESSES, PATIENCE_S)
    crowd = [queued(fleet, "shared", tenant="crowd") for _ in range(8)]
    single = [queued(fleet, "shared", tenant="single") for _ in range(2)]
    served = order(fleet, "shared", blockers, [*crowd, *single])
    # They take turns, though all of the crowd had come before.
    assert set(single) <= set(served[:5])
