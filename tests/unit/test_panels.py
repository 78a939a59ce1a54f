"""What panels compute, over series of which the result is worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.observed import everything_asked, panels
from tests.promql import Series, parsed, value

STEP_S = 10
AT_S = 3_600
"""When the panels are looked at: an hour of samples lies behind."""

Case = tuple[str, Mapping[str, str], Mapping[tuple[str, str], float]]
"""A panel's title, its series, and the values by legend and by the labels that are left."""

# A counter's step is for ten seconds: 0+2 is 0.2 a second, 12 a minute, 60 in five minutes, 720 an hour.
_CALL = 'pointsman_calls_total{{provider="{}", purpose="{}", outcome="{}", error_class="none", instance="{}"}}'
_ERRORS = {
    # a: 6 of 24 failed, on two workers. b: 9 answered. Probes and cut-off losers count for nothing.
    _CALL.format("a", "answer", "answered", "w1"): "0+10x400",
    _CALL.format("a", "answer", "refused", "w2"): "0+8x400",
    _CALL.format("a", "classification", "failed", "w1"): "0+2x400",
    _CALL.format("a", "answer", "failed", "w2"): "0+4x400",
    _CALL.format("b", "answer", "answered", "w1"): "0+9x400",
    _CALL.format("a", "answer", "cancelled", "w1"): "0+50x400",
    _CALL.format("b", "probe", "failed", "w1"): "0+50x400",
}
_COSTS = {
    # analysis: 0.02 + 0.01 USD in ten seconds = 0.003 a second = 10.8 an hour; code: 0.001 a second = 3.6 an hour.
    'pointsman_cost_usd_total{provider="a", query_type="analysis", source="reported", instance="w1"}': "0+0.02x400",
    'pointsman_cost_usd_total{provider="b", query_type="analysis", source="estimated", instance="w2"}': "0+0.01x400",
    'pointsman_cost_usd_total{provider="a", query_type="code", source="reported", instance="w1"}': "0+0.01x400",
}
_DECISIONS = {
    # Half a question of analysis a second, besides those that found nobody.
    'pointsman_decisions_total{query_type="analysis", provider="a", reason="primary", instance="w1"}': "0+3x400",
    'pointsman_decisions_total{query_type="analysis", provider="b", reason="cooldown", instance="w2"}': "0+2x400",
    'pointsman_decisions_total{query_type="analysis", provider="none", reason="unwell", instance="w1"}': "0+5x400",
}


def _buckets(name: str, labels: str, counts: Mapping[str, int]) -> dict[str, str]:
    """A histogram that grows by these numbers each ten seconds, counted up to each bound."""
    return {f'{name}_bucket{{{labels}, le="{bound}", instance="w1"}}': f"0+{n}x400" for bound, n in counts.items()}


# Of 100: 40 up to 0.1 s, 90 up to 1 s, all up to 5 s. p50 = 0.1 + 0.9 x 10/50 = 0.28; p95 = 1 + 4 x 5/10 = 3;
# p99 = 1 + 4 x 9/10 = 4.6.
_SPREAD = {"0.1": 40, "1": 90, "5": 100, "+Inf": 100}
_FASTER = {"0.1": 500, "1": 500, "5": 500, "+Inf": 500}
_QUANTILES = {"p50": 0.28, "p95": 3.0, "p99": 4.6}

