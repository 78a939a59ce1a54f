"""Latencies in log-buckets: how near a quantile is, that they add up, and that they follow what happens now."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.health.measures import Measures
from pointsman.latency_histogram import BUCKETS, LatencyHistogram

PROPERTY = settings(max_examples=60, derandomize=True, deadline=None)
samples = st.lists(st.floats(6.0, 80_000.0), min_size=1, max_size=60)


def _of(latencies: list[float]) -> LatencyHistogram:
    histogram = LatencyHistogram()
    for latency in latencies:
        histogram = histogram.add(latency)
    return histogram


@PROPERTY
@given(samples, st.floats(0.01, 1.0))
def test_a_quantile_is_within_three_percent_of_the_nearest_rank(latencies: list[float], q: float) -> None:
    exact = sorted(latencies)[max(1, math.ceil(q * len(latencies))) - 1]
    assert _of(latencies).quantile(q) == pytest.approx(exact, rel=0.03)


@PROPERTY
@given(samples, samples)
def test_histograms_add_up_in_either_order(one: list[float], two: list[float]) -> None:
    merged = _of(one).merge(_of(two))
    assert merged == _of(one + two) == _of(two).merge(_of(one))
    assert merged.n == len(one) + len(two)
    assert len(merged.counts) <= BUCKETS


@PROPERTY
@given(samples)
def test_fading_halves_the_samples_and_hardly_moves_the_median(latencies: list[float]) -> None:
    whole = _of(latencies * 20)
    faded = whole.faded(memory=len(latencies) * 10)
    assert faded.n == whole.n // 2
    ranks = sorted(latencies * 20)
    near = {
        LatencyHistogram().add(ranks[at]).quantile(0.5) for at in range(len(ranks)) if abs(at - len(ranks) // 2) < 4
    }
    assert faded.quantile(0.5) in near


def test_a_provider_that_became_slow_is_seen_within_a_few_hundred_calls() -> None:
    histogram = _of([500.0] * 3000).faded()
    for _ in range(30):
        histogram = histogram.merge(_of([4000.0] * 20)).faded()
    assert histogram.quantile(0.5) == pytest.approx(4000, rel=0.03)


def test_without_samples_there_is_no_quantile() -> None:
    assert LatencyHistogram().quantile(0.5) is None


@pytest.mark.parametrize(("latency", "told"), [(0.0, 5.1), (math.nan, 5.1), (-3.0, 5.1), (math.inf, 84_400)])
def test_what_is_out_of_range_goes_to_the_nearest_end(latency: float, told: float) -> None:
    assert LatencyHistogram().add(latency).quantile(0.5) == pytest.approx(told, rel=0.01)


def test_errors_fade_with_the_successes_they_are_a_share_of() -> None:
    measures = Measures(latencies=_of([100.0] * 600), errors=60, cost_micro_usd=1_000, priced=600).faded()
    assert (measures.latencies.n, measures.errors) == (300, 30)
    assert measures.figures().error_rate == pytest.approx(30 / 330)
    assert measures.figures().cost_usd == pytest.approx(1_000 / 600 / 1e6, rel=0.01)
