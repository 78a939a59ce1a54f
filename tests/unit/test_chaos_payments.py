"""Requests beside histories: each that was one too many, or that nobody has scheduled, is found."""

from __future__ import annotations

from dataclasses import replace

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos import payments, probes
from benchmarks.chaos.calls import CALL, RUN, WORKER, Call, call_of, is_probe, off_record
from benchmarks.chaos.histories import Recorded, recorded
from benchmarks.chaos.verdict import verdict
from benchmarks.chaos.witness import Killed, Look
from pointsman.outcomes import ErrorClass
from tests.chaos_evidence import attempt, evidence, hit, row, run_of


def test_a_call_that_is_sent_after_its_end_is_on_record_is_paid_again() -> None:
    again = [hit(), hit(attempt=2, number=2)]
    assert len(payments.paid_again(evidence(hits=again))) == 1
    # A first attempt that was lost with its process is not: the second is the one on record.
    second = Recorded(Call("asked-1", "1", 2, "run-1"), "completed")
    lost = evidence(
        hits=again,
        runs=[run_of(recorded=(second,), attempts=(attempt(attempt=2),))],
        rows=[row(), row(attempt=2)],
        killed=[Killed("worker", 10.5, 1.0, "worker-1")],
    )
    assert payments.paid_again(lost) == []
    assert [one.number for one in payments.unrecorded(lost)] == [1]
    # Where its process lived, and the server, it had to be on record.
    others = [Killed("worker", 10.5, 1.0, "worker-2"), Killed("server", 30.0, 1.0)]
    assert len(payments.paid_again(replace(lost, killed=others))) == 1
    assert payments.paid_again(replace(lost, killed=[Killed("server", 8.0, 2.5)])) == []


def test_an_answered_attempt_has_its_completion_in_history() -> None:
    three = [hit(attempt=number, number=number) for number in (1, 2, 3)]
    made = tuple(attempt(attempt=number) for number in (1, 2, 3))
    rows = [row(attempt=number) for number in (1, 2, 3)]
    silent = evidence(runs=[run_of(recorded=(), attempts=made)], hits=three, rows=rows)
    assert not verdict(silent).good
    # The answers of three attempts, and two of them sent again for nothing.
    assert len(payments.paid_again(silent)) == 5
    answered_run = run_of(WorkflowExecutionStatus.COMPLETED, recorded=(), attempts=())
    assert len(payments.paid_again(evidence(runs=[answered_run]))) == 1


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


def test_a_request_must_be_scheduled_in_the_history_of_its_run() -> None:
    ghost = hit(headers={CALL: "ghost/1/1", RUN: "run-ghost", WORKER: "worker-1"}, number=2)
    assert len(payments.untold(evidence(hits=[hit(), ghost]))) == 1
    cancelled = run_of(WorkflowExecutionStatus.CANCELED, cancel_requested=True, attempts=None, scheduled={"1": 3})
    assert payments.untold(evidence(runs=[cancelled])) == []
    further = [hit(str(number), number=number) for number in range(2, 12)]
    assert len(payments.untold(evidence(runs=[cancelled], hits=[hit(), *further]))) == 10
    again = [hit(attempt=number, number=number) for number in range(1, 6)]
    assert len(payments.untold(evidence(runs=[cancelled], hits=again))) == 2


def test_a_probe_that_the_entity_has_not_scheduled_is_strange() -> None:
    probe = hit(workflow="provider-health")
    assert is_probe(probe)
    assert len(probes.strange(evidence(hits=[probe]))) == 1
    assert probes.strange(evidence(hits=[probe], probes={call_of(probe)})) == []
    assert len(probes.strange(evidence(hits=[probe, probe], probes={call_of(probe)}))) == 1


def test_a_process_may_probe_by_itself_only_while_it_is_cut_off_from_the_entity() -> None:
    headers = {CALL: "provider-health/host-9/1/1", RUN: "", WORKER: "worker-1"}
    own = evidence(hits=[hit(headers=headers, started=40.0, ended=40.1)])

    def looks(heard_until: float, heard_after_s: float = 0.01) -> list[Look]:
        return [Look(at, at + 0.1, heard_after_s if at < heard_until else None) for at in map(float, range(60))]

    # Nobody has looked, or all was heard, or too much for 15 s without a word.
    assert len(probes.strange(own)) == 1
    assert len(probes.strange(replace(own, looks=looks(60)))) == 1
    assert len(probes.strange(replace(own, looks=looks(35)))) == 1
    assert probes.strange(replace(own, looks=looks(25))) == []
    # What comes too late for a worker was not heard.
    assert probes.strange(replace(own, looks=looks(60, heard_after_s=1.0))) == []
    # One that has just started has no word to trust.
    assert probes.strange(replace(own, looks=looks(35), ready={"worker-1": 35.0})) == []
    assert len(probes.strange(replace(own, looks=looks(60), ready={"worker-1": 35.0}))) == 1


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