CASES: tuple[Case, ...] = (
    ("Error rate, 1 minute", _ERRORS, {("{{provider}}", "a"): 0.25, ("{{provider}}", "b"): 0.0}),
    ("Error rate, 5 minutes", _ERRORS, {("{{provider}}", "a"): 0.25, ("{{provider}}", "b"): 0.0}),
    ("Error rate, 1 hour", _ERRORS, {("{{provider}}", "a"): 0.25, ("{{provider}}", "b"): 0.0}),
    ("Errors of providers", _ERRORS, {("of calls", ""): 6 / 33}),
    ("Refusals", _ERRORS, {("{{provider}}", "a"): 8 / 24, ("{{provider}}", "b"): 0.0}),
    # In one minute 3 a second were asked of a (losers too: 74 in ten seconds), 0.9 of b; probes are no questions.
    ("Share of calls", _ERRORS, {("{{provider}}", "a"): 7.4, ("{{provider}}", "b"): 0.9}),
    (
        "Hedges and retries",
        {
            **_ERRORS,  # 83 calls in ten seconds
            'pointsman_hedges_total{provider="a", instance="w1"}': "0+8.3x400",
            'pointsman_retries_total{provider="a", instance="w1"}': "0+16.6x400",
        },
        {("hedges", ""): 0.1, ("retries", ""): 0.2},
    ),
    (
        "USD an hour by type of question",
        _COSTS,
        {("{{query_type}}", "analysis"): 10.8, ("{{query_type}}", "code"): 3.6},
    ),
    ("USD an hour by provider", _COSTS, {("{{provider}}", "a"): 10.8, ("{{provider}}", "b"): 3.6}),
    # A day is shown, of which there is an hour: as much a second as then, 86,400 times.
    (
        "USD by type of question",
        _COSTS,
        {("{{query_type}}", "analysis"): 0.003 * 86_400, ("{{query_type}}", "code"): 0.001 * 86_400},
    ),
    # 0.003 USD a second for half a question a second; of code no question was told.
    ("USD for a question of each type", {**_COSTS, **_DECISIONS}, {("{{query_type}}", "analysis"): 0.006}),
    ("Estimated share of the cost", _COSTS, {("{{provider}}", "a"): 0.0, ("{{provider}}", "b"): 1.0}),
    (
        "Where $query_type goes",
        _DECISIONS,
        {("{{provider}}", "a"): 0.3, ("{{provider}}", "b"): 0.2, ("{{provider}}", "none"): 0.5},
    ),
    (
        "Reasons of decisions",
        _DECISIONS,
        {("{{reason}}", "primary"): 0.3, ("{{reason}}", "cooldown"): 0.2, ("{{reason}}", "unwell"): 0.5},
    ),
    (
        "Divergence rate",
        {
            'pointsman_divergences_total{outcome="agreed", instance="w1"}': "0+6x400",
            'pointsman_divergences_total{outcome="disagreed", instance="w2"}': "0+3x400",
            'pointsman_divergences_total{outcome="cannot_tell", instance="w1"}': "0+1x400",
        },
        {("disagree", ""): 0.3, ("cannot tell", ""): 0.1},
    ),
    (
        "Wait for a worker, p95",
        _buckets("pointsman_queue_wait_seconds", 'provider="a"', _SPREAD),
        {("{{provider}}", "a"): 3.0},
    ),
    (
        "Latency: p50, p95, p99",
        {
            **_buckets("pointsman_call_duration_seconds", 'provider="a", outcome="answered"', _SPREAD),
            # What failed at once must not look fast.
            **_buckets("pointsman_call_duration_seconds", 'provider="a", outcome="failed"', _FASTER),
        },
        {(f"{{{{provider}}}} {name}", "a"): seconds for name, seconds in _QUANTILES.items()},
    ),
    (
        "Time to an answer",
        {
            **_buckets("pointsman_question_duration_seconds", 'outcome="answered"', _SPREAD),
            **_buckets("pointsman_question_duration_seconds", 'outcome="failed"', _FASTER),
        },
        {(name, ""): seconds for name, seconds in _QUANTILES.items()},
    ),
    (
        "Spend against cap, today",
        {
            'pointsman_provider_spent_today_usd{provider="a", instance="w1"}': "3x400",
            'pointsman_provider_spent_today_usd{provider="a", instance="w2"}': "4x400",
            'pointsman_provider_spent_today_usd{provider="b", instance="w1"}': "9x400",
            'pointsman_provider_daily_cap_usd{provider="a", instance="w1"}': "5x400",
            'pointsman_provider_daily_cap_usd{provider="a", instance="w2"}': "5x400",
        },
        {("{{provider}}", "a"): 0.8},
    ),
    (
        "Spend against cap by tenant, today",
        {
            'pointsman_tenant_spent_today_usd{tenant="*", instance="w1"}': "3x400",
            'pointsman_tenant_daily_cap_usd{tenant="*", instance="w1"}': "4x400",
        },
        {("{{tenant}}", "*"): 0.75},
    ),
    # Each bars one of the two: one is left in each process, and in the third both.
    (
        "Providers that take calls",
        {
            f'pointsman_provider_admitted{{provider="{provider}", instance="{instance}"}}': f"{admitted}x400"
            for provider, instance, admitted in (
                *(("a", "w1", 0), ("b", "w1", 1), ("a", "w2", 1)),
                *(("b", "w2", 0), ("a", "w3", 1), ("b", "w3", 1)),
            )
        },
        {("take calls", ""): 1.0, ("of", ""): 2.0},
    ),
    (
        "State of each breaker",
        {
            'pointsman_breaker_state{provider="a", model="m", state="closed", instance="w1"}': "1x400",
            'pointsman_breaker_state{provider="a", model="m", state="open", instance="w1"}': "0x400",
            'pointsman_breaker_state{provider="a", model="m", state="open", instance="w2"}': "1x400",
            'pointsman_breaker_state{provider="b", model="m", state="half_open", instance="w1"}': "1x400",
        },
        {("{{provider}} ({{model}})", "m a"): 3.0, ("{{provider}} ({{model}})", "m b"): 2.0},
    ),
    # None of a is bad, and c, which no worker has told of, is no line.
    (
        "Breakers not closed",
        {
            'pointsman_breaker_state{provider="a", model="m", state="open", instance="w1"}': "0x400",
            'pointsman_breaker_state{provider="b", model="m", state="half_open", instance="w1"}': "1x400",
            'pointsman_breaker_state{provider="b", model="m", state="half_open", instance="w2"}': "1x400",
        },
        {("breakers", ""): 1.0},
    ),
    # 0.2 a second, for an hour.
    (
        "Questions without answer",
        {
            'pointsman_questions_total{outcome="failed", failure="NoCandidate", instance="w1"}': "0+2x400",
            'pointsman_questions_total{outcome="answered", failure="none", instance="w1"}': "0+9x400",
        },
        {("failed", ""): 720.0},
    ),
    (
        "Last failure",
        {
            'pointsman_provider_last_failure_seconds{provider="a", instance="w1"}': "3000x400",
            'pointsman_provider_last_failure_seconds{provider="a", instance="w2"}': "3500x400",
        },
        {("{{provider}}", "a"): 100.0},
    ),
    (
        "Worker processes",
        {
            'pointsman_fleet_processes{instance="w1"}': "2x400",
            'pointsman_health_snapshot_age_seconds{instance="w1"}': "0.2x400",
            'pointsman_health_snapshot_age_seconds{instance="w2"}': "4.2x400",
        },
        {("processes", ""): 2.0, ("unheard for (s)", ""): 5.0},
    ),
    (
        "Providers without a price",
        {
            'pointsman_provider_priced{provider="a", instance="w1"}': "1x400",
            'pointsman_provider_priced{provider="b", instance="w1"}': "0x400",
        },
        {("without", ""): 1.0},
    ),
)


