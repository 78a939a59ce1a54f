"""A person decides: what he sends, what he is shown, and what is kept of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, model_validator

from pointsman.dissent import Dissent
from pointsman.payloads import unsendable
from pointsman.sentences import in_one

ReviewOutcome = Literal["chosen", "own_text", "rejected", "timed_out"]
OnReviewTimeout = Literal["best", "fail", "extend"]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Note = Annotated[str, StringConstraints(max_length=2000)]

MAX_TEXT_BYTES = 200_000
"""A reviewer's own answer, as UTF-8."""
SHOWN_BYTES = 200_000
"""Of each answer, in what a reviewer is shown; the whole text is delivered if he chooses it."""
EARLY_KEPT = IGNORED_KEPT = 10
MEMO_QUESTION = "pointsman_question"
MEMO_OPENED_AT = "pointsman_review_opened_at"
"""What a list of waiting questions shows, without asking each of them."""


class ReviewTerms(BaseModel):
    """How long a question waits for a person, as its decision carries it. Seconds."""

    model_config = ConfigDict(frozen=True)

    remind_after_s: float = 86_400.0
    timeout_s: float = 259_200.0
    on_timeout: OnReviewTimeout = "best"
    announce: bool = False
    """Whether a webhook is told."""


class Review(BaseModel):
    """A reviewer's decision, the JSON of the signal `submit_review` and the update `review`.

    Exactly one of `choose` (a provider), `text` (an answer of his own) and `reject`:

        {"choose": "frontier-a", "reviewer": "ada", "note": "B counts the deposit twice"}
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    choose: Name | None = None
    text: str | None = None
    reject: bool = False
    reviewer: Name | None = None
    note: Note | None = None

    @model_validator(mode="after")
    def _decides_once(self) -> Self:
        given = [self.choose is not None, self.text is not None, self.reject]
        if sum(given) != 1:
            raise ValueError('give exactly one of "choose" (a provider), "text" (an answer) and "reject" (true)')
        if self.text is not None:
            if not self.text.strip():
                raise ValueError("text is empty; write the answer, or reject")
            problem = unsendable(self.text)
            if problem is not None:
                raise ValueError(f"text {problem}")
            if len(self.text.encode()) > MAX_TEXT_BYTES:
                raise ValueError(f"text is longer than {MAX_TEXT_BYTES:,} bytes; shorten it")
        return self


class ProposedAnswer(BaseModel):
    """One provider's answer, as a reviewer sees it."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    text: str
    """Cut to 200,000 bytes, with a mark."""
    confidence: float
    cost_usd: float | None = None


class PendingReview(BaseModel):
    """What waits for a person: the result of the query `pending_review`."""

    model_config = ConfigDict(frozen=True)

    question: str
    """Its text, cut like an answer."""
    task: str | None = None
    why: str
    """Why nobody but a person can tell, in a sentence."""
    answers: tuple[ProposedAnswer, ...]
    votes: tuple[tuple[str, ...], ...] = ()
    """Providers whose answers agree, a group each."""
    differences: tuple[Dissent, ...] = ()
    opened_at: datetime
    remind_at: datetime | None = None
    decide_by: datetime
    on_timeout: OnReviewTimeout
    last_refused: str | None = None
    """What was wrong with the last review that could not be taken."""


class ReviewRecord(BaseModel):
    """What became of a review, on the answer."""

    model_config = ConfigDict(frozen=True)

    outcome: ReviewOutcome
    provider: str | None = None
    """Whose answer was chosen."""
    reviewer: str | None = None
    note: str | None = None
    opened_at: datetime
    decided_at: datetime
    reminders: int = 0
    extensions: int = 0
    ignored: tuple[str, ...] = ()
    """Reviews that came too late, twice, or could not be read, in a sentence each; the latest ten."""


def shown(text: str, limit: int = SHOWN_BYTES) -> str:
    """The text, cut to so many bytes with a mark."""
    encoded = text.encode(errors="replace")
    if len(encoded) <= limit:
        return text
    return f"{encoded[:limit].decode(errors='ignore')} [... cut: {len(encoded):,} bytes in all]"


def read_review(value: object) -> Review:
    """The review that a caller sent as JSON.

    Raises:
        ValueError: a sentence that names the field and the fix.
    """
    if isinstance(value, Review):
        return value
    try:
        return Review.model_validate(value)
    except ValidationError as fault:
        raise ValueError(in_one(fault, Review)) from None
