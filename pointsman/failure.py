"""How a question ends that nobody answered: the type, the sentence and the detail of its error."""

from __future__ import annotations

from pointsman import contract
from pointsman.contract import Unanswered
from pointsman.decision import Decision, Rejection
from pointsman.fallback import retry_after_s
from pointsman.health_order import OUT_FOR_HEALTH
from pointsman.outcomes import ErrorClass, Fault, total_cost
from pointsman.progress import Progress
from pointsman.tenants import TENANT_COST_CAP

_AT_GATE = frozenset({"rate_limit", "breaker_open", TENANT_COST_CAP})
"""Faults of calls that were not sent, and that tell when they would be."""


def failure(progress: Progress, decision: Decision, *, late: bool) -> tuple[str, str, Unanswered]:
    """Type, message and detail of the error; `late` = the question's deadline has passed.

    Its `retry_after_s` is the earliest time at which any provider may be back (resilience specification, section 8).
    """
    unanswered = Unanswered(
        attempts=progress.attempts,
        rejected=decision.rejected,
        retry_after_s=_retry_after_s(progress, decision),
        cost_usd=total_cost(progress.attempts),
    )
    out = [_sentence(rejection) for rejection in decision.rejected if rejection.reason in OUT_FOR_HEALTH]
    reasons = "; ".join([*(f"{candidate.provider}: {fault.summary}" for candidate, fault in progress.faults), *out])
    capped = _capped(progress, decision)
    if capped is not None and not late:
        return contract.TENANT_CAP_REACHED, capped, unanswered
    if not decision.candidates and not progress.attempts:
        return _nobody(progress.question.allow or (), decision, unanswered, unwell=bool(out))
    classes = {fault.error_class for _, fault in progress.faults}
    if late or ErrorClass.CANCEL in classes:
        message = f"No answer within the deadline of {progress.question.deadline_s:g} s. {reasons}".strip()
        return contract.DEADLINE_EXCEEDED, message, unanswered
    if classes == {ErrorClass.CLIENT}:
        return contract.QUESTION_NOT_ACCEPTED, f"The question was not accepted. {reasons}", unanswered
    if classes <= {ErrorClass.LOCAL}:
        message = f"No provider could be asked. {reasons or 'What is left of the cost limit pays for no answer'}"
        return contract.ALL_PROVIDERS_UNAVAILABLE, message, unanswered
    return contract.ALL_PROVIDERS_FAILED, f"Every provider failed. {reasons}", unanswered


def _capped(progress: Progress, decision: Decision) -> str | None:
    """The sentence about the tenant's cap, where it has kept the question from whom might have answered."""
    if decision.tenant_cap is not None and not decision.candidates:
        return decision.tenant_cap.sentence
    at_gate = [fault.summary for _, fault in progress.faults if fault.kind == TENANT_COST_CAP]
    return at_gate[0] if at_gate else None


def _nobody(
    allowed: tuple[str, ...], decision: Decision, unanswered: Unanswered, *, unwell: bool
) -> tuple[str, str, Unanswered]:
    reasons = "; ".join(
        _sentence(_named(rejection, decision))
        for rejection in decision.rejected
        # What nobody asked for and the chain does not hold would only bury the rest.
        if rejection.reason != "not_in_chain" or rejection.provider in allowed
    )
    if unwell:
        return contract.ALL_PROVIDERS_UNAVAILABLE, f"No provider can be asked now. {reasons}", unanswered
    return contract.NO_CANDIDATE, f"No provider may answer this question. {reasons}", unanswered


def _named(rejection: Rejection, decision: Decision) -> Rejection:
    if rejection.reason != "not_in_chain":
        return rejection
    return rejection.model_copy(update={"detail": f"the question allows it, and {decision.route} does not hold it"})


def _sentence(rejection: Rejection) -> str:
    return f"{rejection.provider}: {rejection.reason}{f' ({rejection.detail})' if rejection.detail else ''}"


def _retry_after_s(progress: Progress, decision: Decision) -> float | None:
    waits = [rejection.recovers_in_s for rejection in decision.rejected]
    # A call that was turned away at the gate left no attempt, and knows better than those before it.
    turned_away = {candidate.provider: fault.retry_after_s for candidate, fault in progress.faults if _at_gate(fault)}
    waits.extend(turned_away.values())
    made = progress.attempts[progress.before_round :]
    waits.append(retry_after_s(tuple(attempt for attempt in made if attempt.provider not in turned_away)))
    return min((wait for wait in waits if wait is not None), default=None)


def _at_gate(fault: Fault) -> bool:
    # By its kind: where attempts were made before, `Progress` keeps the class of what they ran into.
    return fault.kind in _AT_GATE and fault.retry_after_s is not None
