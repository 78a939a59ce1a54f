"""The breaker of one key as a value, and `step`, the one function that moves it.

    breaker, transitions = step(breaker, Outcomes(delta), now=now, chance=chance, settings=settings)

States and the transitions T1 to T12 are those of the resilience specification, section 3. `now` is in seconds since
the epoch and `chance` is a number in [0, 1): the entity, the breaker inside a process and the tests bring their own.
The twelve stand in one file, though it is long, since each is read against the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from pointsman.health.delta import Delta
from pointsman.health.failure_run import FailureRun, run_needed
from pointsman.health.probe import ProbeOutcome, ProbeResult
from pointsman.health.settings import BreakerSettings
from pointsman.health.window import Counts, Window

_PROBE_RETRY_AFTER_MAX_S = 60.0


class BreakerState(StrEnum):
    """Where a breaker stands. A cooldown is no state: it lies over one."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    FORCED_OPEN = "forced_open"
    """By an operator, until an operator ends it."""
    DISABLED = "disabled"
    """By an operator: always admitted, outcomes are only counted."""


PROBES_SUCCEEDED = "probes_succeeded"
"""The reason of a closing that probes have brought about."""

ADMITTING: frozenset[BreakerState] = frozenset({BreakerState.CLOSED, BreakerState.DISABLED})


class Breaker(BaseModel):
    """One key's breaker. Times are in seconds since the epoch."""

    model_config = ConfigDict(frozen=True)

    epoch: int = 0
    """Whose breaker it is: with `gen` it is the token that a call is admitted under."""
    gen: int = 1
    """Rises with every change of state."""
    state: BreakerState = BreakerState.CLOSED
    k: int = 0
    """Openings since the last closing."""
    open_until: float | None = None
    successes: int = 0
    """Of this half-open round."""
    inconclusive: int = 0
    """Of this half-open round; a success does not reset it."""
    next_probe_at: float | None = None
    awaited: int | None = None
    """The number of the probe in flight."""
    probes: int = 0
    """Probes started so far: the next one's number is one higher."""
    window: Window = Window()
    run: FailureRun = FailureRun()
    rps_before: float = 0.0
    """Calls a second when it opened."""
    ramp_since: float | None = None
    counts: Counts = Counts()
    """All outcomes there ever were, late ones included."""

    @property
    def admits(self) -> bool:
        """Whether calls go to this key; a half-open one gets probes alone."""
        return self.state in ADMITTING

    def probe_due(self, now: float) -> bool:
        """Whether the next probe may start."""
        return (
            self.state is BreakerState.HALF_OPEN
            and self.awaited is None
            and self.next_probe_at is not None
            and self.next_probe_at <= now
        )

    def awaits(self, epoch: int, gen: int, n: int) -> bool:
        """Whether the result of this probe is still wanted."""
        return self.state is BreakerState.HALF_OPEN and (self.epoch, self.gen, self.awaited) == (epoch, gen, n)


class Transition(BaseModel):
    """One change of state, told once: to the log, the metrics and the list of events."""

    model_config = ConfigDict(frozen=True)

    source: BreakerState
    target: BreakerState
    reason: str
    counts: Counts
    """The window, as it was."""
    run: int
    """Failures in a row, as they were."""
    gen: int
    """The generation that it led to."""
    at: float


@dataclass(frozen=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True)
class Outcomes:
    """Calls have ended; `workers` processes have reported of late."""

    delta: Delta
    worker_id: str = ""
    workers: int = 1


@dataclass(frozen=True)
class ProbeStarted:
    """The next probe is on its way."""


@dataclass(frozen=True)
class ProbeEnded:
    """A probe has ended, with the token and number that it was started under."""

    epoch: int
    gen: int
    n: int
    result: ProbeResult


@dataclass(frozen=True)
class Forced:
    """An operator wants this state."""

    target: BreakerState
    reason: str


BreakerEvent = Tick | Outcomes | ProbeStarted | ProbeEnded | Forced


