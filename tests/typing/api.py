"""Never run, only type-checked: what callers may write, and the types they get."""

from __future__ import annotations

from typing import assert_type

from temporalio.client import Client, WorkflowHandle

from pointsman import Answer, Question, RouteAndAnswer, RouterClient, Status
from pointsman.contract import TASK_QUEUE


async def typed_client(client: RouterClient) -> None:
    assert_type(await client.ask("hello", max_cost_usd=0.1), Answer)
    assert_type(await client.start(Question(prompt="hello"), id="q-1"), str)
    assert_type((await client.status("q-1")).status, Status)


async def typed_workflow(client: Client) -> None:
    handle = await client.start_workflow(RouteAndAnswer.run, Question(prompt="hello"), id="q-1", task_queue=TASK_QUEUE)
    assert_type(handle, WorkflowHandle[RouteAndAnswer, Answer])
    assert_type(await handle.query(RouteAndAnswer.status), Status)
