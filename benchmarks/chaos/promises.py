"""Whether every question has ended as promised: answered, failed with a typed error, or cancelled on request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos.askers import Told
from benchmarks.chaos.histories import Run
from benchmarks.chaos.schedule import Asking
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
_COMPARED = ("agreed", "disputed")


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
    return GRACE_S * max(1.0, evidence.load / BUSY)


def late(evidence: Evidence) -> list[str]:
    """Questions that ended later than their deadline and the grace; a review stops the clock."""
    grace = grace_s(evidence)
    deadlines = {asking.id: asking.deadline_s for asking in evidence.schedule.questions}
    return [
        f"{run.id}: took {run.took_s:.1f} s, its deadline was {deadlines[run.id]:.0f} s"
        for run in evidence.runs
        if run.id in deadlines and not run.reviewed and run.took_s > deadlines[run.id] + grace
    ]


def latest_s(evidence: Evidence) -> float:
    """By how many seconds a question has overrun its deadline at most; below 0 where none has."""
    deadlines = {asking.id: asking.deadline_s for asking in evidence.schedule.questions}
    return max((run.took_s - deadlines[run.id] for run in evidence.runs if not run.reviewed), default=0.0)


def mistold(evidence: Evidence) -> list[str]:
    """Askers who were told something else than what is in the history, and answers that are none."""
    plans = {asking.id: asking for asking in evidence.schedule.questions}
    by_id = runs_by_id(evidence)
    return [
        f"{told.id}: {fault}"
        for told in evidence.told
        if told.unforeseen is None
        for fault in _mistold(told, plans[told.id], by_id.get(told.id, []))
    ]


def runs_by_id(evidence: Evidence) -> dict[str, list[Run]]:
    """The runs of each question, in the order of their starts."""
    by_id: dict[str, list[Run]] = defaultdict(list)
    for run in evidence.runs:
        by_id[run.id].append(run)
    return dict(by_id)


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


def _mistold(told: Told, asking: Asking, runs: list[Run]) -> Iterator[str]:
    if told.cancelled:
        if asking.kind != "cancelled":
            yield "its asker was told of a cancellation"
    elif told.failure is not None:
        if told.failure.failure_type not in {run.failure_type for run in runs}:
            yield f"its asker was told of {told.failure.failure_type}, which no run ended with"
    elif told.answer is not None:
        answer = told.answer
        if answer.text not in {run.answer.text for run in runs if run.answer is not None}:
            yield "its asker was told another answer than is in its history"
        # Garbage is never an answer, and nobody answers for somebody else.
        if asking.kind not in _COMPARED and not answer.text.startswith(f"{answer.provider}: "):
            yield f"{answer.provider} is said to have answered {answer.text[:100]!r}"
        if answer.provider not in {row.provider for row in answer.attempts if row.outcome == "answered"}:
            yield f"{answer.provider} is said to have answered, and no attempt of it did"
