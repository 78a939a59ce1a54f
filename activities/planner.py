"""The health of providers as a decision asks for it, and the budget as the workflow does: both of this process."""

from __future__ import annotations

from dataclasses import dataclass

from activities.process_health import ProcessHealth
from pointsman.charges import TokenRequest
from pointsman.decision import Rejection
from pointsman.health.keys import key_of
from pointsman.health.snapshot import DAILY_COST_CAP
from pointsman.health.told import live_of, standing_of
from pointsman.health_order import FLAGGED
from pointsman.hedge_delay import CallClass
from pointsman.purse import Purse
from pointsman.query_types import QueryType
from pointsman.standing import Live, Standing
from pointsman.tenants import TENANT_COST_CAP, TenantCap


class Planner:
    """Answers for the questions that this process decides."""

    def __init__(self, health: ProcessHealth) -> None:
        """`health` is the process's own."""
        self._health = health

    def question(self, request_id: str, tenant: str | None = None) -> QuestionHealth:
        """Health for one question, which brings its share into the budget and counts as one router call."""
        self._health.budget.deposit(request_id)
        sitting_out = self._health.cooldowns.begin(request_id)
        return QuestionHealth(self._health, request_id, sitting_out, self._health.account_of(tenant))

    def tenant_cap(self, tenant: str | None, rejected: tuple[Rejection, ...]) -> TenantCap | None:
        """What is known right now of the cap that concerns a tenant's questions, if any, and has rejected these."""
        account = self._health.account_of(tenant)
        if account is None:
            return None
        waits = [rejection.recovers_in_s for rejection in rejected if rejection.reason == TENANT_COST_CAP]
        pays_later = self._health.tenants.reserved(account) > 0 or any(wait is not None for wait in waits)
        return self._health.tenant_cap(account, pays_later=pays_later)

    def take(self, request: TokenRequest) -> bool:
        """Take a token from the budget, or nothing where it is denied."""
        now, budget = self._health.monotonic(), self._health.budget
        match request.charge:
            case "hedge":
                snapshot = self._health.view.snapshot
                return budget.take_hedge(request.request_id, now, 1.0 if snapshot is None else snapshot.budget_scale)
            case "fallback":
                return budget.take_fallback(now)
            case "round":
                return budget.take_round(now)


@dataclass(frozen=True)
class QuestionHealth:
    """Implements `pointsman.standing.Health` for one question."""

    health: ProcessHealth
    request_id: str
    sitting_out: dict[str, int]
    """Router calls that flagged providers still sit out, this one included."""
    account: str | None = None
    """Of the tenant who pays, where a cap concerns him."""

    def standing(self, provider: str, model: str, most_usd: float) -> Standing:
        """How the provider's model stands for this question; out too where its cap for today would not pay for it.

        The gate would turn such a call away, but only when it has been scheduled, and without a word in the decision.
        """
        now, key = self.health.clock(), key_of(provider, model)
        told, token = self.health.view.health(key, now), self.health.view.token(key, now)
        standing = standing_of(told, token, self.request_id, now)
        if standing.barred is None:
            standing = self._paid_for(standing, DAILY_COST_CAP, self.health.purse, provider, most_usd)
        if standing.barred is None and self.account is not None:
            standing = self._paid_for(standing, TENANT_COST_CAP, self.health.tenants, self.account, most_usd)
        calls_left = self.sitting_out.get(provider, 0)
        if calls_left and standing.barred is None and standing.cooling is None:
            return standing.model_copy(update={"cooling": FLAGGED, "calls_left": calls_left})
        return standing

    @property
    def _fleet_time(self) -> float:
        return self.health.view.fleet_time(self.health.clock())

    def _paid_for(self, standing: Standing, cap: str, purse: Purse, account: str, most_usd: float) -> Standing:
        """The same, or barred by a cap that would not pay for the call."""
        now = self._fleet_time
        if purse.affords(account, most_usd, now):
            return standing
        recovers_in_s = purse.back_in_s(account, most_usd, now)
        return standing.model_copy(update={"barred": cap, "cooling": None, "recovers_in_s": recovers_in_s})

    def live(self, provider: str, query_type: QueryType) -> Live:
        """What live traffic has shown, once there are 20 successes: never from failed calls alone."""
        return live_of(self.health.view.figures(provider, query_type))

    def hedge_delay_s(self, call: CallClass, *, static_s: float, timeout_s: float) -> float | None:
        """The p95 of the provider for such calls, `static_s` until it is measured."""
        if self.health.configuration.hedging.max_hedges == 0:
            return None
        return self.health.samples.delay(
            call,
            self.health.monotonic(),
            attempt_timeout_s=timeout_s,
            static_delay_s=static_s,
        )
