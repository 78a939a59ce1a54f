"""Whether a call was sent, and paid, once more than it had to be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos import kills
from benchmarks.chaos.accounts import call_of_row
from benchmarks.chaos.calls import Call, call_of, is_probe, off_record, sent_twice
from benchmarks.chaos.histories import Run
from benchmarks.chaos.promises import runs_by_id
from benchmarks.chaos.witness import Evidence
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Reply

_HEARD = {"answered", "refused", "low_confidence"}


def paid_again(evidence: Evidence) -> list[str]:
    """Calls whose completion is in history and that were sent again, and answered questions that were asked anew."""
    ended = {
        (one.call.workflow, one.call.run, one.call.activity): one.call.attempt
        for run in evidence.runs
        for one in run.recorded
    }
    asked = _asked(evidence)
    found = [f"{call}: sent twice" for call in sent_twice(asked)]
    for call in map(call_of, asked):
        last = ended.get((call.workflow, call.run, call.activity))
        if last is not None and call.attempt > last:
            found.append(f"{call}: sent though attempt {last} had ended it")
    for question_id, runs in runs_by_id(evidence).items():
        if any(run.status is WorkflowExecutionStatus.COMPLETED for run in runs[:-1]):
            found.append(f"{question_id}: asked anew after its answer")
    found += [fault for run in evidence.runs for fault in _answers_off_history(run)]
    return [*found, *_needlessly(evidence)]


def unrecorded(evidence: Evidence) -> list[Hit]:
    """Answers that were given to a process that died, or whose server did, before they were on record."""
    known = {one.call for run in evidence.runs for one in run.recorded if one.how == "completed"}
    lost = {call_of_row(row) for row in evidence.rows if row.kind == "worker_lost"}
    repeated = defaultdict[Call, int](int)
    for hit in evidence.hits:
        call = call_of(hit)
        base = call._replace(attempt=0)
        repeated[base] = max(repeated[base], call.attempt)
    return [
        hit
        for hit in _asked(evidence)
        if hit.outcome == "answered"
        and isinstance(evidence.behaviour(hit), Reply)
        and (call := call_of(hit)) not in known
        and (call in lost or repeated[call._replace(attempt=0)] > call.attempt)
    ]


def untold(evidence: Evidence) -> list[str]:
    """Requests that no history has scheduled, or that are no attempt of what an asker is told; and the reverse."""
    runs = {run.run_id: run for run in evidence.runs}
    asked = _asked(evidence)
    found = [fault for hit in asked for fault in _unscheduled(call_of(hit), runs.get(call_of(hit).run))]
    attempts = {run.run_id: run.attempts for run in evidence.runs if run.attempts is not None}
    return [*found, *off_record([hit for hit in asked if call_of(hit).run in attempts], attempts)]


def _asked(evidence: Evidence) -> list[Hit]:
    return [hit for hit in evidence.hits if not is_probe(hit)]


def _unscheduled(call: Call, run: Run | None) -> Iterator[str]:
    if run is None or run.id != call.workflow:
        yield f"{call}: a request of a run that no history knows"
    elif call.activity not in run.scheduled:
        yield f"{call}: a request that its run has not scheduled"
    elif 0 < run.scheduled[call.activity] < call.attempt:
        yield f"{call}: a request after the last of {run.scheduled[call.activity]} attempts"


def _answers_off_history(run: Run) -> Iterator[str]:
    """Each attempt that was answered ended its call, and the history holds that end."""
    made = Counter(row.attempt for row in run.attempts or () if row.outcome in _HEARD)
    held = Counter(one.call.attempt for one in run.recorded if one.how == "completed")
    for attempt, count in (made - held).items():
        yield f"{run.id}: {count} answered attempts {attempt} of its calls whose completion is not in history"
    if run.status is WorkflowExecutionStatus.COMPLETED and not held:
        yield f"{run.id}: answered, and no call's completion is in history"


def _needlessly(evidence: Evidence) -> Iterator[str]:
    """A worker that had an answer, and lived, and whose server lived, has it on record."""
    heard = {call_of_row(row) for row in evidence.rows if row.outcome in _HEARD}
    for hit in unrecorded(evidence):
        if call_of(hit) in heard and not kills.unreported(evidence, hit):
            yield f"{call_of(hit)}: answered, and sent again though neither its worker nor the server was killed then"
