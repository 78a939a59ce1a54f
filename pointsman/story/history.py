"""Reads the events of a question's history into facts, with the data converter of whoever reads.

What cannot be read, because it is encrypted with another key or comes from another version, becomes a fact of its own.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import EventType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent
from temporalio.converter import DataConverter

from pointsman import search_attributes
from pointsman.call import Completion, ProviderCall
from pointsman.contract import Status
from pointsman.decision import Decision
from pointsman.messages import Answer, Question
from pointsman.provider import task_queue
from pointsman.reconciliation import Reconciliation
from pointsman.review import Review
from pointsman.steps import Classified
from pointsman.story.facts import (
    Announced,
    Answered,
    Asked,
    CallCancelled,
    Called,
    CallEnded,
    CancelRequested,
    ClassifiedAs,
    Compared,
    Decided,
    Ended,
    EndKind,
    Fact,
    ReviewOpened,
    ReviewSent,
    ShadowStarted,
    StepFailed,
    TaskFailed,
    TimerFired,
    TimerSet,
    TokenAsked,
    Unreadable,
)
from pointsman.story.failures import UNTOLD, CallEnd, call_end, question_end, unread_call_end, unread_question_end
from pointsman.story.unread import OTHER_VERSION, why_unread

_T = TypeVar("_T")
_Read = Callable[[HistoryEvent, Any], Awaitable[None]]
_LOCAL_ACTIVITY = "core_local_activity"


async def read_facts(events: Iterable[HistoryEvent], converter: DataConverter) -> tuple[Fact, ...]:
    """The facts of a question's history, in the order of its events."""
    reader = _Reader(converter)
    for event in events:
        await reader.read(event)
    return tuple(reader.facts)


def workflow_type(first: HistoryEvent) -> str:
    """The type of the workflow whose first event this is."""
    return first.workflow_execution_started_event_attributes.workflow_type.name


