"""What a workflow makes of a call that Temporal ended: which attempts stay on record."""

from __future__ import annotations

from typing import Any

import pytest
from temporalio.exceptions import ActivityError, ApplicationError, RetryState, TimeoutError, TimeoutType  # noqa: A004

from pointsman.configuration import Retry
from pointsman.decision import CallLimits
from tests.builders import attempt, call
from workflows.provider_call import _failed  # pyright: ignore[reportPrivateUsage]

LIMITS = Retry().limits()
FAILED = attempt("alpha", attempt=1, outcome="failed", error_class="failure", kind="http_503")


def ended(kind: TimeoutType, *rows: Any, before: Exception | None = None) -> ActivityError:
    """The error of a call whose last attempt timed out, and what the attempt before it ended with."""
    cause = TimeoutError("timed out", type=kind, last_heartbeat_details=[row.model_dump(mode="json") for row in rows])
    cause.__cause__ = before
    error = ActivityError(
        "Activity task timed out",
        scheduled_event_id=5,
        started_event_id=0,
        identity="",
        activity_type="complete",
        activity_id="3",
        retry_state=RetryState.NON_RETRYABLE_FAILURE,
    )
    error.__cause__ = cause
    return error


def lost(kind: TimeoutType = TimeoutType.START_TO_CLOSE) -> TimeoutError:
    return TimeoutError("lost", type=kind, last_heartbeat_details=[])


def recorded(error: ActivityError, limits: CallLimits = LIMITS) -> list[tuple[int, str | None]]:
    found = _failed(error, call(), limits, 2)
    assert (found.fault.error_class, found.fault.kind) == ("local", "queue_full")
    return [(row.attempt, row.kind) for row in found.attempts]


def test_a_call_that_no_worker_took_made_no_attempt() -> None:
    assert recorded(ended(TimeoutType.SCHEDULE_TO_START)) == []


@pytest.mark.parametrize("kind", [TimeoutType.START_TO_CLOSE, TimeoutType.HEARTBEAT])
def test_an_attempt_whose_worker_was_lost_is_on_record_though_its_retry_found_no_worker(kind: TimeoutType) -> None:
    error = ended(TimeoutType.SCHEDULE_TO_START, before=lost(kind))
    assert recorded(error) == [(1, "worker_lost")]
    after_another = ended(TimeoutType.SCHEDULE_TO_START, FAILED, before=lost(kind))
    assert recorded(after_another) == [(1, "http_503"), (2, "worker_lost")]


def test_an_attempt_that_left_its_row_is_on_record_once() -> None:
    failure = ApplicationError("503", type="ProviderFailure")
    assert recorded(ended(TimeoutType.SCHEDULE_TO_START, FAILED, before=failure)) == [(1, "http_503")]


def test_a_decision_from_before_replays_as_it_was() -> None:
    assert recorded(ended(TimeoutType.SCHEDULE_TO_START, before=lost()), CallLimits()) == []
