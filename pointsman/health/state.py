"""`HealthState`: all that the entity knows, in one value that a continue-as-new carries over."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from pointsman.health.breaker import ADMITTING, Breaker, BreakerState, Transition
from pointsman.health.cooldown import Cooldowns
from pointsman.health.events import AuditEntry, HealthEvent, HealthLog
from pointsman.health.gauges import Gauges
from pointsman.health.keys import provider_of
from pointsman.health.measures import Figures, Measures
from pointsman.health.policy import HealthPolicy
from pointsman.health.probe import ProbeOutcome, ProbeRequest
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.health.spend import Spend, day_of
from pointsman.health.window import Counts

EVENT_LIMIT = 4_000
"""Events of a history after which the entity goes on in a new run."""
WORKERS_KEPT = 5_000
GAUGES_KEPT = 100
_HEALTHY_SHARE = 0.5


class LastFailure(BaseModel):
    """The last fault of a key, in seconds since the epoch."""

    model_config = ConfigDict(frozen=True)

    at: float
    kind: str = ""
    """Such as http_503 or timeout; "" where no process has told."""


class LastProbe(BaseModel):
    """What came of the last probe that was awaited."""

    model_config = ConfigDict(frozen=True)

    at: float
    outcome: ProbeOutcome
    kind: str = ""
    """Why, where it was no success."""


class KeyState(BaseModel):
    """One key: its breaker, the cooldowns that lie over it, and what people ask about it."""

    model_config = ConfigDict(frozen=True)

    breaker: Breaker
    cooldowns: Cooldowns = Cooldowns()
    since: float | None = None
    """Entity time at which the breaker came into its state."""
    window_before: Counts | None = None
    """The window with which it ceased to be closed, until it is closed again."""
    last_failure: LastFailure | None = None
    last_probe: LastProbe | None = None

    def after(self, transition: Transition) -> KeyState:
        """With a change of state on record; the breaker itself has made it."""
        before = transition.counts if transition.source is BreakerState.CLOSED else self.window_before
        if transition.target is BreakerState.CLOSED:
            before = None
        return self.model_copy(update={"since": transition.at, "window_before": before})

    @property
    def deadline(self) -> float | None:
        """When time alone changes something, in seconds since the epoch; a probe's own end is not counted."""
        times = list(self.cooldowns.until.values())
        breaker = self.breaker
        if breaker.state is BreakerState.OPEN and breaker.open_until is not None:
            times.append(breaker.open_until)
        return min(times, default=None)


class Reporter(BaseModel):
    """A process that reports."""

    model_config = ConfigDict(frozen=True)

    seq: int
    """Its last report that was applied."""
    seen: float


