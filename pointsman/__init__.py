"""Pointsman answers questions with several LLM providers and never bets on one.

from pointsman import RouterClient

client = await RouterClient.connect()
answer = await client.ask("What is the boiling point of water at sea level?")
"""

from pointsman.client import QuestionStatus, RouterClient
from pointsman.contract import RouteAndAnswer, Status
from pointsman.decision import Candidate, Decision, Rejection
from pointsman.errors import (
    IdTaken,
    InvalidQuestion,
    NoServer,
    NoWorker,
    PointsmanError,
    QuestionCancelled,
    QuestionFailed,
    UnknownQuestion,
)
from pointsman.messages import Answer, ContextRecord, Parameters, Question
from pointsman.outcomes import Attempt, Claim, ErrorClass, Usage
from pointsman.query_types import QueryType

__all__ = [
    "Answer",
    "Attempt",
    "Candidate",
    "Claim",
    "ContextRecord",
    "Decision",
    "ErrorClass",
    "IdTaken",
    "InvalidQuestion",
    "NoServer",
    "NoWorker",
    "Parameters",
    "PointsmanError",
    "QueryType",
    "Question",
    "QuestionCancelled",
    "QuestionFailed",
    "QuestionStatus",
    "Rejection",
    "RouteAndAnswer",
    "RouterClient",
    "Status",
    "UnknownQuestion",
    "Usage",
]
