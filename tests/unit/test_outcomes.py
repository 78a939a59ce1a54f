"""Attempts and their sums."""

from __future__ import annotations

from typing import get_args

import pytest

from pointsman.outcomes import NO_USAGE, ErrorClass, Fault, Usage, UsageSource, total_cost, total_usage
from tests.builders import attempt


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("reported", "reported", "reported"),
        ("reported", "estimated", "estimated"),
        ("unknown", "estimated", "unknown"),
        ("unknown", "reported", "unknown"),
    ],
)
def test_a_sum_of_usages_is_as_certain_as_the_less_certain(
    first: UsageSource, second: UsageSource, together: UsageSource
) -> None:
    one = Usage(input_tokens=1, output_tokens=2, cached_tokens=3, reasoning_tokens=4, source=first)
    two = Usage(input_tokens=10, output_tokens=20, cached_tokens=30, reasoning_tokens=40, source=second)
    expected = Usage(input_tokens=11, output_tokens=22, cached_tokens=33, reasoning_tokens=44, source=together)
    assert one.plus(two) == two.plus(one) == expected


def test_usage_has_three_states_and_is_unknown_until_told() -> None:
    assert get_args(UsageSource) == ("reported", "estimated", "unknown")
    assert Usage().source == "unknown"
    assert total_usage(()) == NO_USAGE


def test_a_sum_of_costs_does_not_show_binary_fractions() -> None:
    assert total_cost((attempt(cost_usd=0.1), attempt(cost_usd=0.2))) == 0.3
    assert total_cost(()) == 0.0


def test_an_attempt_ended_by_a_fault_keeps_its_facts_and_none_of_its_words() -> None:
    fault = Fault(error_class=ErrorClass.THROTTLE, kind="rate_limited", summary="words", status=429, retry_after_s=3.0)
    row = attempt().because(fault)
    assert (row.outcome, row.error_class, row.kind, row.status, row.retry_after_s) == (
        "failed",
        "throttle",
        "rate_limited",
        429,
        3.0,
    )
    assert "words" not in row.model_dump_json()


def test_only_a_cancelled_attempt_is_called_cancelled() -> None:
    outcomes = {
        error_class: attempt().because(Fault(error_class=error_class, kind="k", summary="")).outcome
        for error_class in ErrorClass
    }
    assert [error_class for error_class, outcome in outcomes.items() if outcome == "cancelled"] == ["cancel"]
    assert set(outcomes.values()) == {"failed", "cancelled"}
