"""OpenTelemetry's SDK as this process uses it: whoever imports this module has switched telemetry on.

Exporters work on threads of their own with bounded queues: one that is slow or down costs spans and points, and no
question.
"""

from __future__ import annotations

import logging
import time
from importlib.metadata import version
from threading import Lock

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import (
    Counter,
    Histogram,
    MeterProvider,
    ObservableCounter,
    ObservableGauge,
    UpDownCounter,
)
from opentelemetry.sdk.metrics.export import CardinalityLimits, MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry, generate_latest

from pointsman.telemetry.metrics import WAITS_BOUNDS_S
from pointsman.telemetry.settings import TelemetrySettings

EXPORT_TIMEOUT_S = 5.0
_SERIES_MAX = 10_000
"""Per metric: fifty providers with all their outcomes are far below."""
_LIMITS: CardinalityLimits = dict.fromkeys(
    (Counter, UpDownCounter, Histogram, ObservableCounter, ObservableGauge), _SERIES_MAX
)
_SDK_LATENCIES = View(
    instrument_name="temporal_*latency*", aggregation=ExplicitBucketHistogramAggregation(WAITS_BOUNDS_S)
)
"""Temporal's own histograms come without bounds for seconds."""
_WARN_EVERY_S = 60.0
_MESSAGE_CHARACTERS = 200
_log = logging.getLogger(__name__)


def resource(settings: TelemetrySettings, process: str) -> Resource:
    """Whose telemetry it is; OTEL_RESOURCE_ATTRIBUTES adds to it."""
    return Resource.create(
        {
            "service.name": settings.service_name,
            "service.version": version("pointsman"),
            "service.instance.id": process,
        }
    )


class Exposition:
    """Metrics in Prometheus's text form, for one reader after the other."""

    def __init__(self) -> None:
        """A registry of its own: nothing that another library registers stands beside it."""
        self._registry = CollectorRegistry()
        self._lock = Lock()

    def reader(self) -> MetricReader:
        """What the meter provider is read by."""
        return PrometheusMetricReader(scope_info_enabled=False, registry=self._registry, cardinality_limits=_LIMITS)

    def text(self) -> bytes:
        """All metrics as they stand."""
        with self._lock:
            return generate_latest(self._registry)


def meter_provider(settings: TelemetrySettings, whose: Resource, exposition: Exposition | None) -> MeterProvider:
    """Where this process's instruments lead."""
    readers = [] if exposition is None else [exposition.reader()]
    if settings.otlp_endpoint is not None:
        exporter = OTLPMetricExporter(f"{settings.otlp_endpoint.rstrip('/')}/v1/metrics", timeout=EXPORT_TIMEOUT_S)
        readers.append(
            PeriodicExportingMetricReader(
                exporter,
                export_interval_millis=settings.export_every_s * 1000,
                export_timeout_millis=EXPORT_TIMEOUT_S * 1000,
                cardinality_limits=_LIMITS,
            )
        )
    return MeterProvider(readers, resource=whose, shutdown_on_exit=False, views=[_SDK_LATENCIES])


class ExportTrouble(logging.Handler):
    """Says once a minute, in one line, that telemetry does not arrive: the SDK would say so with every batch."""

    def __init__(self) -> None:
        """Nothing has been said yet."""
        super().__init__(logging.WARNING)
        self._next_at = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on the first of a minute."""
        now = time.monotonic()
        if now >= self._next_at:
            self._next_at = now + _WARN_EVERY_S
            lines = record.getMessage().strip().splitlines() or [""]
            _log.warning("telemetry does not arrive: %s", lines[0][:_MESSAGE_CHARACTERS])


def quieten() -> None:
    """Let the SDK's own words go through `ExportTrouble`."""
    logger = logging.getLogger("opentelemetry")
    logger.propagate = False
    if not any(isinstance(handler, ExportTrouble) for handler in logger.handlers):
        logger.addHandler(ExportTrouble())
