"""Snapshots: which of two is the newer, and what one says about a key."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.health.breaker import BreakerState
from pointsman.health.entity import apply_report, tick
from pointsman.health.ramp import admits, ramp_share
from pointsman.health.report import Report
from pointsman.health.settings import HealthSettings
from pointsman.health.snapshot import KeyHealth, Snapshot, latest
from pointsman.health.state import HealthState

T = 1_000_000.0
PROPERTY = settings(max_examples=60, derandomize=True, deadline=None)


def _snapshot(epoch: int, version: int, issued_at: float = T) -> Snapshot:
    return Snapshot(epoch=epoch, version=version, issued_at=issued_at)


@PROPERTY
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4), st.sampled_from([T, T + 1])), min_size=1, max_size=12))
def test_in_any_order_the_reader_ends_at_the_newest_and_never_goes_back(made: list[tuple[int, int, float]]) -> None:
    """Property 16."""
    held: Snapshot | None = None
    for epoch, version, issued_at in made:
        before, held = held, latest(held, _snapshot(epoch, version, issued_at))
        assert before is None or (held.epoch, held.version) >= (before.epoch, before.version)
    assert held is not None
    assert (held.epoch, held.version, held.issued_at) == max(made)


def test_a_restarted_entity_is_believed_from_its_first_version() -> None:
    """Property 16."""
    assert latest(_snapshot(1, 900), _snapshot(2, 1)).epoch == 2


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"state": BreakerState.OPEN, "open_until": T + 5}, "breaker_open"),
        ({"state": BreakerState.OPEN, "open_until": T - 5}, "breaker_open"),
        ({"state": BreakerState.HALF_OPEN}, "half_open"),
        ({"state": BreakerState.FORCED_OPEN}, "forced_open"),
        ({"capped_until": T + 5}, "daily_cost_cap"),
        ({"cooldown_until": T + 5, "cooldown_reason": "quota"}, "quota"),
        ({"cooldown_until": T + 5, "cooldown_reason": "config"}, "config"),
        ({"cooldown_until": T - 5, "cooldown_reason": "quota"}, None),
        ({"cooldown_until": T + 5, "cooldown_reason": "throttle"}, None),
        ({"state": BreakerState.DISABLED}, None),
        ({}, None),
    ],
)
def test_a_key_is_barred_by_its_state_its_cap_and_what_asking_does_not_heal(
    fields: dict[str, Any], reason: str | None
) -> None:
    """A reader never ends an opening by its own clock, but may drop a cooldown or a cap."""
    assert KeyHealth(**fields).barred(T) == reason


def test_a_cooldown_is_a_preference_of_a_key_that_may_be_tried() -> None:
    cooling = KeyHealth(cooldown_until=T + 5, cooldown_reason="throttle")
    assert (cooling.cooling(T), cooling.cooling(T + 5), cooling.recovers_at(T)) == ("throttle", None, T + 5)
    opened = cooling.model_copy(update={"state": BreakerState.OPEN, "open_until": T + 60})
    assert (opened.cooling(T), opened.recovers_at(T)) == (None, T + 60)


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"state": BreakerState.HALF_OPEN, "next_probe_at": T + 7}, T + 7),
        ({"state": BreakerState.HALF_OPEN}, T),
        ({"state": BreakerState.OPEN, "open_until": T - 1}, T),
        ({"state": BreakerState.FORCED_OPEN}, None),
        ({}, None),
    ],
)
def test_it_tells_when_the_key_may_be_back(fields: dict[str, Any], at: float | None) -> None:
    assert KeyHealth(**fields).recovers_at(T) == at


def test_a_ramp_goes_from_a_tenth_to_all_and_ends() -> None:
    ramping = KeyHealth(ramp_since=T, ramp_s=60)
    assert [ramping.share(T + passed) for passed in (0, 30, 60, 600)] == pytest.approx([0.1, 0.55, 1.0, 1.0])
    assert KeyHealth().share(T) == 1.0
    assert ramp_share(T, T - 10, 60) == pytest.approx(0.1)


@PROPERTY
@given(st.text(max_size=40), st.floats(0, 1), st.floats(0, 1))
def test_a_request_that_is_admitted_at_a_share_is_at_every_larger_one(request: str, one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert admits(request, high) or not admits(request, low)


def test_a_share_admits_that_part_of_the_requests_in_every_process_alike() -> None:
    admitted = sum(admits(f"question-{number}", 0.3) for number in range(2000))
    assert 540 < admitted < 660
    assert admits("question-1", 0.3) is admits("question-1", 0.3)


@pytest.mark.parametrize("workers", [1, 20, 300, 601, 1_000, 5_000])
def test_a_fleet_of_any_size_is_counted_whole(workers: int) -> None:
    """Each process reports once in an interval of the whole fleet's: none has fallen out when the last has reported."""
    every_s, state = HealthSettings().flush_s(workers), HealthState(epoch=1, now=T)
    for turn in range(2):
        for number in range(workers):
            now = T + (turn + number / workers) * every_s
            report = Report(worker_id=f"w-{number}", seq=turn + 1)
            state, _ = apply_report(state, report, now=now, chance=0.5)
    assert state.active_workers == workers
    assert state.is_active("w-0")
    assert tick(state, now=state.now + 2 * every_s + 31, chance=0.5)[0].active_workers == 0
