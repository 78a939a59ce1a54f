"""How many calls beyond the first a process may make: both bounds, over every interval and whatever arrives."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pointsman.budget import BudgetSettings, RetryBudget, capacity

Kind = Literal["question", "hedge", "costly_hedge", "retry", "fallback", "round"]
Arrivals = list[tuple[Kind, float]]
"""What is asked for, and how many seconds later the next thing is."""

always = settings(derandomize=True, deadline=None)
kinds = st.sampled_from(["question", "question", "hedge", "costly_hedge", "retry", "fallback", "round"])
pauses = st.sampled_from([0.0, 0.0, 0.0, 0.0123, 1.0, 9.99, 3600.0, -0.5, -10.0])
blocks = st.tuples(st.lists(st.tuples(kinds, pauses), min_size=1, max_size=5), st.integers(1, 40))
arrivals = st.lists(blocks, min_size=1, max_size=6).map(
    lambda some: [one for block, times in some for one in block * times]
)
capacities = st.sampled_from([2.0, 3.0, 5.0, 10.0])


@dataclass(frozen=True)
class _Event:
    latest: float
    """The furthest time that a charge has named."""
    travelled: float
    """Seconds that the clock has gone forward, those after a step back included."""
    question: bool
    hedges: int
    charged: int


class _Deployment:
    """Budgets of one process, or of a planner that hedges and a worker that retries."""

    def __init__(self, settings: BudgetSettings, *, split: bool) -> None:
        self.planner = RetryBudget(settings, split=split)
        self.worker = RetryBudget(settings, split=True) if split else self.planner
        self.tokens = self.planner.level
        self.ids = itertools.count()

    def see(self, now: float) -> None:
        """Let both sides know the time, by a hedge that costs more than there is."""
        for budget in (self.planner, self.worker):
            assert not budget.take_hedge("", now, scale=1e-6)

    def serve(self, kind: Kind, now: float) -> tuple[RetryBudget, bool]:
        request_id = str(next(self.ids))
        match kind:
            case "question":
                self.planner.deposit(request_id)
                self.worker.deposit(request_id)
                return self.planner, True
            case "hedge":
                return self.planner, self.planner.take_hedge(request_id, now)
            case "costly_hedge":
                return self.planner, self.planner.take_hedge(request_id, now, scale=0.5)
            case "retry":
                return self.worker, self.worker.take_retry(now)
            case "fallback":
                return self.worker, self.worker.take_fallback(now)
            case "round":
                return self.worker, self.worker.take_round(now)


def _run(deployment: _Deployment, arriving: Arrivals) -> list[_Event]:
    now = latest = 1000.0
    travelled = 0.0
    deployment.see(now)
    events: list[_Event] = []
    for kind, pause in arriving:
        budget, granted = deployment.serve(kind, now)
        assert 0 <= budget.level <= deployment.tokens
        if not granted:
            level = budget.level
            assert not deployment.serve(kind, now)[1]
            assert budget.level == level
        question, hedge = kind == "question", kind in ("hedge", "costly_hedge")
        latest = latest if question else max(latest, now)
        events.append(_Event(latest, travelled, question, int(granted and hedge), int(granted and not question)))
        now += pause
        travelled += max(0.0, pause)
    return events


def _worst(steps: Iterable[tuple[float, float]], per_second: float) -> float:
    """The largest sum of values less `per_second` x seconds, over every run of consecutive (second, value) steps."""
    worst = total = 0.0
    start = float("inf")
    for at, value in steps:
        start = min(start, total - per_second * at)
        total += value
        worst = max(worst, total - per_second * at - start)
    return worst


@always
@given(arrivals, capacities)
def test_hedges_stay_within_half_the_bucket_and_a_tenth_of_the_questions(arriving: Arrivals, tokens: float) -> None:
    events = _run(_Deployment(BudgetSettings(capacity=tokens), split=False), arriving)
    assert _worst(((one.latest, one.hedges - 0.1 * one.question) for one in events), 0) <= tokens / 2 + 1e-9


@always
@given(arrivals, capacities)
def test_all_charges_stay_within_the_bucket_a_tenth_of_the_questions_and_the_trickle(
    arriving: Arrivals, tokens: float
) -> None:
    events = _run(_Deployment(BudgetSettings(capacity=tokens), split=False), arriving)
    assert _worst(((one.latest, one.charged - 0.1 * one.question) for one in events), 0.1) <= tokens + 1e-6


@always
@given(arrivals, capacities)
def test_a_split_deployment_keeps_the_bounds_of_two_processes_with_one_inflow(
    arriving: Arrivals, tokens: float
) -> None:
    events = _run(_Deployment(BudgetSettings(capacity=tokens), split=True), arriving)
    assert _worst(((one.travelled, one.hedges - 0.05 * one.question) for one in events), 0) <= tokens / 2 + 1e-9
    assert _worst(((one.travelled, one.charged - 0.1 * one.question) for one in events), 0.2) <= 2 * tokens + 1e-6


def test_the_bounds_are_reached() -> None:
    budget = RetryBudget(BudgetSettings())
    for number in range(1000):
        budget.deposit(str(number))
        budget.take_hedge(str(number), 0.0)
    assert budget.granted["hedge"] == 104  # the first nine deposits meet a bucket that is nearly full
    while budget.take_retry(0.0):
        pass
    assert budget.granted["retry"] == 5


@pytest.mark.parametrize("pause", [9.991, 3.3333, 0.0099, 1e-4])
def test_the_trickle_brings_in_no_more_however_often_it_is_asked_for(pause: float) -> None:
    budget = RetryBudget(BudgetSettings(ratio=0))
    asked = 10_000
    for step in range(asked):
        budget.take_retry(step * pause)
    assert budget.granted["retry"] <= 10 + 0.1 * asked * pause


@always
@given(st.integers(0, 12), st.integers(0, 30), st.booleans())
def test_below_one_and_half_the_bucket_only_retries_go_on(retries: int, deposits: int, hedge_first: bool) -> None:  # noqa: FBT001
    budget = RetryBudget(BudgetSettings())
    for _ in range(retries):
        budget.take_retry(0.0)
    for number in range(deposits):
        budget.deposit(str(number))
    level = budget.level
    if hedge_first:
        assert budget.take_hedge("h", 0.0) == (level >= 6)
    else:
        assert budget.take_retry(0.0) == (level >= 1)


def test_a_drained_bucket_lets_one_retry_through_after_ten_seconds_and_never_a_hedge() -> None:
    budget = RetryBudget(BudgetSettings())
    while budget.take_retry(0.0):
        pass
    assert not budget.take_retry(9.9)
    assert not budget.take_hedge("h", 1e6)
    assert budget.level == 1.0
    assert budget.take_retry(1e6)
    assert not budget.take_retry(1e6)


def test_no_time_is_saved_up_beyond_one_token() -> None:
    budget = RetryBudget(BudgetSettings())
    while budget.take_retry(0.0):
        pass
    assert budget.take_retry(10.0099)
    assert not budget.take_retry(20.0)
    assert budget.take_retry(20.0099)


def test_a_clock_that_goes_back_brings_nothing_in_twice() -> None:
    budget = RetryBudget(BudgetSettings())
    while budget.take_retry(100.0):
        pass
    for now in (95.0, 100.0, 90.0, 100.0, 105.0, 95.0, 105.0):
        assert not budget.take_retry(now)
    assert budget.level == pytest.approx(0.5)


def test_a_question_deposits_once() -> None:
    budget = RetryBudget(BudgetSettings())
    budget.take_retry(0.0)
    budget.take_retry(0.0)
    for number in range(10):
        budget.deposit(str(number))
        budget.deposit(str(number))
    assert budget.level == 9.0


def test_a_hedge_asked_for_again_is_the_same_hedge() -> None:
    budget = RetryBudget(BudgetSettings())
    assert budget.take_hedge("q", 0.0)
    assert budget.take_hedge("q", 0.0)
    assert budget.level == 9.0
    assert budget.granted == {"hedge": 1}


def test_a_denied_hedge_may_be_asked_for_again() -> None:
    budget = RetryBudget(BudgetSettings())
    for _ in range(5):
        budget.take_retry(0.0)
    assert not budget.take_hedge("q", 0.0)
    for number in range(10):
        budget.deposit(str(number))
    assert budget.take_hedge("q", 0.0)
    assert budget.denied == {"hedge": 1}


def test_a_hedge_costs_more_the_fewer_providers_are_healthy() -> None:
    budget = RetryBudget(BudgetSettings())
    assert budget.take_hedge("q1", 0.0, scale=0.5)
    assert budget.level == 8.0
    assert not budget.take_hedge("q2", 0.0, scale=0.25)
    assert not budget.take_hedge("q3", 0.0, scale=0.0)
    assert budget.level == 8.0
    assert budget.take_hedge("q4", 0.0)


def test_the_first_fallback_is_free_and_counted_apart() -> None:
    budget = RetryBudget(BudgetSettings())
    assert all(budget.take_fallback(0.0, free=True) for _ in range(100))
    assert budget.level == 10.0
    assert budget.take_fallback(0.0)
    assert budget.granted == {"free_fallback": 100, "fallback": 1}


def test_a_strict_budget_charges_the_first_fallback_too() -> None:
    budget = RetryBudget(BudgetSettings(strict_budget=True))
    assert [budget.take_fallback(0.0, free=True) for _ in range(11)] == [True] * 10 + [False]
    assert (budget.granted, budget.denied) == ({"fallback": 10}, {"fallback": 1})


def test_charges_are_counted_by_kind() -> None:
    budget = RetryBudget(BudgetSettings(capacity=2))
    budget.take_round(0.0)
    budget.take_retry(0.0)
    budget.take_round(0.0)
    budget.take_retry(0.0)
    assert (budget.granted, budget.denied) == ({"round": 1, "retry": 1}, {"round": 1, "retry": 1})


def test_a_thousand_failures_at_once_are_retried_within_the_bound() -> None:
    budget = RetryBudget(BudgetSettings())
    for number in range(1000):
        budget.deposit(str(number))
    assert sum(budget.take_retry(0.0) for _ in range(1000)) == 10


def test_a_drained_bucket_fills_again_with_questions() -> None:
    budget = RetryBudget(BudgetSettings())
    while budget.take_retry(0.0):
        pass
    for number in range(100):
        budget.deposit(str(number))
    assert budget.level == 10.0
    assert budget.denied["retry"] == 1


@pytest.mark.parametrize(("rps", "tokens"), [(None, 10.0), (0.0, 2.0), (0.5, 2.0), (5.0, 5.0), (500.0, 10.0)])
def test_the_bucket_holds_what_ten_seconds_bring_in(rps: float | None, tokens: float) -> None:
    assert capacity(BudgetSettings(), rps) == tokens
    assert RetryBudget(BudgetSettings(), expected_rps=rps).level == tokens
    assert capacity(BudgetSettings(capacity=50), rps) == 50


def test_a_share_that_no_binary_fraction_holds_is_exact() -> None:
    budget = RetryBudget(BudgetSettings(ratio=0.57, capacity=2))
    budget.take_retry(0.0)
    budget.deposit("q")
    assert budget.level == 1.57


@pytest.mark.parametrize("table", [{"ratio": 2}, {"capacity": 1}, {"budget": 1}])
def test_settings_that_make_no_sense_are_refused(table: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        BudgetSettings.model_validate(table)
