"""Collects what a process sees between two reports.

    builder = ReportBuilder("worker-1")
    builder.record(key, epoch, gen, second, "fail", attempt=1)
    report = builder.take()

It keeps no clock: seconds and days are given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import islice
from math import isfinite
from typing import Literal, TypeVar

from pointsman.health.cooldown import COOLDOWN_MAX_S, CooldownReason
from pointsman.health.delta import Delta, Outcome
from pointsman.health.failure_run import FAILURE, NOTHING, SUCCESS, Segment
from pointsman.health.gauges import Gauges
from pointsman.health.measures import Measures
from pointsman.health.outcome_rows import OutcomeRows
from pointsman.health.policy import HealthPolicy
from pointsman.health.report import DELTAS_MAX, Cooled, Failed, Measured, Overdue, Rebased, Report, Spent, TenantSpent
from pointsman.health.spend import MICRO
from pointsman.latency_histogram import LatencyHistogram

_OTHERS_A_REPORT = 512
_KIND_MAX = 64
_HORIZON_S = 300
_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")
_R = TypeVar("_R")


class ReportBuilder:
    """Outcomes, cooldowns, overdue calls, spend and latencies of one process that no report holds yet.

    With `count_429="failure"` a throttled call is recorded as a failed one. From the age `horizon_s` on, in seconds, an
    outcome counts for no rule.
    """

    def __init__(
        self, worker_id: str, count_429: Literal["throttle", "failure"] = "throttle", horizon_s: int = _HORIZON_S
    ) -> None:
        """Start with nothing seen and no report taken."""
        self.worker_id = worker_id
        self.seq = 0
        """The number of the last report taken."""
        self._count_429 = count_429
        self._outcomes = OutcomeRows(horizon_s)
        self._cooled: dict[tuple[str, CooldownReason], Cooled] = {}
        self._overdue: dict[tuple[str, int, int], Overdue] = {}
        self._failed: dict[str, Failed] = {}
        self._rebased: dict[tuple[str, str], Rebased] = {}
        self._spent: dict[tuple[str, str], float] = {}
        self._tenants: dict[tuple[str, str], float] = {}
        self._measured: dict[tuple[str, str], Measures] = {}
        self._costs: dict[tuple[str, str], float] = {}

    @property
    def pending(self) -> int:
        """Rows that no report holds yet."""
        return len(self._outcomes)

    @property
    def empty(self) -> bool:
        """Whether a report would tell nothing but that the process is there."""
        return not (
            self._outcomes
            or self._cooled
            or self._overdue
            or self._failed
            or self._rebased
            or self._measured
            or any(micro >= 1 for spent in (self._spent, self._tenants) for micro in spent.values())
        )

    def record(self, key: str, epoch: int, gen: int, second: int, outcome: Outcome, *, attempt: int = 1) -> None:  # noqa: PLR0913
        """Count a call's end. A failed second attempt counts for the rate and leaves the run of failures alone."""
        if outcome == "throttle" and self._count_429 == "failure":
            outcome = "fail"
        if outcome == "ok":
            self._settle(key)
        seen = Delta(key=key, epoch=epoch, gen=gen, second=second, segment=_segment(outcome, attempt))
        self._outcomes.add(seen.model_copy(update={outcome: 1}))

    def cooled(self, key: str, seconds: float | None, reason: CooldownReason) -> None:
        """A key is to be passed over for so long, or for as long as the entity finds right (`None`)."""
        hint = min(seconds, COOLDOWN_MAX_S) if seconds is not None and isfinite(seconds) and seconds >= 0 else None
        held = self._cooled.get((key, reason))
        if held is None:
            self._cooled[key, reason] = Cooled(key=key, reason=reason, seconds=hint)
            return
        longest = hint if held.seconds is None else max(held.seconds, hint or 0.0)
        self._cooled[key, reason] = held.model_copy(update={"seconds": longest, "count": held.count + 1})

    def overdue(self, key: str, epoch: int, gen: int) -> None:
        """A call of the key still runs, far past the median. Once a call."""
        held = self._overdue.get((key, epoch, gen)) or Overdue(key=key, epoch=epoch, gen=gen, count=0)
        self._overdue[key, epoch, gen] = held.model_copy(update={"count": held.count + 1})

    def failed(self, key: str, second: int, kind: str) -> None:
        """A call of the key ended in this kind of fault; of several in one report the last is kept."""
        self._failed[key] = Failed(key=key, second=second, kind=kind[:_KIND_MAX])

    def rebased(self, key: str, query_type: str) -> None:
        """The key's answers to this type of question have a new baseline."""
        self._rebased[key, query_type] = Rebased(key=key, query_type=query_type)

    def spent(self, provider: str, day: str, usd: float, query_type: str | None = None) -> None:
        """A call has cost this on a UTC day ("2026-12-01"); fractions of a micro-USD are kept for the next report."""
        if not isfinite(usd) or usd < 0:
            return
        self._spent[provider, day] = self._spent.get((provider, day), 0.0) + usd * MICRO
        if query_type is not None:
            at = (provider, query_type)
            self._costs[at] = self._costs.get(at, 0.0) + usd * MICRO
            measures = self._measured.get(at, Measures())
            self._measured[at] = measures.model_copy(update={"priced": measures.priced + 1})

    def tenant_spent(self, account: str, day: str, usd: float) -> None:
        """A call of a capped tenant's question has cost this on a UTC day."""
        if isfinite(usd) and usd >= 0:
            self._tenants[account, day] = self._tenants.get((account, day), 0.0) + usd * MICRO

    def latency(self, provider: str, query_type: str, ms: float, *, ok: bool) -> None:
        """A call's time from sending to its end; of one that failed only the failing is kept."""
        at = (provider, query_type)
        seen = Measures(latencies=LatencyHistogram().add(ms)) if ok else Measures(errors=1)
        self._measured[at] = self._measured.get(at, Measures()).merge(seen)

    def answered(self, provider: str, query_type: str, output_tokens: int) -> None:
        """An answer has so many tokens."""
        at = (provider, query_type)
        seen = Measures(output_tokens=max(0, output_tokens), answers=1)
        self._measured[at] = self._measured.get(at, Measures()).merge(seen)

    def take(self, most: int = DELTAS_MAX, policy: HealthPolicy | None = None, gauges: Gauges | None = None) -> Report:
        """The next report, with at most so many rows, which are as coarse as that needs.

        What does not fit even so, since there are more tokens than rows, stays for the report after it.
        """
        self.seq += 1
        return Report(
            worker_id=self.worker_id,
            seq=self.seq,
            policy=policy,
            deltas=self._outcomes.take(min(most, DELTAS_MAX)),
            cooled=_drained(self._cooled, lambda _, cooled: cooled),
            overdue=_drained(self._overdue, lambda _, overdue: overdue),
            failed=_drained(self._failed, lambda _, failed: failed),
            rebased=_drained(self._rebased, lambda _, rebased: rebased),
            spent=self._take_spent(),
            tenants=self._take_tenants(),
            measured=_drained(self._measured, self._measured_row),
            gauges=gauges,
        )

    def _settle(self, key: str) -> None:
        """A success ends what is counted in a row, here as in the entity."""
        for reason in ("throttle", "config"):
            held = self._cooled.get((key, reason))
            if held is not None:
                self._cooled[key, reason] = held.model_copy(update={"count": 0})
        for token in [token for token in self._overdue if token[0] == key]:
            del self._overdue[token]

    def _take_spent(self) -> tuple[Spent, ...]:
        due, self._spent = _whole(self._spent)
        return tuple(Spent(provider=provider, day=day, micro_usd=micro) for (provider, day), micro in due)

    def _take_tenants(self) -> tuple[TenantSpent, ...]:
        due, self._tenants = _whole(self._tenants)
        return tuple(TenantSpent(tenant=tenant, day=day, micro_usd=micro) for (tenant, day), micro in due)

    def _measured_row(self, at: tuple[str, str], measures: Measures) -> Measured:
        cost = self._costs.pop(at, 0.0)
        if cost >= 1:
            measures = measures.model_copy(update={"cost_micro_usd": int(cost)})
        if cost % 1:
            self._costs[at] = cost % 1
        return Measured(provider=at[0], query_type=at[1], measures=measures)


def _segment(outcome: Outcome, attempt: int) -> Segment:
    if outcome == "ok":
        return SUCCESS
    return FAILURE if outcome == "fail" and attempt == 1 else NOTHING


def _whole(
    spent: dict[tuple[str, str], float],
) -> tuple[list[tuple[tuple[str, str], int]], dict[tuple[str, str], float]]:
    """The whole micro-USD of what was spent, by whom and on which day, and what is left for the next report."""
    due = [(at, int(micro)) for at, micro in spent.items() if micro >= 1][:_OTHERS_A_REPORT]
    left = {**spent, **{at: spent[at] - micro for at, micro in due}}
    latest = max((day for _, day in left), default="")
    # A fraction of a micro-USD of a day gone by is nobody's.
    return due, {at: micro for at, micro in left.items() if micro >= 1 or at[1] == latest}


def _drained(held: dict[_K, _V], row: Callable[[_K, _V], _R]) -> tuple[_R, ...]:
    taken = list(islice(held, _OTHERS_A_REPORT))
    return tuple(row(key, held.pop(key)) for key in taken)
