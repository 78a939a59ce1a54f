"""What Temporal's errors say of a call or of a question; nothing here raises, whatever an error brings along."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from temporalio.api.failure.v1 import Failure
from temporalio.exceptions import ApplicationError, CancelledError, TimeoutError, TimeoutType  # noqa: A004

from pointsman.call import FailedCall
from pointsman.contract import Unanswered
from pointsman.faults import CALL_UNREAD
from pointsman.outcomes import Attempt, ErrorClass, Fault
from pointsman.server_faults import call_unread
from pointsman.story.facts import CutOff, Ended, Unread

_Record = TypeVar("_Record", bound=BaseModel)

_CUT_OFF: dict[int, CutOff] = {
    TimeoutType.SCHEDULE_TO_START: "no_worker",
    TimeoutType.SCHEDULE_TO_CLOSE: "deadline",
}
UNTOLD = "the reason cannot be read here"
"""Stands where a text would, if it could be read."""


@dataclass(frozen=True)
class CallEnd:
    """How a call ended without an answer."""

    outcome: FailedCall | CutOff | Unread
    left: tuple[Attempt, ...] = ()
    """The rows that its attempts have left, where the outcome holds none."""
    untold: bool = False
    """Whether more may have been paid than the rows say."""
    other_version: type[BaseModel] | None = None
    """What it brought along that is no such record as this version knows."""


def call_end(error: BaseException) -> CallEnd:
    """Why a call gave no answer."""
    if isinstance(error, TimeoutError):
        return _timed_out(error)
    if isinstance(error, CancelledError):
        return CallEnd("cancelled")
    if isinstance(error, ApplicationError):
        if call_unread(error):
            return CallEnd(FailedCall(fault=CALL_UNREAD, attempts=()))
        if error.details and isinstance(error.details[0], dict):
            told = _record(FailedCall, error.details[0])
            return CallEnd("failed_unread", untold=True, other_version=FailedCall) if told is None else CallEnd(told)
    kind = error.type if isinstance(error, ApplicationError) else type(error).__name__
    summary = f"the call ended in an unexpected error ({kind})"
    fault = Fault(error_class=ErrorClass.FAILURE, kind="unexpected", summary=summary)
    # What a worker stumbled over may have been paid before.
    return CallEnd(FailedCall(fault=fault, attempts=()), untold=True)


def unread_call_end(failure: Failure) -> CallEnd:
    """The same where the error cannot be read: of it only its kind stands there plainly."""
    if failure.HasField("timeout_failure_info"):
        of_wire = failure.timeout_failure_info.timeout_type
        return CallEnd(_CUT_OFF.get(of_wire, "worker_lost"), untold=True)
    return CallEnd("cancelled" if failure.HasField("canceled_failure_info") else "failed_unread", untold=True)


def question_end(at: datetime, error: BaseException) -> tuple[Ended, type[BaseModel] | None]:
    """How a question failed, and what of it is no such record as this version knows."""
    if not isinstance(error, ApplicationError):
        return Ended(at, "failed", type(error).__name__, str(error)), None
    detail = error.details[0] if error.details else None
    plainly = Ended(at, "failed", error.type or "", error.message)
    if not isinstance(detail, dict):
        return plainly, None
    told = _record(Unanswered, detail)
    if told is None:
        return plainly, Unanswered
    attempts = told.attempts if "attempts" in told.model_fields_set else None
    return Ended(at, "failed", error.type or "", error.message, attempts, told.retry_after_s), None


def unread_question_end(at: datetime, failure: Failure) -> Ended:
    """The same where the error cannot be read."""
    return Ended(at, "failed", failure.application_failure_info.type, UNTOLD)


def _timed_out(error: TimeoutError) -> CallEnd:
    how = "worker_lost" if error.type is None else _CUT_OFF.get(error.type, "worker_lost")
    rows, unknown = _rows(error.last_heartbeat_details or ())
    # What nobody took the second time may have been lost, and paid, the first time.
    lost_before = how == "no_worker" and isinstance(error.cause, TimeoutError)
    return CallEnd(how, rows, untold=unknown or lost_before, other_version=Attempt if unknown else None)


def _rows(details: Iterable[Any]) -> tuple[tuple[Attempt, ...], bool]:
    """The rows among the details, and whether there are others that this version does not know."""
    given = [detail for detail in details if isinstance(detail, dict)]
    rows = [row for detail in given if (row := _record(Attempt, detail)) is not None]
    return tuple(rows), len(rows) < len(given)


def _record(model: type[_Record], detail: dict[Any, Any]) -> _Record | None:
    try:
        return model.model_validate(detail)
    except ValidationError:
        return None
