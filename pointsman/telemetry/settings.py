"""The table `[telemetry]` of the configuration. Everything is off unless it is switched on."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

_LISTEN = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(?P<first>\d{1,5})(-(?P<last>\d{1,5}))?", re.ASCII)
_PORTS = 65_535
_RANGE_MAX = 1000


class ListenAt(NamedTuple):
    """Where the listener may be: the first free port of a range, or any free one where that is 0."""

    host: str
    first: int
    last: int


class TelemetrySettings(BaseModel):
    """What a process tells about itself, and whom. Prompts and answers are told only with `record_content`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    listen: Annotated[str, Field(max_length=300)] | None = None
    """Address of a worker's HTTP listener with /metrics, /healthz and /readyz, such as 127.0.0.1:9464.

    Several processes of one machine take a range, 127.0.0.1:9464-9473, of which each holds the first free port; port
    0 is any free one, which the log then names.
    """
    otlp_endpoint: Annotated[str, Field(max_length=2000)] | None = None
    """Base address of a collector that takes OTLP over HTTP; traces go to its /v1/traces, metrics to /v1/metrics.

    A key for it is given by OTEL_EXPORTER_OTLP_HEADERS, never here.
    """
    service_name: Annotated[str, Field(min_length=1, max_length=100)] = "pointsman"
    sampling_ratio: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0
    """Share of the questions that are traced, of those whose asker has not decided it already."""
    record_content: bool = False
    """Whether prompts and answers go into spans, and prompts into the decision log."""
    decision_log: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    """Where each decision is written as one line of JSON: a file, or "-" for standard error."""
    sdk_metrics: bool = False
    """Whether Temporal's own metrics of this process stand beside ours."""
    export_every_s: Annotated[float, Field(ge=1, le=3600)] = 15.0
    """Seconds between two exports of metrics to the collector."""

    @field_validator("listen")
    @classmethod
    def _is_an_address(cls, listen: str | None) -> str | None:
        if listen is not None:
            _address_of(listen)
        return listen

    @field_validator("otlp_endpoint")
    @classmethod
    def _is_a_url(cls, endpoint: str | None) -> str | None:
        # The sentence says nothing of the value: somebody may have written a key into it.
        if endpoint is not None and not _is_base_url(endpoint):
            raise ValueError(
                "not the address of a collector; give http://HOST:4318, and a key in OTEL_EXPORTER_OTLP_HEADERS"
            )
        return endpoint

    @model_validator(mode="after")
    def _goes_somewhere(self) -> Self:
        if self.sdk_metrics and not self.measures:
            raise ValueError("sdk_metrics: these metrics go nowhere; set listen or otlp_endpoint too, or leave it out")
        return self

    @property
    def listen_at(self) -> ListenAt | None:
        """Where to listen."""
        return None if self.listen is None else _address_of(self.listen)

    @property
    def measures(self) -> bool:
        """Whether anybody reads metrics."""
        return self.listen is not None or self.otlp_endpoint is not None

    @property
    def traces(self) -> bool:
        """Whether anybody takes traces."""
        return self.otlp_endpoint is not None


def _address_of(listen: str) -> ListenAt:
    found = _LISTEN.fullmatch(listen)
    first = int(found["first"]) if found else -1
    last = int(found["last"] or first) if found else -1
    if found is None or not 0 <= first <= last <= _PORTS or last - first >= _RANGE_MAX or (first == 0 < last):
        raise ValueError("not an address to listen at; give HOST:PORT, such as 127.0.0.1:9464, or HOST:FIRST-LAST")
    return ListenAt(found["host"].strip("[]"), first, last)


def _is_base_url(endpoint: str) -> bool:
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        return False
    plain = endpoint.isascii() and endpoint.isprintable() and " " not in endpoint
    return (
        plain
        and parts.scheme in {"http", "https"}
        and bool(parts.hostname)
        and port != 0
        and "@" not in parts.netloc
        and not parts.query
        and not parts.fragment
    )
