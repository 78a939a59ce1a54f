"""Where a span stands and what it says, as plain values: ids are figured out of names, so that a replay has the same.

A workflow is replayed, in another process perhaps, and must neither draw ids by chance nor keep a span open meanwhile.
So its context is derived from workflow and run, those of its activities from their number and attempt too, and every
span is told once, as a whole, when what it is about has ended.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, Protocol

Value = str | bool | int | float | tuple[str, ...]
Kind = Literal["internal", "client", "server"]

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_TRACE_ID_BYTES, _SPAN_ID_BYTES = 16, 8
_LOW_64_BITS = 2**64 - 1


@dataclass(frozen=True)
class SpanContext:
    """One span's place: W3C Trace Context, as hexadecimal digits."""

    trace_id: str
    span_id: str
    sampled: bool = True

    @property
    def traceparent(self) -> str:
        """As it travels in a header."""
        return f"00-{self.trace_id}-{self.span_id}-{int(self.sampled):02x}"

    def child(self, *names: str) -> SpanContext:
        """The span of the same trace that these names mean, always the same one."""
        return SpanContext(self.trace_id, _digits(_SPAN_ID_BYTES, *names), self.sampled)


def parsed(traceparent: str) -> SpanContext | None:
    """The context that a header names, or `None` where it is none."""
    found = _TRACEPARENT.fullmatch(traceparent)
    if found is None or not int(found[1], 16) or not int(found[2], 16):
        return None
    return SpanContext(found[1], found[2], bool(int(found[3], 16) & 1))


def root(workflow_id: str, run_id: str, ratio: float) -> SpanContext:
    """The span of a workflow that nobody has begun a trace for; `ratio` is the share of such that is sampled."""
    trace_id = _digits(_TRACE_ID_BYTES, "trace", workflow_id, run_id)
    return SpanContext(trace_id, workflow_span_id(workflow_id, run_id), sampled(trace_id, ratio))


def workflow_span_id(workflow_id: str, run_id: str) -> str:
    """The id of a run's own span."""
    return _digits(_SPAN_ID_BYTES, "workflow", workflow_id, run_id)


def sampled(trace_id: str, ratio: float) -> bool:
    """Whether a trace is among the share that is sampled: as OpenTelemetry's TraceIdRatioBased decides."""
    return int(trace_id, 16) & _LOW_64_BITS < round(ratio * (_LOW_64_BITS + 1))


@dataclass(frozen=True)
class FinishedSpan:
    """A span that has ended; times in nanoseconds since the epoch."""

    name: str
    context: SpanContext
    parent_id: str | None
    start_ns: int
    end_ns: int
    kind: Kind = "internal"
    attributes: Mapping[str, Value] = field(default_factory=dict[str, Value])
    error: str | None = None
    """The kind of an error, never its words: those may quote a prompt."""


class Spans(Protocol):
    """Takes finished spans; it neither waits nor raises."""

    def emit(self, span: FinishedSpan) -> None:
        """Take a span."""
        ...


@dataclass(frozen=True)
class Place:
    """What the code that runs now is part of."""

    context: SpanContext
    route_reason: str | None = None
    """Why this provider is asked, in the activity that calls it."""


CURRENT: ContextVar[Place | None] = ContextVar("pointsman_place", default=None)
"""Set while a traced activity runs."""


def _digits(size: int, *names: str) -> str:
    # Lengths first: no two lists of names run together to the same text.
    text = "".join(f"{len(name)}:{name}" for name in names)
    digits = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=size).hexdigest()
    # An id of zeros is none.
    return digits if int(digits, 16) else f"{1:0{2 * size}x}"
