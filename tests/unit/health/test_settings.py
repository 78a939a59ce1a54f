"""The tables `[breaker]` and `[health]`: what they refuse, and what follows from the size of a fleet."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pointsman.health.keys import key_of, model_of, provider_of
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.settings import BreakerSettings, HealthSettings
from pointsman.health.spend import Spend, day_end, day_of


@pytest.mark.parametrize(
    "table",
    [
        {"consecutiv": 3},
        {"window": 7, "bucket": 5},
        {"window": 301},
        {"bucket": 2},
        {"open_s": 0},
        {"failure_rate": 1.5},
        {"min_distinct_workers": 1},
        {"open_mult": 0.5},
    ],
)
def test_a_breaker_that_cannot_be_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BreakerSettings.model_validate(table)


def test_a_snapshot_that_is_stale_before_it_is_fresh_is_refused() -> None:
    with pytest.raises(ValidationError, match="stale_after"):
        HealthSettings(fresh=20)


@pytest.mark.parametrize(("workers", "flush", "snapshot"), [(0, 1, 1), (20, 1, 1), (100, 5, 2), (500, 25, 10)])
def test_a_fleet_of_any_size_sends_twenty_reports_and_fifty_queries_a_second(
    workers: int, flush: float, snapshot: float
) -> None:
    settings = HealthSettings()
    assert (settings.flush_s(workers), settings.snapshot_s(workers)) == (flush, snapshot)


@pytest.mark.parametrize(
    ("policy", "open_s"),
    [
        (KeyPolicy(), 300),
        (KeyPolicy(has_alternative=False), 30),
        (KeyPolicy(open_s=3.0), 3),
        (KeyPolicy(open_s=120.0, has_alternative=False), 120),
    ],
)
def test_a_key_has_its_own_time_open(policy: KeyPolicy, open_s: float) -> None:
    assert HealthPolicy(keys={"a/m": policy}).breaker_of("a/m").open_s == open_s


def test_a_key_is_taken_apart_at_its_first_slash() -> None:
    key = key_of("frontier-a", "openai/gpt-5.2-2026-08-15")
    assert (provider_of(key), model_of(key)) == ("frontier-a", "openai/gpt-5.2-2026-08-15")


def test_a_day_is_one_of_utc() -> None:
    assert day_of(1_796_342_399.0) == "2026-12-03"
    assert day_of(1_796_342_400.0) == "2026-12-04"
    assert day_end(1_796_342_400.0) == 1_796_342_400.0 + 86_400


def test_a_cap_is_reached_to_the_micro_usd_by_calls_and_probes_together() -> None:
    spend = Spend(day="2026-12-01").plus(999_999, "calls")
    assert not spend.reaches(1.0)
    assert spend.plus(1, "probe").reaches(1.0)
    assert not spend.reaches(None)


def test_a_setting_of_another_version_does_not_make_a_policy_unreadable() -> None:
    policy = HealthPolicy.model_validate(
        {"breaker": {"consecutive": 5, "of_tomorrow": 1}, "health": {"shard_by": "none"}}
    )
    assert (policy.breaker.consecutive, policy.health) == (5, HealthSettings())


@pytest.mark.parametrize(
    ("workers", "flush_s", "snapshot_s", "stale_s", "gone_s"),
    [(1, 1, 1, 15, 30), (300, 15, 6, 15, 30), (1_000, 50, 20, 40, 100), (5_000, 250, 100, 200, 500)],
)
def test_what_is_too_old_grows_with_the_intervals_of_the_fleet(
    workers: int, flush_s: float, snapshot_s: float, stale_s: float, gone_s: float
) -> None:
    """Else a large fleet would be without a snapshot most of the time, and count but a part of itself."""
    settings = HealthSettings()
    assert settings.flush_s(workers) == flush_s
    assert settings.snapshot_s(workers) == snapshot_s
    assert settings.stale_s(workers) == stale_s
    assert settings.gone_s(workers) == gone_s
