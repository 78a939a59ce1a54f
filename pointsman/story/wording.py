"""Words for what became of a call, of a review and of a question."""

from __future__ import annotations

from typing import assert_never

from pointsman.call import Completion
from pointsman.decision import Decision
from pointsman.outcomes import ErrorClass, Fault
from pointsman.phrases import span
from pointsman.review import Review
from pointsman.story.facts import CutOff, EndKind, Unread

END_WORDS: dict[EndKind, str] = {
    "failed": "the question fails",
    "cancelled": "the question is cancelled",
    "terminated": "the workflow is terminated",
    "timed_out": "the workflow's own time is up",
}


def completed_words(name: str, completion: Completion, decision: Decision | None) -> str:
    """An answer: how sure, in what it falls out of the usual, and whose it is if not the pinned model's."""
    parts = [f"{name} has {'refused' if completion.refused else 'answered'}"]
    least = 0.0 if decision is None else decision.min_confidence
    if not completion.refused and completion.confidence < least:
        parts.append(f"only {completion.confidence:.2f} sure where {least:.2f} is wanted")
    elif decision is not None and decision.panel is not None:
        parts.append(f"{completion.confidence:.2f} sure")
    if completion.flags:
        cools = ", and it cools down" if completion.degraded else ""
        parts.append(f"flagged against its own baseline for {', '.join(completion.flags)}{cools}")
    if completion.model_notes:
        notes = ", ".join(note.replace("_", " ") for note in completion.model_notes)
        parts.append(f"{notes}: {completion.model_served} was served")
    return "; ".join(parts)


def failed_words(name: str, fault: Fault) -> str:
    """A call without a usable answer, or one that was not made."""
    again = "" if fault.retry_after_s is None else f"; worth another try in {span(fault.retry_after_s)}"
    verb = "was not called" if fault.error_class is ErrorClass.LOCAL else "has failed"
    return f"{name} {verb}: {fault.summary} [{fault.kind}]{again}"


def cut_off_words(name: str, how: CutOff | Unread) -> str:
    """A call that Temporal itself has ended, or of whose end no more can be read."""
    match how:
        case "no_worker":
            return f"no worker took the call to {name} in time"
        case "worker_lost":
            return f"the worker that called {name} vanished, which is nobody's failure"
        case "deadline":
            return f"the question's deadline ended the call to {name}"
        case "cancelled":
            return f"the call to {name} is closed"
        case "answered_unread":
            return f"{name} has answered, and what it said cannot be read here"
        case "failed_unread":
            return f"{name} has given no answer, and why cannot be read here"
        case _:
            assert_never(how)


def review_words(review: Review | None) -> str:
    """What a person has decided."""
    if review is None:
        return "a review came that cannot be read"
    who = review.reviewer or "somebody"
    note = f": {review.note}" if review.note else ""
    if review.reject:
        return f"{who} rejects all answers{note}"
    return f"{who} writes an answer{note}" if review.text is not None else f"{who} chooses {review.choose}{note}"


def offset(seconds: float) -> str:
    """A time since the question was asked."""
    return f"+{seconds:.3f} s"
