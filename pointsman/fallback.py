"""Who is asked next? Rules on the candidates that are left after an attempt, as plain functions of what is known."""

from __future__ import annotations

from collections import Counter

from pointsman.call import ProviderCall
from pointsman.cost import affordable_output_tokens
from pointsman.decision import Candidate, Decision
from pointsman.faults import CONSEQUENCES
from pointsman.messages import Question
from pointsman.outcomes import Attempt, ErrorClass, Fault
from pointsman.prompt import input_tokens

_BACKOFF_S = 0.5
_BACKOFF_CAP_S = 20.0


def may_follow(fault: Fault, failed: Candidate, following: Candidate, question: Question) -> bool:
    """Whether `following` may be asked after `failed` ended with `fault`.

    A question that was not accepted is not repeated, unless the next member is sent something else: it drops a
    parameter that this one was sent, or it takes a longer context.
    """
    if CONSEQUENCES[fault.error_class].next_candidate:
        return True
    if fault.error_class is not ErrorClass.CLIENT:
        return False
    if fault.kind == "context_length":
        return following.context_tokens > failed.context_tokens
    sent = set(question.parameters.given()) | ({"temperature"} if question.temperature is not None else set())
    sent -= set(failed.drop_params)
    return bool(sent & set(following.drop_params))


def attempts_for(behind: int, made: int, maximum: int, max_attempts: int) -> int:
    """Attempts that a candidate gets, so that each of those `behind` it still has one (section 9)."""
    return max(1, min(max_attempts, maximum - made - behind))


def call_to(  # noqa: PLR0913 - a candidate, what he is asked, and what is left for it
    candidate: Candidate,
    question: Question,
    decision: Decision,
    *,
    spent_usd: float,
    last_candidate: bool,
    hedge: bool = False,
) -> ProviderCall | None:
    """The call to a candidate, or `None` where what is left of the cost limit pays for no answer of his."""
    call = ProviderCall(
        question=question,
        candidate=candidate,
        response_schema=decision.response_schema,
        retry=decision.limits.retry,
        last_candidate=last_candidate,
        spent_usd=spent_usd,
        hedge=hedge,
        query_type=decision.query_type,
        count_refusals=decision.on_refusal == "next",
    )
    return None if output_cap(call) is None else call


def output_cap(call: ProviderCall) -> int | None:
    """The longest answer in tokens that keeps the question within its cost limit; `None` where none does."""
    candidate, limit_usd = call.candidate, call.question.max_cost_usd
    if limit_usd is None:
        return candidate.max_output_tokens
    tokens = input_tokens(call.question, call.answer_schema)
    left_usd = limit_usd - call.spent_usd
    return affordable_output_tokens(tokens, candidate.price, left_usd, candidate.max_output_tokens)


def retry_after_s(attempts: tuple[Attempt, ...]) -> float | None:
    """The earliest time in seconds after which trying again makes sense; `None` where no wait would help.

    The latest attempt at a provider speaks for it: its hint, else the back-off after as many attempts as it has had.
    """
    answers = [attempt for attempt in attempts if attempt.purpose == "answer"]
    made = Counter(attempt.provider for attempt in answers)
    latest = {attempt.provider: attempt for attempt in answers}
    waits = [
        min(_BACKOFF_CAP_S, _BACKOFF_S * 2.0 ** (made[provider] - 1))
        if attempt.retry_after_s is None
        else attempt.retry_after_s
        for provider, attempt in latest.items()
        if attempt.error_class is not None and CONSEQUENCES[attempt.error_class].retryable
    ]
    return min(waits, default=None)
