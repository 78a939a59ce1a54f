"""The window of outcomes: what counts at a time, whatever came before."""

from __future__ import annotations

import json
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.health.window import Counts, Window

T = 1_000_000
PROPERTY = settings(max_examples=60, derandomize=True, deadline=None)

gaps = st.sampled_from([0, 0.25, 0.999, 1, 4, 5, 60, 298, 299, 299.5, 300, 301, 1e6])
records = st.lists(
    st.tuples(gaps, st.integers(-320, 5), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), max_size=40
)


@pytest.mark.parametrize("fraction", [0.0, 0.001, 0.25, 0.5, 0.999])
def test_an_outcome_counts_for_299_seconds_and_not_for_300(fraction: float) -> None:
    """Property 5."""
    window = Window().recorded(T, T + fraction, fail=1)
    assert window.advanced(T + 299 + fraction).totals.fail == 1
    assert window.advanced(T + 299.999).totals.fail == 1
    assert window.advanced(T + 300).totals.fail == 0


@pytest.mark.parametrize("second", range(T, T + 10))
def test_with_buckets_of_five_seconds_it_is_forgotten_after_295_to_300(second: int) -> None:
    """Property 5."""
    window = Window(bucket=5).recorded(second, second, ok=1)
    assert window.advanced(second + 295).totals.ok == 1
    assert window.advanced(second + 300).totals.ok == 0


@PROPERTY
@given(records, st.sampled_from([(300, 1), (300, 5), (1, 1), (2, 1), (60, 5)]))
def test_totals_are_those_of_a_plain_list_after_any_records_and_gaps(
    made: list[tuple[float, int, int, int, int]], shape: tuple[int, int]
) -> None:
    """Property 6."""
    size, bucket = shape
    window, now, plain = Window(size=size, bucket=bucket), float(T), list[tuple[int, int, int, int]]()
    for gap, age, ok, fail, throttle in made:
        now += gap
        second = min(floor(now) + age, floor(now))
        window = window.recorded(floor(now) + age, now, ok=ok, fail=fail, throttle=throttle)
        plain.append((second // bucket, ok, fail, throttle))
        counted = [row for row in plain if floor(now) // bucket - row[0] < size // bucket]
        sums = [sum(row[column] for row in counted) for column in (1, 2, 3)]
        assert window.totals == Counts(ok=sums[0], fail=sums[1], throttle=sums[2])
        assert len(window.rows) <= size // bucket


def test_a_bucket_that_is_used_again_starts_at_zero_in_every_field() -> None:
    """Property 6 and a public bug: a field was kept and counts went negative."""
    window = Window().recorded(T, T, ok=1, fail=2, throttle=3)
    again = window.recorded(T + 300, T + 300, ok=1)
    assert again.totals == Counts(ok=1)
    assert again.advanced(T + 1000).totals == Counts()


def test_a_window_of_one_second_can_move_by_two() -> None:
    window = Window(size=1).recorded(T, T, fail=1)
    assert window.recorded(T + 2, T + 2, ok=1).totals == Counts(ok=1)


def test_what_is_too_old_is_dropped_and_what_is_of_the_future_counts_as_now() -> None:
    assert Window().recorded(T - 300, T, fail=1).totals == Counts()
    assert Window().recorded(T - 299, T, fail=1).totals == Counts(fail=1)
    ahead = Window().recorded(T + 500, T, fail=1)
    assert ahead.advanced(T + 299).totals == Counts(fail=1)
    assert ahead.advanced(T + 300).totals == Counts()


def test_a_full_window_is_under_six_kilobytes() -> None:
    window = Window()
    for second in range(T, T + 300):
        window = window.recorded(second, second, ok=100, fail=10, throttle=10)
    assert len(window.model_dump_json()) < 6_000
    assert Window.model_validate_json(window.model_dump_json()) == window
    assert json.loads(window.model_dump_json())["totals"]["ok"] == 30_000
