"""One attempt of the activity `complete` at a scripted endpoint, and what it tells Temporal."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.complete import Complete
from activities.ledger import AttemptLedger
from activities.ports import Completer
from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from activities.providers.litellm import LiteLLM
from pointsman.call import Completion, FailedCall, ProviderCall
from pointsman.decision import Candidate, RetrySchedule, Terms
from pointsman.messages import Question
from pointsman.outcomes import Attempt
from pointsman.provider import Price, Provider
from tests.builders import configuration
from tests.wire.asking import KEY, LONG_S, NAME, provider
from workers.embedded.scripted.script import Step
from workers.embedded.scripted.server import ScriptedProviders

CANARY = "PII-CANARY"
BOUND_S = 0.3
DEADLINE_S = 60.0
PRICE = Price(input=1, output=10)


@dataclass
class Activity:
    """One attempt of the activity in dialect `dialect`, with what it tells Temporal."""

    providers: ScriptedProviders
    dialect: str = "openai"
    timeout_s: float = LONG_S
    deadline_s: float | None = DEADLINE_S
    waited_s: float = 0.0
    """How long the attempt waited for its start: for earlier ones, or in the queue."""
    attempt: int = 1
    last_candidate: bool = True
    latency_ms: float = 100.0
    price: Price | None = PRICE
    spent_usd: float = 0.0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    completer: Completer | None = None
    """In place of the LiteLLM adapter."""
    beat_every_s: float | None = None
    earlier: tuple[Attempt, ...] = ()
    ledger: AttemptLedger | None = None
    env: ActivityEnvironment = field(default_factory=ActivityEnvironment)
    health: ProcessHealth = field(default_factory=lambda: ProcessHealth.of(configuration(), "worker"))
    catalogue: ProcessCatalogue | None = None
    model: str | None = None
    """In place of the dialect's."""
    beats: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    async def run(self, *steps: Step, schema: dict[str, Any] | None = None, **question: Any) -> Completion:
        self.providers.script(NAME, *steps)
        api_base = self.providers.api_base(NAME, self.dialect)
        declared = provider(self.dialect, api_base, extra_headers=self.headers)
        now = datetime.now(UTC)
        self.env.info = dataclasses.replace(
            self.env.info,
            attempt=self.attempt,
            scheduled_time=now,
            started_time=now + timedelta(seconds=self.waited_s),
            schedule_to_close_timeout=None if self.deadline_s is None else timedelta(seconds=self.deadline_s),
            heartbeat_timeout=timedelta(seconds=10),
            # As a worker finds them: JSON that has not been given a type.
            heartbeat_details=[row.model_dump(mode="json") for row in self.earlier],
        )
        self.env.on_heartbeat = lambda *details: self.beats.append(details)
        completer = self.completer or LiteLLM(NAME, declared, KEY)
        complete = Complete(
            completer, self.health, self.ledger, catalogue=self.catalogue, beat_every_s=self.beat_every_s
        )
        call = ProviderCall(
            question=Question(prompt=f"what is it? {CANARY}", **question),
            candidate=self._candidate(declared.model_copy(update={"model": self.model or declared.model})),
            response_schema=schema,
            retry=RetrySchedule(),
            last_candidate=self.last_candidate,
            spent_usd=self.spent_usd,
        )
        return await self.env.run(complete.complete, call)

    async def fail(self, *steps: Step, **question: Any) -> Failed:
        with pytest.raises(ApplicationError) as caught:
            await self.run(*steps, **question)
        (detail,) = caught.value.details
        assert isinstance(detail, FailedCall)
        assert self.health.in_flight(NAME) == 0
        return Failed(caught.value, detail)

    def _candidate(self, declared: Provider) -> Candidate:
        terms = Terms(
            strength=0.8,
            reasoning_match=1,
            fit=0.8,
            cost_penalty=0,
            latency_penalty=0,
            cost_per_1k_usd=0.01,
            latency_ms=self.latency_ms,
        )
        return Candidate(
            provider=NAME,
            model=declared.model,
            task_queue="queue",
            vendor=declared.vendor_name,
            tier=declared.tier,
            score=0.8,
            terms=terms,
            timeout_s=self.timeout_s,
            start_to_close_s=self.timeout_s + 5,
            max_attempts=3,
            max_output_tokens=99,
            expected_output_tokens=50,
            estimated_cost_usd=0.001,
            price=self.price,
            context_tokens=1000,
            confidence=0.8,
        )


@dataclass(frozen=True)
class Failed:
    error: ApplicationError
    detail: FailedCall

    @property
    def named(self) -> tuple[str | None, str]:
        return self.error.type, self.detail.fault.kind

    @property
    def delay_s(self) -> float | None:
        delay = self.error.next_retry_delay
        return None if delay is None else delay.total_seconds()
