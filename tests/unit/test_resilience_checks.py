"""Breakers, hedges and daily caps in a configuration: what is refused, and what is warned about."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from activities.process_health import policy_of
from pointsman.checks import faults, warnings
from pointsman.configuration import Configuration
from pointsman.health.policy import KEYS_MAX, HealthPolicy
from pointsman.sentences import sentences
from tests.builders import configuration, document, provider_table

TODAY = date(2026, 11, 30)


def _warnings(route: dict[str, Any] | None = None, alpha: dict[str, Any] | None = None, **tables: Any) -> list[str]:
    listed = {"alpha": provider_table(**(alpha or {})), "beta": provider_table()}
    routes = {} if route is None else {"r": {"chain": ["alpha", "beta"], "require_eval": False, **route}}
    return warnings(configuration(listed, routes=routes, **tables), TODAY)


def test_a_daily_cap_on_a_provider_whose_cost_is_unknown_is_refused() -> None:
    capped = provider_table(price=None, daily_cost_cap_usd=5.0)
    (told,) = faults(configuration({"alpha": capped, "beta": provider_table()}))
    assert told == (
        "providers.alpha.daily_cost_cap_usd: without a price its cost is unknown, so the cap cannot hold; "
        "declare providers.alpha.price"
    )


def test_a_daily_cap_on_a_priced_or_free_provider_is_taken() -> None:
    free = provider_table(price={"input": 0.0, "output": 0.0}, daily_cost_cap_usd=5.0)
    assert faults(configuration({"alpha": provider_table(daily_cost_cap_usd=5.0), "beta": free})) == []


def test_a_cap_of_0_is_warned_about() -> None:
    assert _warnings(alpha={"daily_cost_cap_usd": 0}) == [
        "providers.alpha.daily_cost_cap_usd: 0 admits no call, a free one neither; raise or remove it"
    ]


def test_a_cap_below_what_one_call_may_cost_is_warned_about() -> None:
    (told,) = _warnings(alpha={"daily_cost_cap_usd": 0.01})
    assert told == (
        "providers.alpha.daily_cost_cap_usd: 0.01 is below the 0.01024 USD that an answer of "
        "providers.alpha.max_output_tokens may cost, so such calls are never admitted; raise it, or lower that"
    )
    assert _warnings(alpha={"daily_cost_cap_usd": 0.01, "max_output_tokens": 900}) == []


def test_a_snapshot_that_is_stale_before_the_next_one_comes_is_refused() -> None:
    (told,) = faults(configuration(health={"snapshot_interval": 15}))
    assert told == (
        "health.snapshot_interval: 15 s is no shorter than health.stale_after (15 s), so each snapshot would be stale "
        "before the next; lower it, or raise that"
    )
    assert faults(configuration(health={"snapshot_interval": 14})) == []


@pytest.mark.parametrize("name", ["min_calls", "min_failures"])
def test_more_calls_than_any_window_holds_are_refused(name: str) -> None:
    (told,) = faults(configuration(breaker={name: 100_001}))
    assert told == f"breaker.{name}: no window ever holds 100001 calls; give at most 100000"
    assert faults(configuration(breaker={name: 100_000})) == []


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        ("breaker", "consecutive", True),
        ("breaker", "consecutive", "3"),
        ("breaker", "bucket", True),
        ("breaker", "open_s", "300"),
        ("breaker", "open_s", True),
        ("hedging", "max_hedges", True),
        ("hedging", "delay_min", "1"),
        ("budget", "capacity", True),
        ("budget", "strict_budget", 1),
        ("throttling", "window", "6"),
        ("throttling", "cooldown_s", True),
        ("health", "batch_max", True),
        ("health", "fresh", "2"),
        ("retry", "max_attempts_per_request", True),
    ],
)
def test_neither_a_text_nor_a_truth_is_taken_for_a_number(table: str, name: str, value: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        Configuration.model_validate(document(**{table: {name: value}}))
    (told,) = sentences(refused.value, Configuration)
    assert told.startswith(f"{table}.{name}: ")


def test_a_whole_number_is_a_duration_as_good_as_any_in_a_file_and_in_a_report() -> None:
    tables: dict[str, Any] = {"breaker": {"open_s": 3, "bucket": 5}, "health": {"fresh": 2}}
    settings = configuration(**tables, hedging={"delay_min": 1}, budget={"capacity": 5}, throttling={"cooldown_s": 9})
    assert settings.breaker.open_s == 3
    policy = policy_of(settings)
    assert HealthPolicy.model_validate_json(policy.model_dump_json()) == policy
    assert HealthPolicy.model_validate(tables).breaker == settings.breaker


def test_a_report_has_room_for_every_enabled_provider() -> None:
    """Else what some of them come to would wait ever longer."""
    listed = {f"p{number}": provider_table() for number in range(3)}
    (told,) = faults(configuration(listed, health={"batch_max": 2}))
    assert told == (
        "health.batch_max: 2 rows a report are fewer than the 3 enabled providers, and what they come to would wait "
        "ever longer; raise it"
    )
    assert faults(configuration(listed, health={"batch_max": 3})) == []


def test_as_many_providers_as_health_is_kept_of_may_be_enabled() -> None:
    listed = {f"p{number}": provider_table() for number in range(KEYS_MAX + 1)}
    assert faults(configuration(listed)) == [
        "providers: 101 are enabled and at most 100 can be; set enabled = false in the others"
    ]
    listed["p0"]["enabled"] = False
    assert faults(configuration(listed)) == []


def test_an_infinite_rate_is_refused_since_no_message_can_hold_it() -> None:
    (told,) = faults(configuration(breaker={"ramp_min_rps": float("inf")}))
    assert told.startswith("breaker.ramp_min_rps: no finite number")


def test_a_breaker_that_would_stay_open_longer_than_the_longest_opening_is_warned_about() -> None:
    assert _warnings(alpha={"open_s": 3600}) == [
        "providers.alpha.open_s: 3600 s is cut to breaker.open_max, 1800 s; raise that too"
    ]
    assert _warnings(breaker={"open_s": 2000}) == [
        "breaker.open_s: 2000 s is cut to breaker.open_max, 1800 s; raise that too"
    ]
    assert _warnings(alpha={"open_s": 3600}, breaker={"open_s": 1, "open_max": 3600}) == []


def test_a_route_that_hedges_is_no_reason_for_a_warning() -> None:
    assert _warnings({"hedge": True}) == []
    assert _warnings({"hedge": True, "max_attempts": 1}) == []


def test_attempts_that_are_written_beside_hedge_are_warned_about() -> None:
    (told,) = _warnings({"hedge": True, "max_attempts": 3})
    assert told == (
        "routes.r.max_attempts: 3 counts for the last candidate only; with hedge = true each of two calls has one "
        "attempt"
    )
    assert _warnings({"max_attempts": 3}) == []


@pytest.mark.parametrize(
    ("route", "hedging", "warned"),
    [
        ({}, {"max_hedges": 0}, "has no effect while hedging.max_hedges is 0; set it to 1, or remove hedge"),
        ({}, {"delay_min": 25}, "has no effect, since no call of 25 s outlasts hedging.delay_min, 25 s; lower that"),
        ({"timeout_s": 5}, {"delay_min": 6}, "has no effect, since no call of 5 s outlasts hedging.delay_min, 6 s"),
    ],
)
def test_a_hedge_that_can_never_start_is_warned_about(
    route: dict[str, Any], hedging: dict[str, Any], warned: str
) -> None:
    (told,) = _warnings({"hedge": True, **route}, hedging=hedging)
    assert told.startswith(f"routes.r.hedge: {warned}")


def test_a_route_that_hedges_with_one_enabled_member_is_warned_about() -> None:
    (told,) = (line for line in _warnings({"hedge": True}, alpha={"enabled": False}) if line.startswith("routes.r"))
    assert told == ("routes.r.chain: fewer than two of its members are enabled, so nothing is left to fall back on")


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"hedging": {"delay_max": 2}}, "hedging.delay_max: input should be less than or equal to 1 (it is 2)"),
        ({"breaker": {"open_s": 0}}, "breaker.open_s: input should be greater than 0 (it is 0)"),
        (
            {"breaker": {"window": 7, "bucket": 5}},
            "breaker.window: 7 s is not 1 to 300 buckets of 5 s; give a multiple of it",
        ),
        ({"health": {"stale_after": 1}}, "health.stale_after: 1 s is before fresh (2 s); raise it, or lower fresh"),
        (
            {"throttling": {"min_history": 9}},
            "throttling.min_history: 9 answers never fit into window (6); lower it",
        ),
        ({"budget": {"capacity": 1}}, "budget.capacity: input should be greater than or equal to 2 (it is 1)"),
        ({"throttling": {"windows": 3}}, "throttling.windows: unknown key; did you mean window?"),
    ],
)
def test_values_of_these_tables_are_told_with_their_path(tables: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        configuration(**tables)
    assert sentences(refused.value, Configuration) == [sentence]
