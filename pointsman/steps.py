"""What the local activities `classify` and `score` take and give."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pointsman.classification import Classification
from pointsman.decision import CallLimits, Candidate
from pointsman.messages import Question


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
    request_id: str = ""
    """The question's run: it counts once in the process's budget and cooldowns, however often it is scored."""
