"""A panel: several equals are asked at once, until all have answered or a majority is certain."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from pointsman.ballot import Ballot, Seat
    from pointsman.charges import Charge
    from pointsman.reconciliation import Reconciliation
    from workflows.provider_call import ask, consume

TASK_BYTES = 3_000_000
"""Of the calls that start in one workflow task: three of 1.5 MB would end the workflow (DESIGN ruling 9)."""
_APART_S = 0.001
"""A timer between two lots of calls, so that they are commands of two tasks."""


async def poll(
    ballot: Ballot,
    *,
    deadline: datetime,
    question_bytes: int,
    reconcile: Callable[[int], Awaitable[Reconciliation]],
    allowed: Callable[[Charge | None], Awaitable[bool]],
) -> Reconciliation | None:
    """Ask all members, and whoever stands in for one that fails; `ballot` holds what they said.

    Calls that are no longer needed are cancelled and not waited for.

    Returns:
        What the votes come to, or `None` where fewer than two members voted.
    """
    started: dict[asyncio.Task[None], Seat] = {}
    found: Reconciliation | None = None
    try:
        for number, seat in enumerate(ballot.seat_members()):
            if number and number % max(1, TASK_BYTES // question_bytes) == 0:
                await asyncio.sleep(_APART_S)
            task = asyncio.create_task(_sit(ballot, seat, deadline, allowed))
            task.add_done_callback(consume)
            started[task] = seat
        waiting, counted = list(started), 0
        while waiting and not (found is not None and found.settled):
            await workflow.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in waiting if task.done()]:
                waiting.remove(task)
                task.result()
            if ballot.can_compare and len(ballot.votes) > counted:
                counted = len(ballot.votes)
                found = await reconcile(len(waiting))
    finally:
        for task, seat in started.items():
            if not task.done():
                task.cancel()
                ballot.cut_off(seat, workflow.now())
        # One turn of the loop, in which the cancellations become commands even where the workflow ends next.
        await asyncio.sleep(0)
    return found


async def _sit(
    ballot: Ballot, seat: Seat, deadline: datetime, allowed: Callable[[Charge | None], Awaitable[bool]]
) -> None:
    """Ask the member of this seat, then whoever stands in, until one votes."""
    standing_in = False
    while (call := seat.call) is not None and workflow.now() < deadline:
        if standing_in and not await allowed(ballot.charge(seat)):
            seat.call = None
            return
        seat.since = workflow.now()
        attempts = call.candidate.max_attempts
        outcome = await ask(call, ballot.decision.limits, max_attempts=attempts, deadline=deadline, made=seat.made)
        ballot.take(seat, outcome)
        standing_in = True
