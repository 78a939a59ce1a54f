"""Finished spans on their way to a collector: a bounded queue and a thread of OpenTelemetry's SDK."""

from __future__ import annotations

import logging

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from pointsman.telemetry.instruments import SCOPE
from pointsman.telemetry.settings import TelemetrySettings
from pointsman.telemetry.span import FinishedSpan
from pointsman.telemetry.span import SpanContext as Place
from workers.telemetry.exporting import EXPORT_TIMEOUT_S

_KINDS = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT, "server": SpanKind.SERVER}
_FLUSH_MS = 2000
_log = logging.getLogger(__name__)


class ExportedSpans:
    """Implements `pointsman.telemetry.span.Spans`."""

    def __init__(self, processor: SpanProcessor, whose: Resource) -> None:
        """`processor` takes spans without waiting."""
        self._processor = processor
        self._resource = whose
        self._told = False

    def emit(self, span: FinishedSpan) -> None:
        """Hand the span on, if its trace is sampled."""
        if not span.context.sampled:
            return
        try:
            self._processor.on_end(_readable(span, self._resource))
        except Exception as fault:  # noqa: BLE001 - telemetry must not cost a question
            if not self._told:
                self._told = True
                _log.warning("traces are incomplete: %s", type(fault).__name__)

    def close(self) -> None:
        """Send what waits."""
        self._processor.shutdown()


def exported_spans(settings: TelemetrySettings, whose: Resource) -> ExportedSpans:
    """To the collector of the configuration."""
    address = f"{(settings.otlp_endpoint or '').rstrip('/')}/v1/traces"
    exporter = OTLPSpanExporter(address, timeout=EXPORT_TIMEOUT_S)
    return ExportedSpans(BatchSpanProcessor(exporter, schedule_delay_millis=_FLUSH_MS), whose)


def _readable(told: FinishedSpan, whose: Resource) -> ReadableSpan:
    context = _context(told.context)
    parent = None if told.parent_id is None else _context(Place(told.context.trace_id, told.parent_id))
    return ReadableSpan(
        told.name,
        context=context,
        parent=parent,
        resource=whose,
        attributes=told.attributes,
        kind=_KINDS[told.kind],
        status=Status() if told.error is None else Status(StatusCode.ERROR, told.error),
        start_time=told.start_ns,
        end_time=told.end_ns,
        instrumentation_scope=InstrumentationScope(SCOPE),
    )


def _context(told: Place) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED if told.sampled else TraceFlags.DEFAULT)
    return SpanContext(int(told.trace_id, 16), int(told.span_id, 16), is_remote=False, trace_flags=flags)
