"""Faults and warnings about breakers, hedges and daily caps: what one of their tables makes of another.

Each table's own ranges are checked where it is read; `pointsman.checks` takes in what is found here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pointsman.configuration import Configuration, Route
from pointsman.cost import estimated_cost_usd
from pointsman.health.policy import KEYS_MAX
from pointsman.health.settings import BreakerSettings
from pointsman.messages import MAX_TENANT_BYTES
from pointsman.provider import Provider

_MOST_CALLS = 100_000
"""Of one provider in a window of five minutes: more than 300 a second."""


def resilience_faults(configuration: Configuration) -> Iterator[str]:
    """What could not hold, or would end a worker at its start."""
    enabled = sum(provider.enabled for provider in configuration.providers.values())
    if enabled > KEYS_MAX:
        yield f"providers: {enabled} are enabled and at most {KEYS_MAX} can be; set enabled = false in the others"
    yield from _never_counted(configuration.breaker)
    health = configuration.health
    if health.snapshot_interval >= health.stale_after:
        yield (
            f"health.snapshot_interval: {health.snapshot_interval:g} s is no shorter than health.stale_after "
            f"({health.stale_after:g} s), so each snapshot would be stale before the next; lower it, or raise that"
        )
    if health.batch_max < enabled:
        yield (
            f"health.batch_max: {health.batch_max} rows a report are fewer than the {enabled} enabled providers, and "
            "what they come to would wait ever longer; raise it"
        )
    if not math.isfinite(configuration.breaker.ramp_min_rps):
        yield "breaker.ramp_min_rps: no finite number; a large one turns the ramp off"
    for tenant in configuration.tenants:
        if not 0 < len(tenant.encode(errors="replace")) <= MAX_TENANT_BYTES:
            yield f"tenants.{tenant[:MAX_TENANT_BYTES]}: a tenant's name has 1 to {MAX_TENANT_BYTES} bytes; rename it"
    for name, provider in configuration.providers.items():
        if provider.daily_cost_cap_usd is not None and provider.price is None:
            unknown = "without a price its cost is unknown, so the cap cannot hold"
            yield f"providers.{name}.daily_cost_cap_usd: {unknown}; declare providers.{name}.price"


def _never_counted(breaker: BreakerSettings) -> Iterator[str]:
    for name, calls in (("min_calls", breaker.min_calls), ("min_failures", breaker.min_failures)):
        if calls > _MOST_CALLS:
            yield f"breaker.{name}: no window ever holds {calls} calls; give at most {_MOST_CALLS}"


def resilience_warnings(configuration: Configuration) -> Iterator[str]:
    """What is written and has another effect than it seems to."""
    longest_s = configuration.breaker.open_max
    open_s = {"breaker": configuration.breaker.open_s}
    for name, provider in configuration.providers.items():
        if provider.open_s is not None:
            open_s[f"providers.{name}"] = provider.open_s
        if provider.daily_cost_cap_usd == 0:
            yield f"providers.{name}.daily_cost_cap_usd: 0 admits no call, a free one neither; raise or remove it"
        elif provider.daily_cost_cap_usd is not None:
            yield from _cap_warnings(f"providers.{name}", provider, provider.daily_cost_cap_usd)
    yield from _tenant_warnings(configuration)
    for table, seconds in open_s.items():
        if seconds > longest_s:
            yield f"{table}.open_s: {seconds:g} s is cut to breaker.open_max, {longest_s:g} s; raise that too"
    for table, route in configuration.tables().items():
        if route.hedge:
            yield from _hedge_warnings(table, route, configuration)


def _cap_warnings(path: str, provider: Provider, cap_usd: float) -> Iterator[str]:
    # The least that is set aside for a call whose question sets no limit of its own.
    worst_usd = estimated_cost_usd(0, provider.max_output_tokens, provider.price)
    if worst_usd is not None and cap_usd < worst_usd:
        yield (
            f"{path}.daily_cost_cap_usd: {cap_usd:g} is below the {worst_usd:g} USD that an answer of "
            f"{path}.max_output_tokens may cost, so such calls are never admitted; raise it, or lower that"
        )


def _hedge_warnings(table: str, route: Route, configuration: Configuration) -> Iterator[str]:
    hedging = configuration.hedging
    members = [configuration.providers[name] for name in route.chain]
    longest_s = max(route.timeout_s or member.timeout_s for member in members)
    if hedging.max_hedges == 0:
        yield f"{table}.hedge: has no effect while hedging.max_hedges is 0; set it to 1, or remove hedge"
    elif hedging.delay_min >= longest_s:
        yield (
            f"{table}.hedge: has no effect, since no call of {longest_s:g} s outlasts hedging.delay_min, "
            f"{hedging.delay_min:g} s; lower that"
        )
    elif "max_attempts" in route.model_fields_set and route.max_attempts > 1:
        yield (
            f"{table}.max_attempts: {route.max_attempts} counts for the last candidate only; with hedge = true "
            "each of two calls has one attempt"
        )


def _tenant_warnings(configuration: Configuration) -> Iterator[str]:
    unpriced = [name for name, found in configuration.providers.items() if found.enabled and found.price is None]
    if configuration.tenants and unpriced:
        yield (
            f"tenants: what {', '.join(unpriced)} costs is unknown without a price and counts in no tenant's cap; "
            f"declare providers.{unpriced[0]}.price"
        )
    for name, settings in configuration.tenants.items():
        if settings.daily_cost_cap_usd == 0:
            yield f"tenants.{name}.daily_cost_cap_usd: 0 admits no call that costs anything; raise or remove it"
