"""How chaos is planned and judged: each broken promise is found, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from temporalio.client import WorkflowExecutionStatus

from benchmarks.chaos import breakers, promises, remarks, replies
from benchmarks.chaos.askers import Told
from benchmarks.chaos.faults import MOODS, Temper
from benchmarks.chaos.histories import Run
from benchmarks.chaos.schedule import SHORT, Scale, schedule
from benchmarks.chaos.verdict import verdict
from benchmarks.chaos.witness import note
from pointsman.contract import DEADLINE_EXCEEDED, Unanswered
from pointsman.errors import QuestionFailed
from pointsman.health.breaker import BreakerState
from pointsman.health.events import HealthEvent
from pointsman.messages import Answer
from tests.chaos_evidence import BEGAN, asked, attempt, evidence, run_of
from workers.embedded.scripted.request import Request


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
    # Others kept the cores busy.
    assert promises.late(evidence(runs=[late], load=4.0)) == []
    assert len(promises.late(evidence(runs=[late], load=2.0))) == 1


def test_the_grace_has_an_end_however_busy_the_machine_is() -> None:
    very_late = run_of(closed_at=BEGAN + timedelta(seconds=20 + promises.MOST_GRACE_S + 1))
    busy = evidence(runs=[very_late], load=200.0)
    assert promises.grace_s(busy) == promises.MOST_GRACE_S
    assert len(promises.late(busy)) == 1


def test_only_the_wait_for_a_person_stops_the_clock() -> None:
    hours_late = run_of(closed_at=BEGAN + timedelta(hours=10))
    assert promises.late(evidence(runs=[replace(hours_late, review_s=10 * 3600.0)])) == []
    assert len(promises.late(evidence(runs=[replace(hours_late, review_s=3600.0)]))) == 1


def test_an_asker_must_be_told_of_the_failure_that_is_in_the_history() -> None:
    other = QuestionFailed("none left", "AllProvidersFailed", Unanswered(attempts=(attempt(),)))
    assert len(replies.mistold(evidence(told=[Told("asked-1", failure=other)]))) == 1
    fewer = QuestionFailed("late", DEADLINE_EXCEEDED, Unanswered())
    assert len(replies.mistold(evidence(told=[Told("asked-1", failure=fewer)]))) == 1


def test_everyone_who_asks_is_told_once() -> None:
    assert not verdict(evidence(told=[])).good
    found = evidence()
    assert len(replies.mistold(replace(found, told=found.told * 2))) == 1
    assert replies.mistold(replace(found, told=found.told * 2, schedule=asked("repeated"))) == []
    assert len(replies.mistold(replace(found, schedule=asked("repeated")))) == 1
    assert len(replies.mistold(evidence(told=[*found.told, Told("asked-7", cancelled=True)]))) == 1
    assert len(replies.mistold(evidence(told=[Told("asked-1")]))) == 1


def test_who_is_told_of_a_cancellation_wanted_it_and_it_is_in_the_history() -> None:
    told, cancelled = [Told("asked-1", cancelled=True)], run_of(WorkflowExecutionStatus.CANCELED, cancel_requested=True)
    assert replies.mistold(evidence(told=told, runs=[cancelled], schedule=asked("cancelled"))) == []
    assert len(replies.mistold(evidence(told=told, runs=[cancelled]))) == 1
    completed = run_of(WorkflowExecutionStatus.COMPLETED)
    assert len(replies.mistold(evidence(told=told, runs=[completed], schedule=asked("cancelled")))) == 1


def answered(text: str = "north: What?", **changes: Any) -> Answer:
    """The parts of an answer that are looked at."""
    return Answer.model_construct(None, text=text, provider="north", attempts=(attempt(),), **changes)


def told_of(told: Answer, held: Answer | None = None, **changes: Any) -> list[str]:
    """What speaks against telling this where the history holds that."""
    run = run_of(WorkflowExecutionStatus.COMPLETED, failure_type=None, answer=held or told)
    return replies.mistold(evidence(told=[Told("asked-1", answer=told)], runs=[run], **changes))


def test_an_answer_is_the_one_of_the_history_in_all_its_parts() -> None:
    assert told_of(answered()) == []
    assert len(told_of(answered(cost_usd=99.0), answered(cost_usd=0.07))) == 1


def test_an_answer_is_the_text_that_its_provider_gives_to_this_question() -> None:
    assert len(told_of(answered("north: somebody else's question"))) == 1
    assert len(told_of(answered("south: What?"))) == 1
    agreed = asked("agreed", "How many are there in asked-1?")
    assert told_of(answered("The answer is 42."), schedule=agreed) == []
    assert len(told_of(answered("<html>busy</html>"), schedule=agreed)) == 1
    disputed = asked("disputed", "How many, roughly are there in asked-1?")
    assert told_of(answered(f"The answer is {5 * 7 + ord('n')}."), schedule=disputed) == []
    assert len(told_of(answered(f"The answer is {4 * 7 + ord('e')}."), schedule=disputed)) == 1


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
