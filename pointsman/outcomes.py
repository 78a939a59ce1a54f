"""What came of one call to a provider: tokens, claims, the class of a fault, and the row that an attempt leaves."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

UsageSource = Literal["reported", "estimated", "unknown"]
_CERTAINTY: tuple[UsageSource, ...] = ("reported", "estimated", "unknown")


def _encodable(text: str) -> str:
    # A vendor's JSON may hold half an emoji where an answer was cut, and no payload could carry it.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


ReceivedText = Annotated[str, AfterValidator(_encodable)]
"""Text of a model; a lone surrogate becomes U+FFFD."""


class Usage(BaseModel):
    """Tokens of a call. `input_tokens` includes cached ones and `output_tokens` includes reasoning ones."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    source: UsageSource = "unknown"

    def plus(self, other: Usage) -> Usage:
        """The sum; it is only as certain as the less certain of the two."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            source=_CERTAINTY[max(_CERTAINTY.index(self.source), _CERTAINTY.index(other.source))],
        )


NO_USAGE = Usage(source="reported")
"""A call that the provider turned away: it bills nothing, and that is known."""


class Claim(BaseModel):
    """One statement of an answer, how sure the model is of it, and the ids of the context records it rests on."""

    model_config = ConfigDict(frozen=True)

    text: str
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    sources: tuple[str, ...] = ()


class ToolCall(BaseModel):
    """A call that the model asks its caller to make; `arguments` is the JSON text as the model wrote it."""

    model_config = ConfigDict(frozen=True)

    id: ReceivedText | None = None
    name: ReceivedText
    arguments: ReceivedText


class ErrorClass(StrEnum):
    """What a failed call means for the question and for the provider's health (resilience specification, section 4)."""

    FAILURE = "failure"
    THROTTLE = "throttle"
    QUOTA = "quota"
    CONFIG = "config"
    CLIENT = "client"
    QUALITY = "quality"
    CANCEL = "cancel"
    LOCAL = "local"
    INFRASTRUCTURE = "infrastructure"


class Fault(BaseModel):
    """Why an attempt is not an answer. It holds facts, never a provider's own words: those may quote prompt or key."""

    model_config = ConfigDict(frozen=True)

    error_class: ErrorClass
    kind: str
    """A short, stable name such as "http_503", "timeout", "empty_answer" or "context_length"."""
    summary: str
    status: int | None = None
    retry_after_s: float | None = None


Purpose = Literal["answer", "classification", "profile", "eval", "shadow"]
"""What a call is for. The last three measure a model: nobody waits for their answers."""
MEASURING: frozenset[Purpose] = frozenset({"profile", "eval", "shadow"})

AttemptOutcome = Literal["answered", "refused", "low_confidence", "failed", "cancelled"]


class Attempt(BaseModel):
    """One request to one provider, whatever came of it. A question's cost is the sum over its attempts."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    attempt: int
    """Counts from 1 for each time the provider is called under one activity."""
    outcome: AttemptOutcome
    purpose: Purpose = "answer"
    error_class: ErrorClass | None = None
    kind: str | None = None
    status: int | None = None
    retry_after_s: float | None = None
    latency_ms: float | None = None
    """From sending the request to its end; `None` where the attempt's process died."""
    finish_reason: str | None = None
    model_served: str | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    hedge: bool = False

    def because(self, fault: Fault) -> Self:
        """This attempt, ended by `fault`."""
        facts: dict[str, Any] = {
            "outcome": "cancelled" if fault.error_class is ErrorClass.CANCEL else "failed",
            "error_class": fault.error_class,
            "kind": fault.kind,
            "status": fault.status,
            "retry_after_s": fault.retry_after_s,
        }
        return self.model_copy(update=facts)


def total_usage(attempts: tuple[Attempt, ...]) -> Usage:
    """Tokens of a question: the sum over its attempts."""
    total = NO_USAGE
    for attempt in attempts:
        total = total.plus(attempt.usage)
    return total


def total_cost(attempts: tuple[Attempt, ...]) -> float | None:
    """Cost of a question in USD, or `None` where one attempt's cost is unknown: unknown is never counted as 0."""
    costs = [attempt.cost_usd for attempt in attempts]
    if any(cost is None for cost in costs):
        return None
    return round(sum(cost for cost in costs if cost is not None), 10)
