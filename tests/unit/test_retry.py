"""When the same provider is asked again, and how long it takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.decision import RetrySchedule
from pointsman.outcomes import ErrorClass, Fault
from pointsman.retry import retry_delay_s

chances = st.floats(0, 1, exclude_max=True)


def _delay(
    error_class: ErrorClass = ErrorClass.FAILURE,
    *,
    kind: str = "http_503",
    hint: float | None = None,
    attempt: int = 1,
    last: bool = False,
    remaining_s: float = 60.0,
    chance: float = 0.5,
) -> float | None:
    fault = Fault(error_class=error_class, kind=kind, summary="", retry_after_s=hint)
    return retry_delay_s(
        fault,
        attempt=attempt,
        last_candidate=last,
        remaining_s=remaining_s,
        schedule=RetrySchedule(),
        chance=chance,
    )


@pytest.mark.parametrize(
    "error_class",
    [ErrorClass.QUOTA, ErrorClass.CONFIG, ErrorClass.CLIENT, ErrorClass.QUALITY, ErrorClass.CANCEL, ErrorClass.LOCAL],
)
def test_what_a_repeat_cannot_mend_is_not_repeated(error_class: ErrorClass) -> None:
    assert _delay(error_class, last=True) is None


def test_a_failure_backs_off_exponentially_under_full_jitter() -> None:
    assert [_delay(attempt=attempt) for attempt in (1, 2, 3)] == [0.25, 0.5, 1.0]
    assert _delay(chance=0.0) == 0.0


def test_the_cap_keeps_the_jitter() -> None:
    late = {_delay(attempt=20, chance=step / 100) for step in range(100)}
    assert len(late) == 100
    assert all(delay is not None and delay <= 20 for delay in late)


def test_f14_a_short_retry_after_is_waited_for_and_a_long_one_moves_on() -> None:
    assert _delay(ErrorClass.THROTTLE, hint=0.2) == pytest.approx(0.21)
    assert _delay(ErrorClass.THROTTLE, hint=30) is None


def test_the_last_candidate_waits_up_to_a_minute() -> None:
    assert _delay(ErrorClass.THROTTLE, hint=30, last=True, remaining_s=60) == pytest.approx(30.5)
    assert _delay(ErrorClass.THROTTLE, hint=61, last=True, remaining_s=300) is None


def test_a_retry_after_past_the_deadline_is_not_waited_for() -> None:
    assert _delay(ErrorClass.THROTTLE, hint=30, last=True, remaining_s=30) is None


def test_a_throttle_without_a_hint_is_repeated_by_the_last_candidate_only() -> None:
    assert _delay(ErrorClass.THROTTLE) is None
    assert _delay(ErrorClass.THROTTLE, last=True) is not None


def test_a_hang_is_repeated_by_the_last_candidate_only() -> None:
    assert _delay(kind="timeout") is None
    assert _delay(kind="timeout", last=True) is not None


@given(hint=st.floats(0.001, 60), chance=chances)
def test_a_retry_after_is_never_undercut(hint: float, chance: float) -> None:
    delay = _delay(ErrorClass.THROTTLE, hint=hint, last=True, remaining_s=1e9, chance=chance)
    assert delay is not None
    assert hint <= delay <= hint + 1


@given(attempt=st.integers(1, 50), chance=chances)
def test_a_wait_is_within_its_ceiling_for_any_attempt(attempt: int, chance: float) -> None:
    delay = _delay(attempt=attempt, chance=chance, remaining_s=1e9)
    assert delay is not None
    assert 0 <= delay <= min(20, 0.5 * 2 ** (attempt - 1))


@given(
    hint=st.none() | st.floats(0.001, 120), attempt=st.integers(1, 10), last=st.booleans(), remaining_s=st.floats(0, 90)
)
def test_no_wait_reaches_the_deadline(hint: float | None, attempt: int, last: bool, remaining_s: float) -> None:  # noqa: FBT001
    delay = _delay(hint=hint, attempt=attempt, last=last, remaining_s=remaining_s)
    assert delay is None or delay < remaining_s


@given(hint=st.floats(0.2, 60))
def test_a_crowd_with_one_retry_after_does_not_come_back_as_one(hint: float) -> None:
    delays = {_delay(ErrorClass.THROTTLE, hint=hint, last=True, remaining_s=1e9, chance=n / 100) for n in range(100)}
    assert len(delays) == 100


def test_a_failure_with_a_hint_waits_for_it_too() -> None:
    assert _delay(hint=0.5, chance=0.0) == 0.5
    assert _delay(hint=30.0) is None


def test_a_lost_worker_is_made_up_for() -> None:
    assert _delay(ErrorClass.INFRASTRUCTURE) is not None
