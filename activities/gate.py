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
from pointsman.purse import Reservation

_PATIENCE_S = 10.0
_PATIENCE_SHARE = 0.2
"""A call waits for the rate limit as long as it would wait for a worker (DESIGN ruling 4)."""


class Gate:
    """Admits attempts one by one."""

    def __init__(self, health: ProcessHealth) -> None:
        """`health` is the process's own."""
        self._health = health

    async def admit(self, call: ProviderCall, attempt: int, remaining_s: float) -> Reservation:
        """Wait for a slot of the rate limit, if need be, and set the call's money aside.

        Raises:
            ProviderFault: of class LOCAL: the attempt is not to be made.
        """
        health, provider = self._health, call.candidate.provider
        now = health.clock()
        barred = health.view.health(key_of(provider, call.candidate.model), now).barred(now)
        if barred in BREAKER:
            raise _turned_away("breaker_open", f"its breaker is {barred.replace('_', ' ')}")
        limiter = health.limiters.get(provider)
        slot = None if limiter is None else limiter.reserve(health.monotonic())
        if limiter is not None and slot is not None and slot.wait_s > _patience_s(call, remaining_s):
            limiter.give_back(slot)
            raise _turned_away("rate_limit", "its own rate limit is used up for now")
        try:
            reservation = self._reserve(call, health.view.fleet_time(now))
            if attempt > 1 and not health.budget.take_retry(health.monotonic()):
                health.purse.settle(reservation, 0.0, 0)
                raise _turned_away("retry_budget_exhausted", "the retry budget allows no further attempt")
        except ProviderFault:
            if limiter is not None and slot is not None:
                limiter.give_back(slot)
            raise
        if slot is not None and slot.wait_s > 0:
            try:
                await asyncio.sleep(slot.wait_s)
            except asyncio.CancelledError:
                health.purse.settle(reservation, 0.0, 0)
                raise
        return reservation

    def _reserve(self, call: ProviderCall, now: float) -> Reservation:
        tokens = input_tokens(call.question, call.answer_schema)
        most_usd = estimated_cost_usd(tokens, output_cap(call) or 0, call.candidate.price) or 0.0
        reservation = self._health.purse.reserve(call.candidate.provider, most_usd, now)
        if reservation is None:
            raise _turned_away("daily_cost_cap", "its cost cap for today is used up")
        return reservation


def _patience_s(call: ProviderCall, remaining_s: float) -> float:
    return remaining_s if call.last_candidate else min(_PATIENCE_S, _PATIENCE_SHARE * remaining_s)


def _turned_away(kind: str, summary: str) -> ProviderFault:
    return fault(ErrorClass.LOCAL, kind, summary)
