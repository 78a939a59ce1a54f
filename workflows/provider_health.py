"""`ProviderHealth`: the one entity that keeps the health of all providers, and probes those that may be well again.

Handlers change the state and do nothing else; one loop does all that takes time. Time and chance come from the
workflow, the rules from `pointsman.health`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import timedelta
from math import ceil
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, TimeoutType, is_cancelled_exception
from temporalio.exceptions import TimeoutError as TemporalTimeout
from temporalio.workflow import ActivityCancellationType, ActivityHandle

with workflow.unsafe.imports_passed_through():
    from activities.probe import Probe
    from pointsman import health_contract
    from pointsman.health.entity import (
        apply_admin,
        apply_probe,
        apply_report,
        note_refused,
        start_probe,
        tick,
    )
    from pointsman.health.events import AdminAction, AdminCommand, HealthEvent, HealthLog
    from pointsman.health.overview import HealthOverview, overview
    from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
    from pointsman.health.report import Report
    from pointsman.health.snapshot import Snapshot
    from pointsman.health.state import HealthState
    from pointsman.health.turn import Change
    from pointsman.provider import task_queue
    from workflows.bugs import BUGS

_ONCE = RetryPolicy(maximum_attempts=1)


@workflow.defn(failure_exception_types=BUGS)
class ProviderHealth(health_contract.ProviderHealth):
    """All breakers, cooldowns, spend and latencies of a fleet, in one state that goes from run to run."""

    @workflow.init
    def __init__(self, state: HealthState | None = None) -> None:
        """Go on with a state, or begin one: the start of the first run is its epoch."""
        # The workflow's own start: that of its first task, `start_time`, is told differently to a replay at times.
        started = workflow.info().workflow_start_time.timestamp()
        self._state = state or HealthState(epoch=int(started * 1000), now=started)
        self._probes: dict[str, ActivityHandle[ProbeResult]] = {}
        self._waits_until: float | None = None
        self._woken = False

    @workflow.run
    async def run(self, state: HealthState | None = None) -> None:  # noqa: ARG002 - read in __init__
        """Let time pass, start probes and take their results, until it is time for a new run."""
        while True:
            self._collect_probes()
            self._change(lambda now, chance: tick(self._state, now=now, chance=chance))
            self._cancel_probes()
            if not self._renewal_due:
                self._start_probes()
            elif not self._probes:
                break
            await self._wait()
        await workflow.wait_condition(workflow.all_handlers_finished)
        workflow.continue_as_new(self._state)

    # The handlers take what comes, so that no message, however wrong, can fail a workflow task.

    @workflow.signal
    def report(self, *payloads: Any) -> None:
        """Take what a process saw."""

        def change(now: float, chance: float) -> Change:
            return apply_report(self._state, Report.model_validate(payloads[0]), now=now, chance=chance)

        self._handle("report", change)

    @workflow.signal
    def force_open(self, *payloads: Any) -> None:
        """Send a provider no calls until further notice."""
        self._force("force_open", payloads)

    @workflow.signal
    def force_close(self, *payloads: Any) -> None:
        """Always admit calls to a provider."""
        self._force("force_close", payloads)

    @workflow.signal
    def reset(self, *payloads: Any) -> None:
        """Begin anew."""
        self._force("reset", payloads)

    @workflow.query
    def snapshot(self, worker_id: str) -> Snapshot:
        """The health of every key."""
        return self._state.snapshot(worker_id)

    @workflow.query
    def overview(self) -> HealthOverview:
        """The health of every key as people read it."""
        return overview(self._state)

    @workflow.query
    def events(self) -> HealthLog:
        """What happened of late, and what operators did."""
        return self._state.log

    def _force(self, action: AdminAction, payloads: tuple[Any, ...]) -> None:
        def change(now: float, chance: float) -> Change:
            command = AdminCommand.model_validate(payloads[0])
            return apply_admin(self._state, action, command, now=now, chance=chance)

        self._handle(action, change)
        # A probe in flight may be one that nobody waits for any more.
        self._woken = True

    def _handle(self, message: str, change: Callable[[float, float], Change]) -> None:
        try:
            self._change(change)
        except Exception as fault:  # noqa: BLE001 - whatever is wrong with a message, the entity outlives it
            # Only the name: the text quotes the message.
            refused = f"{message}: {type(fault).__name__}"
            self._change(lambda now, chance: note_refused(self._state, refused, now=now, chance=chance))
        deadline = self._state.next_deadline
        if deadline is not None and (self._waits_until is None or deadline < self._waits_until):
            self._woken = True

    def _change(self, change: Callable[[float, float], Change]) -> None:
        self._state, events = change(workflow.now().timestamp(), workflow.random().random())
        _log(events)

    @property
    def _renewal_due(self) -> bool:
        info = workflow.info()
        return info.is_continue_as_new_suggested() or info.get_current_history_length() >= self._state.event_limit

    async def _wait(self) -> None:
        """Wait for a probe's end, for time to change something, or for a message that changes how long to wait."""
        self._woken = False
        self._waits_until = None if self._renewal_due else self._state.next_deadline
        timeout = None
        if self._waits_until is not None:
            left_s = self._waits_until - workflow.now().timestamp()
            timeout = timedelta(milliseconds=max(1, ceil(left_s * 1000)))
        try:
            await workflow.wait_condition(self._must_act, timeout=timeout, timeout_summary="next deadline")
        except TimeoutError:
            return

    def _must_act(self) -> bool:
        if any(probe.done() for probe in self._probes.values()):
            return True
        return not self._probes if self._renewal_due else self._woken

    def _start_probes(self) -> None:
        for key in list(self._state.due_probes()):
            self._state, request = start_probe(self._state, key)
            if request is not None:
                self._probes[request.provider] = self._probe(request)

    def _probe(self, request: ProbeRequest) -> ActivityHandle[ProbeResult]:
        # Without the wait for a worker bounded too, a probe to a queue that none serves would never end.
        return workflow.start_activity_method(
            Probe.probe_provider,
            request,
            task_queue=task_queue(request.provider),
            summary=f"probe {request.n} of {request.key}",
            schedule_to_start_timeout=timedelta(seconds=self._state.policy.breaker.probe_queue_wait),
            start_to_close_timeout=timedelta(seconds=request.timeout_s),
            retry_policy=_ONCE,
            # Its provider's place is free only once the request is over: there is never a second one beside it.
            cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )

    def _collect_probes(self) -> None:
        for provider in [provider for provider, probe in self._probes.items() if probe.done()]:
            request, result = self._state.probing[provider], _result(self._probes.pop(provider))

            def change(
                now: float, chance: float, ended: tuple[ProbeRequest, ProbeResult] = (request, result)
            ) -> Change:
                return apply_probe(self._state, *ended, now=now, chance=chance)

            self._change(change)

    def _cancel_probes(self) -> None:
        for provider, probe in self._probes.items():
            if not self._state.awaits(self._state.probing[provider]) and not probe.done():
                probe.cancel()


def _result(probe: ActivityHandle[ProbeResult]) -> ProbeResult:
    """What a probe that is done told: one that Temporal ended told nothing about its provider."""
    try:
        return probe.result()
    except (ActivityError, asyncio.CancelledError) as error:
        return ProbeResult(outcome=ProbeOutcome.INCONCLUSIVE, kind=_kind(error))


def _kind(error: BaseException) -> str:
    cause = error.cause if isinstance(error, ActivityError) else None
    if isinstance(cause, TemporalTimeout):
        return "no_worker" if cause.type is TimeoutType.SCHEDULE_TO_START else "worker_lost"
    if isinstance(cause, ApplicationError) and cause.type == "WorkerShutdown":
        return "worker_shutdown"
    return "cancelled" if is_cancelled_exception(error) else "unexpected"


def _log(events: Iterable[HealthEvent]) -> None:
    for event in events:
        level = workflow.logger.warning if event.alarming else workflow.logger.info
        level("%s", event.sentence())
