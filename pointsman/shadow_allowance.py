"""How many questions a process may shadow: at the fleet's pace, and within the rest of the day's money.

Money is set aside when a shadow is planned, and stays so until the catalogue has surely counted what it cost: the call
is made elsewhere, so that nobody here hears of its end. A process sets aside at most its share of the rest, 1/P with P
processes (DESIGN ruling 10).
"""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.health.spend import day_of, micro_usd

SHADOWS_PER_S = 5.0
"""Of the whole fleet: each is a workflow of its own and a signal to the catalogue."""


@dataclass(frozen=True)
class _Held:
    upgrade_id: str
    micro_usd: int
    until: float


class ShadowAllowance:
    """The allowance of one process; used on one event loop only. Times are seconds since the epoch."""

    def __init__(self) -> None:
        """Start with one shadow to spare and no money set aside."""
        self._held: list[_Held] = []
        self._tokens = 1.0
        self._counted_at: float | None = None

    def grant(  # noqa: PLR0913 - a shadow, its bounds, and when it is
        self, plan: UpgradePlan, most_usd: float, *, hold_s: float, now: float, heard_at: float, processes: int
    ) -> bool:
        """Whether one more question may be shadowed; its money is then set aside.

        Args:
            plan: The upgrade as the catalogue last told it.
            most_usd: What the shadow may come to cost.
            hold_s: After how many seconds the catalogue has been told what it cost, if it ever is.
            now: The time.
            heard_at: When the catalogue was last heard of: only then can it have told what a shadow cost.
            processes: That share the day's money and the pace.
        """
        self._refill(now, SHADOWS_PER_S / processes)
        self._held = [held for held in self._held if held.until > heard_at]
        own = sum(held.micro_usd for held in self._held if held.upgrade_id == plan.id)
        most, free = micro_usd(most_usd), micro_usd(plan.free_usd(day_of(now)))
        if self._tokens < 1 or free <= 0 or most > free // processes - own:
            return False
        self._tokens -= 1
        self._held.append(_Held(plan.id, most, now + hold_s))
        return True

    def _refill(self, now: float, per_s: float) -> None:
        if self._counted_at is not None:
            gained = max(0.0, now - self._counted_at) * per_s
            self._tokens = min(max(1.0, per_s), self._tokens + gained)
        self._counted_at = now
