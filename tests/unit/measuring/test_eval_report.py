"""What results come to: counts, intervals, and a verdict that faults of transport do not decide."""

from __future__ import annotations

import pytest

from pointsman.measuring.eval_report import EvalReport, model_report, verdict
from pointsman.measuring.figures import percentile
from pointsman.measuring.sitting import CaseResult
from tests.builders import NOON
from tests.unit.measuring.results import plan, result, sitting_result


@pytest.mark.parametrize(
    ("passed", "errors", "cases", "threshold", "expected"),
    [
        (18, 0, 20, 0.9, "passed"),
        (17, 0, 20, 0.9, "failed"),
        (17, 1, 20, 0.9, "inconclusive"),
        (18, 2, 20, 0.9, "passed"),
        (15, 2, 20, 0.9, "failed"),
        (0, 20, 20, 0.9, "inconclusive"),
        (7, 0, 10, 0.7, "passed"),
        (29, 0, 30, 29 / 30, "passed"),
    ],
)
def test_errors_decide_nothing(passed: int, errors: int, cases: int, threshold: float, expected: str) -> None:
    assert verdict(passed, errors, cases, threshold) == expected


def test_figures_are_of_answers_alone() -> None:
    results = (
        result("a", "passed", latency_ms=100.0, cost_usd=0.001),
        result("b", "failed", latency_ms=300.0, cost_usd=0.002, model_served="m-2"),
        CaseResult(id="c", query_type=result("x").query_type, outcome="error", cost_usd=0.0),
    )
    report = model_report(sitting_result(*results), plan(threshold=0.5))
    assert (report.cases, report.passed, report.errors, report.verdict) == (3, 1, 1, "inconclusive")
    assert (report.p50_ms, report.p95_ms) == (100.0, 300.0)
    assert report.cost_usd == pytest.approx(0.003)
    assert report.model_served == "m-2"
    assert [report.low, report.high] == pytest.approx([0.0945, 0.9055], abs=1e-3)


def test_a_cost_that_is_not_known_is_not_counted_as_nothing() -> None:
    assert model_report(sitting_result(result("a", cost_usd=None), result("b")), plan()).cost_usd is None


def test_the_catalogue_is_told_what_counts() -> None:
    report = EvalReport(
        task="sums",
        suite="d",
        threshold=0.5,
        evaluated_at=NOON,
        models=(model_report(sitting_result(result("a"), result("b", "failed")), plan(threshold=0.5)),),
    )
    (told,) = report.evaluations()
    assert (told.key, told.cases, told.passed, told.verdict) == ("sums/alpha/m", 2, 1, "passed")
    assert EvalReport.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize(("values", "p50", "p95"), [([], None, None), ([7], 7, 7), (list(range(1, 101)), 50, 95)])
def test_a_percentile_is_one_of_the_values(values: list[float], p50: float | None, p95: float | None) -> None:
    assert (percentile(values, 0.5), percentile(values, 0.95)) == (p50, p95)
