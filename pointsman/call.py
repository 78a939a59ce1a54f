"""What crosses the wire for one provider call: the input and the result of the activity `complete`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pointsman.decision import Candidate, RetrySchedule
from pointsman.messages import Question
from pointsman.outcomes import Attempt, Claim, Fault, ToolCall


class ProviderCall(BaseModel):
    """One question to one candidate, with the limits that are left for it."""

    model_config = ConfigDict(frozen=True)

    question: Question
    candidate: Candidate
    response_schema: dict[str, Any] | None = None
    retry: RetrySchedule
    last_candidate: bool
    """Whether no other provider is left: only then is a hang or a long Retry-After worth another try here."""
    spent_usd: float = 0.0
    """What earlier attempts of the question have cost."""
    purpose: Literal["answer", "classification"] = "answer"


class Completion(BaseModel):
    """A usable answer of one provider, with the attempts that it took."""

    model_config = ConfigDict(frozen=True)

    text: str
    parsed: Any = None
    claims: tuple[Claim, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    confidence: float
    sources: tuple[str, ...] = ()
    finish_reason: str
    refused: bool = False
    model_served: str | None = None
    attempts: tuple[Attempt, ...]
    """In order; the last is the one that answered."""


class FailedCall(BaseModel):
    """The detail of the ApplicationError that ends a call without a usable answer."""

    model_config = ConfigDict(frozen=True)

    fault: Fault
    attempts: tuple[Attempt, ...]
