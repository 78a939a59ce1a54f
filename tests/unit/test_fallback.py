"""What the money left allows, and who is asked next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.cost import cost_usd
from pointsman.fallback import attempts_for, may_follow, output_cap, retry_after_s
from pointsman.messages import Question
from pointsman.outcomes import ErrorClass, Fault, Usage
from pointsman.prompt import input_tokens
from tests.builders import attempt, call, candidate


def _limited(limit: float) -> Question:
    return Question(prompt="hello", max_cost_usd=limit)


def test_without_a_cost_limit_the_cap_is_the_candidates() -> None:
    assert output_cap(call()) == 1024


def test_the_cap_is_what_the_money_left_pays_for() -> None:
    # 10 tokens in at 1 USD and tokens out at 10 USD per million: (3010 - 1000 - 10) / 10 = 200.
    assert output_cap(call(_limited(0.003010)).model_copy(update={"spent_usd": 0.001})) == 200


def test_an_answer_too_short_to_be_one_is_not_paid_for() -> None:
    assert output_cap(call().model_copy(update={"question": _limited(0.000170)})) == 16
    assert output_cap(call().model_copy(update={"question": _limited(0.000169)})) is None


def test_f25_a_candidate_without_a_price_is_not_affordable_under_a_limit() -> None:
    unpriced = call(price=None)
    assert output_cap(unpriced) == 1024
    assert output_cap(unpriced.model_copy(update={"question": _limited(100.0)})) is None


@given(limit=st.floats(1e-6, 1), spent=st.floats(0, 1), price_in=st.floats(0, 50), price_out=st.floats(0, 50))
def test_the_cost_limit_holds_for_all_attempts_together(
    limit: float, spent: float, price_in: float, price_out: float
) -> None:
    free = call(price={"input": price_in, "output": price_out})
    asked = free.model_copy(update={"question": _limited(limit), "spent_usd": spent})
    cap = output_cap(asked)
    if cap is not None:
        usage = Usage(input_tokens=input_tokens(asked.question, None), output_tokens=cap, source="reported")
        cost = cost_usd(usage, asked.candidate.price)
        assert cost is not None
        assert spent + cost <= limit * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("error_class", list(ErrorClass))
def test_f18_only_a_fault_of_the_question_a_cancel_or_a_lost_worker_ends_the_chain(error_class: ErrorClass) -> None:
    fault = Fault(error_class=error_class, kind="k", summary="")
    follows = may_follow(fault, candidate("a"), candidate("b"), Question(prompt="hello"))
    assert follows is (error_class not in {"client", "cancel"})


@given(
    candidates=st.integers(1, 8), made=st.integers(0, 20), maximum=st.integers(1, 50), max_attempts=st.integers(1, 10)
)
def test_a_candidate_has_at_least_one_attempt_and_at_most_its_own(
    candidates: int, made: int, maximum: int, max_attempts: int
) -> None:
    for position in range(candidates):
        given_attempts = attempts_for(candidates - position - 1, made, maximum, max_attempts)
        assert 1 <= given_attempts <= max_attempts


@given(maximum=st.integers(1, 50), max_attempts=st.integers(1, 10), candidates=st.integers(1, 8))
def test_f10_a_question_makes_no_more_attempts_than_its_cap(maximum: int, max_attempts: int, candidates: int) -> None:
    made = 0
    for position in range(candidates):
        made += attempts_for(candidates - position - 1, made, maximum, max_attempts)
    assert made <= max(maximum, candidates)


def test_attempts_to_classify_say_nothing_about_when_to_come_back() -> None:
    throttled = Fault(error_class=ErrorClass.THROTTLE, kind="k", summary="", retry_after_s=9.0)
    assert retry_after_s((attempt(purpose="classification").because(throttled),)) is None
    assert retry_after_s((attempt().because(throttled), attempt("beta"))) == 9.0


def test_the_latest_attempt_speaks_for_its_provider() -> None:
    failed = attempt().because(Fault(error_class=ErrorClass.FAILURE, kind="k", summary=""))
    assert retry_after_s((failed,) * 3) == 2.0
    assert retry_after_s((failed,) * 30) == 20.0
    assert retry_after_s((failed, attempt())) is None
