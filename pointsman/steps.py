"""What the local activities `classify`, `score` and `reconcile` take and give."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from pointsman.classification import Classification
from pointsman.decision import CallLimits, Candidate
from pointsman.messages import Question
from pointsman.outcomes import Claim
from pointsman.panel import OnCannotTell, Strategy


class SecondOpinion(BaseModel):
    """A model that is asked what kind of question it is; when it does not answer in time the rules stand."""

    model_config = ConfigDict(frozen=True)

    candidate: Candidate
    limits: CallLimits


class Classified(BaseModel):
    """What the rules say, and whom to ask besides."""

    model_config = ConfigDict(frozen=True)

    classification: Classification
    second_opinion: SecondOpinion | None = None


class ScoringRequest(BaseModel):
    """A question and what kind it is."""

    model_config = ConfigDict(frozen=True)

    question: Question
    classification: Classification
    question_id: str = ""
    """The workflow's id: by it a question belongs to an upgrade's share, or not."""
    asked_at: AwareDatetime | None = None
    """The time by the Temporal server's clock, by which measurements grow old."""
    request_id: str = ""
    """The question's run: it counts once in the process's budget and cooldowns, however often it is scored."""


class PanelAnswer(BaseModel):
    """A member's answer, as it is compared."""

    model_config = ConfigDict(frozen=True)

    provider: str
    text: str
    parsed: Any = None
    claims: tuple[Claim, ...] = ()
    confidence: float


class ReconcilingRequest(BaseModel):
    """At least two answers to one question."""

    model_config = ConfigDict(frozen=True)

    question: str
    answers: tuple[PanelAnswer, ...]
    response_schema: dict[str, Any] | None = None
    strategy: Strategy
    on_cannot_tell: OnCannotTell = "disagree"
    outstanding: int = 0
    """Members that may still answer."""
