"""What happened to the health of providers, for people: the last events, and what operators did."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.health.breaker import BreakerState, Transition
from pointsman.health.cooldown import BARRING
from pointsman.health.window import Counts
from pointsman.printable import one_line

EVENTS_KEPT = 100
AUDIT_KEPT = 100

EventKind = Literal[
    "opened",
    "half_open",
    "closed",
    "forced_open",
    "disabled",
    "reset",
    "cooled",
    "rebased",
    "probe_inconclusive",
    "capped",
    "cap_lifted",
    "policy_changed",
    "unknown_target",
    "key_refused",
    "message_refused",
]
AdminAction = Literal["force_open", "force_close", "reset"]

_ALARMING: frozenset[EventKind] = frozenset(
    {"opened", "forced_open", "probe_inconclusive", "capped", "unknown_target", "key_refused", "message_refused"}
)
_KINDS: dict[BreakerState, EventKind] = {
    BreakerState.OPEN: "opened",
    BreakerState.HALF_OPEN: "half_open",
    BreakerState.CLOSED: "closed",
    BreakerState.FORCED_OPEN: "forced_open",
    BreakerState.DISABLED: "disabled",
}


class HealthEvent(BaseModel):
    """One thing that happened, at entity time in seconds since the epoch."""

    model_config = ConfigDict(frozen=True)

    at: float
    kind: EventKind
    target: str = ""
    """The key, or the provider where it concerns all its keys."""
    reason: str = ""
    source: BreakerState | None = None
    """The state before, where a state was left."""
    state: BreakerState | None = None
    """The state after."""
    counts: Counts | None = None
    """The window before the change."""
    run: int | None = None
    """Failures in a row before the change."""
    gen: int | None = None
    until: float | None = None
    """When it ends by itself, where that is known."""

    @property
    def alarming(self) -> bool:
        """Whether a person should look: a provider is out, or does not answer probes for another reason than itself."""
        return self.kind in _ALARMING or (self.kind == "cooled" and self.reason in BARRING)

    def sentence(self) -> str:
        """The event as a line for a log: an operator's note, or a key that a process made up, adds none of its own."""
        change = f" {self.source} -> {self.state}" if self.source and self.state else ""
        counts = self.counts
        seen = f", window {counts.ok} ok {counts.fail} failed {counts.throttle} throttled" if counts else ""
        reason = f": {self.reason}" if self.reason else ""
        return one_line(f"{self.target or 'health'} {self.kind}{change}{reason}{seen}")


def of_transition(key: str, transition: Transition, until: float | None) -> HealthEvent:
    """A change of state as an event; what an operator resets is told as that."""
    reset = transition.target is BreakerState.CLOSED and transition.reason.startswith("reset")
    return HealthEvent(
        at=transition.at,
        kind="reset" if reset else _KINDS[transition.target],
        target=key,
        reason=transition.reason,
        source=transition.source,
        state=transition.target,
        counts=transition.counts,
        run=transition.run,
        gen=transition.gen,
        until=until,
    )


class AdminCommand(BaseModel):
    """An operator's word about a provider or one of its keys."""

    model_config = ConfigDict(frozen=True)

    target: Annotated[str, Field(min_length=1, max_length=200)]
    """A provider (all its keys) or a key."""
    operator: Annotated[str, Field(max_length=100)] = ""
    note: Annotated[str, Field(max_length=500)] = ""


class AuditEntry(BaseModel):
    """What an operator did; the events tell of each key."""

    model_config = ConfigDict(frozen=True)

    at: float
    action: AdminAction
    command: AdminCommand
    keys: int
    """How many it concerned; none where the target is unknown."""


class HealthLog(BaseModel):
    """The answer of the query `events`."""

    model_config = ConfigDict(frozen=True)

    events: tuple[HealthEvent, ...] = ()
    """The last 100, oldest first."""
    audit: tuple[AuditEntry, ...] = ()
    """The last 100, oldest first."""
