"""Temporal's own metrics of this process, beside ours: the SDK's core puts them into a buffer that is drained here.

The exporter of `temporalio.contrib.opentelemetry` takes labels by the identity of an object, and two series that share
an address one after the other become one; here they are taken by what they say.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Event, Lock, Thread

from opentelemetry.metrics import CallbackOptions, Counter, Histogram, Meter, Observation
from temporalio.runtime import (
    BUFFERED_METRIC_KIND_COUNTER,
    BUFFERED_METRIC_KIND_HISTOGRAM,
    BufferedMetricUpdate,
    MetricBuffer,
    MetricBufferDurationFormat,
)

from pointsman.connection import use_quiet_runtime
from pointsman.telemetry.settings import TelemetrySettings

_ROOM = 100_000
"""Updates that may wait to be drained; more are dropped by the core."""
_DRAIN_EVERY_S = 1.0
_log = logging.getLogger(__name__)

_Labels = frozenset[tuple[str, str | int | float | bool]]


def sdk_buffer(settings: TelemetrySettings) -> MetricBuffer | None:
    """The buffer, where these metrics are wanted; to be asked for before the process first connects."""
    if not settings.sdk_metrics:
        return None
    buffer = MetricBuffer(_ROOM, MetricBufferDurationFormat.SECONDS)
    if not use_quiet_runtime(buffer):
        _log.warning("Temporal's own metrics are left out: this process has connected before")
        return None
    return buffer


class SdkMetrics:
    """Drains the buffer into a meter, once a second and on a thread of its own."""

    def __init__(self, buffer: MetricBuffer, meter: Meter) -> None:
        """Begin."""
        self._buffer = buffer
        self._meter = meter
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        self._gauges: dict[str, dict[_Labels, int | float]] = {}
        self._lock = Lock()
        self._ended = Event()
        self._thread = Thread(target=self._run, name="sdk-metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Drain once more and end."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        told = False
        while True:
            ended = self._ended.wait(_DRAIN_EVERY_S)
            try:
                for update in self._buffer.retrieve_updates():
                    self._take(update)
            except Exception as fault:  # noqa: BLE001 - telemetry must not end the process
                if not told:
                    told = True
                    _log.warning("Temporal's own metrics are incomplete: %s", type(fault).__name__)
            if ended:
                return

    def _take(self, update: BufferedMetricUpdate) -> None:
        name, kind, value, labels = update.metric.name, update.metric.kind, update.value, dict(update.attributes)
        unit, text = update.metric.unit or "", update.metric.description or ""
        if kind == BUFFERED_METRIC_KIND_COUNTER:
            if name not in self._counters:
                self._counters[name] = self._meter.create_counter(name, unit, text)
            self._counters[name].add(value, labels)
        elif kind == BUFFERED_METRIC_KIND_HISTOGRAM:
            if name not in self._histograms:
                self._histograms[name] = self._meter.create_histogram(name, unit, text)
            self._histograms[name].record(value, labels)
        else:
            if name not in self._gauges:
                self._meter.create_observable_gauge(name, [self._reader(name)], unit, text)
            with self._lock:
                self._gauges.setdefault(name, {})[frozenset(labels.items())] = value

    def _reader(self, name: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def read(_options: CallbackOptions) -> Iterable[Observation]:
            with self._lock:
                return [Observation(value, dict(labels)) for labels, value in self._gauges.get(name, {}).items()]

        return read
