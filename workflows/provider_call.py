"""One call to one candidate as a value: a completion, or why there is none."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import Priority
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    RetryState,
    TimeoutError,  # noqa: A004
    TimeoutType,
    is_cancelled_exception,
)

with workflow.unsafe.imports_passed_through():
    from activities.complete import Complete
    from pointsman.bill import lost
    from pointsman.call import Completion, FailedCall, ProviderCall
    from pointsman.decision import CallLimits
    from pointsman.faults import CALL_UNREAD, WORKER_LOST
    from pointsman.outcomes import Attempt, ErrorClass, Fault
    from pointsman.server_faults import call_unread
    from workflows.timeouts import queue_wait, retry_policy

_UNREAD_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_OVER_S = 0.01


async def ask(
    call: ProviderCall, limits: CallLimits, *, max_attempts: int, deadline: datetime, made: list[Attempt] | None = None
) -> Completion | FailedCall:
    """Call the candidate with durable retries; a lost worker is nobody's failure, so the call is made again (ruling 4).

    A call that a worker could not read for want of a key or a folder reached nobody: it is made again, with growing
    pauses, until one can. `made` takes the attempts of lost workers as they come, for a caller that cancels the rest.

    Raises:
        ActivityError: the question was cancelled while the call ran.
    """
    made = [] if made is None else made
    pause_s = _UNREAD_PAUSE_S
    while True:
        try:
            completion = await _execute(call, limits, max_attempts=max_attempts, deadline=deadline)
            return completion.model_copy(update={"attempts": (*made, *completion.attempts)})
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            failed = _failed(error, call, limits, max_attempts)
        made.extend(failed.attempts)
        if failed.fault == CALL_UNREAD:
            if not await _paused(pause_s, deadline):
                return failed.model_copy(update={"attempts": tuple(made)})
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        elif (
            failed.fault.error_class is not ErrorClass.INFRASTRUCTURE
            or _workers_lost(made) >= limits.infrastructure_attempts
        ):
            return failed.model_copy(update={"attempts": tuple(made)})


def consume(task: asyncio.Task[Any]) -> None:
    """Look at the exception of a call that nobody waits for, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()


async def _execute(call: ProviderCall, limits: CallLimits, *, max_attempts: int, deadline: datetime) -> Completion:
    candidate, question = call.candidate, call.question
    remaining = max(deadline - workflow.now(), timedelta(milliseconds=1))
    patience = queue_wait(limits, remaining, last_candidate=call.last_candidate)
    start_to_close = timedelta(seconds=candidate.start_to_close_s)
    if candidate.waits_for_slot:
        # The gate waits for a slot inside the attempt, before the request: cut off there it would count as made.
        start_to_close += remaining if patience is None else patience
    return await workflow.execute_activity_method(
        Complete.complete,
        call,
        task_queue=candidate.task_queue,
        summary=f"{candidate.provider} ({candidate.model})",
        schedule_to_close_timeout=remaining,
        schedule_to_start_timeout=patience,
        start_to_close_timeout=start_to_close,
        heartbeat_timeout=timedelta(seconds=limits.heartbeat_timeout_s),
        retry_policy=retry_policy(call.retry, max_attempts),
        priority=Priority(priority_key=question.priority, fairness_key=question.tenant),
    )


def _failed(error: ActivityError, call: ProviderCall, limits: CallLimits, max_attempts: int) -> FailedCall:
    cause = error.cause
    if isinstance(cause, TimeoutError):
        if cause.type is TimeoutType.SCHEDULE_TO_START:
            return _queued_in_vain(cause, call, limits)
        exhausted = error.retry_state is RetryState.MAXIMUM_ATTEMPTS_REACHED
        return _timed_out(cause, call, max_attempts if exhausted else 1)
    if isinstance(cause, ApplicationError) and cause.details and isinstance(cause.details[0], dict):
        return FailedCall.model_validate(cause.details[0])
    if isinstance(cause, ApplicationError) and call_unread(cause):
        return FailedCall(fault=CALL_UNREAD, attempts=())
    kind = cause.type if isinstance(cause, ApplicationError) else type(cause).__name__
    fault = Fault(
        error_class=ErrorClass.FAILURE,
        kind="unexpected",
        summary=f"the call ended in an unexpected error ({kind})",
    )
    return FailedCall(fault=fault, attempts=(lost(call, fault),))


async def _paused(pause_s: float, deadline: datetime) -> bool:
    """Wait, and tell whether there is time left after it."""
    left_s = (deadline - workflow.now()).total_seconds()
    if left_s > 0:
        # Not the workflow's own sleep: its timer outlives a cancellation. And a little over, as timers are rounded.
        await asyncio.sleep(min(pause_s, left_s + _OVER_S))
    return workflow.now() < deadline


def _queued_in_vain(cause: TimeoutError, call: ProviderCall, limits: CallLimits) -> FailedCall:
    """A call that no worker took in time: its first attempt, or the retry of one that may have been lost."""
    fault = Fault(error_class=ErrorClass.LOCAL, kind="queue_full", summary="no worker took the call in time")
    earlier = _rows(cause.last_heartbeat_details)
    if limits.tells_lost_in_queue and isinstance(cause.cause, TimeoutError):
        # What the attempt before ended with: it left no row, and its provider may have answered and billed it.
        number = 1 + max((row.attempt for row in earlier), default=0)
        earlier = (*earlier, lost(call, WORKER_LOST, number))
    return FailedCall(fault=fault, attempts=earlier)


def _timed_out(cause: TimeoutError, call: ProviderCall, at_least: int) -> FailedCall:
    """A call that Temporal ended, in its attempt of number `at_least` or a later one."""
    earlier = _rows(cause.last_heartbeat_details)
    match cause.type:
        case TimeoutType.SCHEDULE_TO_CLOSE:
            fault = Fault(
                error_class=ErrorClass.CANCEL, kind="deadline", summary="the question's deadline ended the call"
            )
        case _:
            fault = WORKER_LOST
    left = {row.attempt: row for row in earlier}
    number = max([at_least, *(row.attempt + 1 for row in earlier)])
    # An attempt that left no row died with its worker, as in the activity itself.
    before = (left.get(attempt) or lost(call, WORKER_LOST, attempt) for attempt in range(1, number))
    return FailedCall(fault=fault, attempts=(*before, lost(call, fault, number)))


def _rows(details: Any) -> tuple[Attempt, ...]:
    return tuple(Attempt.model_validate(detail) for detail in details or ())


def _workers_lost(attempts: list[Attempt]) -> int:
    return sum(attempt.error_class is ErrorClass.INFRASTRUCTURE for attempt in attempts)
