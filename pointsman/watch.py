"""Whether anybody can still finish a question: what a client looks at while it waits for the answer (decision 8)."""

from __future__ import annotations

import asyncio
import time
from typing import Any, NoReturn

from temporalio.api.enums.v1 import PendingWorkflowTaskState, TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from pointsman.contract import TASK_QUEUE
from pointsman.errors import NoWorker
from pointsman.server_faults import server_fault, steadily

START_ONE = "start one with `python -m workers` or `make dev`"

_LOOK_EVERY_S = 1.0
_LOOK_LATER_EVERY_S = 5.0
_NO_POLLER_AFTER_S = 1.0
_NOT_TAKEN_AFTER_S = 10.0
_PROMPT_ATTEMPTS = 2
"""From the third on the server itself lets a step wait: workers took it and failed."""


async def until_abandoned(client: Client, handle: WorkflowHandle[Any, Any]) -> NoReturn:
    """Raise `NoWorker` once a step of the question waits and no worker takes it, or no worker polls any more.

    While a question waits for a provider or a person it has no such step. It has one when its deadline passes, so that
    a caller hears within seconds of it that the last worker has died, which the server's list of workers hides for
    minutes.
    """
    # The first look comes after a while: most questions have their answer by then and cost no further request.
    await asyncio.sleep(_LOOK_EVERY_S)
    seen: tuple[int, int] | None = None
    since = time.monotonic()
    while True:
        try:
            step = await _waiting_step(handle)
        except RPCError:
            # Whoever waits for the result hears of a server that has gone.
            await asyncio.sleep(_LOOK_EVERY_S)
            continue
        if step != seen:
            seen, since = step, time.monotonic()
        waited_s = time.monotonic() - since
        if step is not None and waited_s >= _NOT_TAKEN_AFTER_S:
            raise NoWorker(f"no worker has taken the question for {_NOT_TAKEN_AFTER_S:.0f} s; {START_ONE}")
        if step is None or waited_s >= _NO_POLLER_AFTER_S:
            await require_worker(client)
        await asyncio.sleep(_LOOK_LATER_EVERY_S if step is None else _LOOK_EVERY_S)


async def require_worker(client: Client) -> None:
    """Return if a worker has asked for questions in the last minutes.

    Raises:
        NoWorker: none has.
    """
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=TASK_QUEUE),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    try:
        described = await steadily(lambda: client.workflow_service.describe_task_queue(request))
    except RPCError as fault:
        if fault.status is RPCStatusCode.UNIMPLEMENTED:
            return  # a test server that cannot tell
        raise server_fault(fault) from fault
    if not described.pollers:
        raise NoWorker(f"no worker polls the task queue {TASK_QUEUE!r}; {START_ONE}")


async def _waiting_step(handle: WorkflowHandle[Any, Any]) -> tuple[int, int] | None:
    """When the step was scheduled that no worker has taken yet, if there is one."""
    described = (await handle.describe()).raw_description
    task = described.pending_workflow_task
    waits = task.state == PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED
    if not described.HasField("pending_workflow_task") or not waits or task.attempt > _PROMPT_ATTEMPTS:
        return None
    return task.scheduled_time.seconds, task.scheduled_time.nanos
