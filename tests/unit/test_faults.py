"""The table of consequences, and who may follow whom."""

from __future__ import annotations

import pytest

from pointsman.fallback import attempts_for, may_follow, retry_after_s
from pointsman.faults import CONSEQUENCES, NON_RETRYABLE_TYPES
from pointsman.messages import Parameters, Question
from pointsman.outcomes import Attempt, ErrorClass, Fault
from tests.builders import candidate

QUESTION = Question(prompt="hello")


def _fault(error_class: ErrorClass, kind: str = "kind") -> Fault:
    return Fault(error_class=error_class, kind=kind, summary="")


def _row(provider: str, error_class: ErrorClass, hint: float | None = None) -> Attempt:
    return Attempt(
        provider=provider, model="m", attempt=1, outcome="failed", error_class=error_class, retry_after_s=hint
    )


def test_every_class_has_its_consequences() -> None:
    assert set(CONSEQUENCES) == set(ErrorClass)
    told = {name: (rule.retryable, rule.next_candidate, rule.health) for name, rule in CONSEQUENCES.items()}
    assert told == {
        "failure": (True, True, "failure"),
        "throttle": (True, True, "throttle"),
        "quota": (False, True, "cooldown"),
        "config": (False, True, "cooldown"),
        "client": (False, False, "neutral"),
        "quality": (False, True, "neutral"),
        "cancel": (False, False, "neutral"),
        "local": (False, True, "neutral"),
        "infrastructure": (True, True, "neutral"),
    }


def test_the_types_that_temporal_does_not_repeat_are_pinned() -> None:
    assert NON_RETRYABLE_TYPES == (
        "ProviderQuotaExhausted",
        "ProviderMisconfigured",
        "QuestionNotAccepted",
        "AnswerNotAccepted",
        "CallCancelled",
        "CallNotMade",
    )


@pytest.mark.parametrize("error_class", [ErrorClass.FAILURE, ErrorClass.THROTTLE, ErrorClass.QUOTA, ErrorClass.QUALITY])
def test_a_providers_fault_leads_to_the_next(error_class: ErrorClass) -> None:
    assert may_follow(_fault(error_class), candidate("a"), candidate("b"), QUESTION)


def test_f18_the_questions_fault_does_not() -> None:
    assert not may_follow(_fault(ErrorClass.CLIENT, "http_400"), candidate("a"), candidate("b"), QUESTION)


def test_a_longer_context_may_take_what_was_too_long() -> None:
    fault = _fault(ErrorClass.CLIENT, "context_length")
    assert may_follow(fault, candidate("a"), candidate("b", context_tokens=200_000), QUESTION)
    assert not may_follow(fault, candidate("a"), candidate("b"), QUESTION)


def test_f11_a_member_that_drops_what_this_one_was_sent_may_follow() -> None:
    question = Question(prompt="hello", parameters=Parameters(reasoning_effort="none"))
    fault = _fault(ErrorClass.CLIENT, "http_400")
    dropping = candidate("b", drop_params=["reasoning_effort"])
    assert may_follow(fault, candidate("a"), dropping, question)
    assert not may_follow(fault, candidate("a", drop_params=["reasoning_effort"]), dropping, question)
    assert not may_follow(fault, candidate("a"), dropping, QUESTION)


def test_f11_a_temperature_can_be_dropped_like_a_parameter() -> None:
    fault = _fault(ErrorClass.CLIENT, "http_400")
    dropping = candidate("b", drop_params=["temperature"])
    assert may_follow(fault, candidate("a"), dropping, Question(prompt="hello", temperature=0.0))
    assert not may_follow(fault, candidate("a"), dropping, QUESTION)


@pytest.mark.parametrize(
    ("position", "made", "maximum", "expected"), [(0, 0, 4, 2), (0, 0, 3, 1), (2, 2, 4, 2), (2, 3, 4, 1), (2, 9, 4, 1)]
)
def test_each_candidate_behind_keeps_an_attempt(position: int, made: int, maximum: int, expected: int) -> None:
    assert attempts_for(2 - position, made, maximum, 2) == expected


def test_asking_again_makes_sense_when_the_first_provider_is_back() -> None:
    rows = (_row("a", ErrorClass.THROTTLE, 30), _row("b", ErrorClass.THROTTLE, 7), _row("b", ErrorClass.THROTTLE, 40))
    assert retry_after_s(rows) == 30
    assert retry_after_s((_row("a", ErrorClass.FAILURE), _row("a", ErrorClass.FAILURE))) == 1.0
    assert retry_after_s((_row("a", ErrorClass.CONFIG),)) is None
    assert retry_after_s(()) is None
