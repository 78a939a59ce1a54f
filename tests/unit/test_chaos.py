"""How chaos is planned and judged: each broken promise is found, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos import accounts, breakers, payments, promises, remarks
from benchmarks.chaos.askers import Told
from benchmarks.chaos.calls import CALL, RUN, Call, call_of, is_probe, off_record
from benchmarks.chaos.faults import MOODS, Temper
from benchmarks.chaos.histories import Recorded, Run, recorded
from benchmarks.chaos.schedule import MEMBERS, SHORT, Asking, Scale, schedule
from benchmarks.chaos.verdict import verdict
from benchmarks.chaos.witness import Evidence, Killed, note
from pointsman.contract import DEADLINE_EXCEEDED, Unanswered
from pointsman.errors import QuestionFailed
from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthEvent
from pointsman.ledger.entry import LedgerEntry
from pointsman.outcomes import Attempt, ErrorClass
from workers.embedded.scripted.request import Hit, Request
from workers.embedded.scripted.script import Hang, Reply, Status, Tokens

BEGAN = datetime(2026, 11, 30, tzinfo=UTC)
NORTH = {"provider": "north", "model": "openai/gpt-5.2-2026-08-15"}
PRICED = Reply("north: What?", usage=Tokens(input=20, output=5))


def hit(activity: str = "1", attempt: int = 1, *, number: int = 1, workflow: str = "asked-1", **changes: Any) -> Hit:
    headers = {CALL: f"{workflow}/{activity}/{attempt}", RUN: "run-1"}
    named: dict[str, Any] = {
        "name": "north",
        "dialect": "openai",
        "model": "m",
        "prompt": "What?",
        "body": {},
        "outcome": "answered",
        **changes,
    }
    return Hit(headers=headers, number=number, started=10.0, ended=10.1, **named)


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
        "recorded": (Recorded(Call("asked-1", "1", 1, "run-1"), "completed"),),
    }
    return Run(**{**named, **changes})


def evidence(**changes: Any) -> Evidence:
    """One question, one call, everything as it should be."""
    asking = Asking("asked-1", 0.0, "asked", "one", "What?", "fail", deadline_s=20.0)
    failure = QuestionFailed("late", DEADLINE_EXCEEDED, Unanswered())
    found = Evidence(
        replace(schedule(1, SHORT), questions=(asking,)),
        told=[Told("asked-1", failure=failure)],
        runs=[run_of()],
        hits=[hit()],
        behaviours={"north": {1: PRICED, 2: PRICED}},
        rows=[row()],
        states=dict.fromkeys(MEMBERS, BreakerState.CLOSED),
        statuses=[0, 0],
        logs={"worker-0": "2026-11-30 00:00:00,000 WARNING breaker: opened\n"},
    )
    return replace(found, **changes)


def test_a_plan_is_the_same_for_its_seed_and_another_for_another() -> None:
    assert schedule(7, SHORT) == schedule(7, SHORT) != schedule(8, SHORT)


def test_a_short_run_kills_workers_and_the_server_and_asks_in_every_way() -> None:
    plan = schedule(20261130, SHORT)
    assert [kill.target for kill in plan.kills].count("server") == 1
    assert [kill.target for kill in plan.kills].count("worker") >= 3
    assert {asking.kind for asking in plan.questions} == {"asked", "agreed", "disputed", "cancelled", "repeated"}
    assert all(0 <= kill.at_s < SHORT.lasts_s and kill.down_s < 5 for kill in plan.kills)
    assert len({asking.id for asking in plan.questions}) == len(plan.questions)


def test_a_run_can_be_bounded_by_its_questions() -> None:
    assert len(schedule(1, Scale.of_questions(400)).questions) == pytest.approx(400, rel=0.2)


def test_a_temper_does_the_same_for_the_same_request_and_notes_it() -> None:
    request = Request(name="north", dialect="openai", number=3, headers={}, body={}, model="m", prompt="What?")
    first, second = Temper(1), Temper(1)
    for mood in MOODS:
        first.mood = second.mood = mood
        assert first(request) == second(request) == first.told[3]


def test_what_is_as_it_should_be_has_no_faults() -> None:
    found = verdict(evidence())
    assert found.good, found.faults
    figures = {figure.key: figure.value for figure in found.figures}
    assert (figures["kill_lost"], figures["kill_paid_again"], figures["kill_rows_reported"]) == (0, 0, 1)
    assert figures["kill_reported_usd"] == figures["kill_counted_usd"] == 0.00007


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([], "the server knows of no such question"),
        ([run_of(WorkflowExecutionStatus.RUNNING, closed_at=None)], "running"),
        ([run_of(WorkflowExecutionStatus.TERMINATED)], "terminated"),
        ([run_of(failure_type="TypeError")], "failed with TypeError"),
        ([run_of(WorkflowExecutionStatus.CANCELED)], "nobody wanted it so"),
        ([run_of(WorkflowExecutionStatus.COMPLETED, cancel_requested=True)], "its cancellation had been taken"),
    ],
    ids=["unknown", "open", "terminated", "untyped", "cancelled", "answered"],
)
def test_a_question_without_its_promised_end_is_lost(runs: list[Run], said: str) -> None:
    (fault,) = promises.lost(evidence(runs=runs))
    assert said in fault
    assert not verdict(evidence(runs=runs)).good


def test_what_no_asker_has_to_expect_is_a_loss() -> None:
    (fault,) = promises.lost(evidence(told=[Told("asked-1", unforeseen="RPCError('?')")]))
    assert "RPCError" in fault


def test_a_question_may_overrun_its_deadline_by_the_grace_alone() -> None:
    latest = BEGAN + timedelta(seconds=20 + promises.GRACE_S)
    assert promises.late(evidence(runs=[run_of(closed_at=latest)])) == []
    late = run_of(closed_at=latest + timedelta(seconds=1))
    assert len(promises.late(evidence(runs=[late]))) == 1
    assert promises.late(evidence(runs=[replace(late, reviewed=True)])) == []
    # Others kept the cores busy.
    assert promises.late(evidence(runs=[late], load=4.0)) == []
    assert len(promises.late(evidence(runs=[late], load=2.0))) == 1


def test_an_asker_must_be_told_what_is_in_the_history() -> None:
    other = QuestionFailed("none left", "AllProvidersFailed", Unanswered())
    assert len(promises.mistold(evidence(told=[Told("asked-1", failure=other)]))) == 1
    assert len(promises.mistold(evidence(told=[Told("asked-1", cancelled=True)]))) == 1


def test_a_call_that_is_sent_after_its_end_is_on_record_is_paid_again() -> None:
    again = [hit(), hit(attempt=2, number=2)]
    assert len(payments.paid_again(evidence(hits=again))) == 1
    # A first attempt that was lost with its process is not: the second is the one on record.
    lost = run_of(recorded=(Recorded(Call("asked-1", "1", 2, "run-1"), "completed"),))
    assert payments.paid_again(evidence(hits=again, runs=[lost])) == []
    assert [one.number for one in payments.unrecorded(evidence(hits=again, runs=[lost]))] == [1]


def test_one_attempt_makes_one_request_and_an_answered_question_is_not_asked_anew() -> None:
    assert len(payments.paid_again(evidence(hits=[hit(), hit(number=2)]))) == 1
    answered = run_of(WorkflowExecutionStatus.COMPLETED)
    assert len(payments.paid_again(evidence(runs=[answered, run_of(run_id="run-2")]))) == 1
    # After a failure it runs anew.
    assert payments.paid_again(evidence(runs=[run_of(), replace(answered, run_id="run-2")])) == []


def test_a_request_without_an_attempt_and_an_attempt_without_a_request_are_told() -> None:
    assert len(payments.untold(evidence(hits=[hit(), hit("2", number=2)]))) == 1
    assert len(payments.untold(evidence(hits=[]))) == 1
    cut = attempt(outcome="failed", error_class=ErrorClass.INFRASTRUCTURE)
    assert off_record([], {"run-1": [cut]}) == []


def test_a_probe_that_the_entity_has_not_scheduled_is_strange() -> None:
    probe = hit(workflow="provider-health")
    assert is_probe(probe)
    assert len(payments.strange_probes(evidence(hits=[probe]))) == 1
    assert payments.strange_probes(evidence(hits=[probe], probes={call_of(probe)})) == []


def test_reported_usage_must_be_the_providers_own_count() -> None:
    assert len(accounts.accounts(evidence(rows=[row(output_tokens=6)])).faults) == 1
    assert len(accounts.accounts(evidence(rows=[row(cost_nano_usd=70_001)])).faults) == 1
    refused = evidence(behaviours={"north": {1: Status(503)}})
    assert len(accounts.accounts(refused).faults) == 1


def test_an_answer_that_was_heard_may_not_be_an_estimate() -> None:
    estimate = row(usage_source="estimated")
    assert len(accounts.accounts(evidence(rows=[estimate])).faults) == 1
    cut = row(usage_source="estimated", outcome="failed", error_class="infrastructure", kind="worker_lost")
    found = accounts.accounts(evidence(rows=[cut]))
    assert (found.faults, found.estimated, found.unheard) == ([], 1, 1)
    hung = accounts.accounts(evidence(rows=[estimate], behaviours={"north": {1: Hang()}}))
    assert (hung.faults, hung.unheard) == ([], 0)


def test_a_row_may_be_missing_only_where_a_worker_was_killed_then() -> None:
    assert len(accounts.accounts(evidence(rows=[])).faults) == 1
    killed = evidence(rows=[], killed=[Killed("worker", 10.5, 1.0)])
    assert (accounts.accounts(killed).faults, accounts.accounts(killed).lost) == ([], 1)
    long_after = evidence(rows=[], killed=[Killed("worker", 30.0, 1.0)])
    assert len(accounts.accounts(long_after).faults) == 1


def test_a_row_without_a_request_must_have_been_cut_off() -> None:
    assert len(accounts.accounts(evidence(hits=[])).faults) == 1
    unsent = accounts.accounts(evidence(hits=[], rows=[row(outcome="cancelled", error_class="cancel")]))
    assert (unsent.faults, unsent.unsent) == ([], 1)


def change(gen: int, source: BreakerState, state: BreakerState) -> HealthEvent:
    return HealthEvent(at=float(gen), kind="opened", target="north/m", source=source, state=state, gen=gen)


def test_breakers_move_by_their_rules_and_end_closed() -> None:
    closed, opened, half = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN
    moves = [change(2, closed, opened), change(3, opened, half), change(4, half, closed)]
    assert breakers.illegal_moves(evidence(changes={("north/m", one.gen): [one] for one in moves})) == []
    skipped = [moves[0], change(3, half, closed)]
    assert breakers.illegal_moves(evidence(changes={("north/m", one.gen): [one] for one in skipped})) != []
    missing = [moves[0], moves[2]]
    assert breakers.illegal_moves(evidence(changes={("north/m", one.gen): [one] for one in missing})) != []
    twice = {("north/m", 2): [moves[0], replace_at(moves[0])]}
    assert breakers.illegal_moves(evidence(changes=twice)) != []
    assert len(breakers.not_closed(evidence(states={"north": opened, "south": closed, "east": closed}))) == 1
    assert len(breakers.not_closed(evidence(states={}))) == 3


def replace_at(event: HealthEvent) -> HealthEvent:
    return event.model_copy(update={"at": event.at + 1})


def test_a_later_look_goes_before_an_earlier_one_and_one_look_shows_each_generation_once() -> None:
    changes: dict[tuple[str, int | None], list[HealthEvent]] = {}
    undone = change(2, BreakerState.CLOSED, BreakerState.OPEN)
    note((undone,), changes)
    note((replace_at(undone),), changes)
    assert changes == {("north/m", 2): [replace_at(undone)]}
    note((undone, replace_at(undone)), changes)
    assert breakers.illegal_moves(evidence(changes=changes)) != []


def test_an_error_in_a_log_needs_an_explanation() -> None:
    error = "2026-11-30 00:00:00,000 ERROR worker: failed\nTraceback (most recent call last):\nValueError: x\n"
    assert len(remarks.unexplained(evidence(logs={"worker-0": error}))) == 1
    busy = error.replace("ValueError: x", "temporalio.worker._workflow._DeadlockError: [TMPRL1101] Potential deadlock")
    found = evidence(logs={"worker-0": busy + error})
    assert len(remarks.unexplained(found)) == 1
    assert list(remarks.explained(found).values()) == [1]


def test_a_worker_that_ends_by_itself_or_badly_is_a_fault() -> None:
    assert not verdict(evidence(deserters=["the process ended"])).good
    assert not verdict(evidence(statuses=[0, 134])).good


def test_the_attempt_that_ended_an_activity_is_read_from_its_history() -> None:
    scheduled = HistoryEvent(event_id=5, event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)
    scheduled.activity_task_scheduled_event_attributes.activity_id = "3"
    started = HistoryEvent(event_id=6, event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED)
    started.activity_task_started_event_attributes.scheduled_event_id = 5
    started.activity_task_started_event_attributes.attempt = 2
    ended = HistoryEvent(event_id=7, event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED)
    ended.activity_task_failed_event_attributes.scheduled_event_id = 5
    assert recorded("q", "r", [scheduled, started, ended]) == (Recorded(Call("q", "3", 2, "r"), "failed"),)
    assert recorded("q", "r", [scheduled, started]) == ()
