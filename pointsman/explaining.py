"""Fetches a question's history and tells its way: no worker is needed, only the server that keeps the history."""

from __future__ import annotations

from datetime import UTC, datetime

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.service import RPCError

from pointsman.contract import RouteAndAnswer
from pointsman.errors import UnknownQuestion
from pointsman.server_faults import question_fault, steadily
from pointsman.story.history import read_facts, workflow_type
from pointsman.story.story import Story


async def explained(client: Client, question_id: str) -> Story:
    """The story of a question: one that runs, or has ended in any way.

    Raises:
        UnknownQuestion: no workflow has this id, its history has been deleted, or it is no question.
        NoServer: the server does not answer.
    """
    try:
        events = await steadily(lambda: _events(client, question_id))
    except RPCError as fault:
        raise question_fault(question_id, fault) from fault
    facts = await read_facts(events, client.data_converter)
    return Story.of(question_id, facts, now=datetime.now(UTC))


async def _events(client: Client, question_id: str) -> list[HistoryEvent]:
    events: list[HistoryEvent] = []
    async for event in client.get_workflow_handle(question_id).fetch_history_events():
        if not events and workflow_type(event) != RouteAndAnswer.__name__:
            # Before the rest is fetched: an entity's history holds thousands of events.
            raise UnknownQuestion(f"the workflow {question_id!r} is no question but a {workflow_type(event)}")
        events.append(event)
    return events
