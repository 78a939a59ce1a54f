"""May this question be asked of a new model besides? Only where both models can then be compared, and at no risk."""

from __future__ import annotations

from pointsman.catalogue.allotment import shadowed_by_new
from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.cost import estimated_cost_usd
from pointsman.decision import Candidate, Decision, ShadowPlan
from pointsman.messages import Question
from pointsman.prompt import input_tokens
from pointsman.standing import WELL

MAX_QUESTION_BYTES = 100_000
"""A shadowed question travels twice more; a large one would fill histories for a figure."""
LONGEST_WAIT_S = 300.0
"""Of a question that takes longer the answer is not waited for, so that money is not set aside for hours."""
_ROOM = 0.5
"""The share of a provider's calls at once beyond which users need the room."""


def shadow_plan(
    question: Question, question_id: str, decision: Decision, upgrade: UpgradePlan, *, max_concurrent: int
) -> ShadowPlan | None:
    """The call to the new model, or `None` where this question is not for it.

    Args:
        question: Small, and without tools: their calls would be made for nobody.
        question_id: By it the sample is drawn.
        decision: Asks one provider, and first the one under upgrade with its base model.
        upgrade: What the catalogue tells of it.
        max_concurrent: How many calls the provider takes at once.
    """
    first = decision.candidates[0] if decision.candidates else None
    if first is None or decision.panel is not None or not _on_base(first, upgrade, max_concurrent):
        return None
    if question.parameters.tools or not shadowed_by_new(upgrade, question_id):
        return None
    if len(question.model_dump_json().encode(errors="replace")) >= MAX_QUESTION_BYTES:
        return None
    schema = question.response_schema or decision.response_schema
    tokens, price = input_tokens(question, schema), upgrade.price or first.price
    if price is None:
        return None  # the day's money could not be kept account of
    candidate = first.model_copy(
        update={
            "model": upgrade.model,
            "price": price,
            "estimated_cost_usd": estimated_cost_usd(tokens, first.expected_output_tokens, price),
            "standing": WELL,
            "hedge_delay_s": None,
            "max_attempts": 1,
        }
    )
    return ShadowPlan(
        upgrade_id=upgrade.id,
        provider=upgrade.provider,
        base=upgrade.base,
        candidate=candidate,
        within_s=min(question.deadline_s, LONGEST_WAIT_S),
        most_usd=estimated_cost_usd(tokens, candidate.max_output_tokens, price) or 0.0,
    )


def _on_base(first: Candidate, upgrade: UpgradePlan, max_concurrent: int) -> bool:
    """Whether the question goes to the model that the new one is held against, and there is room beside it."""
    return (
        first.provider == upgrade.provider
        and first.model == upgrade.base
        and first.standing.well
        and first.in_flight < _ROOM * max_concurrent
    )
