"""A question's trace: one tree from its asking to its provider, told once however often the workflow is replayed."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from temporalio.client import Client
from temporalio.worker import Replayer

from activities.process_telemetry import ProcessTelemetry
from pointsman import Answer, QuestionCancelled, QuestionFailed, RouterClient
from pointsman.connection import DATA_CONVERTER
from pointsman.telemetry import span
from pointsman.telemetry.asking import asking_interceptor
from pointsman.telemetry.instruments import Instruments
from pointsman.telemetry.span import FinishedSpan
from pointsman.telemetry.tracing import tracing_interceptor
from tests.fakes import HANG, Later, failing, reply
from tests.workflows.conftest import Pointsman, configuration
from tests.workflows.test_answering import PLAIN_EVENTS
from workers.telemetry.spans import ExportedSpans
from workers.wiring import SANDBOX
from workflows.route_and_answer import RouteAndAnswer

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ASKER = "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{ASKER}-01"
CANARY = "the canary sings at dawn"
PATIENCE_S = 20.0


@dataclass
class Traced:
    """A Pointsman whose spans are kept in memory, and a client that asks within a trace."""

    pointsman: Pointsman
    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)
    telemetry: ProcessTelemetry = field(default_factory=ProcessTelemetry)

    def __post_init__(self) -> None:
        self.telemetry.spans = ExportedSpans(SimpleSpanProcessor(self.exporter), Resource.get_empty())

    def client(self, **environ: str) -> RouterClient:
        config = self.pointsman.env.client.config()
        config["interceptors"] = [asking_interceptor(environ)]
        return RouterClient(Client(**config))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def of(self, name: str) -> list[ReadableSpan]:
        return [found for found in self.spans if found.name == name]

    def one(self, name: str) -> ReadableSpan:
        (found,) = self.of(name)
        return found

    async def until(self, name: str, count: int) -> list[ReadableSpan]:
        """Wait for spans that end after their question."""
        give_up = time.monotonic() + PATIENCE_S
        while len(self.of(name)) < count:
            assert time.monotonic() < give_up, [found.name for found in self.spans]
            await asyncio.sleep(0.02)
        return self.of(name)


def told(found: ReadableSpan) -> Mapping[str, Any]:
    return found.attributes or {}


def ids(found: ReadableSpan) -> tuple[str, str | None]:
    assert found.context is not None
    parent = None if found.parent is None else f"{found.parent.span_id:016x}"
    return f"{found.context.span_id:016x}", parent


def tree(spans: tuple[ReadableSpan, ...]) -> set[tuple[str, str | None]]:
    """Every span's name with that of its parent."""
    names = {ids(found)[0]: found.name for found in spans}
    return {(found.name, names.get(ids(found)[1] or "", ids(found)[1])) for found in spans}


def nothing_is_told_twice(spans: tuple[ReadableSpan, ...]) -> None:
    assert [span_id for span_id, count in Counter(ids(found)[0] for found in spans).items() if count > 1] == []


