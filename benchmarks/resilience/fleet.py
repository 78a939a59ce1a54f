"""Simulated worker processes: the health, the gate, the witness and the feed of real ones, without the calls.

What is left out is Temporal's way of a question and the request itself; what a process decides, admits, counts and
reports is production code.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

from temporalio.client import Client
from temporalio.service import RPCError

from activities.gate import Gate
from activities.planner import Planner
from activities.process_health import ProcessHealth
from activities.witness import Witness
from benchmarks.resilience.arrivals import arrivals
from pointsman.bill import answered
from pointsman.call import ProviderCall
from pointsman.circumstances import Circumstances
from pointsman.classification import RuleClassifier
from pointsman.configuration import Configuration
from pointsman.decision import Candidate, Decision
from pointsman.faults import ProviderFault, fault
from pointsman.messages import Question
from pointsman.outcomes import ErrorClass, Usage
from pointsman.response import ProviderResponse
from pointsman.routing import classify, decide
from workers.health_feed import HealthFeed

_QUESTION = Question(prompt="What is the boiling point of water at sea level?")
_LATENCY_S = 0.15
_EARLY = 0.75
"""The feed spreads its intervals by 20 %: a report after less than this share of one was hurried."""
_DOWN = fault(ErrorClass.FAILURE, "unavailable", "503").fault


class CountedFeed(HealthFeed):
    """The production feed, with a note of what it sent and when it last heard."""

    def __init__(self, client: Client, health: ProcessHealth) -> None:
        """It sends no probes of its own: the entity is there."""
        super().__init__(client, health, {})
        self._own = health
        self._reported_at: float | None = None
        self.heard_at: float | None = None
        """When the request for the last snapshot was sent."""
        self.counts = Counter[str]()

    async def report(self) -> None:
        """As it is, and counted."""
        await super().report()
        now, snapshot = time.monotonic(), self._own.view.snapshot
        interval_s = self._own.configuration.health.flush_s(1 if snapshot is None else snapshot.active_workers)
        early = self._reported_at is not None and now - self._reported_at < _EARLY * interval_s
        self.counts["early" if early else "regular"] += 1
        self._reported_at = now

    async def read(self) -> None:
        """As it is, and counted."""
        asked = time.monotonic()
        try:
            await super().read()
        except (RPCError, TimeoutError):
            self.counts["unread"] += 1
            raise
        self.counts["read"] += 1
        self.heard_at = asked


class SimulatedProcess:
    """One process of the fleet."""

    def __init__(self, client: Client, configuration: Configuration, name: str) -> None:
        """Start with nothing seen."""
        self._health = ProcessHealth.of(configuration, name)
        self._planner, self._gate, self._witness = Planner(self._health), Gate(self._health), Witness(self._health)
        self.feed = CountedFeed(client, self._health)

    async def ask(self, request_id: str, dead: str | None) -> list[str]:
        """Decide a question and make its calls, of which those to `dead` fail at once; says whom they reached."""
        configuration = self._health.configuration
        classification = classify(_QUESTION, configuration, RuleClassifier())
        health = self._planner.question(request_id)
        decision = decide(_QUESTION, classification, configuration, Circumstances(health=health))
        reached: list[str] = []
        for candidate in decision.candidates:
            call = _call(candidate, decision)
            try:
                reservation = await self._gate.admit(call, 1, _QUESTION.deadline_s)
            except ProviderFault:
                continue
            reached.append(candidate.provider)
            if candidate.provider == dead:
                self._witness.failed(call, _DOWN, 1, latency_s=0.0, since_scheduled_s=0.0)
                self._witness.settled(call, reservation, 0.0)
                continue
            response = ProviderResponse(
                content="At 100 degrees.",
                latency_s=_LATENCY_S,
                usage=Usage(input_tokens=20, output_tokens=7, source="reported"),
            )
            row = answered(call, response, 1, refused=False)
            self._witness.answered(call, response, row, since_scheduled_s=_LATENCY_S)
            self._witness.settled(call, reservation, row.cost_usd)
            break
        return reached


@dataclass
class Span:
    """What a fleet did in a span of time."""

    seconds: float = 0.0
    questions: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])
    """Of the feeds: regular and early reports, snapshots read and not got in time."""
    ages_s: list[float] = field(default_factory=list[float])
    """Of the snapshots that questions were decided by."""
    dead_calls: int = 0
    last_dead_s: float = 0.0
    """Seconds into the span at which the last call reached the dead provider."""


class Fleet:
    """Processes that share an entity."""

    def __init__(self, processes: list[SimulatedProcess], seed: int) -> None:
        """Questions are dealt out at random."""
        self._processes = processes
        self._chance = Random(seed)
        self._asked = 0

    async def ask(self, rate: float, seconds: float, dead: str | None = None) -> Span:
        """Let questions arrive for so long, at this rate over the whole fleet."""
        span, before, begin = Span(), self._counts(), time.monotonic()
        for at in arrivals(round(rate * seconds), rate, self._chance.randrange(2**32)):
            await asyncio.sleep(max(0.0, begin + at - time.monotonic()))
            process = self._chance.choice(self._processes)
            if process.feed.heard_at is not None:
                span.ages_s.append(time.monotonic() - process.feed.heard_at)
            self._asked += 1
            reached = await process.ask(f"question-{self._asked}", dead)
            if dead in reached:
                span.dead_calls += 1
                span.last_dead_s = time.monotonic() - begin
            span.questions += 1
        await asyncio.sleep(max(0.0, begin + seconds - time.monotonic()))
        span.seconds, span.counts = time.monotonic() - begin, self._counts() - before
        return span

    def _counts(self) -> Counter[str]:
        return sum((process.feed.counts for process in self._processes), Counter[str]())


@asynccontextmanager
async def fleet(client: Client, configuration: Configuration, size: int, seed: int) -> AsyncGenerator[Fleet]:
    """Processes whose feeds run for as long as the block runs."""
    processes = [SimulatedProcess(client, configuration, f"fleet-{size}-{number}") for number in range(size)]
    feeds = [asyncio.create_task(process.feed.run()) for process in processes]
    try:
        yield Fleet(processes, seed)
    finally:
        for feed in feeds:
            feed.cancel()
        await asyncio.gather(*feeds, return_exceptions=True)


def _call(candidate: Candidate, decision: Decision) -> ProviderCall:
    return ProviderCall(
        question=_QUESTION,
        candidate=candidate,
        retry=decision.limits.retry,
        last_candidate=candidate is decision.candidates[-1],
        query_type=decision.query_type,
    )
