"""Faults and warnings of a configuration that no single field shows: chains, abilities, prices, keys, ages.

A fault refuses the configuration, a warning is printed by `pointsman check` and when a worker starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from urllib.parse import urlsplit

from pointsman.admission import RETIRE_AFTER_DAYS, WARN_AFTER_DAYS
from pointsman.configuration import Configuration, Route
from pointsman.cost import blended_price
from pointsman.headers import NOT_A_HEADER, header_safe
from pointsman.messages import MAX_TASK_BYTES
from pointsman.panel import FEWEST
from pointsman.provider import Provider
from pointsman.query_types import QueryType
from pointsman.request_settings import request_faults
from pointsman.resilience_checks import resilience_faults, resilience_warnings
from pointsman.scoring_checks import scoring_faults

EMBEDDED = "embedded://"
_MODEL_BYTES = 300
"""A call's summary in the Temporal UI names provider and model, and holds 400 bytes."""


def faults(configuration: Configuration) -> list[str]:
    """Everything that makes the configuration unusable, one sentence each, starting with its path."""
    found = list(_provider_faults(configuration))
    for table, route in configuration.tables().items():
        found.extend(_chain_faults(table, route, configuration))
        found.extend(_eval_faults(table, route, configuration))
    found.extend(
        f"routes.{task[:MAX_TASK_BYTES]}: a task's name has 1 to {MAX_TASK_BYTES} bytes; rename it"
        for task in configuration.routes
        if not 0 < len(task.encode()) <= MAX_TASK_BYTES
    )
    found.extend(_classification_faults(configuration))
    found.extend(resilience_faults(configuration))
    found.extend(scoring_faults(configuration))
    missing = [query_type for query_type in QueryType if query_type not in configuration.query_types]
    found.extend(
        f"query_types.{query_type}: missing; a question without a task needs a chain for its query type"
        for query_type in missing
    )
    webhook = configuration.review.webhook
    if webhook is not None and not _is_http(webhook):
        found.append("review.webhook: no http or https address; give one such as https://host/path")
    return found


def is_embedded(provider: Provider) -> bool:
    """Whether the provider is served by the embedded stack alone; its figures are as old as the stack's start."""
    return provider.api_base is not None and provider.api_base.startswith(EMBEDDED)


def missing_keys(configuration: Configuration, environ: Mapping[str, str]) -> list[str]:
    """Enabled providers whose key is not in the environment, or cannot be sent; names the variable, never its value."""
    found: list[str] = []
    for name, provider in configuration.providers.items():
        if not provider.enabled or not provider.api_key_env:
            continue
        path, key = f"providers.{name}.api_key_env", environ.get(provider.api_key_env)
        if not key:
            what = f"the environment variable {provider.api_key_env} is not set; set it, or set enabled = false"
            found.append(f"{path}: {what}")
        elif not header_safe(key):
            found.append(f"{path}: the environment variable {provider.api_key_env} {NOT_A_HEADER}; set it again")
    return found


def warnings(configuration: Configuration, today: date) -> list[str]:
    """What is allowed and yet worth a look, one sentence each."""
    found: list[str] = []
    for name, provider in configuration.providers.items():
        found.extend(_provider_warnings(f"providers.{name}", provider, today))
    for table, route in configuration.tables().items():
        found.extend(_chain_warnings(table, route, configuration))
    found.extend(_suite_warnings(configuration))
    found.extend(resilience_warnings(configuration))
    return found


def _suite_warnings(configuration: Configuration) -> Iterator[str]:
    """DESIGN ruling 14: what no suite has tested is answered all the same, and says so."""
    untested = [
        f"routes.{task}"
        for task, route in configuration.routes.items()
        if route.require_eval is None and task not in configuration.suites
    ]
    if untested:
        yield f"{', '.join(untested)}: no evaluation suite is enforced, so that answers are tagged unvalidated"


def _provider_faults(configuration: Configuration) -> Iterator[str]:
    folded: dict[str, str] = {}
    for name, provider in configuration.providers.items():
        path = f"providers.{name}"
        twin = folded.setdefault(name.casefold(), name)
        if twin != name:
            yield f"{path}: differs from providers.{twin} only by case; give each provider its own name"
        if not provider.simulated and (provider.degrade_after is not None or provider.fail_after is not None):
            yield f"{path}: degrade_after and fail_after rehearse simulated providers only; remove them"
        if provider.latency.p95_ms < provider.latency.p50_ms:
            yield f"{path}.latency: p95_ms is below p50_ms; swap or correct them"
        if provider.declared_at is None and not (provider.simulated or is_embedded(provider)):
            yield f"{path}.declared_at: missing; give the day these figures were written down, such as 2026-11-30"
        if len(provider.model.encode()) > _MODEL_BYTES:
            yield f"{path}.model: longer than the {_MODEL_BYTES} bytes that fit into a call's summary; shorten it"
        if provider.api_base is not None and not is_embedded(provider) and not _is_http(provider.api_base):
            yield f"{path}.api_base: no http or https address; give one such as https://host/v1"
        yield from request_faults(path, provider)


