"""A low limit kept by the processes that share it: quiet ones never wait, and no minute sees too many calls."""

from __future__ import annotations

import math
from bisect import bisect_left

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.rate_limit import RateLimiter, Slot, most_per_minute

LIMITS = (6, 60, 600)
always = settings(derandomize=True, deadline=None)
limits = st.sampled_from(LIMITS)
pauses = st.sampled_from([0.0, 0.0, 0.0, 0.05, 0.9, 7.0, 19.9, 61.0, 600.0])
arrivals = st.lists(st.tuples(st.integers(0, 1), pauses, st.integers(1, 120)), min_size=1, max_size=8)


def _most_in_a_minute(starts: list[float]) -> int:
    """Over every minute that begins with a call, its end excluded."""
    ordered = sorted(starts)
    return max(bisect_left(ordered, start + 60 - 1e-6) - position for position, start in enumerate(ordered))


@always
@given(limits, arrivals)
def test_two_processes_keep_the_limit_and_two_seconds_in_every_minute(
    limit: int, arriving: list[tuple[int, float, int]]
) -> None:
    processes = [RateLimiter(limit, 2), RateLimiter(limit, 2)]
    now = 0.0
    starts: list[float] = []
    for process, pause, calls in arriving:
        starts += [processes[process].reserve(now).at for _ in range(calls)]
        now += pause
    assert _most_in_a_minute(starts) <= most_per_minute(limit, 2) <= limit + limit / 30


@pytest.mark.parametrize(("limit", "most"), [(6, 6), (60, 60), (600, 618)])
def test_the_bound_is_reached_by_a_crowd(limit: int, most: int) -> None:
    processes = [RateLimiter(limit, 2), RateLimiter(limit, 2)]
    starts = [process.reserve(0.0).at for process in processes for _ in range(limit)]
    assert _most_in_a_minute(starts) == most == most_per_minute(limit, 2)


@always
@given(st.integers(1, 600), st.integers(1, 30))
def test_the_bound_is_the_limit_and_two_seconds_or_a_call_per_process(limit: int, processes: int) -> None:
    most = most_per_minute(limit, processes)
    assert limit <= most
    assert most < limit + max(processes, limit / 30 + 1e-6)
    if limit >= 30 * processes or limit % processes == 0:
        assert most <= limit + limit / 30


@always
@given(limits, st.integers(1, 30))
def test_a_call_after_a_quiet_time_starts_at_once(limit: int, processes: int) -> None:
    limiter = RateLimiter(limit, processes)
    now = 0.0
    for _ in range(5):
        slot = limiter.reserve(now)
        assert (slot.at, slot.wait_s) == (now, 0.0)
        now += 60 * processes / limit


def test_the_first_call_of_all_starts_at_once() -> None:
    assert [RateLimiter(limit, 2).reserve(0.0).wait_s for limit in LIMITS] == [0.0, 0.0, 0.0]


def test_calls_are_spaced_by_the_share_of_the_process() -> None:
    limiter = RateLimiter(6, 2)
    assert [limiter.reserve(5.0).wait_s for _ in range(4)] == [0.0, 20.0, 40.0, 60.0]
    assert [RateLimiter(60).reserve(0.0).wait_s for _ in range(1)] == [0.0]
    burst = RateLimiter(120)
    assert [burst.reserve(0.0).wait_s for _ in range(6)] == [0.0, 0.0, 0.0, 0.0, 0.5, 1.0]


def test_a_share_follows_the_number_of_processes() -> None:
    limiter = RateLimiter(60)
    assert limiter.reserve(0.0).wait_s == 0.0
    limiter.processes = 10
    assert [limiter.reserve(100.0).wait_s for _ in range(3)] == [0.0, 10.0, 20.0]
    limiter.processes = 2
    assert [limiter.reserve(130.0).wait_s for _ in range(3)] == [0.0, 2.0, 4.0]


@always
@given(st.lists(st.tuples(st.integers(1, 8), pauses, st.integers(1, 30)), min_size=1, max_size=8))
def test_a_change_of_processes_never_lets_one_start_more_than_its_largest_share(
    arriving: list[tuple[int, float, int]],
) -> None:
    limiter = RateLimiter(240)
    now = 0.0
    starts: list[float] = []
    for processes, pause, calls in arriving:
        limiter.processes = processes
        starts += [limiter.reserve(now).at for _ in range(calls)]
        now += pause
    assert starts == sorted(starts)
    fewest = min(processes for processes, _, _ in arriving)
    assert _most_in_a_minute(starts) <= most_per_minute(240, fewest) / fewest


def test_the_last_slot_given_back_was_never_taken() -> None:
    limiter = RateLimiter(6)
    limiter.give_back(limiter.reserve(0.0))
    assert limiter.reserve(3.0).wait_s == 0.0
    slot = limiter.reserve(4.0)
    limiter.give_back(slot)
    limiter.give_back(slot)
    assert limiter.reserve(5.0).wait_s == 8.0


def test_a_slot_given_back_goes_to_the_next_who_asks() -> None:
    limiter = RateLimiter(6)
    _, second, third = (limiter.reserve(0.0) for _ in range(3))
    limiter.give_back(second)
    assert limiter.reserve(1.0).wait_s == 9.0
    assert limiter.reserve(1.0).at == third.at + 10


def test_a_slot_given_back_after_its_time_is_lost() -> None:
    limiter = RateLimiter(6)
    _, second, _ = (limiter.reserve(0.0) for _ in range(3))
    limiter.give_back(second)
    assert limiter.reserve(11.0).at == 30.0


def test_all_slots_given_back_leave_a_limiter_that_was_never_asked() -> None:
    limiter = RateLimiter(6)
    slots = [limiter.reserve(0.0) for _ in range(5)]
    for slot in (slots[2], slots[0], slots[4], slots[1], slots[3]):
        limiter.give_back(slot)
    assert [limiter.reserve(1.0).wait_s for _ in range(2)] == [0.0, 10.0]


actions = st.lists(st.tuples(st.sampled_from(["ask", "ask", "give back"]), pauses, st.integers(0, 5)), max_size=80)


@always
@given(limits, actions)
def test_slots_given_back_never_let_more_calls_start(limit: int, taken: list[tuple[str, float, int]]) -> None:
    limiter = RateLimiter(limit, 2)
    now = 0.0
    gone: list[float] = []
    waiting: list[Slot] = []
    for action, pause, which in taken:
        if action == "ask":
            slot = limiter.reserve(now)
            assert slot.wait_s >= 0
            waiting.append(slot)
        elif waiting:
            limiter.give_back(waiting.pop(which % len(waiting)))
        now += pause
        gone += [slot.at for slot in waiting if slot.at < now]
        waiting = [slot for slot in waiting if slot.at >= now]
    starts = gone + [slot.at for slot in waiting]
    assert not starts or _most_in_a_minute(starts) <= math.ceil(most_per_minute(limit, 2) / 2)


def test_a_call_that_nobody_waits_for_is_spared_where_it_leaves_none_for_the_next() -> None:
    limiter = RateLimiter(60)
    assert limiter.has_spare(0.0)
    limiter.reserve(0.0)
    assert not limiter.has_spare(0.0)
    assert limiter.reserve(0.0).wait_s == 0.0
    assert limiter.has_spare(10.0)


def test_a_limit_below_one_call_a_second_has_nothing_to_spare() -> None:
    assert not RateLimiter(6).has_spare(0.0)
