"""Whose each request is: its headers name the attempt that made it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pointsman.health_contract import HEALTH_ENTITY_ID
from pointsman.outcomes import Attempt, ErrorClass
from workers.embedded.scripted.request import Hit

CALL, RUN = "x-pointsman-call", "x-pointsman-run"
HEADERS = {CALL: "{workflow_id}/{activity_id}/{attempt}", RUN: "{run_id}"}
WORKER = "x-pointsman-worker"
"""The process that made the request: its own configuration says so."""
CUT_OFF = {ErrorClass.CANCEL, ErrorClass.INFRASTRUCTURE, ErrorClass.LOCAL}
"""What ends a call without a word of its provider."""


class Call(NamedTuple):
    """Which attempt of which activity a request is; the run only where its provider's table asks for it."""

    workflow: str
    activity: str
    attempt: int
    run: str = ""


def call_of(hit: Hit) -> Call:
    """Whose request this is."""
    workflow, activity, attempt = hit.headers[CALL].rsplit("/", 2)
    return Call(workflow, activity, int(attempt), hit.headers.get(RUN, ""))


def worker_of(hit: Hit) -> str:
    """The process that sent it; empty where its configuration does not say."""
    return hit.headers.get(WORKER, "")


def is_probe(hit: Hit) -> bool:
    """Whether the health entity sent it, or a process that hears nothing from the entity."""
    return call_of(hit).workflow.partition("/")[0] == HEALTH_ENTITY_ID


def sent_twice(hits: Iterable[Hit]) -> list[Call]:
    """Attempts that made more than one request."""
    return [call for call, count in Counter(map(call_of, hits)).items() if count > 1]


def off_record(hits: Iterable[Hit], attempts: Mapping[str, Iterable[Attempt]]) -> list[str]:
    """Requests without an attempt on record, and attempts without a request that were not cut off before it was sent.

    `attempts` are those of each question, under its id, or under its run's where requests tell of that.
    """
    requests: Counter[tuple[str, str, int]] = Counter()
    for hit in hits:
        call = call_of(hit)
        requests[call.run or call.workflow, hit.name, call.attempt] += 1
    rows: dict[tuple[str, str, int], list[Attempt]] = defaultdict(list)
    for question_id, made in attempts.items():
        for row in made:
            rows[question_id, row.provider, row.attempt].append(row)
    found = [
        f"{key}: {count} requests, {len(rows[key])} attempts on record"
        for key, count in requests.items()
        if count > len(rows[key])
    ]
    for key, recorded in rows.items():
        # On a busy machine the time of a call may run out before it is sent.
        unsent = [row for row in recorded if row.error_class in CUT_OFF or row.kind == "timeout"]
        if len(recorded) - requests[key] > len(unsent):
            found.append(f"{key}: {len(recorded)} attempts on record, {requests[key]} requests")
    return found
