"""A run that measures, as its client sees it: started once, watched, and fetched by its id whenever."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, Literal, TypeVar

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle, WorkflowQueryFailedError
from temporalio.exceptions import ApplicationError, CancelledError, TerminatedError
from temporalio.service import RPCError, RPCStatusCode

from pointsman import watch
from pointsman.catalogue_contract import CATALOGUE_QUEUE
from pointsman.errors import PointsmanError, RunFailed, RunRefused, UnknownRun
from pointsman.measuring.progress import RunProgress
from pointsman.measuring_contract import RUN_REFUSED, EvalRun, ProfileRun
from pointsman.server_faults import server_fault, steadily, unknown_namespace

Tell = Callable[[RunProgress], None]
Kind = Literal["eval", "profile"]
"""The command that shows a run; its id begins with it."""

_WORKFLOWS: dict[Kind, str] = {"eval": EvalRun.__name__, "profile": ProfileRun.__name__}
"""By which the server knows them."""

_LOOK_EVERY_S = 1.0
_ANSWER_WITHIN = timedelta(seconds=5)

_Report = TypeVar("_Report")


async def started(client: Client, run: Any, request: Any, kind: Kind, summary: str) -> str:
    """Start a run; its id."""
    run_id = f"{kind}-{uuid.uuid4().hex[:12]}"
    await watch.require_worker(client, CATALOGUE_QUEUE)
    try:
        await steadily(
            lambda: client.start_workflow(run, request, id=run_id, task_queue=CATALOGUE_QUEUE, static_summary=summary)
        )
    except RPCError as fault:
        raise server_fault(fault) from fault
    return run_id


async def reported(client: Client, handle: WorkflowHandle[Any, _Report], kind: Kind, tell: Tell | None) -> _Report:
    """Wait for the report of a run of this kind; `tell` hears of its progress meanwhile.

    Raises:
        RunRefused: what is to be measured cannot be.
        RunFailed: it ended in another way.
        UnknownRun: there is none with this id, or it is the id of something else.
        NoWorker: nobody goes on with it; it waits for one that does.
    """
    await _require(handle, kind)
    result = asyncio.create_task(steadily(handle.result))
    watching = asyncio.create_task(
        watch.until_abandoned(client, handle, queue=CATALOGUE_QUEUE, what=f"run {handle.id}")
    )
    telling = asyncio.create_task(_told(handle, tell))
    try:
        await asyncio.wait([result, watching], return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            await watching
        return await result
    except WorkflowFailureError as failure:
        raise _ended(handle.id, failure) from failure
    except RPCError as fault:
        raise run_fault(handle.id, fault) from fault
    finally:
        for task in (result, watching, telling):
            task.cancel()


def run_fault(run_id: str, fault: RPCError) -> PointsmanError:
    """The error for a caller who asked after a run."""
    if fault.status is RPCStatusCode.NOT_FOUND and unknown_namespace(fault) is None:
        return UnknownRun(f"no run has the id {run_id!r}, or its history has been deleted")
    return server_fault(fault)


async def _require(handle: WorkflowHandle[Any, Any], kind: Kind) -> None:
    """Another workflow's result would be read as a report that says nothing, or not be read at all."""
    try:
        found = (await steadily(handle.describe)).workflow_type
    except RPCError as fault:
        raise run_fault(handle.id, fault) from fault
    if found != _WORKFLOWS[kind]:
        other = next((name for name, workflow in _WORKFLOWS.items() if workflow == found), None)
        shown = f"see `pointsman {other} show {handle.id}`" if other else f"the id of one begins with {kind}-"
        raise UnknownRun(
            f"{handle.id!r} is the id of another workflow ({found}) and of no run of `pointsman {kind}`; {shown}"
        )


async def _told(handle: WorkflowHandle[Any, Any], tell: Tell | None) -> None:
    """Ask how far it is, until it is cancelled; nobody misses a line of it."""
    before = RunProgress()
    while tell is not None:
        await asyncio.sleep(_LOOK_EVERY_S)
        with suppress(RPCError, WorkflowQueryFailedError):
            now = await handle.query("progress", result_type=RunProgress, rpc_timeout=_ANSWER_WITHIN)
            if now != before:
                tell(now)
            before = now


def _ended(run_id: str, failure: WorkflowFailureError) -> PointsmanError:
    if isinstance(failure.cause, CancelledError | TerminatedError):
        return RunFailed(f"the run {run_id} was cancelled")
    told = _first_told(failure)
    if told is None:
        return RunFailed(f"the run {run_id} ended without a report ({failure.cause})")
    return RunRefused(told.message) if told.type == RUN_REFUSED else RunFailed(f"{run_id}: {told.message}")


def _first_told(failure: BaseException) -> ApplicationError | None:
    """The error with a sentence, which activities and children wrap into their own."""
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, ApplicationError):
            return cause
        cause = cause.__cause__
    return None
