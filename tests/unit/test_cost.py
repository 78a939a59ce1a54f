"""Tokens and money."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.cost import affordable_output_tokens, cost_usd, estimated_tokens, per_1k_usd
from pointsman.outcomes import NO_USAGE, Attempt, Usage, total_cost, total_usage
from pointsman.provider import Price

PRICE = Price(input=2.0, output=10.0, cached_input=0.5)


def _usage(**counts: int) -> Usage:
    return Usage(source="reported", **counts)


def _attempt(cost: float | None, usage: Usage = NO_USAGE) -> Attempt:
    return Attempt(provider="a", model="m", attempt=1, outcome="answered", cost_usd=cost, usage=usage)


def test_cached_tokens_cost_their_own_price_and_are_part_of_the_input() -> None:
    assert cost_usd(_usage(input_tokens=1000, cached_tokens=400), PRICE) == (600 * 2.0 + 400 * 0.5) / 1e6


def test_reasoning_tokens_are_part_of_the_output() -> None:
    assert cost_usd(_usage(output_tokens=100, reasoning_tokens=80), PRICE) == 100 * 10.0 / 1e6


def test_without_a_cached_price_cached_tokens_cost_what_others_do() -> None:
    assert cost_usd(_usage(input_tokens=10, cached_tokens=10), Price(input=1, output=1)) == 10 / 1e6


def test_f25_unknown_price_and_unknown_usage_are_unknown_and_never_zero() -> None:
    assert cost_usd(_usage(input_tokens=10), None) is None
    assert cost_usd(Usage(), PRICE) is None
    assert total_cost((_attempt(0.1), _attempt(None))) is None


def test_a_sum_is_only_as_certain_as_its_least_certain_part() -> None:
    parts = (_attempt(0.1, _usage(input_tokens=3)), _attempt(0.2, Usage(input_tokens=4, source="estimated")))
    assert total_usage(parts) == Usage(input_tokens=7, source="estimated")
    assert total_cost(parts) == 0.3


def test_the_price_of_1000_tokens_is_weighted_by_their_kinds() -> None:
    assert per_1k_usd(500, 500, PRICE) == 0.006


def test_an_estimate_counts_bytes_so_that_no_script_is_cheap() -> None:
    assert estimated_tokens(["a" * 300]) == 108
    assert estimated_tokens(["日" * 100]) == 108
    assert estimated_tokens([]) == 0


@given(
    tokens=st.integers(0, 100_000),
    limit=st.floats(0, 1, allow_nan=False),
    cap=st.integers(1, 10_000),
    output=st.floats(0, 100),
)
def test_an_affordable_answer_keeps_the_limit(tokens: int, limit: float, cap: int, output: float) -> None:
    price = Price(input=1.0, output=output)
    found = affordable_output_tokens(tokens, price, limit, cap)
    if found is not None:
        assert 0 < found <= cap
        cost = cost_usd(_usage(input_tokens=tokens, output_tokens=found), price)
        assert cost is not None
        assert cost <= limit + 1e-12


def test_without_a_price_nothing_is_affordable() -> None:
    assert affordable_output_tokens(10, None, 1.0, 100) is None
