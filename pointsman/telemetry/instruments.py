"""The metrics that are told at an event, on OpenTelemetry's interface: without an SDK behind it nothing is recorded."""

from __future__ import annotations

from opentelemetry.metrics import Counter, Histogram, Meter, NoOpMeter

from pointsman.call import ProviderCall
from pointsman.decision import Decision
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.nobody import Absence, why_nobody
from pointsman.outcomes import Attempt, Fault, Usage
from pointsman.query_types import QueryType
from pointsman.telemetry import metrics
from pointsman.telemetry.metrics import Metric

SCOPE = "pointsman"
NONE = "none"
UNKNOWN = "unknown"
PROBE = "probe"
ALERTED: tuple[Absence, ...] = ("unwell", "unadmitted")
"""Of the reasons for which nobody is asked those that an alert rests on."""
_BY_CONFIGURATION = frozenset({"disabled", "not_in_chain", "denied", "not_allowed"})
"""Reasons that say nothing of how a provider is: every decision would count them."""
_PROBED = {ProbeOutcome.SUCCESS: "answered", ProbeOutcome.FAILURE: "failed", ProbeOutcome.INCONCLUSIVE: "inconclusive"}


class Instruments:
    """Counts and times what happens in this process."""

    def __init__(self, meter: Meter | None = None) -> None:
        """Without a meter nothing is recorded."""
        self._meter = meter or NoOpMeter(SCOPE)
        self._duration = self._histogram(metrics.CALL_DURATION)
        self._calls = self._counter(metrics.CALLS)
        self._turned_away = self._counter(metrics.TURNED_AWAY)
        self._retries = self._counter(metrics.RETRIES)
        self._hedges = self._counter(metrics.HEDGES)
        self._tokens = self._counter(metrics.TOKENS)
        self._cost = self._counter(metrics.COST)
        self._unpriced = self._counter(metrics.UNPRICED)
        last_failure = metrics.LAST_FAILURE
        self._last_failure = self._meter.create_gauge(
            last_failure.name, unit=last_failure.unit, description=last_failure.text
        )
        self._cooldowns = self._counter(metrics.COOLDOWNS)
        self._queue_wait = self._histogram(metrics.QUEUE_WAIT)
        self._decisions = self._counter(metrics.DECISIONS)
        self._rejections = self._counter(metrics.REJECTIONS)
        self._comparisons = self._counter(metrics.COMPARISONS)
        self._divergences = self._counter(metrics.DIVERGENCES)
        self._transitions = self._counter(metrics.TRANSITIONS)
        self._questions = self._counter(metrics.QUESTIONS)
        self._question_duration = self._histogram(metrics.QUESTION_DURATION)
        for query_type in QueryType:
            # A rise from nothing at all is none for Prometheus, and these are to be seen the first time.
            for reason in ALERTED:
                self._decisions.add(0, {"query_type": query_type.value, "provider": NONE, "reason": reason})

    def queued(self, provider: str, seconds: float) -> None:
        """An attempt waited so long for a worker."""
        self._queue_wait.record(seconds, {"provider": provider})

    def ended(self, call: ProviderCall, row: Attempt) -> None:
        """A request has ended."""
        provider = {"provider": row.provider}
        self._calls.add(
            1,
            {
                **provider,
                "purpose": row.purpose,
                "outcome": row.outcome,
                "error_class": NONE if row.error_class is None else row.error_class.value,
            },
        )
        self._retries.add(int(row.attempt > 1), provider)
        self._hedges.add(int(row.hedge), provider)
        if row.latency_ms is not None:
            self._duration.record(row.latency_ms / 1000, {**provider, "outcome": row.outcome})
        self._used(row.provider, row.usage)
        self._paid(row.provider, call.query_type or UNKNOWN, row.usage.source, row.cost_usd)

    def failed(self, provider: str, at: float) -> None:
        """A fault that counts against a provider, at `at` seconds since the epoch."""
        self._last_failure.set(at, {"provider": provider})

    def turned_away(self, call: ProviderCall, fault: Fault) -> None:
        """An attempt was not sent."""
        self._turned_away.add(1, {"provider": call.candidate.provider, "kind": fault.kind})

    def probed(self, request: ProbeRequest, result: ProbeResult) -> None:
        """A probe has ended; its tokens are few, and only their cost is told."""
        provider, outcome = request.provider, _PROBED[result.outcome]
        labels = {"provider": provider, "purpose": PROBE, "outcome": outcome, "error_class": NONE}
        self._calls.add(1, labels)
        self._paid(provider, PROBE, "estimated", result.cost_usd)

    def cooled(self, provider: str, reason: str) -> None:
        """A provider is set aside for a while."""
        self._cooldowns.add(1, {"provider": provider, "reason": reason})

    def decided(self, decision: Decision) -> None:
        """A question was routed."""
        if decision.candidates:
            first, reason = decision.candidates[0].provider, decision.reason.partition(":")[0]
        else:
            first, reason = NONE, why_nobody(decision.rejected)
        self._decisions.add(1, {"query_type": decision.query_type.value, "provider": first, "reason": reason})
        for rejection in decision.rejected:
            if rejection.reason not in _BY_CONFIGURATION:
                self._rejections.add(1, {"provider": rejection.provider, "reason": rejection.reason})

    def compared(self, source: str, verdict: str) -> None:
        """Two answers were compared, of a panel or of a shadow."""
        self._comparisons.add(1, {"source": source, "verdict": verdict})

    def reconciled(self, *, divergent: bool | None) -> None:
        """A panel has come to its end."""
        outcome = "cannot_tell" if divergent is None else "disagreed" if divergent else "agreed"
        self._divergences.add(1, {"outcome": outcome})

    def moved(self, provider: str, model: str, to: str) -> None:
        """A breaker has come into another state."""
        self._transitions.add(1, {"provider": provider, "model": model, "to": to})

    def question_ended(self, outcome: str, failure: str, seconds: float) -> None:
        """A question has ended; `failure` is the type of its failure, or none."""
        self._questions.add(1, {"outcome": outcome, "failure": failure})
        self._question_duration.record(seconds, {"outcome": outcome})

    def _used(self, provider: str, usage: Usage) -> None:
        amounts = {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cached": usage.cached_tokens,
            "reasoning": usage.reasoning_tokens,
        }
        for kind, amount in amounts.items():
            self._tokens.add(amount, {"provider": provider, "type": kind, "source": usage.source})

    def _paid(self, provider: str, query_type: str, source: str, usd: float | None) -> None:
        self._unpriced.add(int(usd is None), {"provider": provider})
        if usd is not None:
            self._cost.add(usd, {"provider": provider, "query_type": query_type, "source": source})

    def _counter(self, metric: Metric) -> Counter:
        return self._meter.create_counter(metric.name, unit=metric.unit, description=metric.text)

    def _histogram(self, metric: Metric) -> Histogram:
        return self._meter.create_histogram(
            metric.name,
            unit=metric.unit,
            description=metric.text,
            explicit_bucket_boundaries_advisory=list(metric.bounds),
        )
