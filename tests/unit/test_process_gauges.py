"""What a process adds to its reports for people: how it stands, its last faults, and baselines learnt anew."""

from __future__ import annotations

from activities.process_health import ProcessHealth
from activities.witness import Witness
from pointsman.health.gauges import BudgetGauge
from pointsman.health.report import Failed, Rebased
from pointsman.outcomes import ErrorClass
from tests.builders import attempt, call, configuration
from tests.fakes import failing, reply

KEY = "alpha/openai/model-2026-01-01"


def process(**throttling: object) -> ProcessHealth:
    health = ProcessHealth.of(configuration(throttling=throttling), "worker-1")
    health.clock = lambda: 1_796_083_200.5
    return health


def test_the_gauges_are_calls_under_way_calls_left_and_the_budget() -> None:
    health = process()
    health.cooldowns.cool("beta", 3)
    assert health.budget.take_retry(0.0)
    assert not health.budget.take_hedge("q", 0.0, scale=0.0)
    assert health.budget.take_fallback(0.0)
    with health.in_flight.counted("alpha"):
        told = health.gauges()
    assert (told.in_flight, told.calls_left) == ({"alpha": 1}, {"beta": 3})
    assert told.budget == BudgetGauge(level=8, capacity=10, retries_granted=1, hedges_denied=1, fallbacks_granted=1)
    assert health.gauges().in_flight == {}


def test_the_last_fault_of_a_provider_is_reported_and_a_callers_own_is_not() -> None:
    health = process()
    witness = Witness(health)
    for fault in (failing(), failing(ErrorClass.THROTTLE, "http_429"), failing(ErrorClass.CLIENT, "http_400")):
        witness.failed(call(), fault, 1, latency_s=0.1, since_scheduled_s=0.1)
    assert health.reports.take().failed == (Failed(key=KEY, second=1_796_083_200, kind="http_429"),)
    assert health.reports.take().failed == ()


def test_a_baseline_that_is_learnt_anew_is_reported_once() -> None:
    health = process(action="evidence")
    witness = Witness(health)
    usual, slower = [0.1] * 6, [1.0] * 12
    for latency_s in (*usual, *slower):
        response = reply("a b c").model_copy(update={"latency_s": latency_s})
        witness.answered(call(), response, attempt(), since_scheduled_s=latency_s)
    assert health.reports.take().rebased == (Rebased(key=KEY, query_type="unknown"),)
    assert health.reports.take().rebased == ()
