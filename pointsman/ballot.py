"""The answers of a panel as they come in: who has voted, who failed, who stands in, and what each may still spend.

Plain values and rules, no Temporal. A member votes once, a call that failed is no vote, and a refusal is none either.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from pointsman.bill import failed
from pointsman.call import Completion, FailedCall, ProviderCall
from pointsman.charges import DEFINITIVE, Charge
from pointsman.decision import Candidate, Decision
from pointsman.fallback import call_to, may_follow
from pointsman.faults import NOT_NEEDED, ProviderFault
from pointsman.outcomes import Attempt, Fault, total_cost
from pointsman.panel import FEWEST, Panel
from pointsman.progress import Held, Progress, cause_of


@dataclass
class Seat:
    """One place on the panel: a member, and after his failure the reserve that stands in for him."""

    share_usd: float | None
    """Of the question's cost limit; no seat can spend what is another's."""
    call: ProviderCall | None = None
    since: datetime | None = None
    """When the call under way began: each one anew, that of a stand-in too."""
    spent_usd: float = 0.0
    fault: Fault | None = None
    made: list[Attempt] = field(default_factory=list[Attempt])
    """What workers that were lost have left of the call under way."""


@dataclass
class Ballot:
    """One question's vote."""

    decision: Decision
    panel: Panel
    progress: Progress
    seats: list[Seat] = field(default_factory=list[Seat])
    votes: list[Held] = field(default_factory=list[Held])
    refusals: list[Held] = field(default_factory=list[Held])
    _reserves: list[str] = field(default_factory=list[str])
    _fallbacks: int = 0

    def seat_members(self) -> list[Seat]:
        """Seats for all members whose call the cost limit can pay, each with an equal share of what is left of it."""
        limit = self.progress.question.max_cost_usd
        left = None if limit is None else max(0.0, limit - (total_cost(self.progress.attempts) or 0.0))
        self._reserves = list(self.panel.reserves)
        self.progress.before_round = len(self.progress.attempts)
        self.progress.faults.clear()
        # Where the limit does not pay for all, it may for fewer.
        for number in range(len(self.panel.members), 0, -1):
            self.seats = self._seated(self.panel.members[:number], None if left is None else left / number)
            if len(self.seats) == number:
                break
        return self.seats

    def _seated(self, members: tuple[str, ...], share_usd: float | None) -> list[Seat]:
        seats: list[Seat] = []
        for name in members:
            seat = Seat(share_usd)
            seat.call = self._call(self._candidate(name), seat)
            if seat.call is not None:
                seats.append(seat)
        return seats

    def take(self, seat: Seat, outcome: Completion | FailedCall) -> None:
        """Take in what came of the call under way; whoever stands in is in `seat.call` then, or nobody."""
        call = seat.call
        if call is None:
            raise ValueError("the seat has no call under way")
        self.progress.record(outcome.attempts)
        seat.spent_usd += total_cost(outcome.attempts) or 0.0
        seat.call = seat.since = None
        seat.made = []
        if isinstance(outcome, Completion):
            below = not outcome.refused and outcome.confidence < self.decision.min_confidence
            reason = self.decision.reason if seat.fault is None else f"fallback:{seat.fault.error_class}"
            held = Held(outcome, call.candidate, reason, below_confidence=below)
            (self.refusals if outcome.refused else self.votes).append(held)
            return
        fault = cause_of(outcome)
        self.progress.faults.append((call.candidate, fault))
        seat.fault = fault
        seat.call = self._stand_in(call.candidate, fault, seat)

    def charge(self, seat: Seat) -> Charge | None:
        """What the call that stands in draws on the budget, or `None` where it is free, as the first may be."""
        self._fallbacks += 1
        charge = self.decision.limits.charge
        definitive = seat.fault is not None and seat.fault.error_class in DEFINITIVE
        if charge == "nothing" or (charge == "fallbacks" and definitive and self._fallbacks == 1):
            return None
        return "fallback"

    def cut_off(self, seat: Seat, now: datetime) -> None:
        """The call under way is not needed any more: neutral, and billed for as long as it ran."""
        if seat.call is None or seat.since is None:
            return
        row = failed(seat.call, ProviderFault(NOT_NEEDED), 1, (now - seat.since).total_seconds())
        self.progress.record((*seat.made, row))
        seat.call = None

    @property
    def asked(self) -> frozenset[str]:
        """Everybody who was on the panel, or could have been."""
        return frozenset([*self.panel.members, *self.panel.reserves])

    @property
    def can_compare(self) -> bool:
        """Whether two members have voted."""
        return len(self.votes) >= FEWEST

    @property
    def in_order(self) -> list[Held]:
        """The votes in the order of the panel, whenever they came."""
        order = [*self.panel.members, *self.panel.reserves]
        return sorted(self.votes, key=lambda held: order.index(held.candidate.provider))

    def vote_of(self, provider: str) -> Held:
        """The vote of a provider."""
        return next(held for held in self.votes if held.candidate.provider == provider)

    @property
    def best(self) -> Held | None:
        """The surest vote, or a refusal where nobody voted."""
        return max([*self.in_order], key=lambda held: held.completion.confidence, default=None) or next(
            iter(self.refusals), None
        )

    def _candidate(self, name: str) -> Candidate:
        return next(found for found in self.decision.candidates if found.provider == name)

    def _stand_in(self, gone: Candidate, fault: Fault, seat: Seat) -> ProviderCall | None:
        while self._reserves:
            following = self._candidate(self._reserves.pop(0))
            if may_follow(fault, gone, following, self.progress.question):
                call = self._call(following, seat)
                if call is not None:
                    return call
        return None

    def _call(self, candidate: Candidate, seat: Seat) -> ProviderCall | None:
        question = self.progress.question
        spent = total_cost(self.progress.attempts) or 0.0
        if question.max_cost_usd is not None and seat.share_usd is not None:
            spent = question.max_cost_usd - (seat.share_usd - seat.spent_usd)
        return call_to(candidate, question, self.decision, spent_usd=max(0.0, spent), last_candidate=not self._reserves)
