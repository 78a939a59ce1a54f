"""Rows that are merged since there are too many: what that may change for a breaker, and what not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.health.breaker import Breaker, BreakerState, Outcomes, step
from pointsman.health.delta import Delta
from pointsman.health.failure_run import FAILURE, NOTHING, SUCCESS, Segment
from pointsman.health.outcome_rows import OutcomeRows
from pointsman.health.settings import BreakerSettings

KEY, T, HORIZON_S = "alpha/one", 1_000_000, 300
ROW_ALONE = BreakerSettings(failure_rate=1.0, throttle_share=1.0)
"""Only failures in a row open."""

outcomes = st.lists(
    st.tuples(st.sampled_from("SFT"), st.sampled_from(["alpha/one", "beta/two"]), st.integers(0, 9)), max_size=60
)


def made(seen: Sequence[tuple[str, str, int]]) -> list[Delta]:
    """One row a call, each some seconds after the one before."""
    rows, second = list[Delta](), T
    for letter, key, later in seen:
        second += later
        counted = {"S": "ok", "F": "fail", "T": "throttle"}[letter]
        segment = {"S": SUCCESS, "F": FAILURE, "T": NOTHING}[letter]
        row = Delta(key=key, epoch=1, gen=1, second=second, segment=segment)
        rows.append(row.model_copy(update={counted: 1}))
    return rows


def taken(calls: Sequence[Delta], most: int, horizon_s: int = 10_000) -> tuple[Delta, ...]:
    rows = OutcomeRows(horizon_s)
    for call in calls:
        rows.add(call)
    return rows.take(most)


def busy(keys: int, seconds: int) -> list[Delta]:
    """A call of every key in each second."""
    return [
        Delta(key=f"p{number}/m", epoch=1, gen=1, second=T + second, ok=1)
        for second in range(seconds)
        for number in range(keys)
    ]


def sums(rows: Sequence[Delta], key: str) -> tuple[int, int, int, Segment]:
    segment = NOTHING
    for row in rows:
        if row.key == key:
            segment = segment.combine(row.segment)
    own = [row for row in rows if row.key == key]
    return sum(row.ok for row in own), sum(row.fail for row in own), sum(row.throttle for row in own), segment


def too_fine_s(calls: Sequence[Delta], most: int) -> int:
    """The most seconds a granule, from the first call on, with which there are still too many rows."""
    begin = calls[0].second
    rows = {width: len({(call.key, (call.second - begin) // width) for call in calls}) for width in range(1, 600)}
    return max((width for width, count in rows.items() if count > most), default=0)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(outcomes, st.integers(2, 20))
def test_merged_rows_have_the_same_sums_and_the_same_runs_and_all_go_out(
    seen: list[tuple[str, str, int]], most: int
) -> None:
    calls = made(seen)
    rows = taken(calls, most)
    assert len(rows) <= most
    for key in ("alpha/one", "beta/two"):
        assert sums(rows, key) == sums(calls, key)
        seconds = [row.second for row in rows if row.key == key]
        assert seconds == sorted(seconds)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(outcomes, st.integers(2, 20))
def test_a_run_of_failures_opens_by_merged_rows_exactly_where_it_opens_by_single_calls(
    seen: list[tuple[str, str, int]], most: int
) -> None:
    """As long as no age comes in: the order within a row is in its segment."""
    calls = [call for call in made(seen) if call.key == KEY]
    now = float(max((call.second for call in calls), default=T))
    limits = ROW_ALONE.model_copy(update={"consecutive_max_age": 10_000.0})

    def opens(rows: Sequence[Delta]) -> bool:
        breaker = Breaker(epoch=1)
        for row in rows:
            breaker, _ = step(breaker, Outcomes(row), now=now, chance=0.0, settings=limits)
        return breaker.state is BreakerState.OPEN

    assert opens(taken(calls, most)) == opens(calls)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(outcomes.filter(bool), st.integers(2, 20))
def test_no_failure_is_taken_for_older_than_it_is_and_none_for_younger_by_a_granule(
    seen: list[tuple[str, str, int]], most: int
) -> None:
    calls = made(seen)
    for key in ("alpha/one", "beta/two"):
        failed = [call.second for call in calls if call.key == key and call.fail]
        told = [row.second for row in taken(calls, most) if row.key == key for _ in range(row.fail)]
        assert len(told) == len(failed)
        # In the granule, which one second less would make too fine.
        assert all(0 <= later - at <= too_fine_s(calls, most) for at, later in zip(failed, told, strict=True))
        assert told[-1:] == failed[-1:]


def test_where_each_second_has_its_calls_the_granule_is_the_smallest_that_fits() -> None:
    """1,000 workers: 50 keys in 50 s are 5 rows a key, and so 10 s each."""
    rows = taken(busy(keys=50, seconds=50), 256)
    assert len(rows) == 250
    assert {row.ok for row in rows} == {10}


def test_rows_that_fit_stay_as_they_are() -> None:
    calls = busy(keys=100, seconds=2)
    assert list(taken(calls, 256)) == calls


def test_a_row_stands_at_its_last_failure_else_at_its_last_outcome() -> None:
    rows = taken(made([("F", KEY, 0), ("F", KEY, 1), ("S", KEY, 1)]), 1)
    assert [(row.second, row.ok, row.fail) for row in rows] == [(T + 1, 1, 2)]
    rows = taken(made([("S", KEY, 0), ("T", KEY, 2)]), 1)
    assert [(row.second, row.ok, row.throttle) for row in rows] == [(T + 2, 1, 1)]


def test_tokens_are_never_merged() -> None:
    """Whether a call of an old generation counts is the entity's to say."""
    calls = [Delta(key=KEY, epoch=1, gen=gen, second=T + second, ok=1) for second in range(4) for gen in (1, 2)]
    assert [(row.gen, row.ok) for row in taken(calls, 2)] == [(1, 4), (2, 4)]


def test_a_clock_that_goes_back_keeps_the_order_of_calls() -> None:
    calls = [Delta(key=KEY, epoch=1, gen=1, second=T + at, ok=1) for at in (0, 1, 900, 901, 2, 3)]
    assert [(row.second - T, row.ok) for row in taken(calls, 3)] == [(1, 2), (901, 2), (3, 2)]


@pytest.mark.parametrize("most", [2, 3])
def test_what_is_older_than_any_rule_looks_never_becomes_younger(most: int) -> None:
    """Nor does it cost the younger ones their seconds."""
    seen = [("F", KEY, 0), ("F", KEY, 5), ("S", KEY, HORIZON_S), ("F", KEY, 200)]
    old, *rows = taken(made(seen), most, HORIZON_S)
    assert (old.second, old.fail) == (T + 5, 2)
    assert (sum(row.fail for row in rows), sum(row.ok for row in rows)) == (1, 1)


def test_what_is_too_old_and_what_is_not_are_never_one_row() -> None:
    rows = OutcomeRows(HORIZON_S)
    for call in made([("F", KEY, 0), ("S", KEY, HORIZON_S)]):
        rows.add(call)
    assert [row.fail for row in rows.take(1)] == [1]
    assert [row.ok for row in rows.take(1)] == [1]
