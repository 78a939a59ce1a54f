"""What one worker process knows and keeps about the health of its providers, in one place for the activities.

`planner` decides with it, `gate` admits by it, `witness` adds to it, and the health feed carries it to the fleet and
back. Nothing here waits or does I/O.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from activities.in_flight import InFlight
from pointsman.budget import RetryBudget
from pointsman.call_cooldowns import CallCooldowns
from pointsman.candidacy import START_TO_CLOSE_MARGIN_S
from pointsman.configuration import Configuration
from pointsman.health.gauges import Gauges
from pointsman.health.keys import key_of, model_of, provider_of
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.spend import day_end
from pointsman.health.view import HealthView
from pointsman.health_order import BREAKER
from pointsman.hedge_delay import LatencySamples
from pointsman.provider import Provider
from pointsman.purse import Purse, SetAside
from pointsman.rate_limit import FROM_QUEUE_PER_MINUTE, RateLimiter
from pointsman.tenants import TenantCap, account_of
from pointsman.throttling import Detector


@dataclass
class ProcessHealth:
    """The state of one process; used on its event loop only."""

    configuration: Configuration
    policy: HealthPolicy
    view: HealthView
    reports: ReportBuilder
    budget: RetryBudget
    samples: LatencySamples
    detector: Detector
    cooldowns: CallCooldowns
    purse: Purse
    tenants: Purse
    limiters: dict[str, RateLimiter]
    in_flight: InFlight = field(default_factory=InFlight)
    hurry: Callable[[], None] = field(default=lambda: None)
    """Asks the feed for an early report, after the first failures of a run."""
    clock: Callable[[], float] = time.time
    """Seconds since the epoch."""
    monotonic: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, configuration: Configuration, worker_id: str) -> ProcessHealth:
        """Start with nothing seen."""
        policy = policy_of(configuration)
        providers = configuration.providers
        caps = {
            name: provider.daily_cost_cap_usd
            for name, provider in providers.items()
            if provider.daily_cost_cap_usd is not None
        }
        return cls(
            configuration=configuration,
            policy=policy,
            view=HealthView(policy),
            reports=ReportBuilder(worker_id, configuration.breaker.count_429, configuration.breaker.horizon_s),
            budget=RetryBudget(configuration.budget),
            samples=LatencySamples(configuration.hedging),
            detector=Detector(configuration.throttling),
            cooldowns=CallCooldowns(),
            purse=Purse(caps),
            tenants=Purse(configuration.tenant_caps),
            limiters={
                name: RateLimiter(provider.rate_limit_per_minute)
                for name, provider in providers.items()
                if provider.rate_limit_per_minute < FROM_QUEUE_PER_MINUTE
            },
        )

    def key(self, provider: str) -> str:
        """The breaker's key of a provider."""
        return key_of(provider, self.configuration.providers[provider].model)

    def is_open(self, key: str) -> bool:
        """Whether the breaker of a key keeps calls away."""
        now = self.clock()
        return self.view.health(key, now).barred(now) in BREAKER

    def begin_anew(self, key: str) -> None:
        """Forget how a provider's model usually answers: another one answers under its name now."""
        self.detector.forget(key)
        self.samples.forget(provider_of(key), model_of(key))

    def account_of(self, tenant: str | None) -> str | None:
        """The account that a tenant's questions draw on, or `None` where no cap concerns them."""
        return account_of(tenant, self.configuration.tenants)

    def tenant_cap(self, account: str, *, pays_later: bool) -> TenantCap:
        """What is known of an account's cap right now."""
        now, cap = self.view.fleet_time(self.clock()), self.configuration.tenants[account].daily_cost_cap_usd
        return TenantCap.of(account, cap, self.tenants.spent_usd(account, now), day_end(now), pays_later=pays_later)

    def give_back(self, money: SetAside) -> None:
        """A call was not made after all."""
        self.purse.settle(money.provider, 0.0, 0)
        if money.tenant is not None:
            self.tenants.settle(money.tenant, 0.0, 0)

    def processes(self) -> int:
        """How many processes share the fleet's limits, as the last snapshot told."""
        snapshot = self.view.snapshot
        return 1 if snapshot is None else max(1, snapshot.active_workers)

    def gauges(self) -> Gauges:
        """How the process stands right now."""
        under_way = {provider: self.in_flight(provider) for provider in self.configuration.providers}
        return Gauges(
            in_flight={provider: calls for provider, calls in under_way.items() if calls},
            calls_left=self.cooldowns.left,
            budget=self.budget.gauge,
        )


def policy_of(configuration: Configuration) -> HealthPolicy:
    """What a process tells the entity about its configuration."""
    return HealthPolicy(
        breaker=configuration.breaker,
        health=configuration.health,
        probes_end_cooldowns=True,
        tenants=configuration.tenant_caps,
        keys={
            key_of(name, provider.model): _key_policy(name, provider, configuration)
            for name, provider in configuration.providers.items()
            if provider.enabled
        },
    )


def _key_policy(name: str, provider: Provider, configuration: Configuration) -> KeyPolicy:
    chains = [route.chain for route in configuration.tables().values() if name in route.chain]
    return KeyPolicy(
        open_s=provider.open_s,
        attempt_timeout_s=provider.timeout_s + START_TO_CLOSE_MARGIN_S,
        daily_cost_cap_usd=provider.daily_cost_cap_usd,
        has_alternative=all(
            any(other != name and configuration.providers[other].enabled for other in chain) for chain in chains
        ),
    )