def step(
    breaker: Breaker, event: BreakerEvent, *, now: float, chance: float, settings: BreakerSettings
) -> tuple[Breaker, tuple[Transition, ...]]:
    """The breaker after an event, and the changes of state on the way there.

    An opening that is over ends first, whatever the event is (T3).
    """
    current, half_opened = _half_opened_if_due(breaker, now)
    match event:
        case Tick():
            return current, half_opened
        case Outcomes():
            moved, transitions = _counted(current, event, now, chance, settings)
        case ProbeStarted():
            moved, transitions = _probe_started(current, now), ()
        case ProbeEnded():
            moved, transitions = _probe_ended(current, event, now, chance, settings)
        case Forced():
            moved, transitions = _forced(current, event, now)
    return moved, (*half_opened, *transitions)


def resumed(state: BreakerState, *, epoch: int, k: int, open_until: float | None, now: float) -> Breaker:
    """A breaker that goes on from where another one was last seen, under a token of its own."""
    half_open = state is BreakerState.HALF_OPEN
    return Breaker(epoch=epoch, state=state, k=k, open_until=open_until, next_probe_at=now if half_open else None)


def _half_opened_if_due(breaker: Breaker, now: float) -> tuple[Breaker, tuple[Transition, ...]]:
    if breaker.state is not BreakerState.OPEN or breaker.open_until is None or now < breaker.open_until:
        return breaker, ()
    moved, transition = _moved(breaker, BreakerState.HALF_OPEN, "open_until", now)
    return moved.model_copy(update={"k": breaker.k, "next_probe_at": now, "rps_before": breaker.rps_before}), (
        transition,
    )


def _counted(
    breaker: Breaker, event: Outcomes, now: float, chance: float, settings: BreakerSettings
) -> tuple[Breaker, tuple[Transition, ...]]:
    delta = event.delta
    counts = breaker.counts.plus(delta.ok, delta.fail, delta.throttle)
    counted = breaker.model_copy(update={"counts": counts})
    current = (delta.epoch, delta.gen) == (breaker.epoch, breaker.gen)
    if breaker.state is not BreakerState.CLOSED or not current:
        return counted, ()
    window = breaker.window.fitting(settings.window, settings.bucket).recorded(
        delta.second, now, ok=delta.ok, fail=delta.fail, throttle=delta.throttle
    )
    run, longest = breaker.run.after(
        delta.segment, delta.second, now, worker=event.worker_id, max_age=settings.consecutive_max_age
    )
    counted = counted.model_copy(update={"window": window, "run": run})
    reason = _trip_reason(delta, window, longest, workers=event.workers, now=now, settings=settings)
    if reason is None:
        return counted, ()
    told = counted.model_copy(update={"run": longest})
    opened, transition = _opened(told, 1, reason, now=now, chance=chance, settings=settings)
    return opened.model_copy(update={"rps_before": window.rate(now)}), (transition,)


def _trip_reason(  # noqa: PLR0913 - what the rule depends on
    delta: Delta, window: Window, longest: FailureRun, *, workers: int, now: float, settings: BreakerSettings
) -> str | None:
    rate = window.rate(now) if settings.consecutive_by_volume else 0.0
    needed = run_needed(settings.consecutive, settings.consecutive_by_volume, rate)
    distinct = settings.min_distinct_workers if workers >= (settings.min_distinct_workers or 1) else None
    if len(longest.seconds) >= needed and len(longest.workers) >= (distinct or 0):
        return "consecutive_failures"
    totals = window.totals
    if (
        delta.fail
        and totals.n >= settings.min_calls
        and totals.fail >= settings.min_failures
        and totals.fail / totals.n > settings.failure_rate
    ):
        return "failure_rate"
    if delta.throttle and totals.all >= settings.min_calls and totals.throttle / totals.all > settings.throttle_share:
        return "throttle_share"
    return None


def _probe_started(breaker: Breaker, now: float) -> Breaker:
    if not breaker.probe_due(now):
        return breaker
    n = breaker.probes + 1
    return breaker.model_copy(update={"probes": n, "awaited": n, "next_probe_at": None})


