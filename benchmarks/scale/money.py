"""By how much a fleet overshoots its budgets: the day's cap of a provider, and what retries may add to the calls."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from pointsman.budget import BudgetSettings, RetryBudget
from pointsman.health.settings import HealthSettings
from pointsman.health.spend import day_of
from pointsman.purse import Purse

_T = 1_796_342_400.0
_SETTINGS = HealthSettings()
_DAY = day_of(_T)
_CALL_USD = 0.01
_CALLS_PER_S = 200.0
_CAP_USD = 200.0
_CAP_S = 400.0
"""Twice the time and more in which the calls reach the cap, and every process has heard of it."""
_OUTAGE_S = 60.0


@dataclass(frozen=True)
class Overshoot:
    """A fleet of one size."""

    workers: int
    cap_share: float
    """What went to a provider at 2 USD a second until every purse said no, over its cap of 200 USD."""
    calls_per_question: dict[int, float]
    """By questions a second over the fleet: over 60 s in which each first call fails and wants a retry."""


def overshoot(workers: int, rates: Iterable[int]) -> Overshoot:
    """Both, with the production purse and bucket."""
    return Overshoot(workers, _cap_share(workers), {rate: _calls_per_question(rate, workers) for rate in rates})


def _cap_share(workers: int) -> float:
    """Calls come to random processes; reports and snapshots at the intervals of a fleet of this size."""
    chance, purses = Random(3), [Purse({"alpha": _CAP_USD}) for _ in range(workers)]
    for purse in purses:
        purse.tell({"alpha": 0}, _DAY, processes=workers, acked_seq=0)
    flush_s, snapshot_s = _SETTINGS.flush_s(workers), _SETTINGS.snapshot_s(workers)
    unsent, seqs, told, spent = [0] * workers, [0] * workers, 0, 0
    turns = [(chance.uniform(0, flush_s), "report", number) for number in range(workers)]
    turns += [(chance.uniform(0, snapshot_s), "read", number) for number in range(workers)]
    turns += [(call / _CALLS_PER_S, "call", -1) for call in range(int(_CAP_S * _CALLS_PER_S))]
    heapq.heapify(turns)
    while turns and turns[0][0] < _CAP_S:
        now, kind, number = heapq.heappop(turns)
        if kind == "call":
            who = chance.randrange(workers)
            reservation = purses[who].reserve("alpha", _CALL_USD, _T)
            if reservation is not None:
                cost = reservation.micro_usd
                purses[who].settle(reservation, _CALL_USD, seqs[who] + 1)
                unsent[who], spent = unsent[who] + cost, spent + cost
        elif kind == "report":
            told, unsent[number], seqs[number] = told + unsent[number], 0, seqs[number] + 1
            heapq.heappush(turns, (now + flush_s, kind, number))
        else:
            purses[number].tell({"alpha": told}, _DAY, processes=workers, acked_seq=seqs[number])
            heapq.heappush(turns, (now + snapshot_s, kind, number))
    return spent / 1e6 / _CAP_USD


def _calls_per_question(questions_per_s: int, workers: int) -> float:
    """One process stands for all: each has its share of the questions and a bucket of its own, full at its start."""
    bucket, rate = RetryBudget(BudgetSettings()), questions_per_s / workers
    questions = calls = 0
    while questions / rate < _OUTAGE_S:
        bucket.deposit(f"q-{questions}")
        calls += 1 + bucket.take_retry(questions / rate)
        questions += 1
    return calls / questions