def _shown(title: str, series: Mapping[str, str]) -> dict[tuple[str, str], float]:
    """Every line of a panel by its legend and the values of the labels that are left, labels in their order."""
    told = [Series.of(name, values, STEP_S) for name, values in series.items()]
    return {
        (one.legend, " ".join(held for _, held in sorted(labels))): number
        for one in everything_asked()
        if one.where == title
        for labels, number in value(one.expr, told, AT_S).items()
    }


@pytest.mark.parametrize(("title", "series", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_panel_shows_what_is_worked_out_by_hand(
    title: str, series: Mapping[str, str], expected: Mapping[tuple[str, str], float]
) -> None:
    assert _shown(title, series) == pytest.approx(dict(expected))


@pytest.mark.parametrize(
    "title", ["Breakers not closed", "Questions without answer", "Providers without a price", "Divergence rate"]
)
def test_where_nothing_was_told_a_figure_is_none_or_nothing(title: str) -> None:
    assert set(_shown(title, {}).values()) <= {0.0}


def test_every_panel_that_computes_more_than_a_sum_has_a_case() -> None:
    computing = re.compile(r"histogram_quantile|\d \* |[)] / |[)] - |ceil|count[(]|time[(]")
    found = {one.where for one in everything_asked() if computing.search(one.expr)} & {
        panel["title"] for panel in panels()
    }
    assert found - {title for title, _, _ in CASES} == set()
    assert len(found) >= 15


@pytest.mark.parametrize(
    ("title", "was", "mutant"),
    [
        ("USD an hour by type of question", "3600 *", "60 *"),
        ("Wait for a worker, p95", "(0.95", "(0.5"),
        ("Error rate, 5 minutes", 'outcome="failed"', 'outcome="refused"'),
    ],
)
def test_the_cases_notice_another_formula(title: str, was: str, mutant: str) -> None:
    (_, series, expected) = next(case for case in CASES if case[0] == title)
    (asked,) = [one for one in everything_asked() if one.where == title]
    assert was in asked.expr
    changed = asked.expr.replace(was, mutant)
    parsed(changed)
    told = [Series.of(name, values, STEP_S) for name, values in series.items()]
    assert sorted(value(changed, told, AT_S).values()) != pytest.approx(sorted(expected.values()))
