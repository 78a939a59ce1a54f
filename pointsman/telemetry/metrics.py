"""Every metric by name, kind, unit and labels: what a dashboard may rely on, and what `docs/telemetry.md` lists.

Label values come from the configuration and from closed sets; nothing that a question says becomes one, and a tenant is
one of `[tenants]`. Counters and histograms are those of one process: sum them over processes. How gauges are taken
together stands with each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "histogram", "gauge"]

SECONDS = "s"
CALLS_BOUNDS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0)
WAITS_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


@dataclass(frozen=True)
class Metric:
    """One instrument."""

    name: str
    kind: Kind
    text: str
    labels: tuple[str, ...] = ()
    unit: str = ""
    """"s" or nothing: what else is counted stands in the name."""
    bounds: tuple[float, ...] = ()
    """Upper bounds of a histogram's buckets."""
    observed: bool = False
    """Whether it is read from the process's state instead of being told at each event."""

    @property
    def exposed(self) -> str:
        """Its name at /metrics; a histogram has _bucket, _sum and _count behind it."""
        name = self.name.replace(".", "_") + ("_seconds" if self.unit == SECONDS else "")
        return f"{name}_total" if self.kind == "counter" else name


CALL_DURATION = Metric(
    "pointsman.call.duration",
    "histogram",
    "From sending a request to a provider to its end.",
    ("provider", "outcome"),
    SECONDS,
    CALLS_BOUNDS_S,
)
CALLS = Metric(
    "pointsman.calls",
    "counter",
    "Requests that were sent to a provider, by what came of them; error_class is none where that was an answer.",
    ("provider", "purpose", "outcome", "error_class"),
)
TURNED_AWAY = Metric(
    "pointsman.calls.turned_away",
    "counter",
    "Attempts that were not sent, by why: breaker_open, rate_limit, daily_cost_cap, retry_budget_exhausted, deadline.",
    ("provider", "kind"),
)
RETRIES = Metric(
    "pointsman.retries", "counter", "Requests that repeat one to the same provider under one activity.", ("provider",)
)
HEDGES = Metric("pointsman.hedges", "counter", "Requests of a second leg, by its provider.", ("provider",))
TOKENS = Metric(
    "pointsman.tokens",
    "counter",
    "Tokens by type: input (cached ones included), output (reasoning included), cached, reasoning.",
    ("provider", "type", "source"),
)
COST = Metric(
    "pointsman.cost.usd",
    "counter",
    "USD that requests have cost, those of losers, failures and probes included; source tells the estimated ones.",
    ("provider", "query_type", "source"),
)
UNPRICED = Metric(
    "pointsman.calls.unpriced", "counter", "Requests of unknown cost: the model has no price.", ("provider",)
)
LAST_FAILURE = Metric(
    "pointsman.provider.last_failure",
    "gauge",
    "When this process last saw the provider fail, in seconds since the epoch; take the largest.",
    ("provider",),
    SECONDS,
)
COOLDOWNS = Metric(
    "pointsman.cooldowns",
    "counter",
    "Times that this process set a provider aside for a while, by reason.",
    ("provider", "reason"),
)
QUEUE_WAIT = Metric(
    "pointsman.queue.wait",
    "histogram",
    "From the moment an attempt was scheduled until a worker took it.",
    ("provider",),
    SECONDS,
    WAITS_BOUNDS_S,
)
DECISIONS = Metric(
    "pointsman.decisions",
    "counter",
    "Times that a question was routed, by the provider that is asked first; where there is none, reason says why.",
    ("query_type", "provider", "reason"),
)
REJECTIONS = Metric(
    "pointsman.rejections",
    "counter",
    "Members of a chain that a decision passed over, by reason: retired, breaker_open, over_cost and so on.",
    ("provider", "reason"),
)
COMPARISONS = Metric(
    "pointsman.comparisons",
    "counter",
    "Pairs of answers compared, by verdict: agree, disagree, cannot_tell.",
    ("source", "verdict"),
)
DIVERGENCES = Metric(
    "pointsman.divergences",
    "counter",
    "Panels by how they ended: agreed, or in disagreement; their rate is disagreed over all.",
    ("outcome",),
)
TRANSITIONS = Metric(
    "pointsman.breaker.transitions",
    "counter",
    "Changes of a breaker's state that this process has learnt of; every process counts them, so take the largest.",
    ("provider", "model", "to"),
)
QUESTIONS = Metric(
    "pointsman.questions",
    "counter",
    "Questions that ended here, by outcome: answered, reviewed, failed, cancelled; failure is none or its type.",
    ("outcome", "failure"),
)
QUESTION_DURATION = Metric(
    "pointsman.question.duration",
    "histogram",
    "From a question's start to its end, reviews included.",
    ("outcome",),
    SECONDS,
    CALLS_BOUNDS_S,
)

