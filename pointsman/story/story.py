"""`Story`: a question's way as one value, from its facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Self

from pydantic import BaseModel, ConfigDict

from pointsman.call import Completion, FailedCall
from pointsman.decision import Decision
from pointsman.messages import Question
from pointsman.outcomes import Attempt
from pointsman.phrases import money, paid_together, span
from pointsman.reconciliation import Reconciliation
from pointsman.review import ReviewRecord
from pointsman.story.facts import (
    Answered,
    Asked,
    Called,
    CallEnded,
    Compared,
    Decided,
    Ended,
    Fact,
    ReviewOpened,
    Unreadable,
)
from pointsman.story.steps import Step, Teller


class Story(BaseModel):
    """A question's way: what it came to, where it went and why, what happened, and what it cost."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str
    status: str
    """routing, awaiting_review, answered, failed or cancelled, as `pointsman status` says it."""
    outcome: str
    """In a sentence."""
    question: Question | None
    """`None` where it cannot be read."""
    asked_at: datetime
    ended_at: datetime | None
    decision: Decision | None
    """The last one; a question that waited has had several."""
    steps: tuple[Step, ...]
    attempts: tuple[Attempt, ...]
    """Every one that is known of, hedge losers and failed ones included."""
    cost: str
    """What they cost in words: exact, in part estimated, or at least."""
    cost_usd: float
    """The sum of what is known."""
    cost_known: bool
    """Whether nothing is missing from that sum."""
    under_way: tuple[str, ...] = ()
    """Whom it is waiting for, of a question that has not ended."""
    divergence: Reconciliation | None = None
    review: ReviewRecord | None = None
    unreadable: int = 0
    """Things in the history that this client could not read."""
    unread_because: str | None = None
    """Why the first of them could not: a sentence that names the key, the folder or the file that is missing."""

    @classmethod
    def of(cls, question_id: str, facts: Sequence[Fact], *, now: datetime) -> Self:
        """The story of a question from the facts of its history; `now` is for one that is under way."""
        asked = next(fact for fact in facts if isinstance(fact, Asked))
        last = facts[-1]
        end = next((fact for fact in reversed(facts) if isinstance(fact, Answered | Ended)), None)
        answer = end.answer if isinstance(end, Answered) else None
        attempts, missing = _attempts(facts, end)
        known = sum(attempt.cost_usd or 0.0 for attempt in attempts)
        missing += sum(attempt.cost_usd is None for attempt in attempts)
        cost = _cost_words(attempts, known, missing)
        decisions = [fact.decision for fact in facts if isinstance(fact, Decided)]
        found = [fact.found for fact in facts if isinstance(fact, Compared)]
        reviewing = any(isinstance(fact, ReviewOpened) for fact in facts)
        unread = [fact for fact in facts if isinstance(fact, Unreadable)]
        return cls(
            id=question_id,
            run_id=asked.run_id,
            status=_status(end, reviewing=reviewing),
            outcome=_outcome(end, cost, asked_at=asked.at, last=max(last.at, now), reviewing=reviewing),
            question=asked.question,
            asked_at=asked.at,
            ended_at=None if end is None else end.at,
            decision=decisions[-1] if decisions else None,
            steps=Teller(asked.at).tell(facts),
            attempts=attempts,
            cost=cost,
            cost_usd=round(known, 10),
            cost_known=missing == 0,
            under_way=() if end is not None else _under_way(facts, now),
            divergence=found[-1] if found else None,
            review=None if answer is None else answer.review,
            unreadable=len(unread),
            unread_because=next((fact.why for fact in unread if fact.why), None),
        )


def _status(end: Answered | Ended | None, *, reviewing: bool) -> str:
    match end:
        case None:
            return "awaiting_review" if reviewing else "routing"
        case Answered():
            return "answered"
        case Ended(how="cancelled" | "terminated"):
            return "cancelled"
        case _:
            return "failed"


def _outcome(end: Answered | Ended | None, cost: str, *, asked_at: datetime, last: datetime, reviewing: bool) -> str:
    took = span(((last if end is None else end.at) - asked_at).total_seconds())
    if end is None:
        return f"{'waits for a person' if reviewing else 'under way'}, {took} after it was asked; {cost} so far"
    if isinstance(end, Ended):
        kind = f"{end.failure_type}: " if end.failure_type else ""
        again = "" if end.retry_after_s is None else f" Worth asking again in {span(end.retry_after_s)}."
        return f"{end.how.replace('_', ' ')} after {took}, {cost}. {kind}{end.message}".rstrip(". ") + f".{again}"
    answer = end.answer
    if answer is None:
        return f"answered in {took}; the answer cannot be read here"
    verb = "refused" if answer.refused else "answered"
    tags = f"; tagged {', '.join(answer.tags)}" if answer.tags else ""
    return f"{verb} by {answer.provider} in {took}, {cost}; route {answer.route_reason}{tags}"


def _attempts(facts: Sequence[Fact], end: Answered | Ended | None) -> tuple[tuple[Attempt, ...], int]:
    """All attempts that are known of, and how many calls left no word of theirs."""
    if isinstance(end, Answered) and end.answer is not None:
        return end.answer.attempts, 0
    if isinstance(end, Ended) and end.attempts is not None:
        return end.attempts, 0
    ended = [fact for fact in facts if isinstance(fact, CallEnded)]
    rows = [row for fact in ended for row in _rows(fact)]
    # Of a call that runs, was cut off or cannot be read nobody has told the cost.
    silent = sum(fact.silent for fact in ended)
    calls = sum(isinstance(fact, Called) for fact in facts)
    return tuple(rows), calls - len(ended) + silent


def _rows(fact: CallEnded) -> tuple[Attempt, ...]:
    return fact.outcome.attempts if isinstance(fact.outcome, Completion | FailedCall) else fact.left


def _cost_words(attempts: Sequence[Attempt], known: float, missing: int) -> str:
    return f"at least {money(known)}" if missing else paid_together(known, attempts)


def _under_way(facts: Sequence[Fact], now: datetime) -> tuple[str, ...]:
    ended = {fact.leg for fact in facts if isinstance(fact, CallEnded)}
    return tuple(
        f"{fact.provider}, asked {span(max(0.0, (now - fact.at).total_seconds()))} ago"
        for fact in facts
        if isinstance(fact, Called) and fact.leg not in ended
    )
