"""Whether every question has ended as promised: answered, failed with a typed error, or cancelled on request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos.histories import Run
from benchmarks.chaos.witness import Evidence
from pointsman.contract import ALL_PROVIDERS_FAILED, ALL_PROVIDERS_UNAVAILABLE, DEADLINE_EXCEEDED

TYPED = frozenset({ALL_PROVIDERS_FAILED, ALL_PROVIDERS_UNAVAILABLE, DEADLINE_EXCEEDED})
GRACE_S = 30.0
"""How long after its deadline a question may end on a machine that is not overloaded.

A step that a killed process had taken is given to another one after 10 s, one that waits for the process that knew the
question after another 10 s, and a killed server is away for up to 5 s; the rest is for a busy machine.
"""
BUSY = 2.0
"""The load of each core above which the grace grows with it: what waits for a core misses Temporal's own limits."""
MOST_GRACE_S = 60.0
"""However busy the machine is."""


def lost(evidence: Evidence) -> list[str]:
    """Questions that have not ended as promised: none of their kind may be left."""
    by_id = runs_by_id(evidence)
    found: list[str] = []
    for asking in evidence.schedule.questions:
        runs = by_id.get(asking.id)
        if runs is None:
            found.append(f"{asking.id}: the server knows of no such question")
            continue
        found += [f"{asking.id}: {fault}" for run in runs for fault in _faults(run)]
    found += [f"{told.id}: its asker was told {told.unforeseen}" for told in evidence.told if told.unforeseen]
    return found


def grace_s(evidence: Evidence) -> float:
    """The grace on this machine, as busy as it was with this and with everything else."""
    return min(MOST_GRACE_S, GRACE_S * max(1.0, evidence.load / BUSY))


def late(evidence: Evidence) -> list[str]:
    """Questions that ended later than their deadline and the grace; the clock stands while a person is waited for."""
    grace = grace_s(evidence)
    return [
        f"{run.id}: took {run.took_s:.1f} s, {over_s:.1f} s more than its deadline and its review"
        for run, over_s in _overruns(evidence)
        if over_s > grace
    ]


def latest_s(evidence: Evidence) -> float:
    """By how many seconds a question has overrun its deadline at most; below 0 where none has."""
    return max((over_s for _, over_s in _overruns(evidence)), default=0.0)


def runs_by_id(evidence: Evidence) -> dict[str, list[Run]]:
    """The runs of each question, in the order of their starts."""
    by_id: dict[str, list[Run]] = defaultdict(list)
    for run in evidence.runs:
        by_id[run.id].append(run)
    return dict(by_id)


def _overruns(evidence: Evidence) -> Iterator[tuple[Run, float]]:
    """By how many seconds each run has overrun its deadline, its wait for a person not counted."""
    deadlines = {asking.id: asking.deadline_s for asking in evidence.schedule.questions}
    for run in evidence.runs:
        if run.id in deadlines:
            yield run, run.took_s - run.review_s - deadlines[run.id]


def _faults(run: Run) -> Iterator[str]:
    match run.status:
        case WorkflowExecutionStatus.COMPLETED:
            if run.cancel_requested:
                yield "it was answered though its cancellation had been taken"
        case WorkflowExecutionStatus.FAILED:
            if run.failure_type not in TYPED:
                yield f"it failed with {run.failure_type}"
        case WorkflowExecutionStatus.CANCELED:
            if not run.cancel_requested:
                yield "it was cancelled and nobody wanted it so"
        case other:
            yield f"it is {'open' if other is None else other.name.lower()}"
