"""The day's cost cap inside one process: set aside, settled, never twice."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from pointsman.purse import Purse

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
TODAY = "2026-11-30"


def test_f27_of_fifty_parallel_calls_a_cap_admits_what_it_pays_for() -> None:
    purse = Purse({"alpha": 1.0})
    admitted = [purse.reserve("alpha", 0.10, NOON) for _ in range(50)]
    assert sum(reservation is not None for reservation in admitted) == 10


def test_a_provider_without_a_cap_is_free_to_spend() -> None:
    assert Purse({"alpha": 1.0}).reserve("beta", 1e6, NOON) is not None


def test_what_a_call_did_not_cost_is_free_again() -> None:
    purse = Purse({"alpha": 1.0})
    first = purse.reserve("alpha", 0.9, NOON)
    assert first is not None
    assert purse.reserve("alpha", 0.9, NOON) is None
    purse.settle(first, 0.05, seq=1)
    assert purse.reserve("alpha", 0.9, NOON) is not None


def test_f26_nothing_stays_set_aside_after_a_thousand_cancelled_calls() -> None:
    purse = Purse({"alpha": 1.0})
    for _ in range(1000):
        reservation = purse.reserve("alpha", 0.5, NOON)
        assert reservation is not None
        purse.settle(reservation, 0.0, seq=1)
    assert purse.reserved("alpha") == 0


def test_settling_twice_frees_once() -> None:
    purse = Purse({"alpha": 1.0})
    first, second = purse.reserve("alpha", 0.4, NOON), purse.reserve("alpha", 0.4, NOON)
    assert first is not None
    assert second is not None
    purse.settle(first, 0.0, seq=1)
    purse.settle(first, 0.0, seq=1)
    assert purse.reserved("alpha") == 400_000


def test_what_the_fleet_has_spent_counts_and_its_own_part_only_once() -> None:
    purse = Purse({"alpha": 1.0})
    reservation = purse.reserve("alpha", 0.5, NOON)
    assert reservation is not None
    purse.settle(reservation, 0.5, seq=3)
    purse.tell({"alpha": 200_000}, TODAY, processes=1, acked_seq=2)
    assert purse.reserve("alpha", 0.31, NOON) is None
    purse.tell({"alpha": 700_000}, TODAY, processes=1, acked_seq=3)
    assert purse.reserve("alpha", 0.31, NOON) is None
    assert purse.reserve("alpha", 0.30, NOON) is not None


def test_of_several_processes_each_sets_its_share_aside() -> None:
    purse = Purse({"alpha": 1.0})
    purse.tell({"alpha": 0}, TODAY, processes=4, acked_seq=0)
    assert sum(purse.reserve("alpha", 0.05, NOON) is not None for _ in range(20)) == 5


def test_what_a_decision_asks_is_what_a_reservation_would_be_told() -> None:
    purse = Purse({"alpha": 1.0})
    assert purse.affords("beta", 1e6, NOON)
    first = purse.reserve("alpha", 0.9, NOON)
    assert first is not None
    assert purse.affords("alpha", 0.1, NOON)
    assert not purse.affords("alpha", 0.11, NOON)
    purse.settle(first, 0.5, seq=1)
    assert purse.affords("alpha", 0.5, NOON)
    purse.tell({"alpha": 900_000}, TODAY, processes=1, acked_seq=1)
    assert not purse.affords("alpha", 0.5, NOON)
    assert purse.affords("alpha", 1.0, MIDNIGHT)


def test_f28_a_new_utc_day_begins_with_an_untouched_cap() -> None:
    purse = Purse({"alpha": 1.0})
    purse.tell({"alpha": 1_000_000}, TODAY, processes=1, acked_seq=0)
    assert purse.reserve("alpha", 0.1, MIDNIGHT - 1) is None
    assert purse.reserve("alpha", 1.0, MIDNIGHT) is not None


@given(
    calls=st.lists(st.tuples(st.floats(0, 0.5), st.floats(0, 0.5), st.booleans()), max_size=40),
    processes=st.integers(1, 5),
)
def test_one_process_never_commits_more_than_its_share(calls: list[tuple[float, float, bool]], processes: int) -> None:
    purse = Purse({"alpha": 1.0})
    purse.tell({}, TODAY, processes=processes, acked_seq=0)
    spent = 0.0
    for most, share, ends in calls:
        reservation = purse.reserve("alpha", most, NOON)
        if reservation is not None and ends:
            cost = min(most, share)
            spent += cost
            purse.settle(reservation, cost, seq=1)
        assert spent + processes * purse.reserved("alpha") / 1e6 <= 1.0 + 1e-4


def test_a_cap_pays_again_at_midnight_unless_calls_are_under_way_or_no_days_share_is_enough() -> None:
    purse = Purse({"alpha": 1.0})
    purse.tell({"alpha": 900_000}, TODAY, processes=2, acked_seq=0)
    assert purse.back_in_s("alpha", 0.5, MIDNIGHT - 60) == 60
    assert purse.back_in_s("alpha", 0.51, MIDNIGHT - 60) is None
    assert not purse.covers("alpha", 0.51)
    assert purse.covers("beta", 1e9)
    purse.reserve("alpha", 0.01, MIDNIGHT - 60)
    assert purse.back_in_s("alpha", 0.5, MIDNIGHT - 60) is None
