"""Timeouts and retries of the activities that a question uses; those of a provider call come from its decision."""

from __future__ import annotations

from datetime import timedelta

from temporalio.common import RetryPolicy

from pointsman.decision import CallLimits, RetrySchedule

LOCAL_TIMEOUT = timedelta(seconds=5)
LOCAL_RETRY = RetryPolicy(initial_interval=timedelta(milliseconds=100), maximum_attempts=3)
"""Local steps compute in the worker: a second try may help after a hiccup of the process, a fourth never does."""

ANNOUNCE_TIMEOUT = timedelta(seconds=15)
ANNOUNCE_RETRY = RetryPolicy(initial_interval=timedelta(seconds=2), maximum_interval=timedelta(minutes=5))

MEASURING_TIMEOUT = timedelta(seconds=60)
MEASURING_RETRY = RetryPolicy(
    initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=30), maximum_attempts=10
)
"""Planning and marking compute in a worker: a worker that dies is followed by another, a bug by its own end."""


def retry_policy(schedule: RetrySchedule, max_attempts: int) -> RetryPolicy:
    """The durable retry policy of a provider call.

    Its intervals serve timeouts that Temporal itself raises; for every other fault the activity sets the delay.
    """
    return RetryPolicy(
        initial_interval=timedelta(seconds=schedule.initial_s),
        backoff_coefficient=schedule.backoff,
        maximum_interval=timedelta(seconds=schedule.max_interval_s),
        maximum_attempts=max_attempts,
        non_retryable_error_types=list(schedule.non_retryable_types),
    )


def queue_wait(limits: CallLimits, remaining: timedelta, *, last_candidate: bool) -> timedelta | None:
    """How long a call waits for a worker of its provider; the last candidate waits to the deadline (ruling 4)."""
    if last_candidate:
        return None
    return min(timedelta(seconds=limits.queue_wait_s), remaining * limits.queue_wait_share)
