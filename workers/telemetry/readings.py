"""The gauges of one process: read on its event loop, where their state lives, and held for readers in other threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from pointsman.health.breaker import BreakerState
from pointsman.health.keys import key_of, model_of, provider_of
from pointsman.health.snapshot import Snapshot
from pointsman.health.spend import MICRO, day_of
from pointsman.telemetry import metrics
from pointsman.telemetry.metrics import METRICS, Metric

Readings = Mapping[str, tuple[Observation, ...]]
"""By the metric's name."""


@dataclass
class Gauges:
    """What was read last. Replaced as a whole, so that a reader in another thread never sees half of it."""

    latest: Readings = field(default_factory=dict[str, tuple[Observation, ...]])
    reviews: Readings = field(default_factory=dict[str, tuple[Observation, ...]])
    dropped: Callable[[], int] = field(default=lambda: 0)

    def register(self, meter: Meter) -> None:
        """Let the meter's readers see them."""
        for metric in METRICS:
            if metric.observed:
                make = meter.create_observable_counter if metric.kind == "counter" else meter.create_observable_gauge
                make(metric.name, [self._reader(metric)], unit=metric.unit, description=metric.text)

    def _reader(self, metric: Metric) -> Callable[[CallbackOptions], Iterable[Observation]]:
        if metric is metrics.DROPPED:
            return lambda _options: (Observation(self.dropped(), {"what": "decisions"}),)
        held = metrics.REVIEWS_WAITING, metrics.REVIEWS_OLDEST
        return lambda _options: (self.reviews if metric in held else self.latest).get(metric.name, ())


def read(health: ProcessHealth, catalogue: ProcessCatalogue) -> Readings:
    """How everything stands now; called on the event loop."""
    found: dict[str, list[Observation]] = {}

    def tell(metric: Metric, value: float, **labels: str) -> None:
        found.setdefault(metric.name, []).append(Observation(value, labels))

    _tell_providers(health, tell)
    _tell_tenants(health, tell)
    for key in keys_of(health, catalogue):
        _tell_key(health, key, tell)
    budget = health.budget.gauge
    for charge in ("retry", "hedge", "fallback", "free_fallback", "round"):
        tell(metrics.CHARGES, health.budget.granted[charge], charge=charge, result="granted")
        tell(metrics.CHARGES, health.budget.denied[charge], charge=charge, result="denied")
    tell(metrics.BUDGET_LEVEL, budget.level)
    tell(metrics.BUDGET_CAPACITY, budget.capacity)
    tell(metrics.REVIEW_TIMEOUT, health.configuration.review.timeout)
    snapshot = health.view.snapshot
    if snapshot is not None:
        tell(metrics.PROCESSES, snapshot.active_workers)
        tell(metrics.SNAPSHOT_AGE, health.view.unheard_s(health.clock()) or 0.0)
    return {name: tuple(observations) for name, observations in found.items()}


def keys_of(health: ProcessHealth, catalogue: ProcessCatalogue) -> list[str]:
    """The keys that questions may go to: each enabled provider's, and that of a model under upgrade."""
    enabled = [name for name, provider in health.configuration.providers.items() if provider.enabled]
    upgrades = [plan for plan in catalogue.snapshot.upgrades.values() if plan.provider in enabled]
    keys = [health.key(name) for name in enabled]
    return list(dict.fromkeys([*keys, *(key_of(plan.provider, plan.model) for plan in upgrades)]))


def _tell_providers(health: ProcessHealth, tell: Callable[..., None]) -> None:
    now, today = health.clock(), _todays(health)
    for name, provider in health.configuration.providers.items():
        if not provider.enabled:
            continue
        tell(metrics.IN_FLIGHT, health.in_flight(name), provider=name)
        tell(metrics.ADMITTED, int(health.view.health(health.key(name), now).barred(now) is None), provider=name)
        tell(metrics.PRICED, int(provider.price is not None or provider.simulated), provider=name)
        spent = 0 if today is None else today.spent_micro_usd.get(name, 0)
        tell(metrics.SPENT_TODAY, spent / MICRO, provider=name)
        if provider.daily_cost_cap_usd is not None:
            tell(metrics.DAILY_CAP, provider.daily_cost_cap_usd, provider=name)


def _tell_tenants(health: ProcessHealth, tell: Callable[..., None]) -> None:
    """Those of the configuration, of which the fleet keeps no others."""
    today = _todays(health)
    for account, cap_usd in health.configuration.tenant_caps.items():
        spent = 0 if today is None else today.tenants_micro_usd.get(account, 0)
        tell(metrics.TENANT_SPENT_TODAY, spent / MICRO, tenant=account)
        tell(metrics.TENANT_DAILY_CAP, cap_usd, tenant=account)


def _todays(health: ProcessHealth) -> Snapshot | None:
    """The last snapshot, unless the spend that it tells is yesterday's."""
    snapshot = health.view.snapshot
    now = health.view.fleet_time(health.clock())
    return snapshot if snapshot is not None and day_of(snapshot.issued_at) == day_of(now) else None


def _tell_key(health: ProcessHealth, key: str, tell: Callable[..., None]) -> None:
    now = health.clock()
    told = health.view.health(key, now)
    labels = {"provider": provider_of(key), "model": model_of(key)}
    for state in BreakerState:
        tell(metrics.BREAKER_STATE, int(told.state is state), **labels, state=state.value)
    tell(metrics.RAMP_SHARE, told.share(now), **labels)
    left = 0.0 if told.cooldown_until is None else max(0.0, told.cooldown_until - now)
    tell(metrics.COOLDOWN_LEFT, left, **labels)
