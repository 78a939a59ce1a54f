"""The health of all providers as people ask for it: what the snapshot leaves out so that it stays small.

Times are in seconds since the epoch, by the entity's clock.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pointsman.health.breaker import BreakerState
from pointsman.health.cooldown import CooldownReason
from pointsman.health.gauges import BudgetGauge, Gauges
from pointsman.health.keys import model_of, provider_of
from pointsman.health.snapshot import Snapshot
from pointsman.health.spend import MICRO, Spend, day_of
from pointsman.health.state import HealthState, KeyState, LastFailure, LastProbe
from pointsman.health.window import Counts


class Cooldown(BaseModel):
    """Why and until when a key is passed over."""

    model_config = ConfigDict(frozen=True)

    reason: CooldownReason
    until: float


class KeyOverview(BaseModel):
    """One provider with one model. Latencies, spend, calls under way and calls left are the provider's."""

    model_config = ConfigDict(frozen=True)

    key: str
    provider: str
    model: str
    state: BreakerState
    configured: bool = True
    """Whether the configuration that was told last names it."""
    since: float | None = None
    gen: int = 1
    k: int = 0
    """Openings since the last closing."""
    open_until: float | None = None
    next_probe_at: float | None = None
    probing: bool = False
    """Whether a probe of it is in flight."""
    window_s: int = 300
    window: Counts = Counts()
    """Outcomes within the window. Only a closed key has any: they start anew with each change of state."""
    window_before: Counts | None = None
    """The window with which a key that is not closed ceased to be."""
    run: int = 0
    """Failures in a row."""
    counts: Counts = Counts()
    """All outcomes there ever were."""
    last_failure: LastFailure | None = None
    last_probe: LastProbe | None = None
    cooldowns: tuple[Cooldown, ...] = ()
    """The longest last."""
    calls_left: int = 0
    """Router calls that it sits out after a flag, in the process where these are most."""
    flagged_in: int = 0
    """Processes in which it sits them out."""
    capped_until: float | None = None
    ramp_share: float = 1.0
    """The share of questions that it gets after a closing; 1 where there is no ramp."""
    median_ms: float | None = None
    p95_ms: float | None = None
    samples: int = 0
    """Successes that these two are of."""
    spent_today_usd: float = 0.0
    """Probes included."""
    probes_today_usd: float = 0.0
    cap_usd: float | None = None
    in_flight: int = 0


class TenantOverview(BaseModel):
    """A tenant with a daily cost cap whose questions have cost something today."""

    model_config = ConfigDict(frozen=True)

    tenant: str
    """ "*" is everybody who has no cap of his own."""
    spent_today_usd: float
    cap_usd: float | None = None
    """`None` where the configuration that was told last has none any more."""
    capped_until: float | None = None


class ProcessOverview(BaseModel):
    """One process that reports."""

    model_config = ConfigDict(frozen=True)

    worker_id: str
    seen: float
    gauges: Gauges


class HealthOverview(BaseModel):
    """Everything that a person asks of the fleet."""

    model_config = ConfigDict(frozen=True)

    epoch: int
    version: int
    issued_at: float
    active_workers: int
    """Processes that reported within 30 s."""
    has_policy: bool
    budget_scale: float
    """What the fleet's health leaves of the hedges: 1 is all, 0 none."""
    budget: BudgetGauge
    """Of all listed processes together."""
    keys: tuple[KeyOverview, ...]
    processes: tuple[ProcessOverview, ...]
    """The active ones, of the last 100 that told how they stand."""
    tenants: tuple[TenantOverview, ...] = ()
    """Those with a cap, the one that has spent most first."""

    def of(self, target: str) -> tuple[KeyOverview, ...]:
        """The keys that an operator means by a provider's name or a key."""
        return tuple(key for key in self.keys if target in (key.key, key.provider))

    @property
    def providers(self) -> tuple[str, ...]:
        """The providers by name."""
        return tuple(sorted({key.provider for key in self.keys}))


def overview(state: HealthState) -> HealthOverview:
    """The state as people read it."""
    processes = tuple(
        ProcessOverview(worker_id=worker_id, seen=state.reporters[worker_id].seen, gauges=gauges)
        for worker_id, gauges in sorted(state.gauges.items())
        if state.is_active(worker_id)
    )
    budget = BudgetGauge()
    for process in processes:
        budget = budget.plus(process.gauges.budget)
    told = state.snapshot("")
    return HealthOverview(
        epoch=state.epoch,
        version=state.version,
        issued_at=state.now,
        active_workers=state.active_workers,
        has_policy=state.has_policy,
        budget_scale=told.budget_scale,
        budget=budget,
        keys=tuple(_key(state, key, held, told, processes) for key, held in sorted(state.keys.items())),
        processes=processes,
        tenants=_tenants(state, told),
    )


def _tenants(state: HealthState, told: Snapshot) -> tuple[TenantOverview, ...]:
    found = [
        TenantOverview(
            tenant=tenant,
            spent_today_usd=micro / MICRO,
            cap_usd=state.policy.tenants.get(tenant),
            capped_until=state.tenant_capped.get(tenant),
        )
        for tenant, micro in told.tenants_micro_usd.items()
    ]
    return tuple(sorted(found, key=lambda tenant: (-tenant.spent_today_usd, tenant.tenant)))


def _key(
    state: HealthState, key: str, held: KeyState, told: Snapshot, processes: tuple[ProcessOverview, ...]
) -> KeyOverview:
    breaker, provider, health = held.breaker, provider_of(key), told.keys[key]
    until = [Cooldown(reason=why, until=end) for why, end in held.cooldowns.at(state.now).until.items()]
    left = [calls for process in processes if (calls := process.gauges.calls_left.get(provider, 0))]
    spend = state.spend.get(provider, Spend(day="")).on(day_of(state.now))
    probe = state.probing.get(provider)
    settings = state.policy.breaker_of(key)
    return KeyOverview(
        key=key,
        provider=provider,
        model=model_of(key),
        configured=key in state.policy.keys,
        state=breaker.state,
        since=held.since,
        gen=breaker.gen,
        k=breaker.k,
        open_until=breaker.open_until,
        next_probe_at=breaker.next_probe_at,
        probing=probe is not None and probe.key == key,
        window_s=settings.window,
        window=breaker.window.advanced(state.now).totals,
        window_before=held.window_before,
        run=len(breaker.run.fresh(state.now, settings.consecutive_max_age).seconds),
        counts=breaker.counts,
        last_failure=held.last_failure,
        last_probe=held.last_probe,
        cooldowns=tuple(sorted(until, key=lambda cooldown: cooldown.until)),
        calls_left=max(left, default=0),
        flagged_in=len(left),
        capped_until=health.capped_until,
        ramp_share=health.share(state.now),
        median_ms=health.median_ms,
        p95_ms=health.p95_ms,
        samples=health.n,
        spent_today_usd=spend.total / MICRO,
        probes_today_usd=spend.probe / MICRO,
        cap_usd=state.policy.daily_caps.get(provider),
        in_flight=sum(process.gauges.in_flight.get(provider, 0) for process in processes),
    )
