"""The rules by which the entity's state changes: a report, a probe, an operator, and time.

Each takes a state and gives the next one, with what happened on the way:

    state, events = apply_report(state, report, now=now, chance=chance)

`now` is in seconds since the epoch, `chance` a number in [0, 1) that spreads openings.
"""

from __future__ import annotations

from pointsman.health.breaker import Outcomes
from pointsman.health.events import AdminAction, AdminCommand
from pointsman.health.probe import ProbeRequest, ProbeResult
from pointsman.health.report import Report
from pointsman.health.state import HealthState
from pointsman.health.turn import Change, Turn


def tick(state: HealthState, *, now: float, chance: float) -> Change:
    """Time has passed: openings end, cooldowns and caps expire."""
    return Turn(state, now, chance).result()


def apply_report(state: HealthState, report: Report, *, now: float, chance: float) -> Change:
    """A process has reported. A report that came before changes nothing."""
    turn = Turn(state, now, chance)
    reporter = state.reporters.get(report.worker_id)
    if reporter is not None and report.seq <= reporter.seq:
        return turn.result()
    turn.heard(report)
    if report.policy is not None:
        turn.policy(report.policy)
    workers = turn.active_workers()
    for delta in report.deltas:
        turn.outcomes(Outcomes(delta, worker_id=report.worker_id, workers=workers))
    for cooled in report.cooled:
        turn.cooled(cooled)
    for overdue in report.overdue:
        turn.overdue(overdue)
    for failed in report.failed:
        turn.failed(failed)
    for rebased in report.rebased:
        turn.rebased(rebased)
    turn.money(report)
    for measured in report.measured:
        turn.measured(measured)
    return turn.result()


def start_probe(state: HealthState, key: str) -> tuple[HealthState, ProbeRequest | None]:
    """The key's next probe, if one is due at the state's own time and none of the provider's is in flight."""
    turn = Turn(state, state.now, chance=0.0)
    request = turn.probe_started(key)
    return turn.result()[0], request


def apply_probe(state: HealthState, request: ProbeRequest, result: ProbeResult, *, now: float, chance: float) -> Change:
    """A probe has ended. One that is no longer awaited only frees its provider's place and is paid for."""
    turn = Turn(state, now, chance)
    turn.probe_ended(request, result)
    return turn.result()


def apply_admin(state: HealthState, action: AdminAction, command: AdminCommand, *, now: float, chance: float) -> Change:
    """An operator has spoken. An unknown target is noted and changes nothing."""
    turn = Turn(state, now, chance)
    turn.forced(action, command)
    return turn.result()


def note_refused(state: HealthState, message: str, *, now: float, chance: float) -> Change:
    """A message could not be applied."""
    turn = Turn(state, now, chance)
    turn.tell("message_refused", reason=message[:200])
    return turn.result()
