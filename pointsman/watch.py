"""Whether anybody can still finish a question: what a client looks at while it waits for the answer (decision 8)."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, NoReturn

from temporalio.api.enums.v1 import PendingWorkflowTaskState, TaskQueueType, VersioningBehavior, WorkerVersioningMode
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflow.v1 import WorkflowExecutionVersioningInfo
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, DescribeTaskQueueResponse
from temporalio.client import Client, WorkflowExecutionDescription, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from pointsman import search_attributes
from pointsman.contract import TASK_QUEUE, Status
from pointsman.errors import AwaitingReview, NoWorker
from pointsman.server_faults import server_fault, steadily

DECIDE = "read it with `pointsman reviews show {0}`, decide it with `pointsman reviews decide {0}`"
START_ONE = "start one with `python -m workers` or `make dev`"

_LOOK_EVERY_S = 1.0
_LOOK_LATER_EVERY_S = 5.0
_NO_POLLER_AFTER_S = 1.0
_EVENTS_OF_A_NEW_QUESTION = 2
_VERSIONED = WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED
_PROMPT_ATTEMPTS = 2
"""From the third on the server itself lets a step wait: workers took it and failed."""

NOBODY = 0
"""In place of a time: the server knows of no worker that has asked in the last minutes, or since its own restart."""
NOT_TAKEN_S = 12.0
"""A step first waits 10 s for the worker that knows the question; then any other may take it, and does so at once."""
SILENT_S = 80.0
"""An idle worker's request for work ends after a minute, at the latest after 70 s, and it makes the next."""


@dataclass
class Vigil:
    """What a client has seen of a question and its workers; the times of its looks are its own, all others Temporal's.

    The two clocks are never compared: they may be minutes apart.
    """

    what: str = "question"
    _waiting_since: float | None = None
    _asked_ns: int | None = None
    _asked_seen_at: float = field(default_factory=time.monotonic)

    def waits_s(self, at: float, scheduled_ns: int | None) -> float:
        """For how long each look has found a step that no worker had taken."""
        if scheduled_ns is None:
            self._waiting_since = None
            return 0.0
        if self._waiting_since is None:
            self._waiting_since = at
        return at - self._waiting_since

    def abandoned(self, at: float, scheduled_ns: int | None, asked_ns: int | None) -> str | None:
        """A sentence if no worker can be there; `asked_ns` is when one last asked for work, if the server tells."""
        waited_s = self.waits_s(at, scheduled_ns)
        if asked_ns != self._asked_ns:
            self._asked_ns, self._asked_seen_at = asked_ns, at
        if scheduled_ns is not None and waited_s >= NOT_TAKEN_S and (asked_ns is None or asked_ns < scheduled_ns):
            return f"no worker has taken the {self.what} for {NOT_TAKEN_S:.0f} s; {START_ONE}"
        if asked_ns is not None and at - self._asked_seen_at >= SILENT_S:
            return f"no worker has asked for work for {SILENT_S:.0f} s; {START_ONE}"
        return None


