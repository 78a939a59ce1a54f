"""Whether a call was sent, and paid, once more than it had to be."""

from __future__ import annotations

from collections import defaultdict

from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos.calls import Call, call_of, is_probe, off_record, sent_twice
from benchmarks.chaos.promises import runs_by_id
from benchmarks.chaos.witness import Evidence
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Reply


def paid_again(evidence: Evidence) -> list[str]:
    """Calls whose completion is in history and that were sent again, and answered questions that were asked anew."""
    ended = {
        (one.call.workflow, one.call.run, one.call.activity): one.call.attempt
        for run in evidence.runs
        for one in run.recorded
    }
    asked = [hit for hit in evidence.hits if not is_probe(hit)]
    found = [f"{call}: sent twice" for call in sent_twice(asked)]
    for call in map(call_of, asked):
        last = ended.get((call.workflow, call.run, call.activity))
        if last is not None and call.attempt > last:
            found.append(f"{call}: sent though attempt {last} had ended it")
    for question_id, runs in runs_by_id(evidence).items():
        if any(run.status is WorkflowExecutionStatus.COMPLETED for run in runs[:-1]):
            found.append(f"{question_id}: asked anew after its answer")
    return found


def unrecorded(evidence: Evidence) -> list[Hit]:
    """Answers that were given to a process that died, or whose server did, before they were on record."""
    known = {one.call for run in evidence.runs for one in run.recorded if one.how == "completed"}
    lost = {
        Call(row.workflow_id, row.leg, row.attempt, row.run_id) for row in evidence.rows if row.kind == "worker_lost"
    }
    repeated = defaultdict[Call, int](int)
    for hit in evidence.hits:
        call = call_of(hit)
        base = call._replace(attempt=0)
        repeated[base] = max(repeated[base], call.attempt)
    return [
        hit
        for hit in evidence.hits
        if hit.outcome == "answered"
        and isinstance(evidence.behaviour(hit), Reply)
        and not is_probe(hit)
        and (call := call_of(hit)) not in known
        and (call in lost or repeated[call._replace(attempt=0)] > call.attempt)
    ]


def untold(evidence: Evidence) -> list[str]:
    """Requests that are no attempt of what its asker is told, and attempts that made no request."""
    attempts = {run.run_id: run.attempts for run in evidence.runs if run.attempts is not None}
    asked = [hit for hit in evidence.hits if not is_probe(hit) and call_of(hit).run in attempts]
    return off_record(asked, attempts)


def strange_probes(evidence: Evidence) -> list[str]:
    """Probes that were sent twice, or that the health entity has not scheduled."""
    probes = [hit for hit in evidence.hits if is_probe(hit)]
    found = [f"{call}: a probe that was sent twice" for call in sent_twice(probes)]
    # A process that hears nothing of the entity for 15 s probes by itself, and signs with its own name; such a probe
    # belongs to no run.
    found += [
        f"{call}: a probe that nobody has scheduled"
        for call in map(call_of, probes)
        if call.run and call not in evidence.probes
    ]
    return found
