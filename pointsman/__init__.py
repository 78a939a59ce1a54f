"""Pointsman answers questions with several LLM providers and never bets on one.

from pointsman import RouterClient

client = await RouterClient.connect()
answer = await client.ask("What is the boiling point of water at sea level?")
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pointsman.catalogue_client import CatalogueClient
    from pointsman.client import QuestionStatus, RouterClient
    from pointsman.contract import RouteAndAnswer, Status
    from pointsman.decision import Candidate, Decision, Rejection
    from pointsman.errors import (
        AwaitingReview,
        CatalogueRefused,
        IdTaken,
        InvalidQuestion,
        InvalidUpgrade,
        NoServer,
        NoWorker,
        PointsmanError,
        QuestionCancelled,
        QuestionFailed,
        ReviewRefused,
        RunFailed,
        RunRefused,
        UnknownProvider,
        UnknownQuestion,
        UnknownRun,
    )
    from pointsman.eval_client import EvalClient
    from pointsman.health.events import HealthEvent, HealthLog
    from pointsman.health.overview import HealthOverview
    from pointsman.health_client import HealthClient
    from pointsman.measuring.eval_report import EvalReport
    from pointsman.measuring.profile_report import ProfileReport
    from pointsman.measuring.request import EvalRequest, ProfileRequest
    from pointsman.messages import Answer, ContextRecord, Parameters, Question
    from pointsman.outcomes import Attempt, Claim, ErrorClass, Usage
    from pointsman.profile_client import ProfileClient
    from pointsman.query_types import QueryType
    from pointsman.reconciliation import Reconciliation
    from pointsman.review import PendingReview, Review, ReviewRecord
    from pointsman.review_client import ReviewClient
    from pointsman.upgrade_client import UpgradeClient

__all__ = [
    "Answer",
    "Attempt",
    "AwaitingReview",
    "Candidate",
    "CatalogueClient",
    "CatalogueRefused",
    "Claim",
    "ContextRecord",
    "Decision",
    "ErrorClass",
    "EvalClient",
    "EvalReport",
    "EvalRequest",
    "HealthClient",
    "HealthEvent",
    "HealthLog",
    "HealthOverview",
    "IdTaken",
    "InvalidQuestion",
    "InvalidUpgrade",
    "NoServer",
    "NoWorker",
    "Parameters",
    "PendingReview",
    "PointsmanError",
    "ProfileClient",
    "ProfileReport",
    "ProfileRequest",
    "QueryType",
    "Question",
    "QuestionCancelled",
    "QuestionFailed",
    "QuestionStatus",
    "Reconciliation",
    "Rejection",
    "Review",
    "ReviewClient",
    "ReviewRecord",
    "ReviewRefused",
    "RouteAndAnswer",
    "RouterClient",
    "RunFailed",
    "RunRefused",
    "Status",
    "UnknownProvider",
    "UnknownQuestion",
    "UnknownRun",
    "UpgradeClient",
    "Usage",
]

# Temporal's SDK takes a quarter of a second to import; help, `route` and `check` of the console command need none of
# it. So each name is imported when it is first used, from the first of these modules that has it.
_LIGHTEST_FIRST = (
    *("query_types", "outcomes", "review", "reconciliation", "decision", "messages", "errors", "contract", "client"),
    *("health.events", "health.overview", "health_client", "review_client", "catalogue_client"),
    *(
        "measuring.request",
        "measuring.eval_report",
        "measuring.profile_report",
        "eval_client",
        "profile_client",
        "upgrade_client",
    ),
)


def __getattr__(name: str) -> object:
    """A public name, from the module that has it."""
    if name in __all__:
        for module in _LIGHTEST_FIRST:
            found: object = getattr(import_module(f"{__name__}.{module}"), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, imported yet or not."""
    return sorted({*globals(), *__all__})
