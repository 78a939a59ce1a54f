"""`Sitting`: one model of one provider, put to a set of questions in lots that a payload can carry."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from pointsman.call import Completion, FailedCall, ProviderCall
from pointsman.decision import CallLimits
from pointsman.examination.marks import MarkedAs, Marks
from pointsman.outcomes import total_cost
from pointsman.provider import Price
from pointsman.query_types import QueryType

_REASONS_CHARACTERS = 500


class Sitting(BaseModel):
    """Who is put to what; each worker finds the questions in its own configuration, and knows them by their digest."""

    model_config = ConfigDict(frozen=True)

    purpose: Literal["eval", "profile"]
    provider: str
    model: str
    price: Price | None = None
    task: str = ""
    """Whose suite, where the purpose is an evaluation."""
    samples: int = 0
    """Questions of each query type, where it is a profile."""
    digest: str
    questions: int
    """How many there are."""


class Plan(BaseModel):
    """A run, planned: who sits, for which questions, and what they must reach."""

    model_config = ConfigDict(frozen=True)

    sittings: tuple[Sitting, ...]
    digest: str
    description: str = ""
    threshold: float = 0.0
    """Share of the questions that must pass, where that is asked for."""


class LotRequest(BaseModel):
    """The next questions of a sitting."""

    model_config = ConfigDict(frozen=True)

    sitting: Sitting
    start: int


class PlannedQuestion(BaseModel):
    """One question, ready to be asked."""

    model_config = ConfigDict(frozen=True)

    id: str
    query_type: QueryType
    call: ProviderCall


class Judges(BaseModel):
    """Whom to ask where a rubric decides."""

    model_config = ConfigDict(frozen=True)

    task: str
    deny: tuple[str, ...]
    """The providers of the judged one's vendor."""


class Lot(BaseModel):
    """Some questions of a sitting, and how they are asked."""

    model_config = ConfigDict(frozen=True)

    questions: tuple[PlannedQuestion, ...]
    following: int | None
    """Where the next lot begins; `None` after the last."""
    at_once: int
    max_attempts: int
    limits: CallLimits
    judges: Judges | None = None


class MarkRequest(BaseModel):
    """What came of one question, to be marked."""

    model_config = ConfigDict(frozen=True)

    sitting: Sitting
    question: str
    """Its id."""
    outcome: Completion | FailedCall


class CaseResult(BaseModel):
    """What came of one question in the end."""

    model_config = ConfigDict(frozen=True)

    id: str
    query_type: QueryType
    outcome: MarkedAs
    reasons: tuple[str, ...] = ()
    answered: bool = False
    latency_ms: float | None = None
    """Of the request that was answered."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    """Of all attempts; `None` where it is not known."""
    judging_usd: float | None = 0.0
    """What its judges cost."""
    model_served: str | None = None


class SittingResult(BaseModel):
    """A sitting, done: a result a question, in their order."""

    model_config = ConfigDict(frozen=True)

    sitting: Sitting
    results: tuple[CaseResult, ...]

    @property
    def model_served(self) -> str | None:
        """What the vendor said has answered last."""
        served = [result.model_served for result in self.results if result.model_served]
        return served[-1] if served else None


def result_of(
    question: PlannedQuestion, outcome: Completion | FailedCall, marks: Marks, *, judging_usd: float | None = 0.0
) -> CaseResult:
    """A question's result from what was answered and how it was marked."""
    reasons = tuple(reason[:_REASONS_CHARACTERS] for reason in marks.reasons)
    figures = {
        "id": question.id,
        "query_type": question.query_type,
        "outcome": marks.outcome,
        "reasons": _within(reasons),
        "cost_usd": total_cost(outcome.attempts),
        "judging_usd": judging_usd,
    }
    if isinstance(outcome, FailedCall):
        return CaseResult.model_validate(figures)
    last = outcome.attempts[-1]
    return CaseResult.model_validate(
        {
            **figures,
            "answered": True,
            "latency_ms": last.latency_ms,
            "input_tokens": last.usage.input_tokens,
            "output_tokens": last.usage.output_tokens,
            "model_served": outcome.model_served,
        }
    )


def not_asked(question: PlannedQuestion, why: str) -> CaseResult:
    """The result of a question that it was no use to ask."""
    return CaseResult(
        id=question.id, query_type=question.query_type, outcome="error", reasons=(f"not asked: {why}",), cost_usd=0.0
    )


def _within(reasons: tuple[str, ...]) -> tuple[str, ...]:
    """As many as a report of 200 cases and ten providers can carry."""
    kept: list[str] = []
    for reason in reasons:
        if kept and sum(map(len, kept)) + len(reason) > _REASONS_CHARACTERS:
            return (*kept, "and more")
        kept.append(reason)
    return tuple(kept)
