"""What a run of chaos leaves behind where everything is as it should be; tests change it where it is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos.askers import Told
from benchmarks.chaos.calls import CALL, RUN, WORKER, Call
from benchmarks.chaos.histories import Recorded, Run
from benchmarks.chaos.schedule import MEMBERS, SHORT, Asking, Kind, Schedule, schedule
from benchmarks.chaos.witness import Evidence
from pointsman.contract import DEADLINE_EXCEEDED, Unanswered
from pointsman.errors import QuestionFailed
from pointsman.health.breaker import BreakerState
from pointsman.ledger.entry import LedgerEntry
from pointsman.outcomes import Attempt
from workers.embedded.scripted.request import Hit
from workers.embedded.scripted.script import Reply, Tokens

BEGAN = datetime(2026, 11, 30, tzinfo=UTC)
NORTH = {"provider": "north", "model": "openai/gpt-5.2-2026-08-15"}
PRICED = Reply("north: What?", usage=Tokens(input=20, output=5))


def hit(activity: str = "1", attempt: int = 1, *, number: int = 1, workflow: str = "asked-1", **changes: Any) -> Hit:
    headers = {CALL: f"{workflow}/{activity}/{attempt}", RUN: "run-1", WORKER: "worker-1"}
    named: dict[str, Any] = {
        "name": "north",
        "dialect": "openai",
        "model": "m",
        "prompt": "What?",
        "body": {},
        "outcome": "answered",
        "headers": headers,
        "started": 10.0,
        "ended": 10.1,
        **changes,
    }
    return Hit(number=number, **named)


def row(activity: str = "1", attempt: int = 1, **changes: Any) -> LedgerEntry:
    usage = {"input_tokens": 20, "output_tokens": 5, "usage_source": "reported", "cost_nano_usd": 70_000}
    named = {"workflow_id": "asked-1", "run_id": "run-1", "leg": activity, "attempt": attempt, "started_at": BEGAN}
    return LedgerEntry.model_validate({**named, **NORTH, "outcome": "answered", **usage, **changes})


def attempt(**changes: Any) -> Attempt:
    return Attempt.model_validate({**NORTH, "attempt": 1, "outcome": "answered", **changes})


def run_of(status: WorkflowExecutionStatus = WorkflowExecutionStatus.FAILED, **changes: Any) -> Run:
    named: dict[str, Any] = {
        "id": "asked-1",
        "run_id": "run-1",
        "status": status,
        "started_at": BEGAN,
        "closed_at": BEGAN + timedelta(seconds=5),
        "failure_type": DEADLINE_EXCEEDED,
        "attempts": (attempt(),),
        "scheduled": {"1": 3, "2": 3},
        "recorded": (Recorded(Call("asked-1", "1", 1, "run-1"), "completed"),),
    }
    return Run(**{**named, **changes})


def evidence(**changes: Any) -> Evidence:
    """One question, one call, everything as it should be."""
    asking = Asking("asked-1", 0.0, "asked", "one", "What?", "fail", deadline_s=20.0)
    failure = QuestionFailed("late", DEADLINE_EXCEEDED, Unanswered(attempts=(attempt(),)))
    found = Evidence(
        replace(schedule(1, SHORT), questions=(asking,)),
        told=[Told("asked-1", failure=failure)],
        runs=[run_of()],
        hits=[hit()],
        behaviours={"north": dict.fromkeys(range(1, 12), PRICED)},
        rows=[row()],
        states=dict.fromkeys(MEMBERS, BreakerState.CLOSED),
        statuses=[0, 0],
        logs={"worker-0": "2026-11-30 00:00:00,000 WARNING breaker: opened\n"},
    )
    return replace(found, **changes)


def asked(kind: Kind, prompt: str = "What?") -> Schedule:
    asking = Asking("asked-1", 0.0, kind, "one", prompt, "fail", deadline_s=20.0)
    return replace(schedule(1, SHORT), questions=(asking,))
