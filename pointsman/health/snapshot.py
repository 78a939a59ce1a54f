"""What the entity answers to a process: every key's health at one moment, and which of two answers is the newer."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pointsman.health.breaker import ADMITTING, BreakerState
from pointsman.health.cooldown import BARRING, CooldownReason
from pointsman.health.measures import Figures
from pointsman.health.ramp import ramp_share

DAILY_COST_CAP = "daily_cost_cap"

_BARRED: dict[BreakerState, str] = {
    BreakerState.OPEN: "breaker_open",
    BreakerState.HALF_OPEN: "half_open",
    BreakerState.FORCED_OPEN: "forced_open",
}


class KeyHealth(BaseModel):
    """One key. Times are in seconds since the epoch; a reader may drop what has passed by its own clock.

    An opening is the exception: only the entity ends it, and a reader that finds `open_until` passed goes on waiting.
    """

    model_config = ConfigDict(frozen=True)

    state: BreakerState = BreakerState.CLOSED
    gen: int = 1
    k: int = 0
    open_until: float | None = None
    next_probe_at: float | None = None
    """`None` while a probe is in flight, and outside of half-open."""
    cooldown_until: float | None = None
    cooldown_reason: CooldownReason | None = None
    capped_until: float | None = None
    """The day's cost cap of the provider is used up; the next midnight UTC."""
    ramp_since: float | None = None
    ramp_s: float = 60.0
    median_ms: float | None = None
    """Of the provider's successes on all types of questions."""
    p95_ms: float | None = None
    n: int = 0
    """Samples of these two."""

    def barred(self, now: float) -> str | None:
        """Why the key is not tried at all: breaker_open, half_open, forced_open, daily_cost_cap, quota or config."""
        if self.state not in ADMITTING:
            return _BARRED[self.state]
        if self.capped_until is not None and now < self.capped_until:
            return DAILY_COST_CAP
        cooling = self._cooled(now)
        return cooling if cooling in BARRING else None

    def cooling(self, now: float) -> CooldownReason | None:
        """Why others are preferred for a while, of a key that may be tried."""
        return None if self.barred(now) else self._cooled(now)

    def share(self, now: float) -> float:
        """The share of requests that the key gets after a closing: 1 once its ramp is over, or where it has none."""
        return 1.0 if self.ramp_since is None else ramp_share(self.ramp_since, now, self.ramp_s)

    def recovers_at(self, now: float) -> float | None:
        """The earliest time at which the key may be back, where something speaks against it and that is known."""
        if self.state is BreakerState.FORCED_OPEN:
            return None
        times = [self.capped_until, self.cooldown_until]
        if self.state not in ADMITTING:
            times += [self.open_until, self.next_probe_at]
        known = [time for time in times if time is not None and time > now]
        if not known:
            return now if self.state not in ADMITTING else None
        return max(known)

    def _cooled(self, now: float) -> CooldownReason | None:
        return self.cooldown_reason if self.cooldown_until is not None and now < self.cooldown_until else None


class Snapshot(BaseModel):
    """Everything that a process needs to know of the fleet."""

    model_config = ConfigDict(frozen=True)

    epoch: int
    """Start of the entity's first run, in milliseconds since the epoch: rises when it is started anew."""
    version: int
    """Rises with each change of a state, a cooldown, a cap or the policy."""
    issued_at: float
    """Entity time, in seconds since the epoch."""
    active_workers: int = 0
    """Processes that reported within 30 s."""
    acked_seq: int = 0
    """The asker's last report that is contained."""
    has_policy: bool = False
    """Whether any process has told its configuration to this entity; if not, the next report carries it."""
    budget_scale: float = 1.0
    """Falls from 1 to 0 with the share of healthy keys below one half."""
    keys: dict[str, KeyHealth] = {}
    figures: dict[str, dict[str, Figures]] = {}
    """By provider and query type."""
    spent_micro_usd: dict[str, int] = {}
    """By provider: today's, probes included."""
    tenants_micro_usd: dict[str, int] = {}
    """By capped tenant: today's."""


def latest(held: Snapshot | None, arrived: Snapshot) -> Snapshot:
    """The newer of two snapshots of one entity, whatever order they come in.

    Of two with one epoch and version the later one counts: the states are the same, figures and acknowledgement newer.
    """
    return arrived if held is None or _order(arrived) > _order(held) else held


def _order(snapshot: Snapshot) -> tuple[int, int, float, int]:
    return snapshot.epoch, snapshot.version, snapshot.issued_at, snapshot.acked_seq
