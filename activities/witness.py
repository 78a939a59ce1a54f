"""What an attempt's end says about its provider: for the breaker, the routing figures, the detector and the hedges.

A call that measures a model says nothing of that: its questions are not those of users, nor is its traffic. Only its
cost counts, as any other's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from activities.process_health import ProcessHealth
from activities.process_telemetry import ProcessTelemetry
from pointsman.call import ProviderCall
from pointsman.faults import CONSEQUENCES
from pointsman.health.cooldown import CooldownReason
from pointsman.health.delta import Outcome
from pointsman.health.keys import key_of, provider_of
from pointsman.health.spend import day_of
from pointsman.hedge_delay import CallClass, SampleKind, tokens_bucket
from pointsman.outcomes import Attempt, ErrorClass, Fault
from pointsman.purse import Reservation
from pointsman.response import ProviderResponse
from pointsman.throttling import Sample, Verdict

_OVERDUE_SAMPLES = 20
_COOLS: dict[ErrorClass, CooldownReason] = {
    ErrorClass.THROTTLE: "throttle",
    ErrorClass.QUOTA: "quota",
    ErrorClass.CONFIG: "config",
    ErrorClass.FAILURE: "retry_after",
}


class Witness:
    """Tells this process's health what became of its calls."""

    def __init__(self, health: ProcessHealth, telemetry: ProcessTelemetry | None = None) -> None:
        """`health` is the process's own."""
        self._health = health
        self._telemetry = telemetry or ProcessTelemetry()

    @contextmanager
    def watching(self, call: ProviderCall) -> Generator[None]:
        """Report a call as overdue, once, if it still runs at several times the usual (specification, section 10)."""
        health = self._health
        if call.measures:
            yield
            return
        median = health.samples.median(_class(call), health.monotonic(), at_least=_OVERDUE_SAMPLES)
        if median is None:
            yield
            return
        overdue_s = health.configuration.health.overdue_factor * median
        timer = asyncio.get_running_loop().call_later(overdue_s, self._overdue, call)
        try:
            yield
        finally:
            timer.cancel()

    def answered(
        self, call: ProviderCall, response: ProviderResponse, row: Attempt, *, since_scheduled_s: float
    ) -> Verdict:
        """An answer came; says whether it is a degraded one."""
        if call.measures:
            return Verdict()
        health, provider = self._health, call.candidate.provider
        if row.outcome != "refused":
            self._count(call, "ok", row.attempt)
            health.reports.latency(provider, _type(call), response.latency_s * 1000, ok=True)
            health.reports.answered(provider, _type(call), row.usage.output_tokens)
            self._sample(call, "success", since_scheduled_s)
        if call.purpose != "answer":
            return Verdict()
        sample = Sample(
            # Two models of one provider, during an upgrade, have each their own way of answering.
            provider=_key(call),
            query_type=call.query_type,
            latency_s=response.latency_s,
            output_tokens=row.usage.output_tokens if row.usage.source == "reported" else None,
            text=response.content,
            refused=row.outcome == "refused",
        )
        verdict = health.detector.judge(sample, health.monotonic(), count_refusals=call.count_refusals)
        if verdict.rebased:
            health.reports.rebased(_key(call), _type(call))
        if verdict.cool:
            throttling = health.configuration.throttling
            health.cooldowns.cool(provider, throttling.cooldown_calls)
            if throttling.cooldown_s > 0:
                self._cooled(_key(call), throttling.cooldown_s, "flagged")
        return verdict

    def failed(
        self, call: ProviderCall, fault: Fault, attempt: int, *, latency_s: float, since_scheduled_s: float
    ) -> None:
        """An attempt gave no usable answer."""
        if call.measures:
            return
        health, provider = self._health, call.candidate.provider
        effect = CONSEQUENCES[fault.error_class].health
        if effect == "failure":
            self._count(call, "fail", attempt)
            health.reports.latency(provider, _type(call), latency_s * 1000, ok=False)
            health.cooldowns.cool(provider, health.configuration.throttling.failure_cooldown_calls)
        elif effect == "throttle":
            self._count(call, "throttle", attempt)
        if effect != "neutral":
            health.reports.failed(_key(call), int(health.clock()), fault.kind)
        if fault.kind == "timeout":
            self._sample(call, "timeout", since_scheduled_s)
        reason = _COOLS.get(fault.error_class)
        # A failing provider cools down only where it says for how long.
        if reason is not None and (reason != "retry_after" or fault.retry_after_s is not None):
            self._cooled(_key(call), fault.retry_after_s, reason)

    def cancelled(self, call: ProviderCall, *, since_scheduled_s: float) -> None:
        """A call was cut off: neutral for its provider, but a loser's age is a sample of how long it takes."""
        if call.hedge or call.candidate.hedge_delay_s is not None:
            self._sample(call, "loser", since_scheduled_s)

    def settled(self, call: ProviderCall, reservation: Reservation, cost_usd: float | None) -> None:
        """A call has cost this; one of unknown cost counts with all that was set aside for it."""
        usd = reservation.micro_usd / 1e6 if cost_usd is None else cost_usd
        reports = self._health.reports
        day = day_of(self._health.view.fleet_time(self._health.clock()))
        reports.spent(call.candidate.provider, day, usd, None if call.measures else _type(call))
        self._health.purse.settle(reservation, usd, reports.seq + 1)

    def _count(self, call: ProviderCall, outcome: Outcome, attempt: int) -> None:
        health, standing = self._health, call.candidate.standing
        now, key = health.clock(), _key(call)
        health.reports.record(key, standing.epoch, standing.gen, int(now), outcome, attempt=attempt)
        run = health.view.seen(
            key, standing.epoch, standing.gen, outcome, attempt=attempt, seq=health.reports.seq + 1, now=now
        )
        if 0 < run <= health.policy.breaker.consecutive:
            health.hurry()

    def _overdue(self, call: ProviderCall) -> None:
        """Told to the fleet soon and counted here at once: a provider that hangs has no failures yet to show."""
        health, key, standing = self._health, _key(call), call.candidate.standing
        health.reports.overdue(key, standing.epoch, standing.gen)
        health.view.overran(key, standing.epoch, standing.gen, seq=health.reports.seq + 1, now=health.clock())
        health.hurry()

    def _cooled(self, key: str, seconds: float | None, reason: CooldownReason) -> None:
        """Told to the fleet, and heeded here at once."""
        health = self._health
        self._telemetry.cooled(provider_of(key), reason)
        health.reports.cooled(key, seconds, reason)
        health.view.cooled(key, reason, seconds, seq=health.reports.seq + 1, now=health.clock())

    def _sample(self, call: ProviderCall, kind: SampleKind, latency_s: float) -> None:
        self._health.samples.record(_class(call), kind, latency_s, self._health.monotonic())


def _key(call: ProviderCall) -> str:
    return key_of(call.candidate.provider, call.candidate.model)


def _type(call: ProviderCall) -> str:
    # A call that was scheduled before calls told their type must not spoil a report.
    return call.query_type or "unknown"


def _class(call: ProviderCall) -> CallClass:
    candidate = call.candidate
    return CallClass(candidate.provider, candidate.model, call.query_type, tokens_bucket(candidate.max_output_tokens))
