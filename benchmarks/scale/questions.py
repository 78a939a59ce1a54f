"""What one question costs a cluster, by kind: read from the histories that the replay tests keep."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowHistory

from benchmarks.history import actions

HISTORIES = Path("tests/replay/histories")
KINDS = {
    "plain": "one answer at once",
    "retry": "one retry at the same provider",
    "fallback": "one free fallback",
    "charged_fallback": "two fallbacks, the second charged",
    "hedge_not_needed": "hedge armed, not fired",
    "hedge_won_by_second": "hedge fired and won",
    "throttled": "a degraded answer, then another's",
    "panel_agrees": "high stakes, two agree",
    "panel_majority": "high stakes, three, majority",
    "review_chosen": "high stakes, a person decides",
    "shadowed_question": "plain, with a shadow started",
    "shadow": "the shadow itself",
    "waited": "waited out an outage",
    "all_failed": "no answer",
}


@dataclass(frozen=True)
class Cost:
    """One question of a kind."""

    kind: str
    events: int
    history_bytes: int
    """Of all events as protocol buffers, payloads included: what a cluster stores and a replay reads."""
    actions: int
    tasks: int
    """Workflow tasks and activity tasks, each attempt of one: what matching has to hand out."""
    signals: int
    """To the question itself; reports of health are the fleet's."""


def costs() -> list[Cost]:
    """One row a kind, in the order of `KINDS`."""
    return [_cost(kind) for kind in KINDS]


def _handed_out(event: HistoryEvent) -> int:
    """How many tasks an event tells of that no event before it told of."""
    if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED:
        return event.activity_task_started_event_attributes.attempt - 1
    return event.event_type in (
        EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
        EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
    )


def _cost(kind: str) -> Cost:
    (path,) = HISTORIES.glob(f"{kind}-*.json")
    events = WorkflowHistory.from_json(kind, path.read_text(encoding="utf-8")).events
    types = [event.event_type for event in events]
    return Cost(
        kind=kind,
        events=len(events),
        history_bytes=sum(event.ByteSize() for event in events),
        actions=actions(events),
        tasks=sum(_handed_out(event) for event in events),
        signals=types.count(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED),
    )
