"""What one process knows of every key right now: the fleet's snapshot, its own last seconds, or its own breakers alone.

    view.accept(snapshot, now)
    view.seen(key, epoch, gen, "fail", attempt=1, seq=8, now=now)
    view.health(key, now).barred(now)

Three failures that this process saw itself bar a key at once, until a snapshot contains them. So does a key cool down
at once: a process must not go on asking a provider that has just told it to wait. Without a usable snapshot the same
breaker as the entity's runs here, under tokens that the entity will not take for its own.
Source: resilience specification, section 7. Times are in seconds since the epoch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pointsman.health.breaker import (
    PROBES_SUCCEEDED,
    Breaker,
    BreakerState,
    Outcomes,
    ProbeEnded,
    ProbeStarted,
    Tick,
    Transition,
    resumed,
    step,
)
from pointsman.health.cooldown import BARRING, PROBED_AWAY, CooldownReason, Cooldowns
from pointsman.health.delta import Delta, Outcome
from pointsman.health.failure_run import FAILURE, NOTHING, SUCCESS
from pointsman.health.measures import Figures
from pointsman.health.policy import HealthPolicy
from pointsman.health.probe import ProbeRequest, ProbeResult
from pointsman.health.snapshot import KeyHealth, Snapshot, latest

Age = Literal["fresh", "usable", "stale"]

LOCAL_EPOCH = -1
"""Of tokens that a process gives out by itself: no entity has it."""


@dataclass
class _Seen:
    """Failures in a row that this process saw under one token, and since when they bar the key."""

    epoch: int
    gen: int
    run: int = 0
    barred_since: float | None = None
    seq: int = 0
    """The report that tells the entity of them."""


class HealthView:
    """One process's view; not thread-safe."""

    def __init__(self, policy: HealthPolicy) -> None:
        """Start without a snapshot: the process's own breakers serve until one comes."""
        self._policy = policy
        self._snapshot: Snapshot | None = None
        self._received_at: float | None = None
        self._seen: dict[str, _Seen] = {}
        self._own: dict[str, Breaker] = {}
        # Each with the report that tells the entity of it.
        self._cooled: dict[str, tuple[Cooldowns, int]] = {}
        self._probed_well: set[str] = set()
        """Keys that its own probes have closed since the last snapshot."""
        self.transitions: list[tuple[str, Transition]] = []
        """Of the process's own breakers, for its log; whoever reads them takes them away."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The newest snapshot, however old."""
        return self._snapshot

    def accept(self, snapshot: Snapshot, now: float) -> None:
        """Take a snapshot in; an older one than that held only shows that the entity is there."""
        self._snapshot = latest(self._snapshot, snapshot)
        self._received_at = now
        self._own.clear()
        self._probed_well.clear()
        for key, seen in list(self._seen.items()):
            if seen.barred_since is not None and snapshot.acked_seq >= seen.seq:
                del self._seen[key]
        for key, (_, seq) in list(self._cooled.items()):
            if snapshot.acked_seq >= seq:
                del self._cooled[key]

    def age(self, now: float) -> Age:
        """How far the snapshot may be trusted."""
        health = self._policy.health
        if self._received_at is None or now - self._received_at > health.stale_after:
            return "stale"
        return "fresh" if now - self._received_at <= health.fresh else "usable"

    def unheard_s(self, now: float) -> float | None:
        """Seconds since the last snapshot came; `None` before the first."""
        return None if self._received_at is None else max(0.0, now - self._received_at)

    def fleet_time(self, now: float) -> float:
        """The entity's clock as far as it is known: by it, and not by this machine's, a day's cap begins anew."""
        if self._snapshot is None or self._received_at is None:
            return now
        return self._snapshot.issued_at + max(0.0, now - self._received_at)

    def token(self, key: str, now: float) -> tuple[int, int]:
        """The (epoch, gen) that a call is admitted under."""
        snapshot = self._usable(now)
        if snapshot is None:
            return LOCAL_EPOCH, self._breaker(key, now).gen
        return snapshot.epoch, snapshot.keys.get(key, KeyHealth()).gen

    def health(self, key: str, now: float) -> KeyHealth:
        """How a key stands."""
        told = self._told(key, now)
        own = None if key not in self._cooled else self._cooled[key][0].standing(now)
        if own is None or _outweighs(told, *own, now):
            return told
        reason, until = own
        return told.model_copy(update={"cooldown_until": until, "cooldown_reason": reason})

    def _told(self, key: str, now: float) -> KeyHealth:
        snapshot = self._usable(now)
        if snapshot is None:
            return self._health_by_own_breaker(key, now)
        told = snapshot.keys.get(key, KeyHealth())
        until = self._barred_until(key, now)
        if until is None or told.state is not BreakerState.CLOSED:
            return told
        return told.model_copy(update={"state": BreakerState.OPEN, "open_until": until})

    def figures(self, provider: str, query_type: str) -> Figures:
        """What live traffic of the whole fleet has shown; nothing where no snapshot has come."""
        if self._snapshot is None:
            return Figures()
        return self._snapshot.figures.get(provider, {}).get(query_type, Figures())

    def seen(  # noqa: PLR0913 - an outcome and where it belongs
        self, key: str, epoch: int, gen: int, outcome: Outcome, *, attempt: int, seq: int, now: float
    ) -> int:
        """Take in the end of a call of this process; `seq` is the report that will tell of it.

        Returns:
            The failures in a row that this process has now seen of the key.
        """
        if outcome == "ok":
            self._succeeded(key)
        if self.age(now) == "stale":
            segment = SUCCESS if outcome == "ok" else FAILURE if outcome == "fail" and attempt == 1 else NOTHING
            row = Delta(key=key, epoch=epoch, gen=gen, second=max(0, int(now)), segment=segment)
            return self._counted_by_own_breaker(row.model_copy(update={outcome: 1}), now)
        if (epoch, gen) != self.token(key, now):
            return 0
        seen = self._seen.get(key)
        if seen is None or (seen.epoch, seen.gen) != (epoch, gen):
            seen = self._seen[key] = _Seen(epoch, gen)
        if outcome == "ok":
            seen.run = 0
        elif outcome == "fail" and attempt == 1:
            seen.run += 1
            seen.seq = seq
            if seen.run >= self._policy.breaker.consecutive and seen.barred_since is None:
                seen.barred_since = now
        return seen.run

    def cooled(self, key: str, reason: CooldownReason, hint_s: float | None, *, seq: int, now: float) -> None:
        """A call of this process ended in what cools its key; `seq` is the report that will tell of it."""
        held, _ = self._cooled.get(key, (Cooldowns(), 0))
        self._cooled[key] = held.noticed(reason, hint_s, 1, now), seq

    def overran(self, key: str, epoch: int, gen: int, *, seq: int, now: float) -> None:
        """A call of this process runs far past the median; `seq` is the report that will tell of it."""
        if (epoch, gen) != self.token(key, now):
            return
        held, _ = self._cooled.get(key, (Cooldowns(), 0))
        self._cooled[key] = held.overran(1, now, self._policy.health.overdue_cooldown), seq

    def probes_due(self, now: float) -> list[str]:
        """Keys that this process's own breakers want probed."""
        if self.age(now) != "stale":
            return []
        for key in list(self._own):
            self._step(key, Tick(), now)
        return [key for key, breaker in self._own.items() if breaker.probe_due(now)]

    def probe_started(self, key: str, now: float) -> ProbeRequest:
        """The next probe of a key is on its way."""
        self._step(key, ProbeStarted(), now)
        breaker = self._own[key]
        timeout_s = self._policy.of(key).attempt_timeout_s
        return ProbeRequest(key=key, epoch=breaker.epoch, gen=breaker.gen, n=breaker.awaited or 0, timeout_s=timeout_s)

    def probe_ended(self, request: ProbeRequest, result: ProbeResult, now: float) -> None:
        """A probe of this process has ended; if a snapshot came meanwhile its result is nobody's."""
        if request.key in self._own:
            self._step(request.key, ProbeEnded(request.epoch, request.gen, request.n, result), now)

    def _succeeded(self, key: str) -> None:
        if key in self._cooled:
            held, seq = self._cooled[key]
            self._cooled[key] = held.succeeded(), seq

    def _usable(self, now: float) -> Snapshot | None:
        return None if self.age(now) == "stale" else self._snapshot

    def _barred_until(self, key: str, now: float) -> float | None:
        seen = self._seen.get(key)
        if seen is None or seen.barred_since is None:
            return None
        if now - seen.barred_since > self._policy.health.overlay_max or self.token(key, now) != (seen.epoch, seen.gen):
            del self._seen[key]
            return None
        return seen.barred_since + self._policy.breaker_of(key).open_s

    def _health_by_own_breaker(self, key: str, now: float) -> KeyHealth:
        self._step(key, Tick(), now)
        breaker = self._own[key]
        last = self._last_told(key)
        if key in self._probed_well and last.cooldown_reason in PROBED_AWAY:
            last = last.model_copy(update={"cooldown_until": None, "cooldown_reason": None})
        return last.model_copy(
            update={
                "state": breaker.state,
                "gen": breaker.gen,
                "k": breaker.k,
                "open_until": breaker.open_until,
                "next_probe_at": breaker.next_probe_at,
                "ramp_since": breaker.ramp_since,
            }
        )

    def _counted_by_own_breaker(self, row: Delta, now: float) -> int:
        self._step(row.key, Outcomes(row), now)
        return len(self._own[row.key].run.seconds)

    def _breaker(self, key: str, now: float) -> Breaker:
        if key not in self._own:
            last = self._last_told(key)
            self._own[key] = resumed(last.state, epoch=LOCAL_EPOCH, k=last.k, open_until=last.open_until, now=now)
        return self._own[key]

    def _last_told(self, key: str) -> KeyHealth:
        return KeyHealth() if self._snapshot is None else self._snapshot.keys.get(key, KeyHealth())

    def _step(self, key: str, event: Tick | Outcomes | ProbeStarted | ProbeEnded, now: float) -> None:
        breaker, told = step(self._breaker(key, now), event, now=now, chance=0.5, settings=self._policy.breaker_of(key))
        self._own[key] = breaker
        self.transitions.extend((key, transition) for transition in told)
        if any(transition.reason == PROBES_SUCCEEDED for transition in told):
            self._probed_well.add(key)
            if key in self._cooled:
                held, seq = self._cooled[key]
                self._cooled[key] = held.probed_well(), seq


def _outweighs(told: KeyHealth, reason: CooldownReason, until: float, now: float) -> bool:
    """Whether the cooldown that the fleet tells of goes before the process's own: a barring one, else the longer."""
    if told.cooldown_reason is None or told.cooldown_until is None or told.cooldown_until <= now:
        return False
    theirs, own = (told.cooldown_reason in BARRING, told.cooldown_until), (reason in BARRING, until)
    return theirs >= own