def _is_http(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    usable = address.isascii() and address.isprintable() and " " not in address
    return usable and parts.scheme in {"http", "https"} and bool(parts.hostname) and port != 0


def _chain_faults(table: str, route: Route, configuration: Configuration) -> Iterator[str]:
    path = f"{table}.chain"
    for member in route.chain:
        if member not in configuration.providers:
            yield f"{path}: {member} is no provider{_hint(member, configuration)}"
    repeated = {member for member in route.chain if route.chain.count(member) > 1}
    for member in sorted(repeated):
        yield f"{path}: {member} stands twice, which makes the chain a cycle; name each member once"
    if len(set(route.chain)) < 2:  # noqa: PLR2004 - a chain of one is a bottleneck waiting to fail (source, MUST NOT 2)
        yield f"{path}: has fewer than two members; add a fallback, since a single provider is no chain"
    members = {name: configuration.providers[name] for name in route.chain if name in configuration.providers}
    for name, provider in members.items():
        if route.response_schema is not None and "json_schema" not in provider.supports:
            yield f'{path}: {name} does not support "json_schema", which {table}.response_schema needs; remove it'
        if configuration.scoring.limits_cost and provider.price is None:
            yield f"{path}: {name} has no price, so scoring.max_cost_per_1k cannot hold; declare providers.{name}.price"
    yield from _better_outsiders(table, route, members, configuration)


def _eval_faults(table: str, route: Route, configuration: Configuration) -> Iterator[str]:
    kind, _, name = table.partition(".")
    if not route.require_eval:
        return
    if kind != "routes":
        yield f"{table}.require_eval: suites belong to tasks; leave it out, or make the chain a route of its own"
    elif name not in configuration.suites:
        folder = configuration.catalogue.evals
        where = "name a folder of suites in catalogue.evals" if folder is None else f"write one in {folder}/{name}"
        yield f"{table}.require_eval: there is no evaluation suite for {name}; {where}, or leave it out"


def _hint(member: str, configuration: Configuration) -> str:
    if member in configuration.routes or member in configuration.query_types:
        return "; it is a route, and a chain that names routes could form a cycle: name providers"
    return f"; known: {', '.join(sorted(configuration.providers))}"


def _better_outsiders(
    table: str, route: Route, members: Mapping[str, Provider], configuration: Configuration
) -> Iterator[str]:
    """Source document, step 4: no member with a worse cost-performance ratio for the same query type."""
    query_type = configuration.query_type_of(table)
    outsiders = {
        name: provider
        for name, provider in configuration.providers.items()
        if provider.enabled and name not in route.chain
    }
    for name, member in members.items():
        for other_name, other in outsiders.items():
            if _preferable(other, member, query_type) and not _needed(member, other, route, members):
                yield (
                    f"{table}.chain: {other_name}, which is not in the chain, is at least as strong for {query_type} "
                    f"and as cheap as {name}, and better in one of them; use it in place of {name}"
                )


def _needed(member: Provider, other: Provider, route: Route, members: Mapping[str, Provider]) -> bool:
    """Whether a panel would lose by the exchange: an equal of its tier, or another vendor's word."""
    if route.stakes != "high":
        return False
    vendors = {found.vendor_name for found in members.values() if found is not member}
    return other.tier != member.tier or (other.vendor_name in vendors and member.vendor_name not in vendors)


def _preferable(other: Provider, member: Provider, query_type: QueryType) -> bool:
    cost, rival = blended_price(member.price), blended_price(other.price)
    if cost is None or rival is None or not set(member.supports) <= set(other.supports):
        return False
    stronger = other.strength(query_type) - member.strength(query_type)
    return stronger >= 0 and rival <= cost and (stronger > 0 or rival < cost)


def _classification_faults(configuration: Configuration) -> Iterator[str]:
    settings = configuration.classification
    if settings.by != "llm":
        return
    provider = configuration.providers.get(settings.provider or "")
    if provider is None:
        known = ", ".join(sorted(configuration.providers))
        what = 'missing; by = "llm" asks it' if settings.provider is None else f"{settings.provider!r} is no provider"
        yield f"classification.provider: {what}; known: {known}"
    elif "json_schema" not in provider.supports:
        yield f'classification.provider: {settings.provider} does not support "json_schema"; name one that does'


def _provider_warnings(path: str, provider: Provider, today: date) -> Iterator[str]:
    if provider.moving_alias:
        yield f"{path}.model: {provider.model} is a moving alias; name a dated model, or set pinned = true"
    if provider.price is None and not provider.simulated:
        yield f"{path}.price: missing; its costs are unknown, and questions with max_cost_usd pass it by"
    if provider.declared_at is not None:
        age = (today - provider.declared_at).days
        if age >= WARN_AFTER_DAYS:
            yield f"{path}.declared_at: {age} days old; measure again, it is retired at {RETIRE_AFTER_DAYS} days"


def _chain_warnings(table: str, route: Route, configuration: Configuration) -> Iterator[str]:
    query_type = configuration.query_type_of(table)
    members = [(name, configuration.providers[name]) for name in route.chain]
    for position, (name, member) in enumerate(members):
        for other_name, other in members[position + 1 :]:
            if route.order == "chain" and _preferable(other, member, query_type):
                yield f"{table}.chain: {other_name} is preferable to {name} and yet stands behind it"
    if sum(member.enabled for _, member in members) < 2:  # noqa: PLR2004 - as above
        yield f"{table}.chain: fewer than two of its members are enabled, so nothing is left to fall back on"
    tiers = Counter(member.tier for _, member in members if member.enabled)
    if route.stakes == "high" and max(tiers.values(), default=0) < FEWEST:
        yield f"{table}.stakes: no two enabled members of its chain share a tier, so nothing is compared"
