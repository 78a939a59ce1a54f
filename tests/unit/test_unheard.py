"""What workflows say of failures that nobody looks at."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

from temporalio.exceptions import ActivityError, RetryState

from workflows.unheard import unheard


def said(exception: BaseException | None) -> list[dict[str, Any]]:
    """What is passed on to the loop's own handler."""
    loop = Mock(spec=asyncio.AbstractEventLoop)
    unheard(loop, {"message": "Future exception was never retrieved", "exception": exception})
    return [call.args[0] for call in loop.default_exception_handler.call_args_list]


def test_the_failure_of_a_call_that_was_cut_off_is_not_said() -> None:
    failure = ActivityError(
        "Activity task failed",
        scheduled_event_id=5,
        started_event_id=6,
        identity="",
        activity_type="complete",
        activity_id="3",
        retry_state=RetryState.NON_RETRYABLE_FAILURE,
    )
    assert said(failure) == []


def test_every_other_failure_is_said() -> None:
    fault = ValueError("a bug")
    assert [found["exception"] for found in said(fault)] == [fault]
    assert len(said(None)) == 1