class _Reader:
    """Takes one event after another."""

    def __init__(self, converter: DataConverter) -> None:
        self._converter = converter
        self.facts: list[Fact] = []
        self._types: dict[int, str] = {}
        """Of activities that are no calls, by the event that scheduled them."""
        self._started: dict[int, tuple[datetime, int, str]] = {}
        self._readers: dict[EventType.ValueType, _Read] = {
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED: self._asked,
            EventType.EVENT_TYPE_MARKER_RECORDED: self._local_step,
            EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED: self._scheduled,
            EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED: self._call_started,
            EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED: self._completed,
            EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED: self._failed,
            EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT: self._failed,
            EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED: self._was_cancelled,
            EventType.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED: self._cancelling,
            EventType.EVENT_TYPE_TIMER_STARTED: self._timer_set,
            EventType.EVENT_TYPE_TIMER_FIRED: self._timer_fired,
            EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: self._upserted,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED: self._updated,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED: self._signalled,
            EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED: self._shadowed,
            EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED: self._not_shadowed,
            EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED: self._task_failed,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED: self._cancel_requested,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED: self._answered,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED: self._ended_in_failure,
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED: self._ended_as("cancelled"),
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED: self._ended_as("terminated"),
            EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT: self._ended_as("timed_out"),
        }

    async def read(self, event: HistoryEvent) -> None:
        """Take in an event; one that says nothing of the question's way is passed over."""
        read = self._readers.get(event.event_type)
        if read is not None:
            await read(event, getattr(event, str(event.WhichOneof("attributes"))))

    def _tell(self, fact: Fact) -> None:
        self.facts.append(fact)

    async def _value(self, event: HistoryEvent, payloads: Iterable[Payload], type_: type[_T]) -> _T | None:
        """The first payload as this type, or `None` with a note where it cannot be read."""
        given = list(payloads)
        try:
            decoded = await self._converter.decode(given[:1], [type_])
        except Exception as fault:  # noqa: BLE001 - a codec or a model of any version may fail in any way
            self._tell(Unreadable(_time(event), type_.__name__, why_unread(fault)))
            return None
        if decoded and isinstance(decoded[0], type_):
            return decoded[0]
        if decoded:
            self._other_version(event, type_)
        return None

    def _other_version(self, event: HistoryEvent, type_: type) -> None:
        self._tell(Unreadable(_time(event), type_.__name__, OTHER_VERSION))

    async def _error(self, event: HistoryEvent, failure: Failure) -> BaseException | None:
        copied = Failure()
        copied.CopyFrom(failure)
        try:
            return await self._converter.decode_failure(copied)
        except Exception as fault:  # noqa: BLE001 - see `_value`
            self._tell(Unreadable(_time(event), Failure.__name__, why_unread(fault)))
            return None

    async def _message(self, event: HistoryEvent, failure: Failure) -> str:
        error = await self._error(event, failure)
        if error is None:
            return UNTOLD
        return str(getattr(error, "message", "")) or str(error) or "no reason given"

    async def _asked(self, event: HistoryEvent, told: Any) -> None:
        question = await self._value(event, told.input.payloads, Question)
        self._tell(Asked(_time(event), question, told.original_execution_run_id))

    async def _local_step(self, event: HistoryEvent, told: Any) -> None:
        if told.marker_name != _LOCAL_ACTIVITY:
            return
        meta = await self._value(event, told.details["data"].payloads, dict) if "data" in told.details else None
        step = str((meta or {}).get("activity_type", ""))
        if told.HasField("failure"):
            self._tell(StepFailed(_time(event), step, await self._message(event, told.failure)))
        elif "result" in told.details:
            await self._step_done(event, step, told.details["result"].payloads)

    async def _step_done(self, event: HistoryEvent, step: str, result: Iterable[Payload]) -> None:
        at = _time(event)
        match step:
            case "classify" if (classified := await self._value(event, result, Classified)) is not None:
                self._tell(ClassifiedAs(at, classified))
            case "score" if (decision := await self._value(event, result, Decision)) is not None:
                self._tell(Decided(at, decision))
            case "take_token" if (granted := await self._value(event, result, bool)) is not None:
                self._tell(TokenAsked(at, granted))
            case "reconcile" if (found := await self._value(event, result, Reconciliation)) is not None:
                self._tell(Compared(at, found))
            case _:
                pass

    async def _scheduled(self, event: HistoryEvent, told: Any) -> None:
        if told.activity_type.name != "complete":
            self._types[event.event_id] = told.activity_type.name
            return
        call = await self._value(event, told.input.payloads, ProviderCall)
        leg, at = event.event_id, _time(event)
        if call is None:
            # The queue is named for whom it serves.
            name = told.task_queue.name.removeprefix(task_queue(""))
            self._tell(Called(at, leg, name, "unknown model", "answer", hedge=False, hedge_delay_s=None))
            return
        candidate, delay_s = call.candidate, None if call.hedge else call.candidate.hedge_delay_s
        self._tell(Called(at, leg, candidate.provider, candidate.model, call.purpose, call.hedge, delay_s))

    async def _call_started(self, event: HistoryEvent, told: Any) -> None:
        before = await self._message(event, told.last_failure) if told.HasField("last_failure") else ""
        self._started[told.scheduled_event_id] = (_time(event), told.attempt, before)

    async def _completed(self, event: HistoryEvent, told: Any) -> None:
        if self._no_call(event, told, went_well=True):
            return
        completion = await self._value(event, told.result.payloads, Completion)
        self._call_ended(event, told, CallEnd("answered_unread") if completion is None else completion)

    async def _failed(self, event: HistoryEvent, told: Any) -> None:
        if self._no_call(event, told, went_well=False):
            return
        error = await self._error(event, told.failure)
        end = unread_call_end(told.failure) if error is None else call_end(error)
        if end.other_version is not None:
            self._other_version(event, end.other_version)
        self._call_ended(event, told, end)

    async def _was_cancelled(self, event: HistoryEvent, told: Any) -> None:
        if not self._no_call(event, told, went_well=False):
            self._call_ended(event, told, CallEnd("cancelled"))

    def _call_ended(self, event: HistoryEvent, told: Any, end: Completion | CallEnd) -> None:
        leg, at = told.scheduled_event_id, _time(event)
        started, attempt, before = self._started.get(leg, (None, 1, ""))
        if isinstance(end, Completion):
            self._tell(CallEnded(at, leg, end, started, attempt, before))
        else:
            self._tell(CallEnded(at, leg, end.outcome, started, attempt, before, end.left, end.untold))

    def _no_call(self, event: HistoryEvent, told: Any, *, went_well: bool) -> bool:
        kind = self._types.get(told.scheduled_event_id)
        if kind == "announce_review":
            self._tell(Announced(_time(event), went_well))
        return kind is not None

    async def _cancelling(self, event: HistoryEvent, told: Any) -> None:
        if told.scheduled_event_id not in self._types:
            self._tell(CallCancelled(_time(event), told.scheduled_event_id))

    async def _timer_set(self, event: HistoryEvent, told: Any) -> None:
        summary = ""
        if event.HasField("user_metadata") and event.user_metadata.HasField("summary"):
            summary = await self._value(event, [event.user_metadata.summary], str) or ""
        seconds = told.start_to_fire_timeout.ToTimedelta().total_seconds()
        self._tell(TimerSet(_time(event), told.timer_id, seconds, summary))

    async def _timer_fired(self, event: HistoryEvent, told: Any) -> None:
        self._tell(TimerFired(_time(event), told.timer_id))

    async def _upserted(self, event: HistoryEvent, told: Any) -> None:
        status = told.search_attributes.indexed_fields.get(search_attributes.STATUS.name)
        # Search attributes are never encrypted.
        if status is not None and json.loads(status.data or b"null") == Status.AWAITING_REVIEW.value:
            self._tell(ReviewOpened(_time(event)))

    async def _updated(self, event: HistoryEvent, told: Any) -> None:
        request = told.accepted_request.input
        if request.name == "review":
            self._tell(ReviewSent(_time(event), await self._review(event, request.args.payloads), by_signal=False))

    async def _signalled(self, event: HistoryEvent, told: Any) -> None:
        if told.signal_name == "submit_review":
            self._tell(ReviewSent(_time(event), await self._review(event, told.input.payloads), by_signal=True))

    async def _review(self, event: HistoryEvent, payloads: Iterable[Payload]) -> Review | None:
        return await self._value(event, payloads, Review)

    async def _shadowed(self, event: HistoryEvent, told: Any) -> None:
        self._tell(ShadowStarted(_time(event), told.workflow_execution.workflow_id))

    async def _not_shadowed(self, event: HistoryEvent, _told: Any) -> None:
        self._tell(ShadowStarted(_time(event), ""))

    async def _task_failed(self, event: HistoryEvent, told: Any) -> None:
        self._tell(TaskFailed(_time(event), await self._message(event, told.failure)))

    async def _cancel_requested(self, event: HistoryEvent, _told: Any) -> None:
        self._tell(CancelRequested(_time(event)))

    async def _answered(self, event: HistoryEvent, told: Any) -> None:
        self._tell(Answered(_time(event), await self._value(event, told.result.payloads, Answer)))

    async def _ended_in_failure(self, event: HistoryEvent, told: Any) -> None:
        error = await self._error(event, told.failure)
        if error is None:
            self._tell(unread_question_end(_time(event), told.failure))
            return
        ended, other_version = question_end(_time(event), error)
        if other_version is not None:
            self._other_version(event, other_version)
        self._tell(ended)

    def _ended_as(self, how: EndKind) -> _Read:
        async def ended(event: HistoryEvent, told: Any) -> None:
            self._tell(Ended(_time(event), how, message=getattr(told, "reason", "")))

        return ended


def _time(event: HistoryEvent) -> datetime:
    return event.event_time.ToDatetime(tzinfo=UTC)
