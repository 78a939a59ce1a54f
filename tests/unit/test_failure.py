"""The end of a question that nobody answered: its sentence, and when to ask again."""

from __future__ import annotations

import pytest

from pointsman.call import FailedCall, Leg
from pointsman.configuration import Configuration
from pointsman.contract import ALL_PROVIDERS_UNAVAILABLE, NO_CANDIDATE
from pointsman.failure import failure
from pointsman.messages import Question
from pointsman.outcomes import Attempt, ErrorClass, Fault
from pointsman.progress import Progress
from tests.builders import QUERY_TYPES, attempt, configuration, decision, provider_table


def _outside() -> Configuration:
    """Providers a and b in every chain, c in none."""
    names = {name: provider_table() for name in ("a", "b")}
    return configuration(
        {**names, "c": provider_table(reasoning_depth=1.0, price={"input": 9.0, "output": 90.0})},
        query_types={kind: {"chain": ["a", "b"]} for kind in QUERY_TYPES},
    )


def _sentence(question: Question) -> str:
    kind, sentence, _ = failure(Progress(question), decision(question, _outside()), late=False)
    assert kind == NO_CANDIDATE
    return sentence


def test_an_allowed_provider_outside_the_chain_is_said_to_be_outside() -> None:
    assert _sentence(Question(prompt="hello", allow=("c",))) == (
        "No provider may answer this question. a: not_allowed (the question allows others only); b: not_allowed "
        "(the question allows others only); c: not_in_chain (the question allows it, and query_types.analysis does "
        "not hold it)"
    )


def test_a_provider_outside_the_chain_that_nobody_asked_for_is_not_told() -> None:
    assert "not_in_chain" not in _sentence(Question(prompt="hello", deny=("a", "b")))


def _after(*outcomes: FailedCall) -> tuple[str, float | None]:
    """The failure's type and `retry_after_s` once alpha, and then beta, ended like this."""
    progress, decided = Progress(Question(prompt="hello")), decision()
    for outcome in outcomes:
        call = progress.next_call(decided)
        assert call is not None
        progress.take(Leg(call=call, outcome=outcome), decided)
    kind, _, unanswered = failure(progress, decided, late=False)
    return kind, unanswered.retry_after_s


def _turned_away(kind: str, retry_after_s: float | None, *attempts: Attempt) -> FailedCall:
    fault = Fault(error_class=ErrorClass.LOCAL, kind=kind, summary=kind, retry_after_s=retry_after_s)
    return FailedCall(fault=fault, attempts=attempts)


@pytest.mark.parametrize("kind", ["rate_limit", "breaker_open"])
def test_calls_that_were_turned_away_at_the_gate_say_when_one_will_be_sent(kind: str) -> None:
    ended = _after(_turned_away(kind, 40.0), _turned_away("rate_limit", 25.0))
    assert ended == (ALL_PROVIDERS_UNAVAILABLE, 25.0)


def test_a_call_turned_away_after_an_attempt_waits_for_its_slot_and_not_for_the_back_off() -> None:
    failed = attempt(outcome="failed", error_class=ErrorClass.FAILURE, kind="http_503")
    _, retry_after_s = _after(_turned_away("rate_limit", 25.0, failed), _turned_away("queue_full", None))
    assert retry_after_s == 25.0
