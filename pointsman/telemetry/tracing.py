"""The worker's interceptor: one trace for each question, its workflow and activities, told once whatever is replayed.

    Worker(client, ..., interceptors=[tracing_interceptor(observer)])

Nothing here draws on the workflow's clock, random source or commands: with it histories hold a header more, and nothing
else. Only questions and their shadows are traced; the entities, which run for ever, are not.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from temporalio import activity, workflow
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    Interceptor,
    StartActivityInput,
    StartChildWorkflowInput,
    StartLocalActivityInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)

from pointsman.call import ProviderCall
from pointsman.messages import Answer
from pointsman.telemetry import span, trace_header
from pointsman.telemetry.span import CURRENT, FinishedSpan, Place, SpanContext, Value
from pointsman.telemetry.trace_header import TraceHeader

QUESTION = "RouteAndAnswer"
TRACED = frozenset({QUESTION, "ShadowQuestion"})
CANCELLED = "cancelled"
_NONE = "none"
_EXTERN = "pointsman_workflow_ended"
_RATIO = "pointsman_sampling_ratio"
_HEDGE = "hedge"


@dataclass(frozen=True)
class WorkflowEnd:
    """A traced workflow has ended; told once by the process in which it did, and never by a replay."""

    workflow_type: str
    workflow_id: str
    run_id: str
    started_ns: int
    context: SpanContext | None
    """`None` where nobody traces."""
    header: TraceHeader | None
    outcome: str
    """answered, reviewed, failed or cancelled."""
    failure: str
    """The type of its failure, or none."""
    attributes: dict[str, Value]


class Observer(Protocol):
    """What the interceptor tells: outside of the sandbox, on the worker's threads; it neither waits nor raises."""

    @property
    def traces(self) -> bool:
        """Whether spans go anywhere; else no header is written."""
        ...

    @property
    def sampling_ratio(self) -> float:
        """Share of the questions that are traced, where the asker has not decided it."""
        ...

    def emit(self, span: FinishedSpan) -> None:
        """Take the span of an activity."""
        ...

    def workflow_ended(self, end: WorkflowEnd) -> None:
        """Take the end of a question, or of a shadow."""
        ...


@runtime_checkable
class Routed(Protocol):
    """A workflow that knows why it asks whom it asks now."""

    @property
    def route_reason(self) -> str:
        """Such as primary, or fallback:failure."""
        ...


def tracing_interceptor(observer: Observer) -> Interceptor:
    """For every worker of a process; a replayer that has one tells nothing."""
    return _Tracing(observer)


def spans_of(end: WorkflowEnd, now_ns: int) -> list[FinishedSpan]:
    """The span of a workflow that has ended, and before it the one of its asking, where its client left that to us."""
    if end.context is None:
        return []
    ended_ns = max(now_ns, end.started_ns)
    error = None if end.failure == _NONE else end.failure
    header = end.header
    about: dict[str, Value] = {
        "temporalWorkflowID": end.workflow_id,
        "temporalRunID": end.run_id,
        "pointsman.outcome": end.outcome,
        **end.attributes,
    }
    parent_id = None if header is None else header.context.span_id
    own = FinishedSpan(end.workflow_type, end.context, parent_id, end.started_ns, ended_ns, "server", about, error)
    if header is None or header.asked_at_ns is None:
        return [own]
    asked_ns = min(header.asked_at_ns, ended_ns)
    told: dict[str, Value] = {"temporalWorkflowID": end.workflow_id, "pointsman.outcome": end.outcome}
    return [FinishedSpan("ask", header.context, header.asked_in, asked_ns, ended_ns, "client", told, error), own]


class _Tracing(Interceptor):
    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002
        return _Activities(next, self._observer) if self._observer.traces else next

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002 - the SDK's name
    ) -> type[WorkflowInboundInterceptor]:
        ratio = self._observer.sampling_ratio if self._observer.traces else None
        input.unsafe_extern_functions.update({_EXTERN: self._observer.workflow_ended, _RATIO: lambda: ratio})
        return _Workflows


class _Activities(ActivityInboundInterceptor):
    def __init__(self, following: ActivityInboundInterceptor, observer: Observer) -> None:
        super().__init__(following)
        self._observer = observer

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002
        header = trace_header.read(input.headers)
        if header is None:
            return await super().execute_activity(input)
        info = activity.info()
        number = (info.workflow_id or "", info.workflow_run_id or "", info.activity_id, str(info.attempt))
        context = header.context.child("activity", *number)
        CURRENT.set(Place(context, header.reason))
        started_ns, error = time.time_ns(), None
        try:
            return await super().execute_activity(input)
        except BaseException as fault:
            error = _error(fault)
            raise
        finally:
            about: dict[str, Value] = {
                "temporalWorkflowID": info.workflow_id or "",
                "temporalRunID": info.workflow_run_id or "",
                "temporalActivityID": info.activity_id,
                "pointsman.attempt": info.attempt,
            }
            if error is not None:
                about["error.type"] = error
            ended_ns = time.time_ns()
            parent_id = header.context.span_id
            self._observer.emit(
                FinishedSpan(info.activity_type, context, parent_id, started_ns, ended_ns, "server", about, error)
            )


