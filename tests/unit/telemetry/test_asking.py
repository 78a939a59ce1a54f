"""How a client begins a trace: only where one is under way, or the configuration names a collector."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from opentelemetry.sdk.trace import TracerProvider
from temporalio.api.common.v1 import Payload
from temporalio.client import OutboundInterceptor, StartWorkflowInput

from pointsman.telemetry import trace_header
from pointsman.telemetry.asking import asking_interceptor
from pointsman.telemetry.span import SpanContext
from pointsman.telemetry.trace_header import HEADER, TraceHeader

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
COLLECTOR = '[telemetry]\notlp_endpoint = "http://127.0.0.1:4318"\n'


class _Server(OutboundInterceptor):
    """Where the start of a workflow ends."""

    def __init__(self) -> None:
        self.headers: Any = None

    async def start_workflow(self, input: StartWorkflowInput) -> Any:  # noqa: A002
        self.headers = input.headers


async def sent(
    environ: dict[str, str], workflow: str = "RouteAndAnswer", headers: Mapping[str, Payload] | None = None
) -> TraceHeader | None:
    """The header of a question that is asked in this environment."""
    server = _Server()

    class Input:
        def __init__(self) -> None:
            self.workflow, self.headers = workflow, headers or {}

    await asking_interceptor(environ).intercept_client(server).start_workflow(cast("StartWorkflowInput", Input()))
    assert HEADER in server.headers or server.headers == {}
    return trace_header.read(server.headers)


def config(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "router.toml"
    path.write_text(text, encoding="utf-8")
    return {"POINTSMAN_CONFIG": str(path)}


async def test_without_a_trace_or_a_collector_nothing_is_added(tmp_path: Path) -> None:
    assert await sent({}) is None
    assert await sent(config(tmp_path, '[telemetry]\nlisten = "127.0.0.1:0"\n')) is None
    assert await sent({"TRACEPARENT": "junk"}) is None


async def test_a_trace_of_the_environment_is_joined() -> None:
    header = await sent({"TRACEPARENT": f"00-{TRACE}-{SPAN}-01"})
    assert header is not None
    assert (header.context.trace_id, header.asked_in, header.context.sampled) == (TRACE, SPAN, True)
    assert header.context.span_id != SPAN
    assert header.asked_at_ns is not None


async def test_an_active_span_is_joined_before_that_of_the_environment() -> None:
    with TracerProvider(shutdown_on_exit=False).get_tracer("t").start_as_current_span("s") as active:
        header = await sent({"TRACEPARENT": f"00-{TRACE}-{SPAN}-01"})
    assert header is not None
    assert header.asked_in == f"{active.get_span_context().span_id:016x}"


async def test_a_collector_in_the_configuration_begins_a_trace_and_its_ratio_holds(tmp_path: Path) -> None:
    header = await sent(config(tmp_path, COLLECTOR))
    assert header is not None
    assert (header.asked_in, header.context.sampled) == (None, True)
    header = await sent(config(tmp_path, f"{COLLECTOR}sampling_ratio = 0\n"))
    assert header is not None
    assert not header.context.sampled


@pytest.mark.parametrize("text", ["not = = toml", COLLECTOR + "unknown = 1\n", "telemetry = 3\n"])
async def test_a_configuration_that_cannot_be_used_stops_no_question(tmp_path: Path, text: str) -> None:
    assert await sent(config(tmp_path, text)) is None


async def test_a_header_of_another_tracer_stays_and_other_workflows_get_none() -> None:
    environ = {"TRACEPARENT": f"00-{TRACE}-{SPAN}-01"}
    assert await sent(environ, "ProviderHealth") is None
    theirs = TraceHeader(SpanContext("1" * 32, "2" * 16)).added_to({})
    assert await sent(environ, headers=theirs) == trace_header.read(theirs)