def _probe_ended(
    breaker: Breaker, event: ProbeEnded, now: float, chance: float, settings: BreakerSettings
) -> tuple[Breaker, tuple[Transition, ...]]:
    if not breaker.awaits(event.epoch, event.gen, event.n):
        return breaker, ()
    waiting = breaker.model_copy(update={"awaited": None})
    match event.result.outcome:
        case ProbeOutcome.SUCCESS:
            return _after_success(waiting, now, settings)
        case ProbeOutcome.FAILURE:
            return _reopened(waiting, "probe_failed", now, chance, settings)
        case ProbeOutcome.INCONCLUSIVE:
            return _after_inconclusive(waiting, event.result, now, chance, settings)


def _after_success(breaker: Breaker, now: float, settings: BreakerSettings) -> tuple[Breaker, tuple[Transition, ...]]:
    successes = breaker.successes + 1
    if successes < settings.success_to_close:
        return breaker.model_copy(update={"successes": successes, "next_probe_at": now}), ()
    closed, transition = _moved(breaker, BreakerState.CLOSED, PROBES_SUCCEEDED, now)
    ramped = breaker.rps_before > settings.ramp_min_rps
    return closed.model_copy(update={"ramp_since": now if ramped else None}), (transition,)


def _after_inconclusive(
    breaker: Breaker, result: ProbeResult, now: float, chance: float, settings: BreakerSettings
) -> tuple[Breaker, tuple[Transition, ...]]:
    inconclusive = breaker.inconclusive + 1
    counted = breaker.model_copy(update={"inconclusive": inconclusive})
    if inconclusive >= settings.max_inconclusive:
        return _reopened(counted, "probes_inconclusive", now, chance, settings)
    asked_s = min(_PROBE_RETRY_AFTER_MAX_S, result.retry_after_s or 0.0) if result.throttled else 0.0
    wait_s = max(settings.probe_interval, asked_s)
    return counted.model_copy(update={"next_probe_at": now + wait_s}), ()


def _reopened(
    breaker: Breaker, reason: str, now: float, chance: float, settings: BreakerSettings
) -> tuple[Breaker, tuple[Transition, ...]]:
    opened, transition = _opened(breaker, breaker.k + 1, reason, now=now, chance=chance, settings=settings)
    return opened.model_copy(update={"rps_before": breaker.rps_before}), (transition,)


def _opened(  # noqa: PLR0913 - what an opening depends on
    breaker: Breaker, k: int, reason: str, *, now: float, chance: float, settings: BreakerSettings
) -> tuple[Breaker, Transition]:
    # The jitter lies on top: clamped with the rest it would be lost at the longest opening.
    base_s = min(settings.open_s * settings.open_mult ** min(k - 1, 100), settings.open_max)
    open_until = now + base_s * (1 + settings.open_jitter * chance)
    opened, transition = _moved(breaker, BreakerState.OPEN, reason, now)
    return opened.model_copy(update={"k": k, "open_until": open_until}), transition


def _forced(breaker: Breaker, event: Forced, now: float) -> tuple[Breaker, tuple[Transition, ...]]:
    forced, transition = _moved(breaker, event.target, event.reason, now)
    return forced, (transition,)


def _moved(breaker: Breaker, target: BreakerState, reason: str, now: float) -> tuple[Breaker, Transition]:
    """In another state, with everything that belonged to the old one forgotten, and the one telling of it."""
    gen = breaker.gen + 1
    transition = Transition(
        source=breaker.state,
        target=target,
        reason=reason,
        counts=breaker.window.advanced(now).totals,
        run=len(breaker.run.seconds),
        gen=gen,
        at=now,
    )
    moved = Breaker(
        epoch=breaker.epoch,
        gen=gen,
        state=target,
        probes=breaker.probes,
        window=breaker.window.cleared(),
        counts=breaker.counts,
    )
    return moved, transition
