"""`Evaluation`: how a model stood a task's suite, and whether that still counts."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from pointsman.catalogue.profile import Count, Measure

EvaluationVerdict = Literal["passed", "failed", "inconclusive"]


class Evaluation(BaseModel):
    """The result of one run of a suite on one provider's model; the answers themselves stand in the run's report."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    provider: str
    model: str
    model_served: str | None = None
    suite: str
    """Digest of the suite and of the route's schema: a change of either makes this result stale."""
    cases: Count
    passed: Count
    errors: Count = 0
    """Cases without an answer, for a fault that says nothing about quality."""
    threshold: Annotated[float, Field(ge=0, le=1)]
    """Share of cases that must pass."""
    verdict: EvaluationVerdict
    """Inconclusive where faults of transport, and not answers, decide: it leaves an earlier result as it was."""
    evaluated_at: AwareDatetime
    cost_usd: Measure | None = None

    @model_validator(mode="after")
    def _are_parts_of_all(self) -> Self:
        if self.passed + self.errors > self.cases:
            raise ValueError("passed and errors together must not exceed cases")
        return self

    @property
    def key(self) -> str:
        """By which the catalogue keeps it."""
        return f"{self.task}/{self.provider}/{self.model}"

    @property
    def score(self) -> float:
        """Share of cases that passed."""
        return self.passed / self.cases if self.cases else 0.0
