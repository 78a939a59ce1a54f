"""Intervals of quantiles, means and ratios: they hold what they are to hold, about as often as they say."""

from __future__ import annotations

import random

import pytest

from pointsman.intervals import mean_interval, rank_interval, ratio_interval


@pytest.mark.parametrize(("q", "n"), [(0.5, 40), (0.5, 400), (0.95, 100), (0.95, 1000)])
def test_a_quantile_lies_between_its_ranks_about_95_times_in_100(q: float, n: int) -> None:
    chance, held = random.Random(n), 0
    low, high = rank_interval(q, n)
    for _ in range(500):
        drawn = sorted(chance.random() for _ in range(n))
        held += drawn[low - 1] <= q <= drawn[high - 1]
    assert held / 500 > 0.93


def test_ranks_stay_within_the_samples() -> None:
    assert rank_interval(0.95, 1) == (1, 1)
    assert rank_interval(0.95, 10)[1] == 10


def test_a_ratio_of_means_lies_within_its_interval_about_95_times_in_100() -> None:
    chance, held = random.Random(3), 0
    for _ in range(400):
        new, base = ([chance.lognormvariate(mu, 0.5) for _ in range(60)] for mu in (0.4, 0.0))
        told = [mean_interval(sum(one), sum(x * x for x in one), len(one)) for one in (new, base)]
        assert told[0] is not None
        assert told[1] is not None
        low, high = ratio_interval(told[0], told[1])
        held += low <= 2.718281828**0.4 <= high
    assert held / 400 > 0.92


def test_nothing_and_only_zeros_have_no_mean() -> None:
    assert mean_interval(0.0, 0.0, 0) is None
    assert mean_interval(0.0, 0.0, 5) is None


def test_a_wild_spread_overflows_nothing() -> None:
    wild = mean_interval(1.0, 1e300, 2)
    assert wild is not None
    low, high = ratio_interval(wild, (1.0, 1.0, 1.0))
    assert 0 <= low <= high
