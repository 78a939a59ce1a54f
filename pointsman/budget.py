"""How much more than one call per question may a process make? A token bucket pays for retries, hedges and fallbacks.

    budget = RetryBudget(settings, expected_rps=5)
    budget.deposit(request_id)          # 0.1 token, once per question
    if budget.take_retry(now): ...      # costs 1 token; denied = nothing is taken

Over any interval with N questions and of T seconds, whatever arrives: hedges <= C/2 + ratio x N, and everything charged
<= C + ratio x N + trickle x T. Retries outrank hedges: a hedge leaves half of the bucket to them. A restart refills the
bucket. Source: resilience specification, section 12. Levels are integer thousandths of a token.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.health.gauges import BudgetGauge

Charge = Literal["retry", "hedge", "fallback", "free_fallback", "round"]

_TOKEN = 1000
_MICRO = 1_000_000
_CAPACITY = (2.0, 10.0)
_CAPACITY_S = 10.0
_REMEMBERED = 10_000


class BudgetSettings(BaseModel):
    """The table `[budget]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    ratio: Annotated[float, Field(ge=0, le=1)] = 0.10
    """Tokens that each question brings in."""
    capacity: Annotated[float, Field(ge=2, le=10_000)] | None = None
    """Tokens that the bucket holds; below 2 the trickle could pay for hedges. Default: by the expected rate."""
    trickle: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Tokens per second while there is less than one, so that a quiet process can still retry."""
    strict_budget: bool = False
    """Whether a question's first fallback to another provider is charged too."""


def capacity(settings: BudgetSettings, expected_rps: float | None) -> float:
    """Tokens that a process's bucket holds: what ten seconds of its expected questions bring in, from 2 to 10."""
    if settings.capacity is not None:
        return settings.capacity
    least, most = _CAPACITY
    if expected_rps is None:
        return most
    return min(most, max(least, settings.ratio * expected_rps * _CAPACITY_S))


class RetryBudget:
    """The bucket of one process; full at its start, and not thread-safe."""

    def __init__(self, settings: BudgetSettings, *, expected_rps: float | None = None, split: bool = False) -> None:
        """Fill the bucket.

        Args:
            settings: How much it holds and what flows in.
            expected_rps: Questions per second that this one process expects; `None` where nobody has said.
            split: Whether this process only plans or only calls providers: each question is then deposited once on
                either side, by half.
        """
        self._strict = settings.strict_budget
        self._trickle = _milli(settings.trickle)
        self._deposit = _milli(settings.ratio / 2 if split else settings.ratio)
        self._capacity = self._level = _milli(capacity(settings, expected_rps))
        self._latest = 0
        self._rest = 0
        self._deposited: OrderedDict[str, None] = OrderedDict()
        self._hedged: OrderedDict[str, None] = OrderedDict()
        self.granted: Counter[Charge] = Counter()
        self.denied: Counter[Charge] = Counter()

    @property
    def level(self) -> float:
        """Tokens in the bucket, as of the last call that named a time."""
        return self._level / _TOKEN

    @property
    def gauge(self) -> BudgetGauge:
        """What is in the bucket and what it has paid for."""
        return BudgetGauge(
            level=self.level,
            capacity=self._capacity / _TOKEN,
            hedges_granted=self.granted["hedge"],
            hedges_denied=self.denied["hedge"],
            retries_granted=self.granted["retry"],
            retries_denied=self.denied["retry"],
            fallbacks_granted=self.granted["fallback"],
            fallbacks_denied=self.denied["fallback"],
        )

    def deposit(self, request_id: str) -> None:
        """Add a question's share, once per question among the last 10,000."""
        if _new(request_id, self._deposited):
            self._level = min(self._capacity, self._level + self._deposit)

    def take_hedge(self, request_id: str, now: float, scale: float = 1.0) -> bool:
        """Pay for a second leg, if the bucket keeps half of its capacity after it.

        A question hedges once: granted before, it is granted again for nothing, so a lost result can be asked for.

        Args:
            request_id: The question.
            now: Monotonic seconds.
            scale: The fleet's `budget_scale`, from 1 to 0 as its providers fail; a hedge costs 1 / scale, none at 0.
        """
        if request_id in self._hedged:
            return True
        if scale <= 0:
            self.denied["hedge"] += 1
            return False
        cost = math.ceil(_TOKEN / min(1.0, scale))
        granted = self._take("hedge", now, cost, kept=self._capacity / 2)
        if granted:
            _new(request_id, self._hedged)
        return granted

    def take_retry(self, now: float) -> bool:
        """Pay for an attempt beyond the first at one provider."""
        return self._take("retry", now)

    def take_fallback(self, now: float, *, free: bool = False) -> bool:
        """Pay for going on to another provider.

        Args:
            now: Monotonic seconds.
            free: Whether it is the question's first, after a failure whose episode breaker or cooldown will end: it
                is only counted, unless the budget is strict.
        """
        if free and not self._strict:
            self.granted["free_fallback"] += 1
            return True
        return self._take("fallback", now)

    def take_round(self, now: float) -> bool:
        """Pay for the first call of a later round, by a question that waited for a recovery."""
        return self._take("round", now)

    def _take(self, charge: Charge, now: float, cost: int = _TOKEN, kept: float = 0) -> bool:
        self._advance(now)
        if self._level < cost + kept:
            self.denied[charge] += 1
            return False
        self._level -= cost
        self.granted[charge] += 1
        return True

    def _advance(self, now: float) -> None:
        # A clock that stands still or goes back brings nothing in, and nothing twice.
        latest = max(math.floor(now * _MICRO), self._latest)
        elapsed, self._latest = latest - self._latest, latest
        lacking = max(0, _TOKEN - self._level)
        # Whole numbers only: a rounding error at each of a million calls would add up to free tokens.
        due, self._rest = divmod(elapsed * self._trickle + self._rest, _MICRO)
        if due >= lacking:
            due, self._rest = lacking, 0
        self._level += due


def _milli(tokens: float) -> int:
    # Rounded down, so that no bound is above the one configured; the sum repairs 0.57 * 1000 = 569.99...
    return math.floor(tokens * _TOKEN + 1e-6)


def _new(request_id: str, remembered: OrderedDict[str, None]) -> bool:
    if request_id in remembered:
        remembered.move_to_end(request_id)
        return False
    remembered[request_id] = None
    if len(remembered) > _REMEMBERED:
        remembered.popitem(last=False)
    return True
