"""A panel's votes as they come in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pointsman.ballot import Ballot, Seat
from pointsman.call import FailedCall
from pointsman.messages import Question
from pointsman.outcomes import ErrorClass
from pointsman.progress import Progress
from tests.builders import NOON, attempt, completion, configuration, decision, provider_table
from tests.fakes import failing

NAMES = ("alpha", "beta", "gamma")


def _ballot(fan_out: int = 2, **question: Any) -> Ballot:
    asked = Question(prompt="hello", stakes="high", **question)
    chain = {"chain": list(NAMES), "order": "chain", "fan_out": fan_out}
    settings = configuration(dict.fromkeys(NAMES, provider_table()), query_types={"analysis": chain})
    decided = decision(asked, settings)
    assert decided.panel is not None
    ballot = Ballot(decided, decided.panel, Progress(asked))
    ballot.seat_members()
    return ballot


def _failed(provider: str, error_class: ErrorClass = ErrorClass.FAILURE, cost_usd: float = 0.001) -> FailedCall:
    fault = failing(error_class)
    row = attempt(provider, outcome="failed", error_class=error_class, kind=fault.kind, cost_usd=cost_usd)
    return FailedCall(fault=fault, attempts=(row,))


def _asked(ballot: Ballot) -> list[str | None]:
    return [None if seat.call is None else seat.call.candidate.provider for seat in ballot.seats]


def _spent(seat: Seat) -> float:
    assert seat.call is not None
    return round(seat.call.spent_usd, 6)


def test_all_members_are_asked_at_once_and_the_others_stand_by() -> None:
    assert _asked(_ballot()) == ["alpha", "beta"]


def test_who_fails_is_replaced_and_is_no_vote() -> None:
    ballot = _ballot()
    ballot.take(ballot.seats[0], _failed("alpha"))
    assert _asked(ballot) == ["gamma", "beta"]
    ballot.take(ballot.seats[0], completion())
    assert not ballot.can_compare
    ballot.take(ballot.seats[1], completion())
    assert ballot.can_compare
    assert [held.candidate.provider for held in ballot.in_order] == ["beta", "gamma"]
    assert ballot.vote_of("gamma").reason == "fallback:failure"


def test_nobody_stands_in_where_the_question_itself_was_not_accepted() -> None:
    ballot = _ballot()
    ballot.take(ballot.seats[0], _failed("alpha", ErrorClass.CLIENT))
    assert _asked(ballot) == [None, "beta"]


def test_a_reserve_stands_in_once() -> None:
    ballot = _ballot()
    ballot.take(ballot.seats[0], _failed("alpha"))
    ballot.take(ballot.seats[1], _failed("beta"))
    assert _asked(ballot) == ["gamma", None]


def test_a_refusal_is_no_vote_and_still_an_answer_where_nobody_votes() -> None:
    ballot = _ballot()
    for seat in ballot.seats:
        ballot.take(seat, completion("I cannot help with that.", refused=True))
    assert not ballot.can_compare
    assert ballot.best is not None
    assert ballot.best.completion.refused


def test_each_seat_may_spend_an_equal_share_of_the_limit_and_no_more() -> None:
    ballot = _ballot(3, max_cost_usd=0.3)
    assert [_spent(seat) for seat in ballot.seats] == [0.2, 0.2, 0.2]
    ballot = _ballot(2, max_cost_usd=0.3)
    ballot.take(ballot.seats[0], _failed("alpha", cost_usd=0.05))
    assert (_spent(ballot.seats[0]), _spent(ballot.seats[1])) == (0.2, 0.15)


def test_where_the_limit_does_not_pay_for_all_it_pays_for_fewer() -> None:
    """Here an answer takes 0.00017 USD at least: its question, and an answer of the shortest kind."""
    assert [len(_ballot(3, max_cost_usd=limit).seats) for limit in (1.0, 4e-4, 2e-4, 1e-4)] == [3, 2, 1, 0]


def test_the_first_call_that_stands_in_is_free_and_the_next_is_not() -> None:
    ballot = _ballot()
    ballot.take(ballot.seats[0], _failed("alpha"))
    assert ballot.charge(ballot.seats[0]) is None
    assert ballot.charge(ballot.seats[0]) == "fallback"


def test_a_call_that_is_not_needed_any_more_is_cut_off_and_billed_as_an_estimate() -> None:
    ballot = _ballot()
    seat, waiting = ballot.seats[0], ballot.seats[1]
    seat.since = NOON
    ballot.cut_off(seat, NOON + timedelta(seconds=0.4))
    ballot.cut_off(waiting, NOON)
    (row,) = ballot.progress.attempts
    assert row.latency_ms == 400
    assert (row.provider, row.error_class, row.kind) == ("alpha", ErrorClass.CANCEL, "not_needed")
    assert row.usage.source == "estimated"
    assert row.cost_usd
    assert ballot.progress.faults == []
