"""What histories say: how each run of a question ended, and which attempt ended each of its calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
)
from temporalio.exceptions import ApplicationError

from benchmarks.chaos.calls import Call
from pointsman.contract import RouteAndAnswer, Unanswered
from pointsman.messages import Answer
from pointsman.outcomes import Attempt
from pointsman.review import ReviewRecord

_SCHEDULED = EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED

How = Literal["completed", "failed", "timed_out", "cancelled"]

_ENDS: dict[EventType.ValueType, tuple[How, str]] = {
    EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED: ("completed", "activity_task_completed_event_attributes"),
    EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED: ("failed", "activity_task_failed_event_attributes"),
    EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT: ("timed_out", "activity_task_timed_out_event_attributes"),
    EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED: ("cancelled", "activity_task_canceled_event_attributes"),
}


@dataclass(frozen=True)
class Recorded:
    """An activity's end in a history: the attempt that ended it, and how."""

    call: Call
    how: How


@dataclass(frozen=True)
class Run:
    """One run of a question's workflow."""

    id: str
    run_id: str
    status: WorkflowExecutionStatus | None
    started_at: datetime
    closed_at: datetime | None
    answer: Answer | None = None
    failure_type: str | None = None
    attempts: tuple[Attempt, ...] | None = None
    """`None` where nothing tells of them: the run was cancelled, or is open."""
    cancel_requested: bool = False
    review_s: float = 0.0
    """For how long it waited for a person."""
    scheduled: Mapping[str, int] = field(default_factory=dict[str, int])
    """The activities that its history has scheduled: how many attempts each may have; 0 = any number."""
    recorded: tuple[Recorded, ...] = ()

    @property
    def took_s(self) -> float:
        """From its start to its end, by Temporal's clock; endless for one that is open."""
        return float("inf") if self.closed_at is None else (self.closed_at - self.started_at).total_seconds()


async def runs(client: Client) -> list[Run]:
    """Every run of every question, in the order of their starts."""
    found = [execution async for execution in client.list_workflows("WorkflowType = 'RouteAndAnswer'")]
    found.sort(key=lambda execution: execution.start_time)
    return [await _run(client, execution) for execution in found]


async def scheduled(client: Client, workflow_id: str) -> set[Call]:
    """The calls that all runs of a workflow have scheduled; the attempt is the first."""
    calls: set[Call] = set()
    async for execution in client.list_workflows(f"WorkflowId = '{workflow_id}'"):
        handle = client.get_workflow_handle(workflow_id, run_id=execution.run_id)
        async for event in handle.fetch_history_events():
            if event.event_type == _SCHEDULED:
                activity = event.activity_task_scheduled_event_attributes.activity_id
                calls.add(Call(workflow_id, activity, 1, execution.run_id))
    return calls


def recorded(workflow_id: str, run_id: str, events: Iterable[HistoryEvent]) -> tuple[Recorded, ...]:
    """The activities of a history that have ended."""
    activities: dict[int, str] = {}
    attempts: dict[int, int] = {}
    found: list[Recorded] = []
    for event in events:
        if event.event_type == _SCHEDULED:
            activities[event.event_id] = event.activity_task_scheduled_event_attributes.activity_id
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
            started = event.activity_task_started_event_attributes
            attempts[started.scheduled_event_id] = started.attempt
        elif event.event_type in _ENDS:
            how, attributes = _ENDS[event.event_type]
            place = getattr(event, attributes).scheduled_event_id
            if place in attempts:
                found.append(Recorded(Call(workflow_id, activities[place], attempts[place], run_id), how))
    return tuple(found)


async def _run(client: Client, execution: WorkflowExecution) -> Run:
    handle: WorkflowHandle[RouteAndAnswer, Answer] = client.get_workflow_handle_for(
        RouteAndAnswer.run, execution.id, run_id=execution.run_id
    )
    events = [event async for event in handle.fetch_history_events()]
    described = await handle.describe()
    told: dict[str, Any] = {}
    if described.status is not WorkflowExecutionStatus.RUNNING:
        try:
            answer = await handle.result(follow_runs=False)
            told = {"answer": answer, "attempts": answer.attempts, "review_s": _review_s(answer.review)}
        except WorkflowFailureError as failure:
            told = _failure(failure)
    return Run(
        execution.id,
        execution.run_id,
        described.status,
        described.start_time,
        described.close_time,
        cancel_requested=_has(events, EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED),
        scheduled=_scheduled(events),
        recorded=recorded(execution.id, execution.run_id, events),
        **told,
    )


def _failure(failure: WorkflowFailureError) -> dict[str, Any]:
    cause = failure.cause
    if not isinstance(cause, ApplicationError):
        return {"failure_type": type(cause).__name__}
    details: Sequence[Any] = cause.details
    if not details:
        return {"failure_type": cause.type}
    told = Unanswered.model_validate(details[0])
    return {"failure_type": cause.type, "attempts": told.attempts, "review_s": _review_s(told.review)}


def _review_s(review: ReviewRecord | None) -> float:
    return 0.0 if review is None else (review.decided_at - review.opened_at).total_seconds()


def _scheduled(events: Iterable[HistoryEvent]) -> dict[str, int]:
    asked = [event.activity_task_scheduled_event_attributes for event in events if event.event_type == _SCHEDULED]
    return {one.activity_id: one.retry_policy.maximum_attempts for one in asked}


def _has(events: Iterable[HistoryEvent], kind: EventType.ValueType) -> bool:
    return any(event.event_type == kind for event in events)