async def test_a_plain_question_is_one_tree_from_its_asker_to_its_provider(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    await pointsman.serve(telemetry=traced.telemetry)
    question_id = await traced.client(TRACEPARENT=PARENT).start(CANARY)
    handle = pointsman.env.client.get_workflow_handle(question_id, result_type=Answer)
    answer = await handle.result()
    assert tree(traced.spans) == {
        ("ask", ASKER),
        ("RouteAndAnswer", "ask"),
        ("classify", "RouteAndAnswer"),
        ("score", "RouteAndAnswer"),
        ("complete", "RouteAndAnswer"),
        ("chat model-2026-01-01", "complete"),
    }
    nothing_is_told_twice(traced.spans)
    assert {f"{found.context.trace_id:032x}" for found in traced.spans if found.context is not None} == {TRACE}
    history = await handle.fetch_history()
    assert len(history.events) == len(PLAIN_EVENTS)

    call = told(traced.one("chat model-2026-01-01"))
    assert call["gen_ai.operation.name"] == "chat"
    assert call["gen_ai.system"] == call["gen_ai.provider.name"] == "openai"
    assert call["gen_ai.request.model"] == call["gen_ai.response.model"] == "model-2026-01-01"
    assert (call["gen_ai.usage.input_tokens"], call["gen_ai.usage.output_tokens"]) == (10, 5)
    assert call["gen_ai.response.finish_reasons"] == ("stop",)
    assert (call["pointsman.route_reason"], call["pointsman.hedged"], call["pointsman.attempt"]) == (
        "primary",
        False,
        1,
    )
    assert (call["pointsman.provider"], call["pointsman.workflow_id"]) == (answer.provider, question_id)
    assert "pointsman.breaker_generation" in call
    assert "error.type" not in call
    assert told(traced.one("RouteAndAnswer"))["pointsman.cost_usd"] == answer.cost_usd
    assert CANARY not in "".join(found.to_json() for found in traced.spans)


async def test_the_ids_follow_from_workflow_run_and_activity_and_a_replay_tells_nothing(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    await pointsman.serve(telemetry=traced.telemetry)
    question_id = await traced.client(TRACEPARENT=PARENT).start("hello")
    handle = pointsman.env.client.get_workflow_handle(question_id, result_type=Answer)
    await handle.result()
    run_id = (await handle.describe()).run_id
    own = span.SpanContext(TRACE, span.workflow_span_id(question_id, run_id))
    assert ids(traced.one("RouteAndAnswer"))[0] == own.span_id
    for name in ("classify", "score", "complete"):
        number = str(told(traced.one(name))["temporalActivityID"])
        assert ids(traced.one(name))[0] == own.child("activity", question_id, run_id, number, "1").span_id

    before = len(traced.spans)
    replayer = Replayer(
        workflows=[RouteAndAnswer],
        data_converter=DATA_CONVERTER,
        workflow_runner=SANDBOX,
        interceptors=[tracing_interceptor(traced.telemetry)],
    )
    for _ in range(2):
        await replayer.replay_workflow(await handle.fetch_history())
    assert len(traced.spans) == before


async def test_both_legs_of_a_hedge_stand_in_the_tree_and_the_loser_is_cancelled(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    pointsman.fleet.script("alpha", HANG)
    pointsman.fleet.script("beta", Later(0.05, reply("second")))
    chain = {"chain": ["alpha", "beta"], "order": "chain", "hedge": True}
    await pointsman.serve(
        configuration(query_types={"analysis": chain}, providers={"alpha": {"latency": {"p50_ms": 10, "p95_ms": 250}}}),
        telemetry=traced.telemetry,
    )
    answer = await traced.client(TRACEPARENT=PARENT).ask("hello there")
    assert answer.hedge_won
    calls = {told(one)["pointsman.provider"]: one for one in await traced.until("chat model-2026-01-01", 2)}
    lost, won = told(calls["alpha"]), told(calls["beta"])
    assert (lost["pointsman.outcome"], lost["error.type"], lost["pointsman.route_reason"]) == (
        "cancelled",
        "cancelled",
        "primary",
    )
    assert (won["pointsman.outcome"], won["pointsman.hedged"], won["pointsman.route_reason"]) == (
        "answered",
        True,
        "hedge",
    )
    legs = await traced.until("complete", 2)
    assert {ids(one)[1] for one in legs} == {ids(traced.one("RouteAndAnswer"))[0]}
    assert {ids(calls[name])[1] for name in calls} == {ids(leg)[0] for leg in legs}
    assert told(traced.one("RouteAndAnswer"))["pointsman.hedged"] is True
    nothing_is_told_twice(traced.spans)


async def test_a_question_that_fails_shows_every_attempt_and_the_kind_of_its_failure(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    for provider in ("alpha", "beta", "gamma"):
        pointsman.fleet.script(provider, failing())
    await pointsman.serve(telemetry=traced.telemetry)
    with pytest.raises(QuestionFailed) as failure:
        await traced.client(TRACEPARENT=PARENT).ask(CANARY)
    calls = [told(one) for one in traced.of("chat model-2026-01-01")]
    asked = [(call["pointsman.provider"], call["pointsman.attempt"]) for call in calls]
    assert asked == [(row.provider, row.attempt) for row in failure.value.attempts]
    assert {(call["error.type"], call["pointsman.error_class"]) for call in calls} == {("http_503", "failure")}
    assert {call["pointsman.route_reason"] for call in calls} == {"primary", "fallback:failure"}
    question = traced.one("RouteAndAnswer")
    assert question.status.description == failure.value.failure_type == "AllProvidersFailed"
    assert told(question)["pointsman.outcome"] == "failed"
    nothing_is_told_twice(traced.spans)
    assert CANARY not in "".join(found.to_json() for found in traced.spans)


async def test_a_cancelled_question_is_told_as_one_and_only_once(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    pointsman.fleet.script("alpha", HANG)
    await pointsman.serve(telemetry=traced.telemetry)
    client = traced.client(TRACEPARENT=PARENT)
    question_id = await client.start("hello")
    await asyncio.wait_for(pointsman.fleet.completers["alpha"].called.wait(), PATIENCE_S)
    assert traced.of("RouteAndAnswer") == []
    await client.cancel(question_id)
    with pytest.raises(QuestionCancelled):
        await client.answer(question_id)
    (ended,) = await traced.until("RouteAndAnswer", 1)
    assert told(ended)["pointsman.outcome"] == "cancelled"
    await traced.until("complete", 1)
    nothing_is_told_twice(traced.spans)


async def test_a_question_whose_asker_traces_nothing_is_a_trace_of_its_own(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    await pointsman.serve(telemetry=traced.telemetry)
    await traced.client().ask("hello")
    assert ("RouteAndAnswer", None) in tree(traced.spans)
    assert traced.of("ask") == []
    assert len({found.context.trace_id for found in traced.spans if found.context is not None}) == 1


async def test_what_is_not_sampled_is_not_told_and_the_askers_word_goes_first(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    traced.telemetry.sampling_ratio = 0.0
    await pointsman.serve(telemetry=traced.telemetry)
    await traced.client().ask("hello")
    await traced.client(TRACEPARENT=f"00-{TRACE}-{ASKER}-00").ask("hello")
    assert traced.spans == ()
    await traced.client(TRACEPARENT=PARENT).ask("hello")
    assert len(traced.of("RouteAndAnswer")) == 1


async def test_prompt_and_answer_are_told_only_where_that_is_switched_on(pointsman: Pointsman) -> None:
    traced = Traced(pointsman)
    traced.telemetry.record_content = True
    pointsman.fleet.script("alpha", reply("what it said"))
    await pointsman.serve(telemetry=traced.telemetry)
    await traced.client(TRACEPARENT=PARENT).ask(CANARY)
    call = told(traced.one("chat model-2026-01-01"))
    assert json.loads(call["gen_ai.input.messages"])[-1]["content"] == CANARY
    assert call["gen_ai.output.messages"] == "what it said"


class Broken:
    """Fails at everything that it is told."""

    def emit(self, span: FinishedSpan) -> None:
        raise RuntimeError(span.name)

    def write(self, line: str) -> None:
        raise OSError(line)


async def test_telemetry_that_fails_costs_no_question(pointsman: Pointsman) -> None:
    broken = ProcessTelemetry(spans=Broken(), decisions=Broken())
    await pointsman.serve(telemetry=broken)
    assert (await pointsman.ask("hello")).text == "ok"


@dataclass
class Lines:
    """A decision log in memory."""

    lines: list[str] = field(default_factory=list[str])

    def write(self, line: str) -> None:
        self.lines.append(line)


async def test_a_decision_and_the_end_of_a_question_are_told_once_however_often_it_is_replayed(
    pointsman: Pointsman,
) -> None:
    reader, lines = InMemoryMetricReader(), Lines()
    meter = MeterProvider([reader], shutdown_on_exit=False).get_meter("pointsman")
    pointsman.fleet.script("alpha", failing(), reply("second"))
    await pointsman.serve(telemetry=ProcessTelemetry(instruments=Instruments(meter), decisions=lines))
    answer = await pointsman.ask("hello")
    (line,) = lines.lines
    assert json.loads(line)["choice"]["provider"] == answer.provider
    data = reader.get_metrics_data()
    assert data is not None
    counted = {
        metric.name: [
            (dict(point.attributes or {}), getattr(point, "value", None)) for point in metric.data.data_points
        ]
        for metric in data.resource_metrics[0].scope_metrics[0].metrics
    }
    assert counted["pointsman.questions"] == [({"outcome": "answered", "failure": "none"}, 1)]
    assert [value for _, value in counted["pointsman.decisions"] if value] == [1]
    assert sum(value or 0 for _, value in counted["pointsman.calls"]) == 2
