"""How far a question has come: what was tried, what is held, whom to ask next, and in the end its answer or failure.

Plain values and rules, no Temporal: the workflow asks candidates one after another and tells `Progress` what came.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pointsman import contract
from pointsman.call import Completion, FailedCall, ProviderCall
from pointsman.contract import Unanswered
from pointsman.decision import Candidate, Decision
from pointsman.fallback import attempts_for, may_follow, output_cap, retry_after_s
from pointsman.messages import Answer, Question
from pointsman.outcomes import Attempt, ErrorClass, Fault, total_cost, total_usage

PRIMARY = "primary"
REFUSAL_FALLBACK = "refusal_fallback"


@dataclass(frozen=True)
class Held:
    """A completion that could be the answer, who gave it and why he was asked."""

    completion: Completion
    candidate: Candidate
    reason: str
    below_confidence: bool = False


@dataclass
class Progress:
    """One question under way. A round asks each candidate at most once."""

    question: Question
    attempts: tuple[Attempt, ...] = ()
    _reason: str = PRIMARY
    _chosen: Held | None = None
    _held: list[Held] = field(default_factory=list[Held])
    _faults: list[tuple[Candidate, Fault]] = field(default_factory=list[tuple[Candidate, Fault]])
    _before_round: int = 0

    def begin_round(self) -> None:
        """Every candidate may be asked again, and is judged by what comes now."""
        self._reason = PRIMARY
        self._faults.clear()
        self._before_round = len(self.attempts)

    def record(self, attempts: tuple[Attempt, ...]) -> None:
        """Add attempts that were made; each one counts in the question's tokens and cost."""
        self.attempts = (*self.attempts, *attempts)

    def next_call(self, position: int, decision: Decision) -> ProviderCall | None:
        """The call to the candidate at `position`, or `None` where he may not be asked after what happened."""
        candidate = decision.candidates[position]
        if self._faults and not may_follow(self._faults[-1][1], self._faults[-1][0], candidate, self.question):
            return None
        own = self.question.response_schema
        call = ProviderCall(
            question=self.question,
            candidate=candidate,
            response_schema=decision.response_schema if own is None else own,
            retry=decision.limits.retry,
            last_candidate=position == len(decision.candidates) - 1,
            spent_usd=total_cost(self.attempts) or 0.0,
        )
        return None if output_cap(call) is None else call

    def attempts_for(self, position: int, decision: Decision) -> int:
        """Attempts that the candidate at `position` gets."""
        return attempts_for(
            position,
            len(decision.candidates),
            len(self.attempts) - self._before_round,
            decision.max_attempts_per_request,
            decision.candidates[position].max_attempts,
        )

    def take(self, outcome: Completion | FailedCall, candidate: Candidate, decision: Decision) -> None:
        """Take in what came of a call: an answer, one to hold back while a better one may be had, or a fault."""
        if isinstance(outcome, FailedCall):
            self.record(outcome.attempts)
            self._faults.append((candidate, outcome.fault))
            self._reason = f"fallback:{outcome.fault.error_class}"
            return
        below = not outcome.refused and outcome.confidence < decision.min_confidence
        held = Held(outcome, candidate, self._reason, below_confidence=below)
        self.record(_marked(outcome.attempts) if below else outcome.attempts)
        if outcome.refused and decision.on_refusal == "next":
            self._held.append(held)
            self._reason = REFUSAL_FALLBACK
        elif below:
            self._held.append(held)
            self._reason = f"fallback:{ErrorClass.QUALITY}"
        else:
            self._chosen = held

    @property
    def settled(self) -> bool:
        """Whether an answer is there that needs no other."""
        return self._chosen is not None

    @property
    def best(self) -> Held | None:
        """The answer to give: the chosen one, else of those held back the surest, a refusal only if all refused."""
        if self._chosen is not None:
            return self._chosen
        return max(self._held, key=lambda held: (not held.completion.refused, held.completion.confidence), default=None)

    def answer(self, held: Held, decision: Decision, latency_ms: float) -> Answer:
        """The question's answer; `latency_ms` counts from its start."""
        completion, cost = held.completion, total_cost(self.attempts)
        return Answer(
            text=completion.text,
            parsed=completion.parsed,
            claims=completion.claims,
            tool_calls=completion.tool_calls,
            confidence=completion.confidence,
            provider=held.candidate.provider,
            model_requested=held.candidate.model,
            model_served=completion.model_served,
            query_type=decision.query_type,
            classification_confidence=decision.classification_confidence,
            route_reason=held.reason,
            finish_reason=completion.finish_reason,
            refused=completion.refused,
            latency_ms=latency_ms,
            usage=total_usage(self.attempts),
            cost_usd=cost,
            cost_known=cost is not None,
            decision=decision,
            attempts=self.attempts,
            verified=decision.stakes == "normal",
            tags=tuple(self._tags(held, decision, cost)),
        )

    def failure(self, decision: Decision, *, late: bool) -> tuple[str, str, Unanswered]:
        """Type, message and detail of the error that ends the question; `late` = its deadline has passed."""
        unanswered = Unanswered(
            attempts=self.attempts,
            rejected=decision.rejected,
            retry_after_s=retry_after_s(self.attempts[self._before_round :]),
            cost_usd=total_cost(self.attempts),
        )
        reasons = "; ".join(f"{candidate.provider}: {fault.summary}" for candidate, fault in self._faults)
        if not decision.candidates:
            reasons = "; ".join(
                f"{rejection.provider}: {rejection.reason}{f' ({rejection.detail})' if rejection.detail else ''}"
                for rejection in decision.rejected
                if rejection.reason != "not_in_chain"
            )
            return contract.NO_CANDIDATE, f"No provider may answer this question. {reasons}", unanswered
        classes = {fault.error_class for _, fault in self._faults}
        if late or ErrorClass.CANCEL in classes:
            message = f"No answer within the deadline of {self.question.deadline_s:g} s. {reasons}".strip()
            return contract.DEADLINE_EXCEEDED, message, unanswered
        if classes == {ErrorClass.CLIENT}:
            return contract.QUESTION_NOT_ACCEPTED, f"The question was not accepted. {reasons}", unanswered
        if classes <= {ErrorClass.LOCAL}:
            message = f"No provider could be asked. {reasons or 'What is left of the cost limit pays for no answer'}"
            return contract.ALL_PROVIDERS_UNAVAILABLE, message, unanswered
        return contract.ALL_PROVIDERS_FAILED, f"Every provider failed. {reasons}", unanswered

    def _tags(self, held: Held, decision: Decision, cost: float | None) -> list[str]:
        limit = self.question.max_cost_usd
        facts = {
            "low_confidence": held.below_confidence,
            "cut_short": held.completion.finish_reason == "length",
            "unverified": decision.stakes == "high",
            "over_cost": limit is not None and cost is not None and cost > limit,
        }
        return [tag for tag, holds in facts.items() if holds]


def _marked(attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    low = {"outcome": "low_confidence", "error_class": ErrorClass.QUALITY, "kind": "low_confidence"}
    return (*attempts[:-1], attempts[-1].model_copy(update=low))
