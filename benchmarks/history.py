"""What a workflow costs: its events, and the actions that Temporal Cloud bills for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client

_ONE_ACTION = {
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
    EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
    EventType.EVENT_TYPE_TIMER_STARTED,
    EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
}
_LOCAL_ACTIVITY = "core_local_activity"


@dataclass(frozen=True)
class Expense:
    """Events and billable actions. Heartbeats and queries leave no event; a question that ends at once makes none."""

    events: int
    actions: int


async def expense(client: Client, workflow_id: str) -> Expense:
    """Counted from the history of a workflow that has ended."""
    events = [event async for event in client.get_workflow_handle(workflow_id).fetch_history_events()]
    return Expense(len(events), actions(events))


def actions(events: Iterable[HistoryEvent]) -> int:
    """One for each thing that is scheduled or sent, one for each retry, one for all local activities of a task."""
    count = 0
    tasks_with_local_activities: set[int] = set()
    for event in events:
        if event.event_type in _ONE_ACTION:
            count += 1
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
            count += event.activity_task_started_event_attributes.attempt - 1
        elif event.event_type == EventType.EVENT_TYPE_MARKER_RECORDED:
            marker = event.marker_recorded_event_attributes
            if marker.marker_name == _LOCAL_ACTIVITY:
                tasks_with_local_activities.add(marker.workflow_task_completed_event_id)
    return count + len(tasks_with_local_activities)
