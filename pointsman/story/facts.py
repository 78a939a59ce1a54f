"""What a history says of a question: one value for each thing that happened, in the order in which it was recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pointsman.call import Completion, FailedCall
from pointsman.decision import Decision
from pointsman.messages import Answer, Question
from pointsman.outcomes import Attempt, Purpose
from pointsman.reconciliation import Reconciliation
from pointsman.review import Review
from pointsman.steps import Classified

EndKind = Literal["failed", "cancelled", "terminated", "timed_out"]
CutOff = Literal["no_worker", "worker_lost", "deadline", "cancelled"]
"""How Temporal itself ends a call: nobody took it, its process vanished, the time was up, or it was called off."""
Unread = Literal["answered_unread", "failed_unread"]
"""How a call has ended of which no more can be read."""


@dataclass(frozen=True)
class Fact:
    """Something that happened, by the Temporal server's clock."""

    at: datetime


@dataclass(frozen=True)
class Asked(Fact):
    """The question came in; `None` where it cannot be read."""

    question: Question | None
    run_id: str


@dataclass(frozen=True)
class ClassifiedAs(Fact):
    """The question's kind was found."""

    classified: Classified


@dataclass(frozen=True)
class Decided(Fact):
    """Where it goes was decided, for the first time or anew."""

    decision: Decision


@dataclass(frozen=True)
class Called(Fact):
    """A call was scheduled: to whom, what for, and whether as the second leg of a race."""

    leg: int
    provider: str
    model: str
    purpose: Purpose
    hedge: bool
    hedge_delay_s: float | None


@dataclass(frozen=True)
class CallEnded(Fact):
    """A call came to an end; `started` and `attempt` tell of its last attempt."""

    leg: int
    outcome: Completion | FailedCall | CutOff | Unread
    started: datetime | None = None
    attempt: int = 1
    before: str = ""
    """How the attempt before that one ended, as the server says it."""
    left: tuple[Attempt, ...] = ()
    """The rows of attempts that a call which was cut off has left."""
    untold: bool = False
    """Whether more may have been paid than the rows say."""

    @property
    def silent(self) -> bool:
        """Whether an attempt has left no word of its cost; a call that no worker took was never made."""
        return self.untold or (isinstance(self.outcome, str) and self.outcome != "no_worker")


@dataclass(frozen=True)
class CallCancelled(Fact):
    """A call that is under way is called off."""

    leg: int


@dataclass(frozen=True)
class TokenAsked(Fact):
    """The retry budget was asked for a token."""

    granted: bool


@dataclass(frozen=True)
class StepFailed(Fact):
    """A step inside the worker failed."""

    step: str
    message: str


@dataclass(frozen=True)
class Compared(Fact):
    """Answers were compared."""

    found: Reconciliation


@dataclass(frozen=True)
class TimerSet(Fact):
    """The workflow waits for a time; `summary` says for what, and is empty for the delay of a hedge."""

    timer: str
    seconds: float
    summary: str


@dataclass(frozen=True)
class TimerFired(Fact):
    """The time has come."""

    timer: str


@dataclass(frozen=True)
class ReviewOpened(Fact):
    """The question waits for a person."""


@dataclass(frozen=True)
class ReviewSent(Fact):
    """A person has decided; `None` where that cannot be read as a review."""

    review: Review | None
    by_signal: bool


@dataclass(frozen=True)
class Announced(Fact):
    """The webhook was told of a review, or was not."""

    told: bool


@dataclass(frozen=True)
class ShadowStarted(Fact):
    """A new model is asked besides, by a workflow of its own; `workflow_id` is empty where none could be started."""

    workflow_id: str


@dataclass(frozen=True)
class TaskFailed(Fact):
    """A worker could not go on with the workflow; Temporal gives it to one again."""

    message: str


@dataclass(frozen=True)
class CancelRequested(Fact):
    """Somebody wants the question cancelled."""


@dataclass(frozen=True)
class Answered(Fact):
    """The answer; `None` where it cannot be read."""

    answer: Answer | None


@dataclass(frozen=True)
class Ended(Fact):
    """The question ended without an answer."""

    how: EndKind
    failure_type: str = ""
    message: str = ""
    attempts: tuple[Attempt, ...] | None = None
    """All of them, where the failure lists them."""
    retry_after_s: float | None = None


@dataclass(frozen=True)
class Unreadable(Fact):
    """Something is there that this client cannot read: encrypted with another key, or of another version."""

    what: str
    why: str = ""
    """In a sentence that names the key, the folder or the file that is missing, where it is one of these."""
