"""The table of metrics: what the instruments tell, and what the documentation promises, is what stands in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.messages import Question
from pointsman.outcomes import ErrorClass, Usage
from pointsman.query_types import QueryType
from pointsman.telemetry import metrics
from pointsman.telemetry.instruments import ALERTED, Instruments
from pointsman.telemetry.metrics import METRICS
from tests.builders import attempt, call, configuration, decision, provider_table
from tests.fakes import failing
from tests.observed import rules
from tests.promql import selected
from workers.telemetry.readings import Gauges, read

DOCUMENT = Path(__file__).parents[3] / "docs" / "telemetry.md"
_ROW = re.compile(r"^\| `(?P<exposed>\w+)` \| (?P<kind>\w+) \| (?P<labels>[^|]*) \|", re.MULTILINE)


def collected(tell: Callable[[Meter], None]) -> dict[str, list[tuple[dict[str, object], object]]]:
    """Labels and data points by the metric's name."""
    reader = InMemoryMetricReader()
    meter = MeterProvider([reader], shutdown_on_exit=False).get_meter("pointsman")
    tell(meter)
    data = reader.get_metrics_data()
    assert data is not None
    return {
        metric.name: [(dict(point.attributes or {}), point) for point in metric.data.data_points]
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def values(
    found: dict[str, list[tuple[dict[str, object], object]]], name: str
) -> list[tuple[dict[str, object], object]]:
    return [(labels, getattr(point, "value", None)) for labels, point in found[name]]


def everything(meter: Meter) -> None:
    """Each thing that can be told, once."""
    instruments = Instruments(meter)
    asked = call()
    instruments.queued("alpha", 0.01)
    instruments.ended(asked, attempt(latency_ms=120.0))
    instruments.failed("alpha", 1e9)
    instruments.turned_away(asked, failing(ErrorClass.LOCAL, "breaker_open"))
    probe = ProbeRequest(key="alpha/m", epoch=1, gen=1, n=1, timeout_s=1)
    instruments.probed(probe, ProbeResult(outcome=ProbeOutcome.SUCCESS, cost_usd=0.0))
    instruments.cooled("alpha", "throttle")
    instruments.decided(
        decision(settings=configuration({"alpha": provider_table(), "beta": provider_table(context_tokens=1)}))
    )
    instruments.compared("panel", "agree")
    instruments.reconciled(divergent=True)
    instruments.moved("alpha", "m", "open")
    instruments.question_ended("answered", "none", 1.0)
    settings = configuration(
        {"alpha": provider_table(daily_cost_cap_usd=1.0), "beta": provider_table()},
        tenants={"blue": {"daily_cost_cap_usd": 1.0}},
    )
    gauges = Gauges(dropped=lambda: 0)
    gauges.register(meter)
    gauges.latest = read(ProcessHealth.of(settings, "w"), ProcessCatalogue(settings))


WITHOUT_A_SERVER = {
    metrics.REVIEWS_WAITING.name,
    metrics.REVIEWS_OLDEST.name,
    metrics.SNAPSHOT_AGE.name,
    metrics.PROCESSES.name,
}


def test_every_metric_is_told_with_exactly_its_labels() -> None:
    found = collected(everything)
    assert set(found) == {metric.name for metric in METRICS} - WITHOUT_A_SERVER
    for metric in METRICS:
        for labels, _ in found.get(metric.name, []):
            assert set(labels) == set(metric.labels), metric.name


def test_no_two_metrics_share_a_name_and_every_one_is_ours() -> None:
    assert len({metric.exposed for metric in METRICS}) == len(METRICS)
    assert all(metric.exposed.startswith("pointsman_") for metric in METRICS)


def test_the_documentation_lists_every_metric_with_its_kind_and_labels_and_no_other() -> None:
    listed = {
        row["exposed"]: (row["kind"], tuple(re.findall(r"`(\w+)`", row["labels"])))
        for row in _ROW.finditer(DOCUMENT.read_text(encoding="utf-8"))
    }
    assert listed == {metric.exposed: (metric.kind, metric.labels) for metric in METRICS}


def test_a_failed_attempt_counts_by_its_class_and_an_answer_by_none() -> None:
    def tell(meter: Meter) -> None:
        instruments = Instruments(meter)
        instruments.ended(call(), attempt())
        instruments.ended(call(), attempt(attempt=2).because(failing()))

    outcomes = {(labels["outcome"], labels["error_class"]) for labels, _ in values(collected(tell), "pointsman.calls")}
    assert outcomes == {("answered", "none"), ("failed", "failure")}
    assert values(collected(tell), "pointsman.retries") == [({"provider": "alpha"}, 1)]


def test_a_request_of_unknown_cost_counts_as_unpriced_and_never_as_free() -> None:
    def tell(meter: Meter) -> None:
        Instruments(meter).ended(call(), attempt(cost_usd=None, usage=Usage()))

    found = collected(tell)
    assert values(found, "pointsman.calls.unpriced") == [({"provider": "alpha"}, 1)]
    assert "pointsman.cost.usd" not in found


def test_a_provider_that_was_passed_over_by_its_configuration_is_no_rejection() -> None:
    def tell(meter: Meter) -> None:
        Instruments(meter).decided(
            decision(settings=configuration({"alpha": provider_table(), "beta": provider_table(enabled=False)}))
        )

    found = collected(tell)
    assert "pointsman.rejections" not in found
    told = [(labels, count) for labels, count in values(found, "pointsman.decisions") if count]
    assert told == [({"query_type": "analysis", "provider": "alpha", "reason": "primary"}, 1)]


def test_that_no_provider_was_found_stands_at_0_before_it_happens_so_that_the_first_time_is_a_rise() -> None:
    barred = configuration({"alpha": provider_table(enabled=False)})

    def wait(meter: Meter) -> None:
        Instruments(meter)

    def find_none(meter: Meter) -> None:
        Instruments(meter).decided(decision(settings=barred))

    waiting = values(collected(wait), "pointsman.decisions")
    assert [(labels["query_type"], labels["reason"]) for labels, _ in waiting] == [
        (query_type, reason) for query_type in QueryType for reason in ("unwell", "unadmitted")
    ]
    assert {(labels["provider"], count) for labels, count in waiting} == {("none", 0)}
    found = values(collected(find_none), "pointsman.decisions")
    assert [labels for labels, count in found if count] == [
        {"query_type": "analysis", "provider": "none", "reason": "unadmitted"}
    ]
    assert len(found) == len(waiting)


def test_a_question_that_bars_everybody_itself_does_not_count_as_one_of_unwell_providers() -> None:
    asked = Question(prompt="Why is the sky blue?", max_cost_usd=1e-9, deny=("beta",))

    def tell(meter: Meter) -> None:
        Instruments(meter).decided(decision(asked))

    assert [labels["reason"] for labels, count in values(collected(tell), "pointsman.decisions") if count] == [
        "request"
    ]


def test_every_reason_that_an_alert_rests_on_is_there_from_the_start() -> None:
    asked = {
        (label, value)
        for rule in rules()
        for metric in selected(rule["expr"])
        if metric.name == metrics.DECISIONS.exposed
        for label, _, value in metric.matchers
    }
    assert asked == {("provider", "none"), *(("reason", reason) for reason in ALERTED)}


def test_what_is_paid_is_told_to_the_cent_for_losers_failures_and_probes_too() -> None:
    """By hand: alpha 0.002 + 0.0005 reported of one type, 0.001 estimated; beta's probe 0.0001."""
    asked = call().model_copy(update={"query_type": "code"})

    def tell(meter: Meter) -> None:
        instruments = Instruments(meter)
        reported, guessed = Usage(source="reported"), Usage(source="estimated")
        instruments.ended(asked, attempt(cost_usd=0.002, usage=reported))
        instruments.ended(asked, attempt(cost_usd=0.0005, usage=reported).because(failing()))
        # The loser of a hedge was cut off: it told no usage, and is paid all the same.
        instruments.ended(asked, attempt(cost_usd=0.001, outcome="cancelled", usage=guessed, hedge=True))
        instruments.ended(call(), attempt(cost_usd=0.004, usage=reported))
        probe = ProbeRequest(key="beta/m", epoch=1, gen=1, n=1, timeout_s=1)
        instruments.probed(probe, ProbeResult(outcome=ProbeOutcome.SUCCESS, cost_usd=0.0001))

    told = {
        (labels["provider"], labels["query_type"], labels["source"]): amount
        for labels, amount in values(collected(tell), "pointsman.cost.usd")
    }
    assert told == {
        ("alpha", "code", "reported"): pytest.approx(0.0025),
        ("alpha", "code", "estimated"): pytest.approx(0.001),
        ("alpha", "unknown", "reported"): pytest.approx(0.004),
        ("beta", "probe", "estimated"): pytest.approx(0.0001),
    }
