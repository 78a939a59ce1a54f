"""What Temporal's errors say of a call or of a question."""

from __future__ import annotations

from datetime import datetime

from temporalio.exceptions import ApplicationError, CancelledError, TimeoutError, TimeoutType  # noqa: A004

from pointsman.call import FailedCall
from pointsman.contract import Unanswered
from pointsman.outcomes import Attempt, ErrorClass, Fault
from pointsman.story.facts import CutOff, Ended

_CUT_OFF: dict[TimeoutType, CutOff] = {
    TimeoutType.SCHEDULE_TO_START: "no_worker",
    TimeoutType.SCHEDULE_TO_CLOSE: "deadline",
}


def cut_off(error: TimeoutError) -> CutOff:
    """How Temporal ended a call whose time was up."""
    return "worker_lost" if error.type is None else _CUT_OFF.get(error.type, "worker_lost")


def rows_left(error: TimeoutError) -> tuple[Attempt, ...]:
    """The rows that the attempts of such a call have left."""
    details = error.last_heartbeat_details or ()
    return tuple(Attempt.model_validate(detail) for detail in details if isinstance(detail, dict))


def failed_call(error: BaseException) -> FailedCall | CutOff:
    """Why a call gave no answer."""
    if isinstance(error, CancelledError):
        return "cancelled"
    if isinstance(error, ApplicationError) and error.details and isinstance(error.details[0], dict):
        return FailedCall.model_validate(error.details[0])
    kind = error.type if isinstance(error, ApplicationError) else type(error).__name__
    summary = f"the call ended in an unexpected error ({kind})"
    return FailedCall(fault=Fault(error_class=ErrorClass.FAILURE, kind="unexpected", summary=summary), attempts=())


def failed_question(at: datetime, error: BaseException) -> Ended:
    """How a question failed."""
    if not isinstance(error, ApplicationError):
        return Ended(at, "failed", type(error).__name__, str(error))
    detail = error.details[0] if error.details else None
    told = Unanswered.model_validate(detail) if isinstance(detail, dict) else None
    if told is None:
        return Ended(at, "failed", error.type or "", error.message)
    return Ended(at, "failed", error.type or "", error.message, told.attempts, told.retry_after_s)
