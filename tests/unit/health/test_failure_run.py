"""Failures in a row: what extends a run, what breaks it, and that it is the same however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.health.failure_run import FAILURE, NOTHING, SUCCESS, FailureRun, Segment, run_needed

T = 1_000_000
PROPERTY = settings(max_examples=100, derandomize=True, deadline=None)

outcomes = st.lists(st.sampled_from([FAILURE, SUCCESS, NOTHING]), max_size=12)


def _joined(parts: list[Segment]) -> Segment:
    whole = NOTHING
    for part in parts:
        whole = whole.combine(part)
    return whole


@PROPERTY
@given(outcomes, outcomes, outcomes)
def test_joining_segments_is_associative(one: list[Segment], two: list[Segment], three: list[Segment]) -> None:
    """Property 13."""
    a, b, c = _joined(one), _joined(two), _joined(three)
    assert a.combine(b).combine(c) == a.combine(b.combine(c))


@PROPERTY
@given(outcomes)
def test_a_segment_tells_the_longest_run_of_its_outcomes(made: list[Segment]) -> None:
    longest = run = 0
    for outcome in made:
        run = 0 if outcome is SUCCESS else run + (outcome is FAILURE)
        longest = max(longest, run)
    segment = _joined(made)
    assert (segment.longest, segment.trailing) == (longest, run)


@PROPERTY
@given(outcomes, st.integers(0, 12))
def test_a_run_is_the_same_however_its_outcomes_are_cut(made: list[Segment], cut: int) -> None:
    """Property 13."""
    whole, longest = FailureRun().after(_joined(made), T, T, max_age=300)
    first, longest_of_first = FailureRun().after(_joined(made[:cut]), T, T, max_age=300)
    second, longest_of_second = first.after(_joined(made[cut:]), T, T, max_age=300)
    assert second == whole
    assert max(len(longest_of_first.seconds), len(longest_of_second.seconds)) == len(longest.seconds)


def test_failures_that_are_too_old_fall_out_of_the_run() -> None:
    run = FailureRun()
    for hour in range(3):
        run, _ = run.after(FAILURE, T + hour * 3600, T + hour * 3600, max_age=300)
    assert run.seconds == (T + 7200,)


def test_a_failure_that_arrives_too_late_does_not_extend_and_a_success_still_breaks() -> None:
    run, _ = FailureRun().after(FAILURE, T, T, max_age=300)
    assert run.after(FAILURE, T - 300, T, max_age=300)[0] == run
    assert run.after(SUCCESS, T - 300, T, max_age=300)[0] == FailureRun()


def test_a_run_knows_the_processes_that_saw_it() -> None:
    run, _ = FailureRun().after(FAILURE, T, T, worker="a", max_age=300)
    run, _ = run.after(FAILURE, T, T, worker="b", max_age=300)
    assert [worker for worker, _ in run.workers] == ["a", "b"]
    assert run.after(SUCCESS.combine(FAILURE), T, T, worker="b", max_age=300)[0].workers == (("b", T),)


@pytest.mark.parametrize(
    ("rate", "calls_per_second", "needed"), [(None, 50, 3), (0.01, 0, 3), (0.01, 0.01, 3), (0.01, 50, 5), (0.05, 50, 8)]
)
def test_a_busy_key_needs_a_longer_run_where_that_is_on(
    rate: float | None, calls_per_second: float, needed: int
) -> None:
    assert run_needed(3, rate, calls_per_second) == needed
