"""Traces of real processes at a real collector: whole where it takes them, else no concern of any question."""

from __future__ import annotations

import asyncio
import gzip
import signal
import socket
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.e2e.conftest import CANARY, PATIENCE_S, Site, new_site
from workers.embedded.scripted.script import Reply
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import free_port

TRACE, ASKER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PROMPT = "What does the heron say?"
ENDS_WITHIN_S = 20.0
"""A worker that is told to stop, the three seconds for its last spans and a busy machine included."""


@dataclass
class Collector:
    """Takes OTLP over HTTP."""

    address: str = ""
    spans: list[Span] = field(default_factory=list[Span])
    bodies: list[bytes] = field(default_factory=list[bytes])

    def of_trace(self, trace_id: str) -> dict[str, Span]:
        """The spans of a trace by name."""
        return {span.name: span for span in self.spans if span.trace_id.hex() == trace_id}

    def until(self, trace_id: str, count: int) -> dict[str, Span]:
        give_up = time.monotonic() + PATIENCE_S
        while len(found := self.of_trace(trace_id)) < count:
            assert time.monotonic() < give_up, sorted(found)
            time.sleep(0.05)
        return found


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    taken = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            taken.bodies.append(body)
            if self.path == "/v1/traces":
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    taken.spans.extend(span for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the method replaced
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    taken.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield taken
    server.shutdown()
    server.server_close()


@contextmanager
def silent() -> Generator[str]:
    """A collector that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def telemetry(endpoint: str) -> str:
    return f'\n[telemetry]\notlp_endpoint = "{endpoint}"\nexport_every_s = 1\n'


@pytest.fixture(scope="module")
def site(
    loop: asyncio.AbstractEventLoop,
    providers: ScriptedProviders,
    collector: Collector,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    with new_site(loop, providers, tmp_path_factory.mktemp("traces"), telemetry(collector.address)) as site:
        yield site


def test_a_question_of_the_command_line_is_one_trace_down_to_the_provider(
    site: Site, providers: ScriptedProviders, collector: Collector
) -> None:
    providers.script("alpha", Reply("croak"))
    worker = site.start_worker()
    inherited = site.cli("ask", PROMPT, TRACEPARENT=f"00-{TRACE}-{ASKER}-01")
    assert inherited.returncode == 0, inherited.stderr
    spans = collector.until(TRACE, 6)
    names = {span.span_id: name for name, span in spans.items()}
    assert {(name, names.get(span.parent_span_id, span.parent_span_id.hex())) for name, span in spans.items()} == {
        ("ask", ASKER),
        ("RouteAndAnswer", "ask"),
        ("classify", "RouteAndAnswer"),
        ("score", "RouteAndAnswer"),
        ("complete", "RouteAndAnswer"),
        ("chat gpt-5.2-2026-08-15", "complete"),
    }
    assert spans["ask"].start_time_unix_nano <= spans["chat gpt-5.2-2026-08-15"].start_time_unix_nano

    # The configuration names a collector, so a command that nobody traces begins a trace of its own.
    before = {span.trace_id for span in collector.spans}
    assert site.cli("ask", PROMPT).returncode == 0
    give_up = time.monotonic() + PATIENCE_S
    while not (fresh := [span for span in collector.spans if span.name == "ask" and span.trace_id not in before]):
        assert time.monotonic() < give_up
        time.sleep(0.05)
    assert fresh[0].parent_span_id == b""

    assert worker.signal(signal.SIGTERM) == 0
    told = b"".join(collector.bodies)
    assert b"pointsman.call.duration" in told
    for secret in (PROMPT, "croak", CANARY):
        assert secret.encode() not in told


@pytest.mark.parametrize("how", ["silent", "down"])
def test_a_collector_that_hangs_or_is_down_touches_no_question_and_lets_the_worker_end(
    site: Site, providers: ScriptedProviders, collector: Collector, how: str
) -> None:
    providers.script("alpha", Reply("croak"))
    text = site.config.read_text(encoding="utf-8")
    with silent() as address:
        endpoint = address if how == "silent" else f"http://127.0.0.1:{free_port(0)}"
        site.config.write_text(text.replace(collector.address, endpoint), encoding="utf-8")
        try:
            worker = site.start_worker()
            for _ in range(3):
                assert site.cli("ask", PROMPT).returncode == 0
            if how == "down":
                worker.until_said("telemetry does not arrive")
            started = time.monotonic()
            assert worker.signal(signal.SIGTERM) == 0
            assert time.monotonic() - started < ENDS_WITHIN_S
        finally:
            site.config.write_text(text, encoding="utf-8")
    assert worker.said().count("telemetry does not arrive") <= 1
    assert "Traceback" not in worker.said()
