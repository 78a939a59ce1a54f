"""How far a question has come: what was tried, what is held, whom to ask next, and in the end its answer.

Plain values and rules, no Temporal: the workflow asks candidates one after another, or two at once, and tells
`Progress` what came.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pointsman.call import Completion, FailedCall, Leg, ProviderCall
from pointsman.charges import DEFINITIVE, Charge
from pointsman.decision import Candidate, Decision
from pointsman.fallback import attempts_for, call_to, may_follow
from pointsman.faults import HEDGE_LOST
from pointsman.messages import Answer, Question
from pointsman.outcomes import Attempt, ErrorClass, Fault, total_cost, total_usage

PRIMARY = "primary"
HEDGE = "hedge"
REFUSAL_FALLBACK = "refusal_fallback"
THROTTLED = "throttled"


@dataclass(frozen=True)
class Held:
    """A completion that could be the answer, who gave it and why he was asked."""

    completion: Completion
    candidate: Candidate
    reason: str
    hedge: bool = False
    below_confidence: bool = False


@dataclass
class Progress:
    """One question under way. A round asks each candidate at most once."""

    question: Question
    attempts: tuple[Attempt, ...] = ()
    hedged: bool = False
    """Whether a second leg was started; a question hedges once."""
    faults: list[tuple[Candidate, Fault]] = field(default_factory=list[tuple[Candidate, Fault]])
    """Of this round, and of the one before until this one has made a call."""
    before_round: int = 0
    """Attempts that were made before the last round that made any."""
    _reason: str = PRIMARY
    _chosen: Held | None = None
    _held: list[Held] = field(default_factory=list[Held])
    _asked: set[str] = field(default_factory=set[str])
    _fallbacks: int = 0
    _free_next: bool = True

    def begin_round(self, decision: Decision, besides: frozenset[str] = frozenset()) -> None:
        """Every candidate but `besides` may be asked again, and is judged by what comes now."""
        self._reason = decision.reason
        self._asked = set(besides)

    def record(self, attempts: tuple[Attempt, ...]) -> None:
        """Add attempts that were made; each one counts in the question's tokens and cost."""
        self.attempts = (*self.attempts, *attempts)

    def next_call(self, decision: Decision) -> ProviderCall | None:
        """The call to the next candidate that may be asked after what happened, or `None` where there is none."""
        candidates = self._unasked(decision)
        if any(held.completion.degraded for held in self._held):
            # An answer in hand, if a poor one, is not kept waiting for a provider that is unwell itself.
            candidates = [candidate for candidate in candidates if candidate.standing.well]
        calls = (self._call(candidate, decision) for candidate in candidates)
        return next((call for call in calls if call is not None), None)

    def second_leg(self, first: ProviderCall, decision: Decision) -> ProviderCall | None:
        """The call to start when the first one takes long, or `None` where this question is not to be hedged."""
        if not decision.hedge or self.hedged or first.candidate.hedge_delay_s is None:
            return None
        others = [candidate for candidate in self._unasked(decision) if candidate.provider != first.candidate.provider]
        calls = (self._call(candidate, decision, hedge=True) for candidate in others if candidate.standing.well)
        return next((call for call in calls if call is not None), None)

    def charge(self, decision: Decision) -> Charge | None:
        """What the next call draws on the budget, or `None` where it is free."""
        if decision.limits.charge == "nothing" or not any(row.purpose == "answer" for row in self.attempts):
            return None
        if not self._asked:
            return "round"
        if self._free_next and decision.limits.charge == "fallbacks":
            return None
        return "fallback"

    def attempts_for(self, call: ProviderCall, decision: Decision) -> int:
        """Attempts that a call gets, so that each candidate behind it still has one."""
        made = len(self.attempts) - self.before_round if self._asked else 0
        behind = len(self._behind(call.candidate, decision))
        return attempts_for(behind, made, decision.max_attempts_per_request, call.candidate.max_attempts)

    def take(self, leg: Leg, decision: Decision) -> None:
        """Take in what came of a call: an answer, one to hold back while a better one may be had, or a fault."""
        candidate, outcome = leg.call.candidate, leg.outcome
        if not self._asked:
            self.faults.clear()
            self.before_round = len(self.attempts)
        self._asked.add(candidate.provider)
        reason = HEDGE if leg.call.hedge else self._reason
        if isinstance(outcome, FailedCall):
            self.record(outcome.attempts)
            if outcome.fault != HEDGE_LOST:
                self._fell(candidate, cause_of(outcome))
            return
        below = not outcome.refused and outcome.confidence < decision.min_confidence
        held = Held(outcome, candidate, reason, leg.call.hedge, below_confidence=below)
        self.record(_marked(outcome.attempts) if below else outcome.attempts)
        if self._chosen is not None:
            return
        if outcome.refused and decision.on_refusal == "next":
            self._hold(held, REFUSAL_FALLBACK, definitive=outcome.degraded)
        elif outcome.degraded and not self._only_late(outcome):
            self._hold(held, f"{THROTTLED}:{candidate.provider}", definitive=True)
        elif below:
            self._hold(held, f"fallback:{ErrorClass.QUALITY}", definitive=False)
        else:
            self._chosen = held

    @property
    def reason(self) -> str:
        """Why the next candidate is asked, or the one that is being asked."""
        return self._reason

    @property
    def settled(self) -> bool:
        """Whether an answer is there that needs no other."""
        return self._chosen is not None

    @property
    def turned_away(self) -> bool:
        """Whether the question itself was at fault in the last call: then a call beside it is pointless too."""
        return bool(self._asked) and bool(self.faults) and self.faults[-1][1].error_class is ErrorClass.CLIENT

    @property
    def best(self) -> Held | None:
        """The answer to give: the chosen one, else of those held back the surest, a refusal only if all refused.

        Of degraded answers alone it is the last (ensemble document, "Router").
        """
        if self._chosen is not None:
            return self._chosen
        sound = [held for held in self._held if not held.completion.degraded]
        if not sound:
            return self._held[-1] if self._held else None
        return max(sound, key=lambda held: (not held.completion.refused, held.completion.confidence))

    def answer(self, held: Held, decision: Decision, latency_ms: float, *, verified: bool | None = None) -> Answer:
        """The question's answer; `latency_ms` counts from its start, `verified` tells how a comparison ended."""
        completion, cost = held.completion, total_cost(self.attempts)
        verified = decision.stakes == "normal" if verified is None else verified
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
            hedged=self.hedged,
            hedge_won=held.hedge,
            finish_reason=completion.finish_reason,
            refused=completion.refused,
            latency_ms=latency_ms,
            usage=total_usage(self.attempts),
            cost_usd=cost,
            cost_known=cost is not None,
            decision=decision,
            attempts=self.attempts,
            verified=verified,
            tags=tuple(self._tags(held, decision, cost, verified=verified)),
        )

    def _only_late(self, outcome: Completion) -> bool:
        """Whether a degraded answer is nothing but slow in a race, which was started because it was."""
        return self.hedged and set(outcome.flags) == {"latency"}

    def _unasked(self, decision: Decision) -> list[Candidate]:
        return [candidate for candidate in decision.candidates if candidate.provider not in self._asked]

    def _behind(self, candidate: Candidate, decision: Decision) -> list[Candidate]:
        later = decision.candidates[decision.candidates.index(candidate) + 1 :]
        return [other for other in later if other.provider not in self._asked]

    def _call(self, candidate: Candidate, decision: Decision, *, hedge: bool = False) -> ProviderCall | None:
        if self._asked and self.faults:
            failed, fault = self.faults[-1]
            if not may_follow(fault, failed, candidate, self.question):
                return None
        return call_to(
            candidate,
            self.question,
            decision,
            spent_usd=total_cost(self.attempts) or 0.0,
            last_candidate=not self._behind(candidate, decision),
            hedge=hedge,
        )

    def _fell(self, candidate: Candidate, fault: Fault) -> None:
        self.faults.append((candidate, fault))
        self._reason = f"fallback:{fault.error_class}"
        self._went_on(definitive=fault.error_class in DEFINITIVE, attempted=fault.error_class is not ErrorClass.LOCAL)

    def _hold(self, held: Held, reason: str, *, definitive: bool) -> None:
        self._held.append(held)
        self._reason = reason
        self._went_on(definitive=definitive, attempted=True)

    def _went_on(self, *, definitive: bool, attempted: bool) -> None:
        # After a call that was never made, going on is no fallback: it is as free as the call before it was.
        if attempted:
            self._fallbacks += 1
            self._free_next = definitive and self._fallbacks == 1

    def _tags(self, held: Held, decision: Decision, cost: float | None, *, verified: bool) -> list[str]:
        limit = self.question.max_cost_usd
        facts = {
            "low_confidence": held.below_confidence,
            "cut_short": held.completion.finish_reason == "length",
            "unverified": not verified,
            "unvalidated": decision.unvalidated,
            "over_cost": limit is not None and cost is not None and cost > limit,
        }
        flags = [f"degraded:{flag}" for flag in held.completion.flags]
        return [tag for tag, holds in facts.items() if holds] + [*held.completion.model_notes, *flags]


def cause_of(failed: FailedCall) -> Fault:
    """Why a call failed: if its last attempt was not let through, what the one before it ran into."""
    made = [row.error_class for row in failed.attempts if row.error_class is not None]
    if failed.fault.error_class is ErrorClass.LOCAL and made:
        return failed.fault.model_copy(update={"error_class": made[-1]})
    return failed.fault


def _marked(attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    low = {"outcome": "low_confidence", "error_class": ErrorClass.QUALITY, "kind": "low_confidence"}
    return (*attempts[:-1], attempts[-1].model_copy(update=low))
