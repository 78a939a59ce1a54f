"""What a worker process starts with: the configuration, and the keys of its providers from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pointsman.checks import EMBEDDED, is_embedded, missing_keys, warnings
from pointsman.config_file import from_environment, load
from pointsman.configuration import Configuration
from pointsman.deployment import Deployment
from pointsman.sentences import ConfigurationError
from workers.telemetry.surroundings import telemetry_here


def configuration_here(path: Path) -> Configuration:
    """The file's configuration, with telemetry going where this process's environment says.

    Raises:
        ConfigurationError: the file or a variable is wrong.
    """
    configuration = load(path)
    telemetry = telemetry_here(configuration.telemetry, os.environ)
    return configuration.model_copy(update={"telemetry": telemetry})


@dataclass(frozen=True)
class Settings:
    """A checked configuration with the secrets that go with it; `repr` shows none of them."""

    configuration: Configuration
    api_keys: Mapping[str, str] = field(repr=False)
    """Key by provider name."""
    deployment: Deployment | None = None
    """The version that this process is; `None` where workers have none."""

    @classmethod
    def of(cls, configuration: Configuration, environ: Mapping[str, str] = os.environ) -> Settings:
        """Take the keys that the configuration names from the environment.

        Raises:
            ConfigurationError: a key or a build id is missing, or a provider exists in the embedded stack only.
        """
        found = missing_keys(configuration, environ)
        found += [
            f"providers.{name}.api_base: {EMBEDDED} addresses exist in the embedded stack only; "
            "start it with `python -m workers dev`, or name the provider's own address"
            for name, provider in configuration.providers.items()
            if provider.enabled and is_embedded(provider)
        ]
        if found:
            raise ConfigurationError(found)
        keys = {
            name: environ[provider.api_key_env]
            for name, provider in configuration.providers.items()
            if provider.api_key_env and environ.get(provider.api_key_env)
        }
        return cls(configuration, keys, Deployment.of(configuration.worker, environ))

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the file that POINTSMAN_CONFIG names; where telemetry goes may be told besides it.

        Raises:
            ConfigurationError: the file or a variable is wrong, or a key is missing.
        """
        return cls.of(configuration_here(from_environment()))

    def warnings(self) -> list[str]:
        """What the start-up log says about the configuration."""
        return warnings(self.configuration, datetime.now(UTC).date())
