"""A provider's worker that lacks the key of a call: nothing was sent, so nothing is billed, and the call waits."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from pointsman import Answer, QuestionFailed, RouterClient
from pointsman.encoding.keys import Key, KeyRing
from pointsman.encoding.payloads import Payloads
from pointsman.plugin import PointsmanPlugin
from tests.fakes import Fleet
from tests.workflows.conftest import configuration
from workers.settings import Settings
from workers.wiring import build, make_completers

pytestmark = pytest.mark.asyncio(loop_scope="module")
OLD, NEW = Key("old", bytes(32)), Key("new", bytes(range(32)))
PROVIDER = "alpha"


async def _client(env: WorkflowEnvironment, *keys: Key) -> Client:
    """A connection of its own: one connection serves a task queue once."""
    plugin = PointsmanPlugin(Payloads(keys=KeyRing(keys, "KEYS")))
    return await Client.connect(env.client.service_client.config.target_host, plugins=[plugin])


async def _workers(client: Client, fleet: Fleet) -> dict[str, Worker]:
    settings = Settings(configuration(query_types={}), {})
    built = await build(client, settings, make_completers(settings, fleet.make))
    return {worker.task_queue: worker for worker in built}


async def _ask(client: Client, question_id: str, **fields: Any) -> Answer:
    return await RouterClient(client).ask("hello there", id=question_id, allow=[PROVIDER], **fields)


async def test_a_call_that_no_worker_can_read_waits_for_one_that_can(env: WorkflowEnvironment) -> None:
    fleet, rich = Fleet(), await _client(env, NEW, OLD)
    questions = (await _workers(rich, fleet))["pointsman"]
    poor = (await _workers(await _client(env, OLD), fleet))[f"pointsman-provider-{PROVIDER}"]
    reader = (await _workers(await _client(env, NEW, OLD), fleet))[f"pointsman-provider-{PROVIDER}"]
    async with questions:
        async with poor:
            asked = asyncio.create_task(_ask(rich, "unread", deadline_s=3600))
            await _until_refused(rich, "unread")
        async with reader:
            answer = await asked
    assert answer.provider == PROVIDER
    assert [attempt.outcome for attempt in answer.attempts] == ["answered"]


async def test_where_none_comes_the_question_ends_at_its_deadline_and_says_why(env: WorkflowEnvironment) -> None:
    fleet, rich = Fleet(), await _client(env, NEW, OLD)
    questions = (await _workers(rich, fleet))["pointsman"]
    poor = (await _workers(await _client(env, OLD), fleet))[f"pointsman-provider-{PROVIDER}"]
    async with questions, poor:
        with pytest.raises(QuestionFailed, match="had the key, or the folder, to read it") as failed:
            await _ask(rich, "unread-for-good", deadline_s=5)
    assert failed.value.failure_type == "DeadlineExceeded"
    assert failed.value.attempts == ()


async def _until_refused(client: Client, question_id: str) -> None:
    """Wait until the call has failed at a worker at least once."""
    handle = client.get_workflow_handle(question_id)
    while True:
        await asyncio.sleep(0.05)
        with suppress(RPCError):  # not asked yet
            history = await handle.fetch_history()
            if any(event.HasField("activity_task_failed_event_attributes") for event in history.events):
                return
