"""Cooldowns: how long a key is passed over, and that a shorter word never shortens a longer one."""

from __future__ import annotations

import pytest

from pointsman.health.cooldown import CooldownReason, Cooldowns

T = 1_000_000.0


@pytest.mark.parametrize("hints", [(1.0, 60.0), (60.0, 1.0)])
def test_the_longer_of_two_hints_holds_in_either_order(hints: tuple[float, float]) -> None:
    """Property 24 and T10."""
    cooldowns = Cooldowns()
    for hint in hints:
        cooldowns = cooldowns.noticed("throttle", hint, 1, T)
    assert cooldowns.standing(T) == ("throttle", T + 60)


def test_throttles_in_a_row_without_a_hint_cool_for_twice_as_long_each_time_up_to_a_minute() -> None:
    cooldowns, lasted, now = Cooldowns(), list[float](), T
    for _ in range(8):
        cooldowns = cooldowns.noticed("throttle", None, 1, now)
        lasted.append(cooldowns.until["throttle"] - now)
        now += 1000
    assert lasted == [1, 2, 4, 8, 16, 32, 60, 60]
    assert cooldowns.succeeded().noticed("throttle", None, 1, now).until["throttle"] == now + 1


@pytest.mark.parametrize(("reason", "lasts"), [("quota", [600, 600, 600]), ("config", [60, 120, 240])])
def test_an_account_or_a_key_that_is_refused_cools_for_minutes(reason: CooldownReason, lasts: list[float]) -> None:
    cooldowns, lasted, now = Cooldowns(), list[float](), T
    for _ in lasts:
        cooldowns = cooldowns.noticed(reason, None, 1, now)
        lasted.append(cooldowns.until[reason] - now)
        now += 1000
    assert lasted == lasts


def test_a_wrong_key_cools_for_ten_minutes_at_most() -> None:
    assert Cooldowns().noticed("config", None, 1_000_000, T).until["config"] == T + 600


def test_no_cooldown_lasts_longer_than_a_day() -> None:
    assert Cooldowns().cooled("throttle", 1e9, T).until["throttle"] == T + 86_400


def test_three_overdue_calls_in_a_row_cool_and_a_success_between_starts_anew() -> None:
    two = Cooldowns().overran(2, T, 30)
    assert two.standing(T) is None
    assert two.succeeded().overran(2, T, 30).standing(T) is None
    assert two.overran(1, T, 30).standing(T) == ("overdue", T + 30)


def test_a_barring_reason_is_told_before_a_longer_preference() -> None:
    cooldowns = Cooldowns().cooled("throttle", 900, T).noticed("quota", None, 1, T)
    assert cooldowns.standing(T) == ("quota", T + 600)
    assert cooldowns.standing(T + 601) == ("throttle", T + 900)
    assert cooldowns.at(T + 601).until == {"throttle": T + 900}


def test_no_time_at_all_is_no_cooldown() -> None:
    assert Cooldowns().noticed("flagged", None, 1, T).standing(T) is None


def test_of_a_provider_that_probes_found_well_only_that_it_failed_or_hung_is_forgotten() -> None:
    cooldowns = Cooldowns().overran(4, T, 30).overran(2, T, 30).noticed("retry_after", 999_999, 1, T)
    kept = cooldowns.noticed("throttle", 60, 2, T).noticed("quota", None, 1, T).cooled("flagged", 60, T)
    well = kept.probed_well()
    assert set(kept.until) - set(well.until) == {"retry_after", "overdue"}
    assert (well.overdue, well.throttles) == (0, 2)
