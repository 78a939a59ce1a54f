"""Who has spent how much of a day's cap, and whose is used up: the same rules for providers and for tenants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pointsman.health.snapshot import DAILY_COST_CAP
from pointsman.health.spend import Spend, SpendHeading

_RAISED = "the cap was raised"


@dataclass(frozen=True)
class CapChange:
    """Somebody's cap is used up until a time, in seconds since the epoch, or holds nobody back any more."""

    name: str
    reason: str
    until: float | None = None


@dataclass(frozen=True)
class Caps:
    """The spend of a day, and until when those are held back whose cap it has reached. By name."""

    spend: dict[str, Spend] = field(default_factory=dict[str, Spend])
    reached: dict[str, float] = field(default_factory=dict[str, float])

    def booked(self, name: str, micro: int, heading: SpendHeading, today: str) -> Caps:
        """With more spent. Whether that reaches a cap, `checked` tells."""
        spend = self.spend.get(name, Spend(day=today)).on(today).plus(micro, heading)
        return replace(self, spend={**self.spend, name: spend})

    def checked(self, caps_usd: Mapping[str, float], today: str, end: float) -> tuple[Caps, list[CapChange]]:
        """With those held back until `end` who have a cap and have reached it, and nobody else."""
        reached, changes = dict(self.reached), list[CapChange]()
        for name in sorted(self.spend):
            full = self.spend[name].on(today).reaches(caps_usd.get(name))
            if full and name not in reached:
                reached[name] = end
                changes.append(CapChange(name, DAILY_COST_CAP, end))
            if not full and name in reached:
                del reached[name]
                changes.append(CapChange(name, _RAISED))
        return (replace(self, reached=reached), changes) if changes else (self, changes)

    def at(self, now: float) -> tuple[Caps, list[CapChange]]:
        """Without those whose day is over."""
        over = [name for name, until in self.reached.items() if until <= now]
        if not over:
            return self, []
        left = {name: until for name, until in self.reached.items() if until > now}
        return replace(self, reached=left), [CapChange(name, DAILY_COST_CAP) for name in over]
