"""Where reviews of one question arrive: early, in time, twice, too late, or unreadable. Plain values and rules.

    desk.open(pending, at=now)
    desk.submit({"choose": "alpha"}, at=now)
    desk.decision

A signal that cannot be used is noted and ignored; the update is refused with the same sentence (DESIGN ruling 15).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pointsman.acceptance import matching_value
from pointsman.review import EARLY_KEPT, IGNORED_KEPT, PendingReview, Review, ReviewOutcome, ReviewRecord, read_review

_NOT_OPEN = "the question does not wait for a review"


@dataclass
class ReviewDesk:
    """The desk of one question."""

    schema: dict[str, Any] | None = None
    """What an answer must match, a reviewer's own too."""
    pending: PendingReview | None = None
    decision: Review | None = None
    decided_at: datetime | None = None
    closed: bool = False
    reminders: int = 0
    extensions: int = 0
    early: list[Review] = field(default_factory=list[Review])
    ignored: list[str] = field(default_factory=list[str])

    @property
    def waits(self) -> bool:
        """Whether the question waits for a person right now."""
        return self.pending is not None and self.decision is None and not self.closed

    def refusal(self, value: object) -> str | None:
        """Why this review would not be taken now, in a sentence, or `None`."""
        try:
            review = read_review(value)
        except ValueError as fault:
            return str(fault)
        if self.decision is not None:
            return f"the question has been decided already{_by(self.decision)}"
        if self.closed or self.pending is None:
            return _NOT_OPEN
        return self._unusable(review, self.pending)

    def submit(self, value: object, at: datetime) -> None:
        """Take a review in, or note why it is ignored. One that comes early is kept."""
        refused = self.refusal(value)
        if refused is None:
            self.decision, self.decided_at = read_review(value), at
        elif refused == _NOT_OPEN and not self.closed:
            self.early = [*self.early, read_review(value)][:EARLY_KEPT]
        else:
            self._ignore(refused)

    def open(self, pending: PendingReview, at: datetime) -> None:
        """Wait for a decision from now on; the first early one that can be used is it."""
        self.pending = pending
        early, self.early = self.early, []
        for review in early:
            self.submit(review, at)

    def close(self) -> None:
        """Nothing is taken any more."""
        self.closed = True

    def record(self, at: datetime) -> ReviewRecord:
        """What became of it; `at` is when it ended, if nobody decided."""
        if self.pending is None:
            raise ValueError("no review was opened")
        review = self.decision
        return ReviewRecord(
            outcome=_outcome(review),
            provider=None if review is None else review.choose,
            reviewer=None if review is None else review.reviewer,
            note=None if review is None else review.note,
            opened_at=self.pending.opened_at,
            decided_at=self.decided_at or at,
            reminders=self.reminders,
            extensions=self.extensions,
            ignored=tuple(self.ignored),
        )

    def _unusable(self, review: Review, pending: PendingReview) -> str | None:
        answers = [answer.provider for answer in pending.answers]
        if review.choose is not None and review.choose not in answers:
            return f"choose: {review.choose!r} gave no answer; choose {_or(answers)}"
        if review.text is not None and self.schema is not None:
            try:
                matching_value(review.text, self.schema)
            except ValueError as fault:
                return f"text: does not match the question's response_schema ({fault}); correct it"
        return None

    def _ignore(self, why: str) -> None:
        self.ignored = [*self.ignored, why][-IGNORED_KEPT:]
        if self.pending is not None:
            self.pending = self.pending.model_copy(update={"last_refused": why})


def _outcome(review: Review | None) -> ReviewOutcome:
    if review is None:
        return "timed_out"
    if review.reject:
        return "rejected"
    return "own_text" if review.choose is None else "chosen"


def _by(review: Review) -> str:
    return "" if review.reviewer is None else f" by {review.reviewer}"


def _or(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
