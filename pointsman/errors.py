"""What a caller can catch, by what he can do about it.

PointsmanError
├── InvalidQuestion     correct the question
├── IdTaken             use another id, or the same question
├── QuestionFailed      ask again after `retry_after_s`; `attempts` tells each provider's reason
├── QuestionCancelled   nothing: somebody wanted it so
├── AwaitingReview      a person decides; wait for him, or decide (`pointsman reviews`)
├── ReviewRefused       read why: decided already, not waiting, or an unknown choice
├── InvalidUpgrade      name a model that the provider can serve
├── CatalogueRefused    read why: an upgrade is under way, or is not ready; a file is no catalogue
├── UnknownQuestion     check the id
├── UnknownProvider     check the name
├── RunRefused          correct what is to be measured, or the suite
├── RunFailed           start it again; the message tells how it ended
├── UnknownRun          check the id
├── UnreadablePayload   give this process the key or the folder that it names
├── InvalidOutcomes     correct the line of the file that the message names
├── NoServer            start or name a Temporal server; the question goes on where there is a `question_id`
├── NoWorker            start a worker; the question waits for it
├── NoLedger            start the ledger's database or a worker, which makes it; or correct its address
└── ConfigurationError  correct the file or the variable that it names (in `pointsman.sentences`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The contract imports Temporal's SDK, which nothing here needs.
    from pointsman.contract import Unanswered


class PointsmanError(Exception):
    """Anything that Pointsman raises to its callers; the message is one readable sentence."""

    question_id: str | None = None
    """The id of the question that was asked or meant, where there is one: what became of it can be fetched by it."""


class InvalidQuestion(PointsmanError):
    """The question cannot be asked as it is."""


class IdTaken(PointsmanError):
    """Another question has this id."""


class QuestionFailed(PointsmanError):
    """No answer was to be had."""

    def __init__(self, message: str, failure_type: str, unanswered: Unanswered) -> None:
        """Carry the failure's type (see `contract`) and what was tried."""
        super().__init__(message)
        self.failure_type = failure_type
        self.attempts = unanswered.attempts
        self.rejected = unanswered.rejected
        self.retry_after_s = unanswered.retry_after_s
        self.cost_usd = unanswered.cost_usd
        self.divergence = unanswered.divergence
        self.review = unanswered.review


class QuestionCancelled(PointsmanError):
    """The question was cancelled or terminated."""


class AwaitingReview(PointsmanError):
    """The question waits for a person, and its caller does not."""


class ReviewRefused(PointsmanError):
    """A review that the question did not take."""


class InvalidUpgrade(PointsmanError):
    """An upgrade that no worker's configuration allows for."""


class CatalogueRefused(PointsmanError):
    """A word that the catalogue did not follow."""


class UnknownQuestion(PointsmanError):
    """No question has this id, or its history has been deleted."""


class UnknownProvider(PointsmanError):
    """No worker has told of a provider with this name."""


class RunRefused(PointsmanError):
    """What is to be measured cannot be: the task, the provider or the suite is not there, or has changed meanwhile."""


class RunFailed(PointsmanError):
    """A measuring run ended without a report."""


class UnknownRun(PointsmanError):
    """No measuring run has this id, or its history has been deleted."""


class UnreadablePayload(PointsmanError):
    """What stands in the Temporal server cannot be read with the keys, or the folder, that this process has."""


def unreadable_payload(fault: BaseException | None) -> UnreadablePayload | None:
    """The payload that could not be read, where that is what is behind an error."""
    while fault is not None and not isinstance(fault, UnreadablePayload):
        fault = fault.__cause__
    return fault


def stored_elsewhere(message: str) -> bool:
    """Whether an error of Temporal's SDK is about a payload that is kept in a place that this process does not know."""
    return "[TMPRL1105]" in message or "No driver found with name" in message


class InvalidOutcomes(PointsmanError):
    """Outcomes, scores or a place for results that `pointsman tune` cannot use."""


class NoServer(PointsmanError):
    """No Temporal server could be reached."""


class NoWorker(PointsmanError):
    """No worker takes questions."""


class NoLedger(PointsmanError):
    """The ledger of costs could not be read."""
