"""How the one who asks a question begins its trace, or joins the one that is under way: without OpenTelemetry's SDK.

The span of the asking is told by the worker that ends the question: a command that asks needs no exporter, and does not
wait for one when it ends.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from temporalio.client import Interceptor, OutboundInterceptor, StartWorkflowInput, WorkflowHandle

from pointsman.telemetry import span
from pointsman.telemetry.settings import TelemetrySettings
from pointsman.telemetry.span import SpanContext
from pointsman.telemetry.trace_header import HEADER, TraceHeader

QUESTION = "RouteAndAnswer"
CONFIG_VARIABLE = "POINTSMAN_CONFIG"
_OFF = TelemetrySettings()


def asking_interceptor(environ: Mapping[str, str] = os.environ) -> Interceptor:
    """For every client. It adds nothing unless a trace is under way, or the configuration names a collector.

    A trace is under way where a span of OpenTelemetry is active, or TRACEPARENT says so.
    """
    return _Asking(_settings(environ), environ.get("TRACEPARENT", ""))


class _Asking(Interceptor):
    def __init__(self, settings: TelemetrySettings, traceparent: str) -> None:
        self._settings = settings
        self._inherited = span.parsed(traceparent)

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:  # noqa: A002 - the SDK's name
        return _Outbound(next, self._settings, self._inherited)


class _Outbound(OutboundInterceptor):
    def __init__(
        self, following: OutboundInterceptor, settings: TelemetrySettings, inherited: SpanContext | None
    ) -> None:
        super().__init__(following)
        self._settings = settings
        self._inherited = inherited

    async def start_workflow(self, input: StartWorkflowInput) -> WorkflowHandle[Any, Any]:  # noqa: A002
        # Another tracer of the client has its header there already.
        if input.workflow == QUESTION and HEADER not in input.headers:
            parent = _active() or self._inherited
            if parent is not None or self._settings.traces:
                input.headers = self._begun(parent).added_to(input.headers)
        return await super().start_workflow(input)

    def _begun(self, parent: SpanContext | None) -> TraceHeader:
        trace_id = secrets.token_hex(16) if parent is None else parent.trace_id
        sampled = span.sampled(trace_id, self._settings.sampling_ratio) if parent is None else parent.sampled
        own = SpanContext(trace_id, secrets.token_hex(8), sampled)
        return TraceHeader(own, asked_at_ns=time.time_ns(), asked_in=None if parent is None else parent.span_id)


def _active() -> SpanContext | None:
    """The span that is active here. Nobody has made one who has not imported OpenTelemetry."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return SpanContext(f"{context.trace_id:032x}", f"{context.span_id:016x}", bool(context.trace_flags & 1))


def _settings(environ: Mapping[str, str]) -> TelemetrySettings:
    """The table `[telemetry]` of the configuration, if there is one that can be used: asking does not depend on it."""
    path = environ.get(CONFIG_VARIABLE)
    if not path:
        return _OFF
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8")).get("telemetry", {})
        return TelemetrySettings.model_validate(table)
    except (OSError, ValueError, RecursionError, ValidationError):
        return _OFF
