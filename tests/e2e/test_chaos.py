"""Two minutes in which three providers misbehave and worker processes are killed: no question and no request is lost.

The scripts are drawn from a seed; what meets what depends on the machine, and holds all the same.
"""

from __future__ import annotations

import asyncio
import random
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

import pytest
from temporalio.api.enums.v1 import EventType

from pointsman import PointsmanError
from pointsman.contract import ALL_PROVIDERS_FAILED, ALL_PROVIDERS_UNAVAILABLE, DEADLINE_EXCEEDED
from pointsman.health.events import HealthEvent
from pointsman.health_contract import HEALTH_ENTITY_ID
from tests.e2e.conftest import new_site
from tests.e2e.fleet import Call, Ended, Fleet, call_of, every_request_is_on_record, is_probe
from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Hang, NoChoices, Raw, Reply, Reset, Status, Step
from workers.embedded.scripted.server import ScriptedProviders

SEED = 20261130
LASTS_S = 120.0
EVERY_S = 0.4
DEADLINE_S = 40.0
TIMEOUT_S = 2.0
KILL_EVERY_S = 20.0
MEMBERS = {
    "north": ("openai", "openai/gpt-5.2-2026-08-15"),
    "south": ("anthropic", "anthropic/claude-sonnet-5-20260801"),
    "east": ("gemini", "gemini/gemini-2.5-flash-001"),
}
TASKS: tuple[str | None, ...] = ("one", "two", "three", None)
PROMPTS = ("What is the capital of France?", "Write a Python function that adds.", "Write a poem about rain.")
TYPED = {ALL_PROVIDERS_FAILED, ALL_PROVIDERS_UNAVAILABLE, DEADLINE_EXCEEDED}
LEGAL = {("closed", "open"), ("open", "half_open"), ("half_open", "closed"), ("half_open", "open")}


def signed(request: Request) -> str:
    """A text that says who answers what."""
    return f"{request.name}: {request.prompt}"


GOOD = Reply(signed, delay_s=0.1)
MOODS: dict[str, tuple[Step, ...]] = {
    "healthy": (GOOD,),
    "unavailable": (Status(503),),
    "hanging": (Hang(),),
    "throttling": (Status(429, headers={"retry-after": "1"}),),
    "busy for long": (Status(429, headers={"retry-after": "20"}),),
    "garbled": (Raw(b"<html>busy</html>", content_type="text/html"), NoChoices()),
    "resetting": (Reset(),),
    "slow": (Reply(signed, delay_s=1.2),),
    "fitful": (GOOD, Status(500), GOOD, Reset(), GOOD, GOOD),
}


