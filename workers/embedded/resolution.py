"""A configuration of the embedded stack with its `embedded://` addresses, dates and rehearsals filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pointsman.checks import EMBEDDED, is_embedded
from pointsman.configuration import Configuration
from pointsman.provider import Provider
from pointsman.sentences import ConfigurationError


@dataclass(frozen=True)
class Rehearsal:
    """A degradation or an outage of the alphabetically first simulated provider, after so many calls."""

    degrade_after: int | None = None
    fail_after: int | None = None

    def applied(self, configuration: Configuration) -> dict[str, Any]:
        """The fields that change, and for whom."""
        changes = {
            name: after
            for name, after in (("degrade_after", self.degrade_after), ("fail_after", self.fail_after))
            if after is not None
        }
        if not changes:
            return {}
        simulated = sorted(name for name, provider in configuration.providers.items() if provider.simulated)
        if not simulated:
            raise ConfigurationError(["providers: none is simulated, so there is nothing to rehearse; add one"])
        return {simulated[0]: changes}


def resolve(
    configuration: Configuration, servers: Mapping[str, str], today: date, rehearsal: Rehearsal
) -> Configuration:
    """Fill in what exists only now; a provider whose server is not running is disabled.

    Args:
        configuration: As read from the file.
        servers: Root address by name, the part of `embedded://NAME/...`.
        today: The day that figures of embedded providers are as old as.
        rehearsal: Applied to the first simulated provider.
    """
    rehearsed = rehearsal.applied(configuration)
    providers = {
        name: _resolved(provider, servers, today).model_copy(update=rehearsed.get(name, {}))
        for name, provider in configuration.providers.items()
    }
    return configuration.model_copy(update={"providers": providers})


def _resolved(provider: Provider, servers: Mapping[str, str], today: date) -> Provider:
    if provider.simulated:
        return provider.model_copy(update={"declared_at": today})
    if not is_embedded(provider) or provider.api_base is None:
        return provider
    server, _, path = provider.api_base.removeprefix(EMBEDDED).partition("/")
    if server not in servers:
        return provider.model_copy(update={"enabled": False, "api_base": None})
    return provider.model_copy(update={"api_base": f"{servers[server]}/{path}".rstrip("/"), "declared_at": today})
