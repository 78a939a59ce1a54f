"""Where telemetry goes as a process's environment tells it: that belongs to a place, the configuration to all."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from pointsman.sentences import ConfigurationError, sentences
from pointsman.telemetry.settings import TelemetrySettings

_SWITCH = "POINTSMAN_SDK_METRICS"
_FIELDS = {
    "POINTSMAN_LISTEN": "listen",
    "POINTSMAN_OTLP_ENDPOINT": "otlp_endpoint",
    _SWITCH: "sdk_metrics",
}


def telemetry_here(settings: TelemetrySettings, environ: Mapping[str, str]) -> TelemetrySettings:
    """The settings with what these variables say in place of the file's; "" says nothing.

    Raises:
        ConfigurationError: a variable is no address, or neither true nor false; the sentence names it.
    """
    told = {field: environ[variable] for variable, field in _FIELDS.items() if environ.get(variable)}
    if not told:
        return settings
    if environ.get(_SWITCH, "").lower() not in {"", "true", "false"}:
        raise ConfigurationError([f"{_SWITCH}: not true or false; give one of these, or leave it out"])
    try:
        return TelemetrySettings.model_validate(settings.model_dump() | told)
    except ValidationError as fault:
        found = sentences(fault, TelemetrySettings)
        for variable, field in _FIELDS.items():
            found = [sentence.replace(f"{field}: ", f"{variable}: ", 1) for sentence in found]
        raise ConfigurationError(found) from fault
