"""Whom a question asks next, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.call import FailedCall, Leg, ProviderCall
from pointsman.charges import Charge
from pointsman.decision import CallLimits, Candidate, Decision, RetrySchedule
from pointsman.failure import failure
from pointsman.faults import HEDGE_LOST
from pointsman.messages import Parameters, Question
from pointsman.outcomes import ErrorClass, Fault
from pointsman.progress import Progress
from pointsman.standing import Standing
from tests.builders import attempt, completion, configuration, decision, provider_table

QUESTION = Question(prompt="hello")


def _decision(question: Question = QUESTION, changes: dict[str, Any] | None = None, **fields: Any) -> Decision:
    """Candidates a, b and c, in this order."""
    tables = {
        name: provider_table(strengths={"analysis": strength}, **(changes or {}).get(name, {}))
        for name, strength in (("a", 0.9), ("b", 0.8), ("c", 0.7))
    }
    return decision(question, configuration(tables)).model_copy(update=fields)


def _failing(error_class: ErrorClass, kind: str = "kind", *, hint: float | None = None) -> FailedCall:
    fault = Fault(error_class=error_class, kind=kind, summary=f"summary of {kind}", retry_after_s=hint)
    return FailedCall(fault=fault, attempts=(attempt("a").because(fault),))


def _after(outcome: Any, found: Decision, question: Question = QUESTION) -> Progress:
    progress = Progress(question)
    progress.begin_round(found)
    _take(progress, outcome, 0, found)
    return progress


def _take(progress: Progress, outcome: Any, position: int, found: Decision, *, hedge: bool = False) -> None:
    """Tell of the end of a call to the candidate at `position`."""
    call = ProviderCall(
        question=progress.question,
        candidate=found.candidates[position],
        retry=RetrySchedule(),
        last_candidate=False,
        hedge=hedge,
    )
    progress.take(Leg(call=call, outcome=outcome), found)


def _next(progress: Progress, found: Decision) -> Candidate | None:
    call = progress.next_call(found)
    return None if call is None else call.candidate


def test_the_first_answer_settles_the_question_as_primary() -> None:
    found = _decision()
    progress = _after(completion("yes"), found)
    assert progress.settled
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 12.0)
    assert (answer.text, answer.provider, answer.route_reason, answer.latency_ms) == ("yes", "a", "primary", 12.0)
    assert (answer.verified, answer.tags, answer.cost_usd, answer.cost_known) == (True, (), 0.001, True)


@pytest.mark.parametrize("error_class", [ErrorClass.FAILURE, ErrorClass.QUOTA, ErrorClass.LOCAL, ErrorClass.QUALITY])
def test_f01_the_next_of_the_resolved_chain_answers_with_the_class_as_reason(error_class: ErrorClass) -> None:
    found = _decision()
    progress = _after(_failing(error_class), found)
    assert _next(progress, found) == found.candidates[1]
    _take(progress, completion(attempts=(attempt("b"),)), 1, found)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.provider, answer.route_reason) == ("b", f"fallback:{error_class}")
    assert answer.query_type == "analysis"
    assert [row.provider for row in answer.attempts] == ["a", "b"]


def test_f18_a_question_that_was_not_accepted_is_not_repeated_elsewhere() -> None:
    found = _decision()
    assert _next(_after(_failing(ErrorClass.CLIENT), found), found) is None


def test_f11_the_member_that_drops_the_parameter_is_asked() -> None:
    question = Question(prompt="hello", parameters=Parameters(reasoning_effort="none"))
    found = _decision(question, {"c": {"drop_params": ["reasoning_effort"]}})
    progress = _after(_failing(ErrorClass.CLIENT), found, question)
    assert _next(progress, found) == found.candidates[2]


def test_a_cancelled_call_has_no_successor() -> None:
    found = _decision()
    assert _next(_after(_failing(ErrorClass.CANCEL), found), found) is None


def test_only_the_last_call_knows_that_it_is_the_last() -> None:
    found = _decision()
    progress = Progress(QUESTION)
    progress.begin_round(found)
    last: list[bool] = []
    for position in range(3):
        call = progress.next_call(found)
        assert call is not None
        last.append(call.last_candidate)
        _take(progress, _failing(ErrorClass.FAILURE), position, found)
    assert last == [False, False, True]


def test_the_questions_own_schema_beats_the_routes() -> None:
    own = Question(prompt="hello", response_schema={"type": "array"})
    for question, expected in ((QUESTION, {"type": "object"}), (own, {"type": "array"})):
        call = Progress(question).next_call(_decision(question, response_schema={"type": "object"}))
        assert call is not None
        assert call.answer_schema == expected


def test_what_was_spent_counts_against_the_cost_limit_of_the_next_call() -> None:
    question = Question(prompt="hello", max_cost_usd=0.01)
    found = _decision(question)
    progress = _after(_failing(ErrorClass.FAILURE), found, question)
    call = progress.next_call(found)
    assert call is not None
    assert call.spent_usd == 0.001
    progress.record((attempt("a", cost_usd=0.009),))
    assert progress.next_call(found) is None


@pytest.mark.parametrize(("maximum", "expected"), [(4, [2, 2, 2]), (3, [1, 1, 1])])
def test_attempts_leave_one_for_each_candidate_behind(maximum: int, expected: list[int]) -> None:
    found = _decision(max_attempts_per_request=maximum)
    progress = Progress(QUESTION)
    progress.begin_round(found)
    given: list[int] = []
    for position in range(3):
        call = progress.next_call(found)
        assert call is not None
        given.append(progress.attempts_for(call, found))
        _take(progress, _failing(ErrorClass.FAILURE), position, found)
    assert given == expected


def test_a_new_round_starts_its_count_and_its_reason_afresh_and_keeps_the_bill() -> None:
    found = _decision(max_attempts_per_request=4)
    progress = _after(_failing(ErrorClass.CLIENT), found)
    progress.begin_round(found)
    call = progress.next_call(found)
    assert call is not None
    assert (call.candidate, progress.attempts_for(call, found)) == (found.candidates[0], 2)
    _take(progress, completion(), 0, found)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.route_reason, len(answer.attempts), answer.cost_usd) == ("primary", 2, 0.002)


def test_an_answer_below_the_confidence_is_held_while_a_better_one_may_come() -> None:
    found = _decision(min_confidence=0.8)
    progress = _after(completion("weak", confidence=0.5), found)
    assert not progress.settled
    assert (progress.attempts[0].outcome, progress.attempts[0].error_class) == ("low_confidence", ErrorClass.QUALITY)
    _take(progress, completion("strong", confidence=0.8), 1, found)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.text, answer.route_reason, answer.tags) == ("strong", "fallback:quality", ())


def test_if_all_are_below_the_confidence_the_best_is_returned_and_tagged() -> None:
    found = _decision(min_confidence=0.8)
    progress = _after(completion("weak", confidence=0.3), found)
    _take(progress, completion("better", confidence=0.6), 1, found)
    _take(progress, _failing(ErrorClass.FAILURE), 2, found)
    assert not progress.settled
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.text, answer.provider, answer.tags) == ("better", "b", ("low_confidence",))


def test_a_refusal_is_delivered_unless_the_route_moves_on() -> None:
    refusal = completion("I cannot help.", refused=True)
    assert _after(refusal, _decision(on_refusal="return", min_confidence=1.0)).settled
    found = _decision(on_refusal="next")
    progress = _after(refusal, found)
    assert not progress.settled
    assert _next(progress, found) == found.candidates[1]
    _take(progress, completion("yes"), 1, found)
    assert progress.best is not None
    assert (progress.best.completion.text, progress.best.reason) == ("yes", "refusal_fallback")


def test_of_refusals_and_weak_answers_a_weak_answer_is_given() -> None:
    found = _decision(on_refusal="next", min_confidence=0.8)
    progress = _after(completion("no", refused=True, confidence=0.9), found)
    _take(progress, completion("weak", confidence=0.1), 1, found)
    assert progress.best is not None
    assert progress.best.completion.text == "weak"


def test_f25_an_attempt_of_unknown_cost_makes_the_sum_unknown() -> None:
    found = _decision()
    progress = _after(completion(attempts=(attempt(cost_usd=None),)), found)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.cost_usd, answer.cost_known) == (None, False)


def test_tags_tell_what_a_caller_should_know() -> None:
    question = Question(prompt="hello", max_cost_usd=0.01)
    found = _decision(question, stakes="high")
    progress = _after(completion(finish_reason="length", attempts=(attempt(cost_usd=0.02),)), found, question)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert answer.tags == ("cut_short", "unverified", "over_cost")
    assert not answer.verified


@pytest.mark.parametrize(
    ("outcome", "late", "failure_type", "message"),
    [
        (_failing(ErrorClass.FAILURE, "x"), False, "AllProvidersFailed", "Every provider failed. a: summary of x"),
        (
            _failing(ErrorClass.CLIENT, "x"),
            False,
            "QuestionNotAccepted",
            "The question was not accepted. a: summary of x",
        ),
        (
            _failing(ErrorClass.LOCAL, "x"),
            False,
            "AllProvidersUnavailable",
            "No provider could be asked. a: summary of x",
        ),
        (
            _failing(ErrorClass.CANCEL, "x"),
            False,
            "DeadlineExceeded",
            "No answer within the deadline of 60 s. a: summary of x",
        ),
        (
            _failing(ErrorClass.FAILURE, "x"),
            True,
            "DeadlineExceeded",
            "No answer within the deadline of 60 s. a: summary of x",
        ),
    ],
)
def test_a_failure_has_a_type_and_each_providers_reason(
    outcome: FailedCall,
    late: bool,  # noqa: FBT001
    failure_type: str,
    message: str,
) -> None:
    found = _decision()
    assert failure(_after(outcome, found), found, late=late)[:2] == (failure_type, message)


def test_a_failure_carries_its_attempts_their_cost_and_when_to_come_back() -> None:
    found = _decision()
    _, _, detail = failure(_after(_failing(ErrorClass.THROTTLE, hint=12.0), found), found, late=False)
    assert ([row.provider for row in detail.attempts], detail.cost_usd, detail.retry_after_s) == (["a"], 0.001, 12.0)


def test_f08_without_a_candidate_every_skipped_member_is_named_with_its_reason() -> None:
    question = Question(prompt="hello", response_schema={"type": "object"}, deny=("c",))
    found = _decision(question, {"a": {"supports": []}, "b": {"enabled": False}})
    failure_type, message, detail = failure(Progress(question), found, late=False)
    assert failure_type == "NoCandidate"
    assert message == (
        "No provider may answer this question. a: no_json_schema (it does not support json_schema); "
        "b: disabled (enabled = false, or its server is not running); c: denied (the question denies it)"
    )
    assert [row.reason for row in detail.rejected] == ["no_json_schema", "disabled", "denied"]


def test_f08_when_the_able_member_is_down_the_failure_still_names_the_skipped_one() -> None:
    question = Question(prompt="hello", response_schema={"type": "object"})
    found = _decision(question, {"b": {"supports": []}, "c": {"supports": []}})
    _, message, detail = failure(_after(_failing(ErrorClass.FAILURE, "x"), found, question), found, late=False)
    assert message == "Every provider failed. a: summary of x"
    assert [(row.provider, row.reason) for row in detail.rejected] == [("b", "no_json_schema"), ("c", "no_json_schema")]


def test_when_the_money_is_spent_the_failure_says_so() -> None:
    failure_type, message, _ = failure(Progress(QUESTION), _decision(), late=False)
    assert failure_type == "AllProvidersUnavailable"
    assert message == "No provider could be asked. What is left of the cost limit pays for no answer"


CHARGING = CallLimits(charge="fallbacks")


def _charges(found: Decision, *outcomes: Any) -> list[Charge | None]:
    """What each further call draws on the budget, after these outcomes one by one."""
    progress = Progress(QUESTION)
    progress.begin_round(found)
    drawn: list[Charge | None] = [progress.charge(found)]
    for position, outcome in enumerate(outcomes):
        _take(progress, outcome, position, found)
        drawn.append(progress.charge(found))
    return drawn


def _not_called() -> FailedCall:
    fault = Fault(error_class=ErrorClass.LOCAL, kind="breaker_open", summary="")
    return FailedCall(fault=fault, attempts=())


@pytest.mark.parametrize("error_class", [ErrorClass.FAILURE, ErrorClass.THROTTLE, ErrorClass.QUOTA, ErrorClass.CONFIG])
def test_the_first_fallback_after_a_definitive_fault_is_free_and_the_second_is_not(error_class: ErrorClass) -> None:
    found = _decision(limits=CHARGING)
    assert _charges(found, _failing(error_class), _failing(error_class)) == [None, None, "fallback"]


def test_a_first_fallback_for_a_better_answer_is_charged() -> None:
    found = _decision(limits=CHARGING, min_confidence=0.8)
    assert _charges(found, _failing(ErrorClass.QUALITY)) == [None, "fallback"]
    assert _charges(found, completion(confidence=0.5)) == [None, "fallback"]


def test_a_first_fallback_after_a_degraded_answer_is_free() -> None:
    assert _charges(_decision(limits=CHARGING), completion(degraded=True, flags=("length",))) == [None, None]


def test_a_call_that_was_never_made_costs_nothing_and_uses_up_nothing() -> None:
    found = _decision(limits=CHARGING)
    assert _charges(found, _not_called(), _failing(ErrorClass.FAILURE)) == [None, None, None]


def test_a_strict_budget_charges_the_first_fallback_too() -> None:
    found = _decision(limits=CallLimits(charge="all_fallbacks"))
    assert _charges(found, _failing(ErrorClass.FAILURE)) == [None, "fallback"]


def test_a_later_round_is_charged_if_anyone_was_asked_before() -> None:
    found = _decision(limits=CHARGING)
    progress = Progress(QUESTION)
    progress.record((attempt("c", purpose="classification"),))
    progress.begin_round(found)
    assert progress.charge(found) is None
    _take(progress, _failing(ErrorClass.FAILURE), 0, found)
    progress.begin_round(found)
    assert progress.charge(found) == "round"


def test_a_decision_that_was_made_before_there_was_a_budget_charges_nothing() -> None:
    found = _decision(limits=CallLimits())
    assert _charges(found, _failing(ErrorClass.QUALITY), _failing(ErrorClass.FAILURE)) == [None, None, None]


def test_a_degraded_answer_is_held_and_the_next_is_asked_because_of_it() -> None:
    found = _decision()
    progress = _after(completion("thin", degraded=True, flags=("density",)), found)
    assert not progress.settled
    _take(progress, completion("sound"), 1, found)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.text, answer.route_reason, answer.tags) == ("sound", "throttled:a", ())


def test_of_degraded_answers_alone_the_last_is_given_with_its_flags() -> None:
    found = _decision()
    progress = _after(completion("first", degraded=True, flags=("density",), confidence=0.99), found)
    _take(progress, completion("last", degraded=True, flags=("latency", "length")), 1, found)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.text, answer.tags) == ("last", ("degraded:latency", "degraded:length"))


def test_flags_that_do_not_cool_are_told_and_change_nothing() -> None:
    found = _decision()
    progress = _after(completion("odd", flags=("latency",)), found)
    assert progress.settled
    assert progress.best is not None
    assert progress.answer(progress.best, found, 1.0).tags == ("degraded:latency",)


def test_a_call_stopped_at_the_gate_after_an_attempt_fell_for_what_that_attempt_ran_into() -> None:
    found = _decision()
    failed = attempt("a").because(Fault(error_class=ErrorClass.FAILURE, kind="http_503", summary=""))
    stopped = _not_called().model_copy(update={"attempts": (failed,)})
    progress = _after(stopped, found)
    _take(progress, completion(), 1, found)
    assert progress.best is not None
    assert progress.best.reason == "fallback:failure"


@pytest.mark.parametrize("hedge", [False, True])
def test_the_second_leg_that_wins_is_a_hedge_and_a_lost_leg_is_only_billed(hedge: bool) -> None:  # noqa: FBT001
    found = _decision(hedge=True)
    progress = Progress(QUESTION)
    progress.begin_round(found)
    progress.hedged = True
    winner, loser = (1, 0) if hedge else (0, 1)
    _take(progress, completion("won"), winner, found, hedge=hedge)
    lost = attempt(found.candidates[loser].provider).because(HEDGE_LOST)
    _take(progress, FailedCall(fault=HEDGE_LOST, attempts=(lost,)), loser, found, hedge=not hedge)
    assert progress.best is not None
    answer = progress.answer(progress.best, found, 1.0)
    assert (answer.hedged, answer.hedge_won, answer.route_reason) == (True, hedge, "hedge" if hedge else "primary")
    assert [row.kind for row in answer.attempts] == [None, "hedge_lost"]
    assert progress.faults == []


def test_only_a_well_provider_is_a_second_leg_and_only_once() -> None:
    found = _decision(hedge=True)
    a, b, c = (candidate.model_copy(update={"hedge_delay_s": 1.0}) for candidate in found.candidates)
    cooling = b.model_copy(update={"standing": Standing(cooling="throttle")})
    found = found.model_copy(update={"candidates": (a, cooling, c)})
    progress = Progress(QUESTION)
    progress.begin_round(found)
    first = progress.next_call(found)
    assert first is not None
    second = progress.second_leg(first, found)
    assert second is not None
    assert (second.candidate.provider, second.hedge) == ("c", True)
    progress.hedged = True
    assert progress.second_leg(first, found) is None
    progress.hedged = False
    assert progress.second_leg(first, found.model_copy(update={"hedge": False})) is None


def test_an_answer_that_is_only_slow_settles_a_race_and_does_not_wait_for_the_other_leg() -> None:
    found = _decision(hedge=True)
    for hedged, flags, settled in (
        (True, ("latency",), True),
        (False, ("latency",), False),
        (True, ("latency", "length"), False),
    ):
        progress = Progress(QUESTION)
        progress.begin_round(found)
        progress.hedged = hedged
        _take(progress, completion("late", degraded=True, flags=flags), 0, found)
        assert progress.settled is settled


def test_a_degraded_answer_in_hand_is_not_kept_waiting_for_a_provider_that_is_unwell() -> None:
    found = _decision()
    a, b, c = found.candidates
    cooling = b.model_copy(update={"standing": Standing(cooling="overdue", recovers_in_s=9.0)})
    for others, expected in (((cooling,), None), ((cooling, c), c), ((b, c), b)):
        asked = found.model_copy(update={"candidates": (a, *others)})
        progress = _after(completion("thin", degraded=True, flags=("length",)), asked)
        assert _next(progress, asked) == expected
