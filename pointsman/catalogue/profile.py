"""`Profile`: what a model did with the benchmark questions, by query type.

Source: dual-provider document, pattern 1 ("at least 3 data points before it joins the pool"; 75 and 90 days).
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from pointsman.query_types import QueryType

POINTS_TO_JOIN = 3
"""Answered benchmark questions of a query type that a provider needs before it may serve the type."""

Count = Annotated[int, Field(ge=0)]
Measure = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class TypeFigures(BaseModel):
    """What came of the benchmark questions of one query type. Latencies are of answers, in milliseconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    samples: Count
    """Questions asked."""
    answered: Count
    """Of these, how many were answered at all."""
    passed: Count
    """Of these, how many stood their check."""
    p50_ms: Measure | None = None
    p95_ms: Measure | None = None
    mean_input_tokens: Measure | None = None
    mean_output_tokens: Measure | None = None
    cost_usd: Measure | None = None
    """Of all questions of the type together; `None` where it is not known."""

    @model_validator(mode="after")
    def _each_is_part_of_the_other(self) -> Self:
        if not self.passed <= self.answered <= self.samples:
            raise ValueError("passed must not exceed answered, nor answered samples")
        return self

    @property
    def error_rate(self) -> float:
        """Share of questions without an answer."""
        return 0.0 if self.samples == 0 else 1 - self.answered / self.samples

    @property
    def quality(self) -> float | None:
        """Share of answers that stood their check; `None` without an answer."""
        return None if self.answered == 0 else self.passed / self.answered


class Profile(BaseModel):
    """One measurement of one provider's model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str
    model: str
    """LiteLLM's model string, as it was asked for."""
    model_served: str | None = None
    """What the vendor said has answered."""
    measured_at: AwareDatetime
    benchmark: str
    """Digest of the benchmark questions."""
    figures: dict[QueryType, TypeFigures]

    def lacks(self, other: Profile) -> tuple[QueryType, ...]:
        """The types that the other one has points enough for, and this one has not."""
        enough = [
            {kind for kind, figures in one.figures.items() if figures.answered >= POINTS_TO_JOIN}
            for one in (self, other)
        ]
        return tuple(sorted(enough[1] - enough[0]))

    @property
    def key(self) -> str:
        """The breaker's key of the model, by which the catalogue keeps its profile."""
        return f"{self.provider}/{self.model}"
