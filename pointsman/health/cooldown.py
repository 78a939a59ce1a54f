"""Cooldowns: an overlay by which a key is passed over for a while. It is a preference of routing, never a barrier.

An account without money or a wrong key are the exception: they do not heal by asking, so the key is not tried at all.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

CooldownReason = Literal["throttle", "quota", "config", "overdue", "retry_after", "flagged"]
BARRING: frozenset[CooldownReason] = frozenset({"quota", "config"})
"""Reasons for which a key is not tried even where nothing else is left."""

PROBED_AWAY: frozenset[CooldownReason] = frozenset({"retry_after", "overdue"})
"""Reasons that say no more than a breaker does: that the provider fails or hangs, for which probes know better."""

COOLDOWN_MAX_S = 86_400.0
_QUOTA_S = 600.0
_CONFIG_S = 60.0
_CONFIG_MAX_S = 600.0
_THROTTLE_S = 1.0
_THROTTLE_MAX_S = 60.0
_OVERDUE_IN_A_ROW = 3
_DOUBLINGS_MAX = 10


class Cooldowns(BaseModel):
    """Until when a key is passed over, by reason, and what decides how long the next time lasts."""

    model_config = ConfigDict(frozen=True)

    until: dict[CooldownReason, float] = {}
    """Entity time, in seconds since the epoch."""
    throttles: int = 0
    """Throttled calls in a row."""
    config_faults: int = 0
    overdue: int = 0
    """Overdue calls in a row."""

    def cooled(self, reason: CooldownReason, seconds: float, now: float) -> Cooldowns:
        """Passed over for so long: a shorter time never cuts a longer one short (T10)."""
        until = max(self.until.get(reason, now), now + min(seconds, COOLDOWN_MAX_S))
        return self.model_copy(update={"until": {**self.until, reason: until}}) if until > now else self

    def noticed(self, reason: CooldownReason, hint_s: float | None, count: int, now: float) -> Cooldowns:
        """After `count` further faults that cool, in a row; `hint_s` is how long the provider asked for."""
        counted, least_s = self._counted(reason, count)
        return counted.cooled(reason, max(hint_s or 0.0, least_s), now)

    def overran(self, count: int, now: float, cooldown_s: float) -> Cooldowns:
        """After `count` further calls that ran far past the median."""
        overdue = self.overdue + count
        if overdue < _OVERDUE_IN_A_ROW:
            return self.model_copy(update={"overdue": overdue})
        return self.model_copy(update={"overdue": 0}).cooled("overdue", cooldown_s, now)

    def succeeded(self) -> Cooldowns:
        """After a success: nothing is in a row any more. What cools goes on cooling."""
        if not (self.throttles or self.config_faults or self.overdue):
            return self
        return Cooldowns(until=self.until)

    def probed_well(self) -> Cooldowns:
        """After probes have closed the breaker: how long a failing provider asked for says nothing of a well one."""
        until = {why: until for why, until in self.until.items() if why not in PROBED_AWAY}
        return self.model_copy(update={"until": until, "overdue": 0})

    def at(self, now: float) -> Cooldowns:
        """Without what has expired."""
        if all(until > now for until in self.until.values()):
            return self
        return self.model_copy(update={"until": {why: until for why, until in self.until.items() if until > now}})

    def standing(self, now: float) -> tuple[CooldownReason, float] | None:
        """Why and until when the key is passed over; a barring reason goes before a longer preference."""
        left: list[tuple[CooldownReason, float]] = [(why, until) for why, until in self.until.items() if until > now]
        barring = [entry for entry in left if entry[0] in BARRING]
        return max(barring or left, key=lambda entry: entry[1], default=None)

    def _counted(self, reason: CooldownReason, count: int) -> tuple[Cooldowns, float]:
        """The counters after `count` more, and the least that they cool for, in seconds."""
        if reason == "throttle":
            throttles = self.throttles + count
            least_s = min(_THROTTLE_MAX_S, _THROTTLE_S * 2 ** _doublings(throttles))
            return self.model_copy(update={"throttles": throttles}), least_s
        if reason == "config":
            faults = self.config_faults + count
            least_s = min(_CONFIG_MAX_S, _CONFIG_S * 2 ** _doublings(faults))
            return self.model_copy(update={"config_faults": faults}), least_s
        return self, _QUOTA_S if reason == "quota" else 0.0


def _doublings(in_a_row: int) -> int:
    return min(_DOUBLINGS_MAX, max(0, in_a_row - 1))
