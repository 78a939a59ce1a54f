"""`RouteAndAnswer` as its callers see it: typed names without importing the workflow.

    await client.start_workflow(RouteAndAnswer.run, question, id="q-1", task_queue=TASK_QUEUE)

The workflow that does the work subclasses this one and is what workers register.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict
from temporalio import workflow

from pointsman.decision import Decision, Rejection
from pointsman.messages import Answer, Question
from pointsman.outcomes import Attempt
from pointsman.reconciliation import Reconciliation
from pointsman.review import PendingReview, Review, ReviewRecord

TASK_QUEUE = "pointsman"

INVALID_QUESTION = "InvalidQuestion"
NO_CANDIDATE = "NoCandidate"
ALL_PROVIDERS_FAILED = "AllProvidersFailed"
ALL_PROVIDERS_UNAVAILABLE = "AllProvidersUnavailable"
DEADLINE_EXCEEDED = "DeadlineExceeded"
QUESTION_NOT_ACCEPTED = "QuestionNotAccepted"
UNVERIFIABLE = "Unverifiable"
TENANT_CAP_REACHED = "TenantCapReached"
REVIEW_REJECTED = "ReviewRejected"
REVIEW_TIMED_OUT = "ReviewTimedOut"


class Status(StrEnum):
    """Where a question stands; also the values of the search attribute `PointsmanStatus`."""

    ROUTING = "routing"
    AWAITING_REVIEW = "awaiting_review"
    ANSWERED = "answered"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Unanswered(BaseModel):
    """The detail of the ApplicationError that ends a question without an answer."""

    model_config = ConfigDict(frozen=True)

    attempts: tuple[Attempt, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    retry_after_s: float | None = None
    """Seconds after which asking again makes sense, where that is known."""
    cost_usd: float | None = None
    """What the attempts cost in USD; `None` where that is unknown."""
    divergence: Reconciliation | None = None
    review: ReviewRecord | None = None
    """How a review ended that gave no answer."""


@workflow.defn
class RouteAndAnswer:
    """One question, answered."""

    @workflow.run
    async def run(self, question: Question) -> Answer:
        """Answer the question.

        Raises:
            ApplicationError: of one of the types above, with an `Unanswered` as its detail.
        """
        raise NotImplementedError

    @workflow.query
    def status(self) -> Status:
        """Where the question stands."""
        raise NotImplementedError

    @workflow.query
    def decision(self) -> Decision | None:
        """Where it goes and why, once that is decided."""
        raise NotImplementedError

    @workflow.query
    def pending_review(self) -> PendingReview | None:
        """What a person is to decide; `None` where nothing waits for one."""
        raise NotImplementedError

    @workflow.signal
    def submit_review(self, review: Review) -> None:
        """A person's decision. One that comes late, twice or unreadable is noted and ignored."""
        raise NotImplementedError

    @workflow.update
    def review(self, review: Review) -> None:
        """The same, answered: refused with a sentence where it cannot be taken."""
        raise NotImplementedError
