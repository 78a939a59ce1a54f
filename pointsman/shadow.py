"""A shadowed question as values: what its workflow is given, what is compared, and what comes of it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from pointsman.call import Completion, FailedCall
from pointsman.catalogue.observations import SideOfShadow
from pointsman.decision import CallLimits, ShadowPlan
from pointsman.examination.grounding import grounded_share
from pointsman.messages import Answer, Question
from pointsman.outcomes import Attempt, ErrorClass, total_cost

Agreed = Literal["agree", "disagree", "cannot_tell"]

SHADOW_PRIORITY = 5
"""The last of Temporal's: at a provider's full queue every user's call goes first."""
ANSWER_MARGIN_S = 60.0
"""How long after a question's deadline its answer is still waited for: it is written down after it was given."""
HOLD_S = 180.0
"""After its question's bound and this much more, a shadow has ended and told what it cost, or never will."""

_OURS = frozenset({ErrorClass.LOCAL, ErrorClass.CANCEL, ErrorClass.INFRASTRUCTURE, ErrorClass.QUOTA})
_SCHEMA_KINDS = frozenset({"schema_invalid", "not_json"})


class ShadowRequest(BaseModel):
    """The input of the workflow `ShadowQuestion`."""

    model_config = ConfigDict(frozen=True)

    question: Question
    question_id: str
    run_id: str
    """Of the question: an id may be asked again."""
    asked_at: AwareDatetime
    plan: ShadowPlan
    query_type: str
    response_schema: dict[str, Any] | None = None
    """The route's, where the question brings none."""
    limits: CallLimits

    @property
    def answer_schema(self) -> dict[str, Any] | None:
        """What an answer must match."""
        return self.question.response_schema or self.response_schema


class ShadowComparison(BaseModel):
    """The input of the activity that compares: the question, and the new model's answer where there is one."""

    model_config = ConfigDict(frozen=True)

    request: ShadowRequest
    new: Completion | FailedCall


class ShadowFound(BaseModel):
    """What the comparison came to; `ShadowResult` has the meaning of its fields."""

    model_config = ConfigDict(frozen=True)

    base: SideOfShadow | None = None
    new: SideOfShadow | None = None
    agreement: Agreed | None = None


def spent_usd(outcome: Completion | FailedCall, plan: ShadowPlan) -> float:
    """What a shadow call has cost; the most that it may have where that is unknown."""
    cost = total_cost(outcome.attempts)
    return plan.most_usd if cost is None else cost


def new_side(outcome: Completion | FailedCall, request: ShadowRequest) -> SideOfShadow | None:
    """How the new model did; `None` where its call says nothing of it."""
    last = outcome.attempts[-1] if outcome.attempts else None
    if isinstance(outcome, FailedCall):
        if outcome.fault.error_class in _OURS:
            return None
        return _failed(outcome.fault.kind, None if last is None else last.cost_usd)
    grounded = None if outcome.refused else _grounded(outcome, request.question)
    return _answered(request, last, refused=outcome.refused, grounded=grounded)


def base_side(answer: Answer | None, attempts: tuple[Attempt, ...], request: ShadowRequest) -> SideOfShadow | None:
    """How the base model did by the question's own attempts; `None` where it gave no answer for a reason of ours.

    Args:
        answer: The question's, if it has one.
        attempts: All of the question's.
        request: The shadow's.
    """
    plan = request.plan
    own = [row for row in attempts if (row.provider, row.model) == (plan.provider, plan.base) and not row.hedge]
    own = [row for row in own if row.purpose == "answer"]
    if not own:
        return None
    if answer is not None and answered_by_base(answer, plan):
        grounded = None if answer.refused else _grounded(answer, request.question)
        return _answered(request, own[-1], refused=answer.refused, grounded=grounded)
    error_class = own[-1].error_class
    if error_class is None or error_class in _OURS:
        # It answered and the answer was not taken, or the call was cut off: neither shows what it would have said.
        return None
    return _failed(own[-1].kind or "", own[-1].cost_usd)


def answered_by_base(answer: Answer, plan: ShadowPlan) -> bool:
    """Whether the answer is the base model's, asked first."""
    return (answer.provider, answer.model_requested) == (plan.provider, plan.base) and not answer.hedge_won


def _answered(request: ShadowRequest, row: Attempt | None, *, refused: bool, grounded: float | None) -> SideOfShadow:
    return SideOfShadow(
        answered=True,
        schema_valid=None if refused or request.answer_schema is None else True,
        grounded=grounded,
        refused=refused,
        latency_ms=None if row is None else row.latency_ms,
        cost_usd=None if row is None else row.cost_usd,
    )


def _failed(kind: str, cost_usd: float | None) -> SideOfShadow:
    return SideOfShadow(
        answered=False, schema_valid=False if kind in _SCHEMA_KINDS else None, cost_usd=cost_usd, kind=kind
    )


def _grounded(said: Completion | Answer, question: Question) -> float | None:
    if not question.context:
        return None
    return grounded_share(said.text, question.context, parsed=said.parsed, claims=said.claims)