class HealthState(BaseModel):
    """The entity's whole state. `now` is the latest time that it was told, and never goes back."""

    model_config = ConfigDict(frozen=True)

    epoch: int
    """Start of the first run, in milliseconds since the epoch."""
    now: float
    """Seconds since the epoch."""
    version: int = 1
    policy: HealthPolicy = HealthPolicy()
    has_policy: bool = False
    keys: dict[str, KeyState] = {}
    reporters: dict[str, Reporter] = {}
    """By worker id, the one that reported last at the end; at most 5,000."""
    gauges: dict[str, Gauges] = {}
    """By worker id, of the last 100 that told theirs."""
    probing: dict[str, ProbeRequest] = {}
    """By provider: the probe in flight, awaited or not. One a provider, over all its keys."""
    spend: dict[str, Spend] = {}
    """By provider: today's."""
    capped: dict[str, float] = {}
    """By provider whose daily cap is used up: until when."""
    tenant_spend: dict[str, Spend] = {}
    """By capped tenant: today's."""
    tenant_capped: dict[str, float] = {}
    """By tenant whose daily cap is used up: until when."""
    measures: dict[str, dict[str, Measures]] = {}
    """By provider and query type."""
    events: tuple[HealthEvent, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    event_limit: int = EVENT_LIMIT

    @property
    def log(self) -> HealthLog:
        """What happened of late."""
        return HealthLog(events=self.events, audit=self.audit)

    @property
    def active_workers(self) -> int:
        """Processes that reported within 30 s or, of a large fleet, within two intervals of its reports.

        By 30 s alone a fleet of more than 600 would count but a part of itself, and report the oftener for it.
        """
        return self._active[0]

    def is_active(self, worker_id: str) -> bool:
        """Whether this process is one of them."""
        reporter = self.reporters.get(worker_id)
        return reporter is not None and self.now - reporter.seen <= self._active[1]

    @property
    def next_deadline(self) -> float | None:
        """When time alone changes something next, probes that wait for their time included."""
        times = [*self.capped.values(), *self.tenant_capped.values()]
        for key, state in self.keys.items():
            if state.deadline is not None:
                times.append(state.deadline)
            breaker = state.breaker
            if breaker.next_probe_at is not None and provider_of(key) not in self.probing:
                times.append(breaker.next_probe_at)
        return min(times, default=None)

    def due_probes(self) -> Iterator[str]:
        """The keys whose probe is to start now: one a provider, the one that is due longest, then by name."""
        due: dict[str, tuple[float, str]] = {}
        for key, state in self.keys.items():
            provider = provider_of(key)
            if provider in self.probing or not state.breaker.probe_due(self.now):
                continue
            turn = (state.breaker.next_probe_at or 0.0, key)
            due[provider] = min(turn, due.get(provider, turn))
        for _, key in sorted(due.values()):
            yield key

    def awaits(self, request: ProbeRequest) -> bool:
        """Whether a probe in flight still counts: it does not once an operator has stepped in."""
        held = self.keys.get(request.key)
        return held is not None and held.breaker.awaits(request.epoch, request.gen, request.n)

    def snapshot(self, worker_id: str) -> Snapshot:
        """What this process is told."""
        reporter = self.reporters.get(worker_id)
        pooled = {provider: self._pooled(provider) for provider in sorted(self.measures)}
        today = day_of(self.now)
        return Snapshot(
            epoch=self.epoch,
            version=self.version,
            issued_at=self.now,
            active_workers=self.active_workers,
            acked_seq=reporter.seq if reporter else 0,
            has_policy=self.has_policy,
            budget_scale=self._budget_scale(),
            keys={key: self._health(key, state, pooled) for key, state in sorted(self.keys.items())},
            figures={
                provider: {query_type: measures.figures() for query_type, measures in sorted(by_type.items())}
                for provider, by_type in sorted(self.measures.items())
            },
            spent_micro_usd={provider: spend.on(today).total for provider, spend in sorted(self.spend.items())},
            tenants_micro_usd={
                tenant: spend.total for tenant, spend in sorted(self.tenant_spend.items()) if spend.day == today
            },
        )

    def capped_until(self, provider: str) -> float | None:
        """Until when the provider's daily cap keeps it out."""
        until = self.capped.get(provider)
        return until if until is not None and until > self.now else None

    @property
    def _active(self) -> tuple[int, float]:
        """How many processes are there, and within how many seconds each of them has reported."""
        # In the order of their reports, since the time of the state never goes back.
        seen = [reporter.seen for reporter in self.reporters.values()]
        active, window_s = 0, self.policy.health.gone_s(0)
        while (found := len(seen) - bisect_left(seen, self.now - window_s)) > active:
            active, window_s = found, self.policy.health.gone_s(found)
        return active, window_s

    def _pooled(self, provider: str) -> Figures:
        pooled = Measures()
        for measures in self.measures[provider].values():
            pooled = pooled.merge(measures)
        return pooled.figures()

    def _health(self, key: str, state: KeyState, pooled: dict[str, Figures]) -> KeyHealth:
        breaker = state.breaker
        reason, until = state.cooldowns.standing(self.now) or (None, None)
        figures = pooled.get(provider_of(key), Figures())
        return KeyHealth(
            state=breaker.state,
            gen=breaker.gen,
            k=breaker.k,
            open_until=breaker.open_until,
            next_probe_at=breaker.next_probe_at,
            cooldown_until=until,
            cooldown_reason=reason,
            capped_until=self.capped_until(provider_of(key)),
            ramp_since=breaker.ramp_since,
            ramp_s=self.policy.breaker.ramp_s,
            median_ms=figures.median_ms,
            p95_ms=figures.p95_ms,
            n=figures.n,
        )

    def _budget_scale(self) -> float:
        if not self.keys:
            return 1.0
        healthy = sum(state.breaker.state in ADMITTING for state in self.keys.values())
        return min(1.0, healthy / len(self.keys) / _HEALTHY_SHARE)
