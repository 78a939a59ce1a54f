"""What stands between an attempt and its provider: breaker, rate limit, the day's money, and the retry budget.

Whoever is turned away here was never sent, so nothing of it counts against the provider (class LOCAL).
Order: resilience specification, section 9.
"""

from __future__ import annotations

import asyncio

from activities.process_health import ProcessHealth
from pointsman.call import ProviderCall
from pointsman.cost import estimated_cost_usd
from pointsman.fallback import output_cap
from pointsman.faults import ProviderFault, fault
from pointsman.health.keys import key_of
from pointsman.health_order import BREAKER
from pointsman.outcomes import ErrorClass
from pointsman.prompt import input_tokens
from pointsman.purse import Reservation, SetAside
from pointsman.rate_limit import Slot
from pointsman.tenants import TENANT_COST_CAP

_PATIENCE_S = 10.0
_PATIENCE_SHARE = 0.2
"""A call waits for the rate limit as long as it would wait for a worker (DESIGN ruling 4), inside its attempt: the
candidate's `waits_for_slot` has the workflow allow for that."""


class Gate:
    """Admits attempts one by one."""

    def __init__(self, health: ProcessHealth) -> None:
        """`health` is the process's own."""
        self._health = health

    async def admit(self, call: ProviderCall, attempt: int, remaining_s: float) -> SetAside:
        """Wait for a slot of the rate limit, if need be, and set the call's money aside.

        Raises:
            ProviderFault: of class LOCAL: the attempt is not to be made.
        """
        self._check_breaker(call)
        limiter = self._health.limiters.get(call.candidate.provider)
        if limiter is None:
            return self._reserve(call, attempt)
        if call.purpose == "shadow" and not limiter.has_spare(self._health.monotonic()):
            raise _turned_away("rate_limit", "its rate limit leaves no slot that nobody waits for")
        slot = limiter.reserve(self._health.monotonic())
        try:
            if slot.wait_s > _patience_s(call, remaining_s):
                raise _turned_away("rate_limit", "its own rate limit is used up for now", slot.wait_s)
            money = self._reserve(call, attempt)
            if slot.wait_s > 0:
                await self._wait(slot, call, money)
        except (ProviderFault, asyncio.CancelledError):
            limiter.give_back(slot)
            raise
        return money

    def _check_breaker(self, call: ProviderCall) -> None:
        if call.measures:
            return  # how often it fails is one of the things to be measured
        now, key = self._health.clock(), key_of(call.candidate.provider, call.candidate.model)
        told = self._health.view.health(key, now)
        barred = told.barred(now)
        if barred in BREAKER:
            back_at = told.recovers_at(now)
            words = barred.removeprefix("breaker_").replace("_", " ")
            raise _turned_away("breaker_open", f"its breaker is {words}", None if back_at is None else back_at - now)

    def _reserve(self, call: ProviderCall, attempt: int) -> SetAside:
        health = self._health
        tokens = input_tokens(call.question, call.answer_schema)
        most_usd = estimated_cost_usd(tokens, output_cap(call) or 0, call.candidate.price) or 0.0
        now = health.view.fleet_time(health.clock())
        provider = health.purse.reserve(call.candidate.provider, most_usd, now)
        if provider is None:
            raise _turned_away("daily_cost_cap", "its cost cap for today is used up")
        try:
            money = SetAside(provider, self._reserve_for_tenant(call, most_usd, now))
        except ProviderFault:
            health.give_back(SetAside(provider))
            raise
        if attempt > 1 and not call.measures and not health.budget.take_retry(health.monotonic()):
            health.give_back(money)
            raise _turned_away("retry_budget_exhausted", "the retry budget allows no further attempt")
        return money

    def _reserve_for_tenant(self, call: ProviderCall, most_usd: float, now: float) -> Reservation | None:
        """What the call's tenant must have left; who measures a model does so at nobody's cost."""
        health = self._health
        account = None if call.measures else health.account_of(call.question.tenant)
        if account is None:
            return None
        reservation = health.tenants.reserve(account, most_usd, now)
        if reservation is None:
            told = health.tenant_cap(account, pays_later=health.tenants.covers(account, most_usd))
            raise _turned_away(TENANT_COST_CAP, told.sentence, health.tenants.back_in_s(account, most_usd, now))
        return reservation

    async def _wait(self, slot: Slot, call: ProviderCall, money: SetAside) -> None:
        try:
            await asyncio.sleep(slot.wait_s)
            # Among those that wait, a breaker that opened meanwhile must not be passed by one after another.
            self._check_breaker(call)
        except (ProviderFault, asyncio.CancelledError):
            self._health.give_back(money)
            raise


def _patience_s(call: ProviderCall, remaining_s: float) -> float:
    return remaining_s if call.last_candidate else min(_PATIENCE_S, _PATIENCE_SHARE * remaining_s)


def _turned_away(kind: str, summary: str, back_in_s: float | None = None) -> ProviderFault:
    # A hint of 0 is none.
    return fault(ErrorClass.LOCAL, kind, summary, retry_after_s=back_in_s or None)
