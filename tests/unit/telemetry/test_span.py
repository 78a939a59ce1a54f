"""Where a span stands: ids that follow from names, and the header that carries them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import Decision, TraceIdRatioBased
from temporalio.api.common.v1 import Payload
from temporalio.contrib.opentelemetry import OpenTelemetryInterceptor
from temporalio.converter import PayloadConverter

from pointsman.telemetry import span, trace_header
from pointsman.telemetry.span import SpanContext
from pointsman.telemetry.trace_header import HEADER, TraceHeader

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CONTEXT = SpanContext(TRACE, SPAN)
IDS = st.integers(min_value=1, max_value=2**128 - 1).map(lambda number: f"{number:032x}")


def test_the_same_names_mean_the_same_span_and_others_another_one() -> None:
    assert span.root("q", "r", 1.0) == span.root("q", "r", 1.0)
    assert span.root("q", "r", 1.0) != span.root("qr", "", 1.0)
    assert CONTEXT.child("a", "bc") != CONTEXT.child("ab", "c")
    assert CONTEXT.child("a").trace_id == TRACE


def test_an_id_of_any_text_is_one() -> None:
    assert len(span.root("\ud800 ä", "", 1.0).trace_id) == 32


@given(trace_id=IDS, sampled=st.booleans())
def test_a_context_survives_its_header(*, trace_id: str, sampled: bool) -> None:
    context = SpanContext(trace_id, SPAN, sampled)
    assert span.parsed(context.traceparent) == context


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        f"00-{TRACE}-{SPAN}",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-{SPAN}-01",
    ],
)
def test_what_is_no_traceparent_is_none(text: str) -> None:
    assert span.parsed(text) is None


def test_a_later_version_of_the_header_is_read_as_far_as_it_is_known() -> None:
    assert span.parsed(f"01-{TRACE}-{SPAN}-01-more") == CONTEXT


@given(IDS, st.sampled_from([0.0, 0.01, 0.25, 0.5, 0.999, 1.0]))
def test_the_share_that_is_sampled_is_the_one_of_opentelemetrys_sdk(trace_id: str, ratio: float) -> None:
    theirs = TraceIdRatioBased(ratio).should_sample(None, int(trace_id, 16), "x").decision
    assert span.sampled(trace_id, ratio) == (theirs is Decision.RECORD_AND_SAMPLE)


def test_a_header_survives_its_payload_with_all_that_it_says() -> None:
    header = TraceHeader(CONTEXT, asked_at_ns=1_800_000_000_000_000_000, asked_in=SPAN, reason="fallback:failure")
    assert trace_header.read(header.added_to({"other": Payload()})) == header


@pytest.mark.parametrize(
    "carrier", [None, "text", [1], {}, {"traceparent": 1}, {"traceparent": "junk"}], ids=lambda value: repr(value)[:20]
)
def test_a_header_that_cannot_be_read_is_none(carrier: object) -> None:
    assert trace_header.read({HEADER: PayloadConverter.default.to_payload(carrier)}) is None
    assert trace_header.read({HEADER: Payload(data=b"{")}) is None
    assert trace_header.read({}) is None


def test_a_time_of_asking_that_is_none_is_left_out() -> None:
    carrier = {"traceparent": CONTEXT.traceparent, "pointsman-asked-at": "9" * 30}
    assert trace_header.read({HEADER: PayloadConverter.default.to_payload(carrier)}) == TraceHeader(CONTEXT)


def test_the_header_is_the_one_of_temporals_own_tracers() -> None:
    """A client that has `OpenTelemetryPlugin` is followed too."""
    from temporalio.contrib.opentelemetry import _otel_interceptor as theirs  # noqa: PLC0415

    assert OpenTelemetryInterceptor is theirs.OpenTelemetryInterceptor
    with TracerProvider(shutdown_on_exit=False).get_tracer("t").start_as_current_span("s") as active:
        found = trace_header.read(theirs._context_to_headers({}))  # pyright: ignore[reportPrivateUsage]
        context = active.get_span_context()
    assert found == TraceHeader(SpanContext(f"{context.trace_id:032x}", f"{context.span_id:016x}"))
    assert not trace.get_current_span().get_span_context().is_valid


def test_the_header_which_is_never_encrypted_holds_ids_a_time_and_a_kind_of_reason_alone() -> None:
    header = TraceHeader(CONTEXT, asked_at_ns=7, asked_in="ab" * 8, reason="fallback:failure").added_to({})[HEADER]
    assert PayloadConverter.default.from_payload(header) == {
        "traceparent": CONTEXT.traceparent,
        "pointsman-asked-at": "7",
        "pointsman-asked-in": "ab" * 8,
        "pointsman-reason": "fallback:failure",
    }
