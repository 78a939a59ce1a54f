"""One process's view: the fleet's snapshot, what it saw itself since, and its own breakers when it is cut off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.health.breaker import BreakerState
from pointsman.health.cooldown import CooldownReason
from pointsman.health.policy import HealthPolicy
from pointsman.health.probe import ProbeOutcome, ProbeResult
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.health.view import LOCAL_EPOCH, HealthView

KEY = "alpha/openai/model-2026-01-01"
NOW = 1_000_000.0
OPEN = KeyHealth(state=BreakerState.OPEN, gen=2, k=1, open_until=NOW + 300)


def _snapshot(key: KeyHealth | None = None, *, version: int = 1, epoch: int = 5, acked_seq: int = 0) -> Snapshot:
    keys = {} if key is None else {KEY: key}
    return Snapshot(epoch=epoch, version=version, issued_at=NOW, keys=keys, acked_seq=acked_seq)


def _view(snapshot: Snapshot | None = None) -> HealthView:
    view = HealthView(HealthPolicy())
    if snapshot is not None:
        view.accept(snapshot, NOW)
    return view


def _fail(view: HealthView, times: int, now: float = NOW, *, seq: int = 1, attempt: int = 1) -> int:
    run = 0
    for _ in range(times):
        run = view.seen(KEY, *view.token(KEY, now), "fail", attempt=attempt, seq=seq, now=now)
    return run


def test_a_key_that_the_fleet_has_never_heard_of_is_closed_under_the_first_generation() -> None:
    view = _view(_snapshot())
    assert (view.health(KEY, NOW).barred(NOW), view.token(KEY, NOW)) == (None, (5, 1))


def test_three_failures_seen_here_bar_the_key_before_the_fleet_knows() -> None:
    view = _view(_snapshot(KeyHealth(gen=4)))
    assert _fail(view, 2) == 2
    assert view.health(KEY, NOW).barred(NOW) is None
    assert _fail(view, 1) == 3
    assert view.health(KEY, NOW).barred(NOW) == "breaker_open"


def test_a_success_between_or_a_second_attempt_makes_no_run() -> None:
    view = _view(_snapshot())
    _fail(view, 2)
    view.seen(KEY, 5, 1, "ok", attempt=1, seq=1, now=NOW)
    assert _fail(view, 2) == 2
    assert _fail(view, 5, attempt=2) == 2
    assert view.health(KEY, NOW).barred(NOW) is None


def test_what_was_admitted_under_another_generation_counts_for_nothing() -> None:
    view = _view(_snapshot(KeyHealth(gen=4)))
    for _ in range(100):
        assert view.seen(KEY, 5, 3, "fail", attempt=1, seq=1, now=NOW) == 0
    assert view.health(KEY, NOW).barred(NOW) is None


def test_its_own_word_holds_until_a_snapshot_contains_it() -> None:
    view = _view(_snapshot())
    _fail(view, 3, seq=8)
    view.accept(_snapshot(version=2, acked_seq=7), NOW + 1)
    assert view.health(KEY, NOW + 1).barred(NOW + 1) == "breaker_open"
    view.accept(_snapshot(version=3, acked_seq=8), NOW + 2)
    assert view.health(KEY, NOW + 2).barred(NOW + 2) is None


def test_its_own_word_holds_for_five_seconds_at_most() -> None:
    view = _view(_snapshot())
    _fail(view, 3, seq=8)
    view.accept(_snapshot(version=2), NOW + 5)
    assert view.health(KEY, NOW + 5).barred(NOW + 5) == "breaker_open"
    assert view.health(KEY, NOW + 5.01).barred(NOW + 5.01) is None


def test_a_reader_never_ends_an_opening_by_its_own_clock() -> None:
    view = _view(_snapshot(OPEN))
    view.accept(_snapshot(OPEN), NOW + 301)
    assert view.health(KEY, NOW + 301).barred(NOW + 301) == "breaker_open"


def test_a_cooldown_ends_by_the_readers_clock() -> None:
    view = _view(_snapshot(KeyHealth(cooldown_until=NOW + 3, cooldown_reason="throttle")))
    assert view.health(KEY, NOW + 2.9).cooling(NOW + 2.9) == "throttle"
    assert view.health(KEY, NOW + 3).cooling(NOW + 3) is None


def test_a_snapshot_of_more_than_fifteen_seconds_is_not_used() -> None:
    view = _view(_snapshot(OPEN))
    assert [view.age(NOW + age) for age in (2.0, 2.1, 15.0, 15.1)] == ["fresh", "usable", "usable", "stale"]


def test_cut_off_its_own_breaker_goes_on_from_the_last_snapshot_under_a_token_of_its_own() -> None:
    view = _view(_snapshot(OPEN))
    assert view.health(KEY, NOW + 20).barred(NOW + 20) == "breaker_open"
    assert view.token(KEY, NOW + 20)[0] == LOCAL_EPOCH
    assert view.health(KEY, NOW + 400).barred(NOW + 400) == "half_open"


def test_cut_off_it_trips_probes_and_closes_by_itself() -> None:
    view = _view()
    _fail(view, 3)
    assert view.health(KEY, NOW).barred(NOW) == "breaker_open"
    later = NOW + 331
    assert view.probes_due(later) == [KEY]
    for _ in range(2):
        request = view.probe_started(KEY, later)
        assert view.probes_due(later) == []
        view.probe_ended(request, ProbeResult(outcome=ProbeOutcome.SUCCESS), later)
    assert view.health(KEY, later).barred(later) is None
    assert [transition.target for _, transition in view.transitions] == ["open", "half_open", "closed"]


def test_the_first_snapshot_ends_its_own_breakers_and_their_probes() -> None:
    view = _view()
    _fail(view, 3)
    later = NOW + 331
    view.probes_due(later)
    request = view.probe_started(KEY, later)
    view.accept(_snapshot(), later)
    view.probe_ended(request, ProbeResult(outcome=ProbeOutcome.FAILURE), later)
    assert view.health(KEY, later).barred(later) is None
    assert view.probes_due(later) == []


@given(st.permutations([(5, 1), (5, 2), (5, 3), (6, 1), (6, 1)]))
def test_whatever_the_order_of_snapshots_the_newest_holds(order: list[tuple[int, int]]) -> None:
    view = HealthView(HealthPolicy())
    best = (0, 0)
    for epoch, version in order:
        view.accept(_snapshot(epoch=epoch, version=version), NOW)
        assert view.snapshot is not None
        best = max(best, (epoch, version))
        assert (view.snapshot.epoch, view.snapshot.version) == best


def test_figures_are_those_of_the_last_snapshot_however_old() -> None:
    assert _view().figures("alpha", "analysis").n == 0


@pytest.mark.parametrize("outcome", ["ok", "throttle"])
def test_what_is_no_failure_bars_nothing(outcome: str) -> None:
    view = _view(_snapshot())
    for _ in range(10):
        view.seen(KEY, 5, 1, "ok" if outcome == "ok" else "throttle", attempt=1, seq=1, now=NOW)
    assert view.health(KEY, NOW).barred(NOW) is None


def test_a_provider_that_said_when_to_come_back_is_left_alone_until_then_before_the_fleet_knows() -> None:
    view = _view(_snapshot())
    view.cooled(KEY, "throttle", 2.5, seq=1, now=NOW)
    assert view.health(KEY, NOW + 2.4).cooling(NOW + 2.4) == "throttle"
    assert view.health(KEY, NOW + 2.5).cooling(NOW + 2.5) is None


def test_a_cooldown_seen_here_is_the_fleets_to_tell_once_a_snapshot_contains_it() -> None:
    view = _view(_snapshot())
    view.cooled(KEY, "throttle", 60.0, seq=3, now=NOW)
    view.accept(_snapshot(version=2, acked_seq=2), NOW)
    assert view.health(KEY, NOW).cooling(NOW) == "throttle"
    view.accept(_snapshot(version=3, acked_seq=3), NOW)
    assert view.health(KEY, NOW).cooling(NOW) is None


def test_a_wrong_key_seen_here_bars_at_once() -> None:
    view = _view(_snapshot())
    view.cooled(KEY, "config", None, seq=1, now=NOW)
    assert view.health(KEY, NOW).barred(NOW) == "config"


@pytest.mark.parametrize(("reason", "until", "expected"), [("throttle", 60.0, 60.0), ("config", 1.0, 1.0)])
def test_a_cooldown_seen_here_cuts_none_of_the_fleets_short(
    reason: CooldownReason, until: float, expected: float
) -> None:
    told = KeyHealth(cooldown_until=NOW + until, cooldown_reason=reason)
    view = _view(_snapshot(told))
    view.cooled(KEY, "throttle", 5.0, seq=1, now=NOW)
    assert view.health(KEY, NOW) == told.model_copy(update={"cooldown_until": NOW + expected})


def test_three_overdue_calls_in_a_row_are_heeded_before_the_fleet_knows() -> None:
    view = _view(_snapshot())
    for _ in range(3):
        assert view.health(KEY, NOW).cooling(NOW) is None
        view.overran(KEY, *view.token(KEY, NOW), seq=8, now=NOW)
    assert view.health(KEY, NOW).cooling(NOW) == "overdue"
    view.accept(_snapshot(version=2, acked_seq=8), NOW + 1)
    assert view.health(KEY, NOW + 1).cooling(NOW + 1) is None


def test_a_success_between_or_another_generation_makes_no_row_of_overdue_calls() -> None:
    view = _view(_snapshot())
    for _ in range(2):
        view.overran(KEY, 5, 1, seq=1, now=NOW)
    view.seen(KEY, 5, 1, "ok", attempt=1, seq=1, now=NOW)
    view.overran(KEY, 5, 1, seq=1, now=NOW)
    view.overran(KEY, 5, 1, seq=1, now=NOW)
    view.overran(KEY, 5, 2, seq=1, now=NOW)
    assert view.health(KEY, NOW).cooling(NOW) is None


def test_without_word_from_the_fleet_a_cooldown_seen_here_holds() -> None:
    view = _view()
    view.cooled(KEY, "throttle", 60.0, seq=1, now=NOW)
    assert view.health(KEY, NOW).cooling(NOW) == "throttle"


def test_f28_the_day_is_the_entitys_whatever_this_machines_clock_says() -> None:
    view = HealthView(HealthPolicy())
    ahead = NOW + 600
    assert view.fleet_time(ahead) == ahead
    view.accept(_snapshot(), ahead)
    assert view.fleet_time(ahead) == NOW
    assert view.fleet_time(ahead + 1.5) == NOW + 1.5


@pytest.mark.parametrize(("reason", "left"), [("retry_after", None), ("throttle", "throttle")])
@pytest.mark.parametrize("told", [True, False], ids=["told by the fleet", "seen here"])
def test_cut_off_its_own_probes_end_what_a_failing_provider_asked_for(
    reason: CooldownReason, left: str | None, *, told: bool
) -> None:
    cooling = KeyHealth(cooldown_until=NOW + 86_400, cooldown_reason=reason)
    view = _view(_snapshot(cooling if told else None))
    if not told:
        view.cooled(KEY, reason, 86_400, seq=1, now=NOW)
    now = NOW + 20
    _fail(view, 3, now)
    now += 400
    for _ in range(2):
        assert view.probes_due(now) == [KEY]
        request = view.probe_started(KEY, now)
        view.probe_ended(request, ProbeResult(outcome=ProbeOutcome.SUCCESS), now)
    known = view.health(KEY, now)
    assert (known.state, known.cooling(now)) == (BreakerState.CLOSED, left)


@pytest.mark.parametrize(("workers", "stale_after_s"), [(1, 15.0), (300, 15.0), (1_000, 40.0), (5_000, 200.0)])
def test_a_snapshot_is_usable_for_two_intervals_of_a_large_fleet(workers: int, stale_after_s: float) -> None:
    view = HealthView(HealthPolicy())
    view.accept(Snapshot(epoch=1, version=1, issued_at=0.0, active_workers=workers), 0.0)
    assert view.age(stale_after_s) == "usable"
    assert view.age(stale_after_s + 0.1) == "stale"