async def until_abandoned(
    client: Client,
    handle: WorkflowHandle[Any, Any],
    *,
    wait_review: bool = True,
    queue: str = TASK_QUEUE,
    what: str = "question",
) -> NoReturn:
    """Raise `NoWorker` once a step of the question waits and no worker takes it, or no worker asks for work any more.

    While a question waits for a provider it has no such step. It has one when its deadline passes, so that a caller
    hears soon after it that the last worker has died, which the server's list of workers hides for minutes. A question
    that waits for a person needs no worker meanwhile; without `wait_review` it raises `AwaitingReview`.
    """
    vigil = Vigil(what)
    # The first look comes after a while: most questions have their answer by then and cost no further request.
    await asyncio.sleep(_LOOK_EVERY_S)
    while True:
        try:
            found = await handle.describe()
        except RPCError:
            # Whoever waits for the result hears of a server that has gone.
            await asyncio.sleep(_LOOK_EVERY_S)
            continue
        scheduled_ns = _waiting_step(found)
        waited_s = vigil.waits_s(time.monotonic(), scheduled_ns)
        if scheduled_ns is None and _waits_for_a_person(found):
            # Not while a step is under way: it may be the one that takes the decision.
            if not wait_review and not found.raw_description.HasField("pending_workflow_task"):
                raise AwaitingReview(f"the question waits for a review: {DECIDE.format(handle.id)}")
            vigil = Vigil(what)
        elif scheduled_ns is None or waited_s >= _NO_POLLER_AFTER_S:
            described = await _described(client, queue)
            asked_ns = _last_asked(described)
            if asked_ns == NOBODY and found.history_length <= _EVENTS_OF_A_NEW_QUESTION:
                raise _no_worker(queue)
            abandoned = vigil.abandoned(time.monotonic(), scheduled_ns, asked_ns)
            if abandoned is None and described is not None and waited_s >= NOT_TAKEN_S:
                abandoned = unserved(found.raw_description.workflow_execution_info.versioning_info, described, what)
            if abandoned is not None:
                raise NoWorker(abandoned)
        await asyncio.sleep(_LOOK_LATER_EVERY_S if scheduled_ns is None else _LOOK_EVERY_S)


async def require_worker(client: Client, queue: str = TASK_QUEUE) -> None:
    """Return if a worker has asked for questions in the last minutes.

    Raises:
        NoWorker: none has.
    """
    if _last_asked(await _described(client, queue)) == NOBODY:
        raise _no_worker(queue)


def unserved(
    asked_of: WorkflowExecutionVersioningInfo, described: DescribeTaskQueueResponse, what: str = "question"
) -> str | None:
    """A sentence if workers are there and none is of the build whose turn it is, where builds have versions."""
    # A worker without a version has a build id too, which the SDK makes up.
    builds = {
        options.build_id if options.worker_versioning_mode == _VERSIONED else ""
        for options in (poller.deployment_options for poller in described.pollers)
    }
    pinned = asked_of.behavior == VersioningBehavior.VERSIONING_BEHAVIOR_PINNED
    current = described.versioning_info.current_deployment_version.build_id
    build = asked_of.deployment_version.build_id if pinned else current
    if build in builds or not builds or asked_of.HasField("versioning_override"):
        return None
    if not build:
        return (
            f"workers of the builds {', '.join(sorted(builds))} are there and none is the current one; "
            "make one so with `temporal worker deployment set-current-version`"
        )
    return f"no worker of the build {build!r} is there, whose turn it is with the {what}; start one of that build"


async def _described(client: Client, queue: str) -> DescribeTaskQueueResponse | None:
    """A queue and its workers; `None` where the server cannot tell."""
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    try:
        return await steadily(lambda: client.workflow_service.describe_task_queue(request))
    except RPCError as fault:
        if fault.status is RPCStatusCode.UNIMPLEMENTED:
            return None  # a test server
        raise server_fault(fault) from fault


def _last_asked(described: DescribeTaskQueueResponse | None) -> int | None:
    """When a worker last asked for work, by the server's clock; `None` where the server cannot tell."""
    if described is None:
        return None
    return max((poller.last_access_time.ToNanoseconds() for poller in described.pollers), default=NOBODY)


def _no_worker(queue: str) -> NoWorker:
    return NoWorker(f"no worker polls the task queue {queue!r}; {START_ONE}")


def _waiting_step(found: WorkflowExecutionDescription) -> int | None:
    """When the step was scheduled that no worker has taken yet, if there is one."""
    described = found.raw_description
    task = described.pending_workflow_task
    waits = task.state == PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED
    if not described.HasField("pending_workflow_task") or not waits or task.attempt > _PROMPT_ATTEMPTS:
        return None
    return task.scheduled_time.ToNanoseconds()


def _waits_for_a_person(found: WorkflowExecutionDescription) -> bool:
    return found.typed_search_attributes.get(search_attributes.STATUS) == Status.AWAITING_REVIEW
