"""What a process collects between two reports, and how it is cut to size."""

from __future__ import annotations

import math

import pytest

from pointsman.health.delta import COUNT_MAX, Delta
from pointsman.health.failure_run import Segment
from pointsman.health.outcome_rows import OutcomeRows
from pointsman.health.report_builder import ReportBuilder

KEY, T = "alpha/one", 1_000_000


def test_outcomes_of_one_second_share_a_row_and_their_order_is_kept() -> None:
    builder = ReportBuilder("w")
    for outcome in ("fail", "fail", "ok", "fail"):
        builder.record(KEY, 1, 1, T, outcome)
    (row,) = builder.take().deltas
    assert (row.ok, row.fail, row.segment) == (1, 3, Segment(broken=True, leading=2, trailing=1, longest=2))


def test_a_retry_that_fails_counts_and_does_not_extend_the_run() -> None:
    builder = ReportBuilder("w")
    builder.record(KEY, 1, 1, T, "fail", attempt=1)
    builder.record(KEY, 1, 1, T, "fail", attempt=2)
    builder.record(KEY, 1, 1, T, "throttle", attempt=1)
    (row,) = builder.take().deltas
    assert (row.fail, row.throttle, row.segment.trailing) == (2, 1, 1)


def test_tokens_have_rows_of_their_own_and_a_clock_that_goes_back_keeps_the_order() -> None:
    builder = ReportBuilder("w")
    builder.record(KEY, 1, 1, T, "fail")
    builder.record(KEY, 1, 2, T, "fail")
    builder.record(KEY, 1, 1, T + 1, "ok")
    builder.record(KEY, 1, 1, T, "fail")
    assert [(row.gen, row.second) for row in builder.take().deltas] == [(1, T), (2, T), (1, T + 1), (1, T)]


def test_of_more_keys_than_a_report_has_rows_the_last_wait_for_the_next_report() -> None:
    builder = ReportBuilder("w")
    for number in range(300):
        builder.record(f"p{number}/m", 1, 1, T, "ok")
    first, second = builder.take(), builder.take()
    assert (first.seq, len(first.deltas), second.seq, len(second.deltas)) == (1, 256, 2, 44)
    assert [row.key for row in second.deltas] == [f"p{number}/m" for number in range(256, 300)]
    assert builder.empty


def test_what_is_more_than_a_report_holds_is_told_by_more_seconds_a_row() -> None:
    builder = ReportBuilder("w")
    for later in range(300):
        builder.record(KEY, 1, 1, T + later, "ok")
    rows = builder.take().deltas
    assert [(row.second, row.ok) for row in rows] == [(T + later, 2) for later in range(1, 300, 2)]
    assert builder.empty


def test_a_report_of_fewer_rows_is_coarser() -> None:
    builder = ReportBuilder("w")
    for later in range(10):
        builder.record(KEY, 1, 1, T + later, "ok")
    assert [(row.second, row.ok) for row in builder.take(2).deltas] == [(T + 4, 5), (T + 9, 5)]


def test_a_row_in_a_report_is_not_added_to_any_more() -> None:
    builder = ReportBuilder("w")
    builder.record(KEY, 1, 1, T, "ok")
    builder.take()
    builder.record(KEY, 1, 1, T, "ok")
    assert [row.ok for row in builder.take().deltas] == [1]


def test_while_nobody_takes_reports_what_counts_for_no_rule_is_told_in_one_row() -> None:
    """The rest is as coarse as needed, and nothing is lost."""
    builder = ReportBuilder("w", horizon_s=300)
    for second in range(9_000):
        builder.record(KEY, 1, 1, T + second, "ok")
    assert builder.pending < 1_200
    old, *rows = builder.take().deltas
    assert (old.second, old.ok) == (T + 9_000 - 301, 9_000 - 300)
    assert [(row.second, row.ok) for row in rows] == [(T + 9_000 - later, 2) for later in range(299, 0, -2)]


def test_while_nobody_takes_reports_the_oldest_of_too_many_tokens_are_dropped() -> None:
    builder = ReportBuilder("w")
    for gen in range(9_000):
        builder.record(KEY, 1, gen, T, "ok")
    assert builder.pending == 9_000 - 4_097
    assert builder.take(1).deltas[0].gen == 4_097


def test_no_row_counts_more_than_an_entity_takes() -> None:
    """It would refuse the whole report."""
    rows = OutcomeRows(horizon_s=300)
    for second in (T, T + 1):
        rows.add(Delta(key=KEY, epoch=1, gen=1, second=second, ok=COUNT_MAX))
    assert [row.ok for row in rows.take(1)] == [COUNT_MAX]


def test_throttled_calls_count_as_failures_where_that_is_the_setting() -> None:
    """Property 27: a hundred of 429 leave run and rate alone, or trip."""
    builders = [ReportBuilder("w", "throttle"), ReportBuilder("w", "failure")]
    for builder in builders:
        for _ in range(100):
            builder.record(KEY, 1, 1, T, "throttle")
    rows = [row for builder in builders for row in builder.take().deltas]
    assert [(row.fail, row.throttle, row.segment.longest) for row in rows] == [(0, 100, 0), (100, 0, 100)]


def test_the_longest_hint_and_the_count_since_the_last_success_travel() -> None:
    builder = ReportBuilder("w")
    for hint in (5.0, None, 2.0):
        builder.cooled(KEY, hint, "throttle")
    assert [(cooled.seconds, cooled.count) for cooled in builder.take().cooled] == [(5.0, 3)]
    builder.cooled(KEY, None, "throttle")
    builder.record(KEY, 1, 1, T, "ok")
    assert [cooled.count for cooled in builder.take().cooled] == [0]


@pytest.mark.parametrize("hint", [math.nan, math.inf, -1.0])
def test_a_hint_that_is_no_time_is_none(hint: float) -> None:
    """Property 24."""
    builder = ReportBuilder("w")
    builder.cooled(KEY, hint, "throttle")
    assert builder.take().cooled[0].seconds is None


def test_overdue_calls_are_told_unless_a_success_came_after() -> None:
    builder = ReportBuilder("w")
    builder.overdue(KEY, 1, 1)
    builder.overdue(KEY, 1, 1)
    assert [overdue.count for overdue in builder.take().overdue] == [2]
    builder.overdue(KEY, 1, 1)
    builder.record(KEY, 1, 1, T, "ok")
    assert builder.take().overdue == ()


def test_fractions_of_a_micro_usd_are_not_lost() -> None:
    builder, told = ReportBuilder("w"), 0
    for _ in range(1000):
        builder.spent("alpha", "2026-12-01", 0.0000004, "analysis")
        report = builder.take()
        told += sum(spent.micro_usd for spent in report.spent)
    assert told in (399, 400)


@pytest.mark.parametrize("usd", [math.nan, math.inf, -1.0])
def test_money_that_is_none_is_not_booked(usd: float) -> None:
    builder = ReportBuilder("w")
    builder.spent("alpha", "2026-12-01", usd)
    assert builder.empty


def test_latencies_are_those_of_successes() -> None:
    builder = ReportBuilder("w")
    builder.latency("alpha", "analysis", 100.0, ok=True)
    builder.latency("alpha", "analysis", 1.0, ok=False)
    builder.answered("alpha", "analysis", 40)
    (measured,) = builder.take().measured
    assert (measured.measures.latencies.n, measured.measures.errors) == (1, 1)
    assert measured.measures.figures().output_tokens == 40
