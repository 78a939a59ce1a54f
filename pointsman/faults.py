"""What each class of fault leads to, in one table, and the names under which faults travel as Temporal failures.

| class          | same provider again | next candidate | health of the provider                    |
|----------------|---------------------|----------------|-------------------------------------------|
| failure        | yes                 | yes            | counts as a failure                       |
| throttle       | after a short hint  | yes            | cools down, counts in its own window      |
| quota, config  | no                  | yes            | cools down for minutes                    |
| client         | no                  | if it differs  | neutral: the question is at fault         |
| quality        | no                  | yes            | neutral                                   |
| cancel         | no                  | no             | neutral                                   |
| local          | no                  | yes            | neutral: nothing reached the provider     |
| infrastructure | up to five times    | then           | neutral: a worker died, not the provider  |

Source: resilience specification, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pointsman.outcomes import ErrorClass, Fault
from pointsman.response import ProviderResponse

HealthEffect = Literal["failure", "throttle", "cooldown", "neutral"]


@dataclass(frozen=True)
class Consequence:
    """What follows from a fault of one class."""

    retryable: bool
    next_candidate: bool
    health: HealthEffect
    failure_type: str
    """The type of the ApplicationError that carries the fault, as it stands in a history."""


CONSEQUENCES: dict[ErrorClass, Consequence] = {
    ErrorClass.FAILURE: Consequence(True, True, "failure", "ProviderFailure"),
    ErrorClass.THROTTLE: Consequence(True, True, "throttle", "ProviderThrottled"),
    ErrorClass.QUOTA: Consequence(False, True, "cooldown", "ProviderQuotaExhausted"),
    ErrorClass.CONFIG: Consequence(False, True, "cooldown", "ProviderMisconfigured"),
    ErrorClass.CLIENT: Consequence(False, False, "neutral", "QuestionNotAccepted"),
    ErrorClass.QUALITY: Consequence(False, True, "neutral", "AnswerNotAccepted"),
    ErrorClass.CANCEL: Consequence(False, False, "neutral", "CallCancelled"),
    ErrorClass.LOCAL: Consequence(False, True, "neutral", "CallNotMade"),
    ErrorClass.INFRASTRUCTURE: Consequence(True, True, "neutral", "WorkerLost"),
}

NON_RETRYABLE_TYPES: tuple[str, ...] = tuple(
    consequence.failure_type for consequence in CONSEQUENCES.values() if not consequence.retryable
)


WORKER_LOST = Fault(error_class=ErrorClass.INFRASTRUCTURE, kind="worker_lost", summary="the call's worker was lost")
"""The worker died, or was cut off, while the provider had the request."""


CALL_UNREAD = Fault(
    error_class=ErrorClass.INFRASTRUCTURE,
    kind="unreadable",
    summary="no worker that took the call had the key, or the folder, to read it",
)
"""Nothing reached the provider: the workers that serve it lack what the question was encrypted or stored with."""


HEDGE_LOST = Fault(error_class=ErrorClass.CANCEL, kind="hedge_lost", summary="another provider answered first")
"""The other leg of a race won: neutral for this one's health, and billed for as long as it ran."""


NOT_NEEDED = Fault(error_class=ErrorClass.CANCEL, kind="not_needed", summary="the others had settled it")
"""A member of a panel was cut off because a majority was certain: as neutral, and as billed, as a lost race."""


class ProviderFault(Exception):
    """Raised by a provider adapter, and by the checks of an answer: the attempt ended without a usable answer."""

    def __init__(self, fault: Fault, response: ProviderResponse | None = None) -> None:
        """Carry the fault, and the reply that was no answer where there is one; the message is its summary."""
        super().__init__(fault.summary)
        self.fault = fault
        self.response = response


def fault(
    error_class: ErrorClass,
    kind: str,
    summary: str,
    *,
    status: int | None = None,
    retry_after_s: float | None = None,
) -> ProviderFault:
    """Build the exception for a fault; `summary` is fixed text, never a provider's own."""
    return ProviderFault(
        Fault(error_class=error_class, kind=kind, summary=summary, status=status, retry_after_s=retry_after_s)
    )
