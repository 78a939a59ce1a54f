"""A hedge: when the first provider takes long, a second one is asked too, and the first good answer wins.

Source: resilience specification, section 10. The timer is a task on `asyncio.sleep`, which the SDK turns into a durable
one: cancelling a `workflow.sleep` would leave its timer behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from pointsman.bill import failed
    from pointsman.call import Completion, FailedCall, Leg, ProviderCall
    from pointsman.decision import Decision
    from pointsman.faults import HEDGE_LOST, ProviderFault
    from pointsman.outcomes import Attempt
    from pointsman.progress import Progress
    from workflows.provider_call import ask, consume

_Task = asyncio.Task[Completion | FailedCall]


@dataclass(frozen=True)
class _Running:
    """A leg under way."""

    call: ProviderCall
    task: _Task
    started: datetime
    made: list[Attempt]
    """What workers that were lost have left of it."""


async def race(  # noqa: PLR0913 - two calls, their limits, and where their outcomes go
    first: ProviderCall,
    second: ProviderCall,
    decision: Decision,
    progress: Progress,
    *,
    deadline: datetime,
    allowed: Callable[[], Awaitable[bool]],
) -> None:
    """Ask `first`, and `second` too if the delay passes and `allowed` grants it; tell `progress` what came of them.

    A denied hedge changes nothing. A leg that is no longer needed is cancelled and not waited for.
    """
    legs = [_start(first, decision, deadline)]
    timer = asyncio.create_task(asyncio.sleep(first.candidate.hedge_delay_s or 0.0))
    try:
        await workflow.wait([legs[0].task, timer], return_when=asyncio.FIRST_COMPLETED)
        late = not legs[0].task.done() and _worth_it(second, deadline)
        if late and await allowed() and not legs[0].task.done():
            progress.hedged = True
            legs.append(_start(second, decision, deadline))
        await _decide(legs, decision, progress)
    finally:
        timer.cancel()
        for leg in legs:
            leg.task.cancel()
        # One turn of the loop, in which the cancellations become commands even where the workflow ends next.
        await asyncio.sleep(0)


async def _decide(legs: list[_Running], decision: Decision, progress: Progress) -> None:
    """Take in what ends, the first leg before the second in a tie, until there is a winner or nothing left to end."""
    waiting = list(legs)
    while waiting and not progress.settled and not progress.turned_away:
        await workflow.wait([leg.task for leg in waiting], return_when=asyncio.FIRST_COMPLETED)
        for leg in [leg for leg in waiting if leg.task.done()]:
            waiting.remove(leg)
            progress.take(Leg(call=leg.call, outcome=leg.task.result()), decision)
    for leg in waiting:
        progress.take(Leg(call=leg.call, outcome=_lost(leg)), decision)


def _start(call: ProviderCall, decision: Decision, deadline: datetime) -> _Running:
    # One attempt a leg: a failure is then seen here at once, instead of behind a retry.
    made: list[Attempt] = []
    task = asyncio.create_task(ask(call, decision.limits, max_attempts=1, deadline=deadline, made=made))
    task.add_done_callback(consume)
    return _Running(call, task, workflow.now(), made)


def _worth_it(second: ProviderCall, deadline: datetime) -> bool:
    """Whether the second leg has time to answer before the deadline."""
    return workflow.now() + timedelta(milliseconds=second.candidate.terms.latency_ms) < deadline


def _lost(leg: _Running) -> FailedCall:
    elapsed_s = (workflow.now() - leg.started).total_seconds()
    row = failed(leg.call, ProviderFault(HEDGE_LOST), 1, elapsed_s)
    return FailedCall(fault=HEDGE_LOST, attempts=(*leg.made, row))