@pytest.fixture
def fleet(
    loop: asyncio.AbstractEventLoop, providers: ScriptedProviders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    with new_site(loop, providers, tmp_path_factory.mktemp("chaos")) as site:
        fleet = Fleet(site, providers)
        latency = {"timeout_s": TIMEOUT_S, "latency": {"p50_ms": 100, "p95_ms": 400}}
        fleet.configure(
            {name: {"dialect": dialect, "model": model, **latency} for name, (dialect, model) in MEMBERS.items()},
            {
                "one": {"chain": ["north", "south", "east"]},
                "two": {"chain": ["south", "east", "north"], "hedge": True},
                "three": {"chain": ["east", "north", "south"], "hedge": True, "order": "score"},
            },
            throttling={},
        )
        yield fleet


async def misbehave(fleet: Fleet, name: str, chance: random.Random, until: float) -> None:
    """Fall from one mood into another, then behave."""
    while (now := time.monotonic()) < until:
        mood = chance.choice([*MOODS, "healthy", "healthy", "healthy"])
        steps = MOODS[mood] * (1 if len(MOODS[mood]) == 1 else 50)
        fleet.providers.script(name, *steps)
        await asyncio.sleep(min(chance.uniform(3, 9), until - now))
    fleet.providers.script(name, GOOD)


async def kill(fleet: Fleet, chance: random.Random, until: float) -> int:
    """Kill one of two processes now and then, and start another in its place."""
    killed = 0
    while time.monotonic() + KILL_EVERY_S < until:
        await asyncio.sleep(KILL_EVERY_S * chance.uniform(0.5, 1))
        alive = [worker for worker in fleet.site.started if worker.process.poll() is None]
        victim = chance.choice(alive)
        assert await asyncio.to_thread(victim.signal, signal.SIGKILL) == -signal.SIGKILL
        killed += 1
        await asyncio.to_thread(fleet.site.start_worker)
    return killed


async def watch(fleet: Fleet, seen: dict[tuple[str, int | None], list[HealthEvent]], until: float) -> None:
    """Note every change of state before the entity forgets it: it keeps the last hundred events."""
    while time.monotonic() < until:
        try:
            log = await fleet.health.events()
        except PointsmanError:
            continue
        finally:
            await asyncio.sleep(2)
        note(log.events, seen)


def note(events: tuple[HealthEvent, ...], seen: dict[tuple[str, int | None], list[HealthEvent]]) -> None:
    for event in events:
        held = seen[event.target, event.gen]
        if event.state is not None and event not in held:
            held.append(event)


async def load(fleet: Fleet, chance: random.Random, until: float) -> list[Ended]:
    """Ask a few questions a second, whatever becomes of those before."""
    asked: list[asyncio.Task[Ended]] = []
    while time.monotonic() < until:
        task = chance.choice(TASKS)
        prompt = "" if task else chance.choice(PROMPTS)
        patience = chance.choice(("fail", "fail", "wait"))
        question = fleet.asked(task, prompt, deadline_s=DEADLINE_S, on_exhausted=patience)
        asked.append(asyncio.create_task(question))
        await asyncio.sleep(chance.uniform(0, 2 * EVERY_S))
    return list(await asyncio.gather(*asked))


@pytest.mark.timeout(400)
def test_two_minutes_of_chaos_lose_no_question_and_no_request(fleet: Fleet, providers: ScriptedProviders) -> None:
    fleet.start(2)
    seen: dict[tuple[str, int | None], list[HealthEvent]] = defaultdict(list)

    async def everything() -> tuple[list[Ended], int]:
        until = time.monotonic() + LASTS_S
        moods = [misbehave(fleet, name, random.Random(f"{SEED}-{name}"), until) for name in MEMBERS]
        around = asyncio.gather(watch(fleet, seen, until + 5), *moods)
        killing = asyncio.create_task(kill(fleet, random.Random(SEED), until))
        ended = await load(fleet, random.Random(SEED), until)
        await around
        return ended, await killing

    ended, killed = fleet.run(everything(), LASTS_S + 3 * DEADLINE_S)
    assert killed >= 3
    for name in MEMBERS:
        fleet.until_state(name, "closed")
    fleet.until(lambda: providers.in_flight() == 0)
    note(fleet.run(fleet.health.events()).events, seen)

    every_question_has_an_end(ended)
    every_request_is_on_record(providers.hits(), ended)
    every_probe_is_known(fleet)
    every_breaker_moves_by_the_rules(seen)
    nothing_unforeseen_is_logged(fleet)


def every_question_has_an_end(ended: list[Ended]) -> None:
    assert len(ended) > LASTS_S / EVERY_S / 2
    for one in ended:
        if one.failure is not None:
            assert one.failure.failure_type in TYPED, one.failure
        else:
            # Garbage is never an answer, and nobody answers for somebody else.
            assert one.answered.text.startswith(f"{one.answered.provider}: ")
            answered = [row.provider for row in one.attempts if row.outcome == "answered"]
            assert one.answered.provider in answered
    assert sum(one.answer is not None for one in ended) > len(ended) / 3


def every_probe_is_known(fleet: Fleet) -> None:
    calls = Counter(call_of(hit) for hit in fleet.providers.hits() if is_probe(hit))
    assert [call for call, count in calls.items() if count > 1] == []
    scheduled = {
        Call(HEALTH_ENTITY_ID, event.activity_task_scheduled_event_attributes.activity_id, 1)
        for event in fleet.history(HEALTH_ENTITY_ID)
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    }
    # A process that hears nothing of the entity for 15 s probes by itself, and signs with its own name.
    assert {call for call in calls if call.workflow == HEALTH_ENTITY_ID} <= scheduled


def every_breaker_moves_by_the_rules(seen: dict[tuple[str, int | None], list[HealthEvent]]) -> None:
    by_key: dict[str, list[HealthEvent]] = defaultdict(list)
    for (key, gen), events in seen.items():
        if events:
            assert len(events) == 1, f"{key} has more than one event of generation {gen}"
            by_key[key] += events
    assert by_key
    for events in by_key.values():
        events.sort(key=lambda event: event.gen or 0)
        assert [event.gen for event in events] == list(range(2, len(events) + 2))
        assert events[0].source == "closed"
        assert all(before.state == after.source for before, after in pairwise(events))
        assert {(event.source, event.state) for event in events} <= LEGAL


def nothing_unforeseen_is_logged(fleet: Fleet) -> None:
    for worker in fleet.site.started:
        said = worker.said()
        assert "Traceback" not in said, said[max(0, said.index("Traceback") - 1000) :][:4000]
        assert re.findall(r"^\S+ \S+ (?:ERROR|CRITICAL) .*", said, re.MULTILINE) == []
