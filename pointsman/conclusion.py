"""How a comparison or a review shows on the answer."""

from __future__ import annotations

from typing import Any

from pointsman.acceptance import matching_value
from pointsman.messages import Answer
from pointsman.reconciliation import Reconciliation
from pointsman.review import Review, ReviewRecord

CONSENSUS = "consensus"
HIGHEST_CONFIDENCE = "highest_confidence"
REVIEW = "review"
REVIEWER = "reviewer"
"""In place of a provider, where a person wrote the answer."""
REVIEW_TIMEOUT = "review_timeout"

_REASONS = {"agree": CONSENSUS, "majority": CONSENSUS}


def reconciled(answer: Answer, found: Reconciliation) -> Answer:
    """The winner's answer, with the vote."""
    return answer.model_copy(
        update={
            "route_reason": _REASONS.get(found.outcome, HIGHEST_CONFIDENCE),
            "confidence": answer.confidence if found.confidence is None else found.confidence,
            "divergence": found,
            "tags": _tagged(answer, found),
        }
    )


def reviewed(answer: Answer, record: ReviewRecord, found: Reconciliation | None) -> Answer:
    """The answer that a person chose."""
    return answer.model_copy(
        update={
            "status": "reviewed",
            "route_reason": REVIEW,
            "divergence": found,
            "review": record,
            "tags": _tagged(answer, found),
        }
    )


def rewritten(
    answer: Answer, review: Review, record: ReviewRecord, found: Reconciliation | None, schema: dict[str, Any] | None
) -> Answer:
    """The answer that a person wrote himself; `answer` is any of those that he had before him."""
    text = review.text or ""
    return reviewed(answer, record, found).model_copy(
        update={
            "text": text,
            "parsed": None if schema is None else matching_value(text, schema),
            "claims": (),
            "tool_calls": (),
            "confidence": 1.0,
            "provider": REVIEWER,
            "model_requested": REVIEWER,
            "model_served": None,
            "finish_reason": "stop",
            "refused": False,
        }
    )


def undecided(answer: Answer, record: ReviewRecord, found: Reconciliation | None) -> Answer:
    """The surest answer, since nobody decided in time."""
    tags = (*_tagged(answer, found), REVIEW_TIMEOUT)
    return answer.model_copy(
        update={"route_reason": HIGHEST_CONFIDENCE, "divergence": found, "review": record, "tags": tags}
    )


def _tagged(answer: Answer, found: Reconciliation | None) -> tuple[str, ...]:
    divergent = found is not None and found.divergent is not False
    return (*answer.tags, "divergent") if divergent else answer.tags