class _Workflows(WorkflowInboundInterceptor):
    _header: TraceHeader | None = None
    _context: SpanContext | None = None

    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        super().init(_Outbound(outbound, self))

    @property
    def context(self) -> SpanContext | None:
        """The span of this workflow; `None` where it is not traced."""
        return self._context

    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:  # noqa: A002
        info = workflow.info()
        if info.workflow_type not in TRACED:
            return await super().execute_workflow(input)
        self._header = trace_header.read(input.headers)
        ratio = workflow.extern_functions()[_RATIO]()
        if ratio is not None:
            self._context = _context(self._header, info.workflow_id, info.run_id, ratio)
        try:
            result = await super().execute_workflow(input)
        except Exception as fault:
            self._ended(CANCELLED if is_cancelled_exception(fault) else "failed", _error(fault), {})
            raise
        except asyncio.CancelledError:
            # A workflow that is only taken from memory ends so too.
            if workflow.cancellation_reason() is not None:
                self._ended(CANCELLED, CANCELLED, {})
            raise
        self._ended(*_told(result))
        return result

    def _ended(self, outcome: str, failure: str, attributes: dict[str, Value]) -> None:
        if workflow.unsafe.is_replaying_history_events():
            return
        info = workflow.info()
        end = WorkflowEnd(
            workflow_type=info.workflow_type,
            workflow_id=info.workflow_id,
            run_id=info.run_id,
            started_ns=int(info.workflow_start_time.timestamp() * 1e9),
            context=self._context,
            header=self._header,
            outcome=outcome,
            failure=failure,
            attributes=attributes,
        )
        with workflow.unsafe.sandbox_unrestricted():
            workflow.extern_functions()[_EXTERN](end)


class _Outbound(WorkflowOutboundInterceptor):
    def __init__(self, following: WorkflowOutboundInterceptor, inbound: _Workflows) -> None:
        super().__init__(following)
        self._inbound = inbound

    def start_activity(self, input: StartActivityInput) -> workflow.ActivityHandle[Any]:  # noqa: A002
        context = self._inbound.context
        if context is not None:
            input.headers = TraceHeader(context, reason=_reason(input.args)).added_to(input.headers)
        return super().start_activity(input)

    def start_local_activity(self, input: StartLocalActivityInput) -> workflow.ActivityHandle[Any]:  # noqa: A002
        context = self._inbound.context
        if context is not None:
            input.headers = TraceHeader(context).added_to(input.headers)
        return super().start_local_activity(input)

    async def start_child_workflow(
        self,
        input: StartChildWorkflowInput,  # noqa: A002
    ) -> workflow.ChildWorkflowHandle[Any, Any]:
        context = self._inbound.context
        if context is not None:
            input.headers = TraceHeader(context).added_to(input.headers)
        return await super().start_child_workflow(input)


def _context(header: TraceHeader | None, workflow_id: str, run_id: str, ratio: float) -> SpanContext:
    if header is None:
        return span.root(workflow_id, run_id, ratio)
    return SpanContext(header.context.trace_id, span.workflow_span_id(workflow_id, run_id), header.context.sampled)


def _reason(arguments: Any) -> str | None:
    """Why a provider is called, by the workflow that calls it."""
    call = arguments[0] if arguments else None
    if not isinstance(call, ProviderCall) or call.purpose != "answer":
        return None
    asking = workflow.instance()
    if not isinstance(asking, Routed):
        return None
    return _HEDGE if call.hedge else asking.route_reason


def _told(result: Any) -> tuple[str, str, dict[str, Value]]:
    if not isinstance(result, Answer):
        return "answered", _NONE, {}
    told: dict[str, Value] = {
        "pointsman.provider": result.provider,
        "pointsman.model": result.model_requested,
        "pointsman.query_type": str(result.query_type),
        "pointsman.route_reason": result.route_reason,
        "pointsman.hedged": result.hedged,
        "pointsman.attempts": len(result.attempts),
        "pointsman.verified": result.verified,
    }
    if result.cost_usd is not None:
        told["pointsman.cost_usd"] = result.cost_usd
    return result.status, _NONE, told


def _error(fault: BaseException) -> str:
    """What kind of error it is; its words stay where it was raised."""
    if isinstance(fault, asyncio.CancelledError) or is_cancelled_exception(fault):
        return CANCELLED
    if isinstance(fault, ApplicationError) and fault.type:
        return fault.type
    if isinstance(fault, FailureError) and isinstance(fault.cause, ApplicationError) and fault.cause.type:
        return fault.cause.type
    return type(fault).__name__