IN_FLIGHT = Metric(
    "pointsman.calls.in_flight", "gauge", "Calls under way in this process; sum them.", ("provider",), observed=True
)
BREAKER_STATE = Metric(
    "pointsman.breaker.state",
    "gauge",
    "1 for the state that the breaker is in, 0 for the others, as this process sees it; take the largest.",
    ("provider", "model", "state"),
    observed=True,
)
RAMP_SHARE = Metric(
    "pointsman.breaker.ramp_share",
    "gauge",
    "Share of its questions that a provider gets after a closing; 1 where there is no ramp.",
    ("provider", "model"),
    observed=True,
)
COOLDOWN_LEFT = Metric(
    "pointsman.provider.cooldown_left",
    "gauge",
    "Until the provider is no longer passed over; 0 where it is not. Take the largest.",
    ("provider", "model"),
    SECONDS,
    observed=True,
)
ADMITTED = Metric(
    "pointsman.provider.admitted",
    "gauge",
    "1 where calls are let through to the provider, 0 where breaker, quota, cap or key bar it; take the smallest.",
    ("provider",),
    observed=True,
)
CHARGES = Metric(
    "pointsman.budget.charges",
    "counter",
    "Tokens asked of the retry budget, by what for and whether they were granted.",
    ("charge", "result"),
    observed=True,
)
BUDGET_LEVEL = Metric("pointsman.budget.level", "gauge", "Tokens in this process's retry budget.", observed=True)
BUDGET_CAPACITY = Metric("pointsman.budget.capacity", "gauge", "Tokens that the budget holds at most.", observed=True)
SPENT_TODAY = Metric(
    "pointsman.provider.spent_today.usd",
    "gauge",
    "USD of the whole fleet since midnight UTC, probes included; take the largest.",
    ("provider",),
    observed=True,
)
DAILY_CAP = Metric(
    "pointsman.provider.daily_cap.usd",
    "gauge",
    "USD that a day may cost, where there is a cap.",
    ("provider",),
    observed=True,
)
TENANT_SPENT_TODAY = Metric(
    "pointsman.tenant.spent_today.usd",
    "gauge",
    "USD that a capped tenant's questions have cost since midnight UTC; * is all without a cap of their own. Take the "
    "largest.",
    ("tenant",),
    observed=True,
)
TENANT_DAILY_CAP = Metric(
    "pointsman.tenant.daily_cap.usd",
    "gauge",
    "USD that a day of the tenant may cost; * is all without a cap of their own.",
    ("tenant",),
    observed=True,
)
PRICED = Metric(
    "pointsman.provider.priced",
    "gauge",
    "1 where the configuration has a price for the provider, 0 where its cost is unknown.",
    ("provider",),
    observed=True,
)
REVIEWS_WAITING = Metric(
    "pointsman.reviews.waiting",
    "gauge",
    "Questions of the whole fleet that wait for a person; take the largest.",
    observed=True,
)
REVIEWS_OLDEST = Metric(
    "pointsman.reviews.oldest",
    "gauge",
    "For how long the oldest of them has waited; 0 where none does. Take the largest.",
    unit=SECONDS,
    observed=True,
)
REVIEW_TIMEOUT = Metric(
    "pointsman.reviews.timeout", "gauge", "How long a review waits at most.", unit=SECONDS, observed=True
)
SNAPSHOT_AGE = Metric(
    "pointsman.health.snapshot_age",
    "gauge",
    "Since the fleet's health was last read by this process; absent until it was.",
    unit=SECONDS,
    observed=True,
)
PROCESSES = Metric(
    "pointsman.fleet.processes", "gauge", "Worker processes that report to the fleet; take the largest.", observed=True
)
DROPPED = Metric(
    "pointsman.telemetry.dropped",
    "counter",
    "Lines of the decision log that were not written, because its file or reader was too slow.",
    ("what",),
    observed=True,
)

METRICS = (
    *(CALL_DURATION, CALLS, TURNED_AWAY, RETRIES, HEDGES, TOKENS, COST, UNPRICED, LAST_FAILURE, COOLDOWNS),
    *(QUEUE_WAIT, DECISIONS, REJECTIONS, COMPARISONS, DIVERGENCES, TRANSITIONS, QUESTIONS, QUESTION_DURATION),
    *(IN_FLIGHT, BREAKER_STATE, RAMP_SHARE, COOLDOWN_LEFT, ADMITTED, CHARGES, BUDGET_LEVEL, BUDGET_CAPACITY),
    *(
        SPENT_TODAY,
        DAILY_CAP,
        TENANT_SPENT_TODAY,
        TENANT_DAILY_CAP,
        PRICED,
        REVIEWS_WAITING,
        REVIEWS_OLDEST,
        REVIEW_TIMEOUT,
        SNAPSHOT_AGE,
        PROCESSES,
        DROPPED,
    ),
)
"""All of them; those that are told at an event appear with the first one."""
