"""What crosses the wire for one provider call: the input and the result of the activity `complete`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from pointsman.decision import Candidate, RetrySchedule
from pointsman.messages import Question
from pointsman.outcomes import MEASURING, Attempt, Claim, Fault, Purpose, ToolCall


class ProviderCall(BaseModel):
    """One question to one candidate, with the limits that are left for it."""

    model_config = ConfigDict(frozen=True)

    question: Question
    candidate: Candidate
    response_schema: dict[str, Any] | None = None
    """The route's, where the question brings none: a large one must not travel twice in one payload."""
    retry: RetrySchedule
    last_candidate: bool
    """Whether no other provider is left: only then is a hang or a long Retry-After worth another try here."""
    spent_usd: float = 0.0
    """What earlier attempts of the question have cost."""
    purpose: Purpose = "answer"
    hedge: bool = False
    """Whether this is the second leg of a race."""
    query_type: str = ""
    """What the answer is compared with: others to questions of this type."""
    count_refusals: bool = False
    """Whether a refusal counts as a degraded answer, because the route then asks the next provider."""

    @property
    def measures(self) -> bool:
        """Whether the call is made to measure its model, and is no part of the live traffic."""
        return self.purpose in MEASURING

    @property
    def answer_schema(self) -> dict[str, Any] | None:
        """What the answer must match."""
        own = self.question.response_schema
        return self.response_schema if own is None else own


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
    model_notes: tuple[str, ...] = ()
    """What is to be known of the model that answered: model_differs (from the pin), model_changed (of late)."""
    flags: tuple[str, ...] = ()
    """In what the answer falls out of the provider's baseline: refusal, latency, length, density."""
    degraded: bool = False
    """Whether these flags cool the provider down, so that the next one is asked."""
    attempts: tuple[Attempt, ...]
    """In order; the last is the one that answered."""


class FailedCall(BaseModel):
    """The detail of the ApplicationError that ends a call without a usable answer."""

    model_config = ConfigDict(frozen=True)

    fault: Fault
    attempts: tuple[Attempt, ...]


class Leg(BaseModel):
    """One call of a question, ended: to whom, and what came of it."""

    model_config = ConfigDict(frozen=True)

    call: ProviderCall
    outcome: Completion | FailedCall
