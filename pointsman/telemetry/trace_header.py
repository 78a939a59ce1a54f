"""How a trace travels with a question: the header that Temporal's own SDKs use, so that other tracers follow it too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadConverter

from pointsman.telemetry.span import SpanContext, parsed

HEADER = "_tracer-data"
_TRACEPARENT, _ASKED_AT, _ASKED_IN, _REASON = (
    "traceparent",
    "pointsman-asked-at",
    "pointsman-asked-in",
    "pointsman-reason",
)

_DIGITS = 19
"""Nanoseconds since the epoch fit into a span with so many."""


@dataclass(frozen=True)
class TraceHeader:
    """The span that is the parent of what the header goes with, and what that should know."""

    context: SpanContext
    asked_at_ns: int | None = None
    """When the question was asked, by a client that leaves it to the worker to tell its span: `context` is its."""
    asked_in: str | None = None
    """The span in which it was asked."""
    reason: str | None = None
    """Why this provider is called."""

    def added_to(self, headers: Mapping[str, Payload]) -> dict[str, Payload]:
        """These headers with this one."""
        told = {
            _TRACEPARENT: self.context.traceparent,
            _ASKED_AT: None if self.asked_at_ns is None else str(self.asked_at_ns),
            _ASKED_IN: self.asked_in,
            _REASON: self.reason,
        }
        carrier = {name: value for name, value in told.items() if value is not None}
        return {**headers, HEADER: PayloadConverter.default.to_payload(carrier)}


def read(headers: Mapping[str, Payload]) -> TraceHeader | None:
    """What the headers say of a trace; anything that cannot be read is none."""
    held = headers.get(HEADER)
    if held is None:
        return None
    try:
        carrier = PayloadConverter.default.from_payload(held)
    except Exception:  # noqa: BLE001 - whatever a client has sent, its question goes on
        return None
    if not isinstance(carrier, dict):
        return None
    told = {name: value for name, value in carrier.items() if isinstance(name, str) and isinstance(value, str)}
    context = parsed(told.get(_TRACEPARENT, ""))
    if context is None:
        return None
    asked_at = told.get(_ASKED_AT, "")
    return TraceHeader(
        context,
        asked_at_ns=int(asked_at) if asked_at.isascii() and asked_at.isdecimal() and len(asked_at) <= _DIGITS else None,
        asked_in=told.get(_ASKED_IN),
        reason=told.get(_REASON),
    )
