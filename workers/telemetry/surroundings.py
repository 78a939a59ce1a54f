"""Where telemetry goes as a process's environment tells it: addresses belong to a place, the configuration to all."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from pointsman.sentences import ConfigurationError, sentences
from pointsman.telemetry.settings import TelemetrySettings

_FIELDS = {"POINTSMAN_LISTEN": "listen", "POINTSMAN_OTLP_ENDPOINT": "otlp_endpoint"}


def telemetry_here(settings: TelemetrySettings, environ: Mapping[str, str]) -> TelemetrySettings:
    """The settings with what POINTSMAN_LISTEN and POINTSMAN_OTLP_ENDPOINT say in place of the file's; "" says nothing.

    Raises:
        ConfigurationError: a variable is no address; the sentence names it.
    """
    told = {field: environ[variable] for variable, field in _FIELDS.items() if environ.get(variable)}
    if not told:
        return settings
    try:
        return TelemetrySettings.model_validate(settings.model_dump() | told)
    except ValidationError as fault:
        found = sentences(fault, TelemetrySettings)
        for variable, field in _FIELDS.items():
            found = [sentence.replace(f"{field}: ", f"{variable}: ", 1) for sentence in found]
        raise ConfigurationError(found) from fault
