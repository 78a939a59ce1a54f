"""What a provider has cost today, in whole micro-USD. A day ends at midnight UTC by the entity's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict

MICRO = 1_000_000
SpendHeading = Literal["calls", "probe"]


def day_of(now: float) -> str:
    """The UTC day of a time in seconds since the epoch, such as "2026-12-01"."""
    return datetime.fromtimestamp(now, tz=UTC).date().isoformat()


def day_end(now: float) -> float:
    """The next midnight UTC, in seconds since the epoch."""
    today = datetime.fromtimestamp(now, tz=UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (today + timedelta(days=1)).timestamp()


def micro_usd(usd: float) -> int:
    """Whole micro-USD of an amount."""
    return round(usd * MICRO)


class Spend(BaseModel):
    """One provider's spend of one day, in micro-USD."""

    model_config = ConfigDict(frozen=True)

    day: str
    calls: int = 0
    probe: int = 0
    """Probes have a heading of their own; the day's cap is on both."""

    @property
    def total(self) -> int:
        """All of it."""
        return self.calls + self.probe

    def on(self, day: str) -> Spend:
        """This spend, or none yet where the day is another one."""
        return self if self.day == day else Spend(day=day)

    def plus(self, micro: int, heading: SpendHeading) -> Spend:
        """With more spent."""
        return self.model_copy(update={heading: getattr(self, heading) + micro})

    def reaches(self, cap_usd: float | None) -> bool:
        """Whether the day's cap is used up."""
        return cap_usd is not None and self.total >= micro_usd(cap_usd)
