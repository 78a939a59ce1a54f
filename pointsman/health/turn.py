"""One message being applied to the entity's state: what the rules of `entity` are made of.

Long, since whatever a message may change of the state is changed here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.health.breaker import (
    PROBES_SUCCEEDED,
    Breaker,
    BreakerEvent,
    BreakerState,
    Forced,
    Outcomes,
    ProbeEnded,
    ProbeStarted,
    Tick,
    Transition,
    step,
)
from pointsman.health.caps import CapChange, Caps
from pointsman.health.cooldown import CooldownReason, Cooldowns
from pointsman.health.events import (
    AUDIT_KEPT,
    EVENTS_KEPT,
    AdminAction,
    AdminCommand,
    AuditEntry,
    EventKind,
    HealthEvent,
    of_transition,
)
from pointsman.health.keys import provider_of
from pointsman.health.measures import Measures
from pointsman.health.policy import KEYS_MAX, HealthPolicy
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.health.report import Cooled, Failed, Measured, Overdue, Rebased, Report
from pointsman.health.spend import day_end, day_of, micro_usd
from pointsman.health.state import (
    GAUGES_KEPT,
    WORKERS_KEPT,
    HealthState,
    KeyState,
    LastFailure,
    LastProbe,
    Reporter,
)
from pointsman.tenants import TENANTS_MAX

Change = tuple[HealthState, tuple[HealthEvent, ...]]

_SPREAD = 0.6180339887498949
_QUERY_TYPES_MAX = 8
_TARGETS: dict[AdminAction, BreakerState] = {
    "force_open": BreakerState.FORCED_OPEN,
    "force_close": BreakerState.DISABLED,
    "reset": BreakerState.CLOSED,
}


class Turn:
    """One message being applied: the parts of the state while they change."""

    def __init__(self, state: HealthState, now: float, chance: float) -> None:
        """Time passes first: until `now`, in seconds since the epoch, unless the state is ahead."""
        self._state = state
        self._now = max(state.now, now)
        self._chance = chance
        self._draws = 0
        self._refused = False
        self._version = state.version
        self._policy = state.policy
        self._has_policy = state.has_policy
        self._keys = dict(state.keys)
        self._known: set[str] | None = None
        """The providers of the keys, once somebody has asked."""
        self._reporters = state.reporters
        self._gauges = state.gauges
        self._probing = state.probing
        self._providers = Caps(state.spend, state.capped)
        self._tenants = Caps(state.tenant_spend, state.tenant_capped)
        self._measures = state.measures
        self._events: list[HealthEvent] = []
        self._audit = state.audit
        self._pass_time()

    def result(self) -> Change:
        """The next state, and what happened on the way to it."""
        events = tuple(self._events)
        state = self._state.model_copy(
            update={
                "now": self._now,
                "version": self._version,
                "policy": self._policy,
                "has_policy": self._has_policy,
                "keys": self._keys,
                "reporters": self._reporters,
                "gauges": self._gauges,
                "probing": self._probing,
                "spend": self._providers.spend,
                "capped": self._providers.reached,
                "tenant_spend": self._tenants.spend,
                "tenant_capped": self._tenants.reached,
                "measures": self._measures,
                "events": (*self._state.events, *events)[-EVENTS_KEPT:],
                "audit": self._audit,
            }
        )
        return state, events

    def tell(self, kind: EventKind, target: str = "", reason: str = "", until: float | None = None) -> None:
        """Note an event."""
        self._events.append(HealthEvent(at=self._now, kind=kind, target=target, reason=reason, until=until))

    def heard(self, report: Report) -> None:
        """A process is there, and reports how much it has under way."""
        reporters = dict(self._reporters)
        reporters.pop(report.worker_id, None)
        reporters[report.worker_id] = Reporter(seq=report.seq, seen=self._now)
        while len(reporters) > WORKERS_KEPT:
            del reporters[next(iter(reporters))]
        self._reporters = reporters
        self._hear_gauges(report)

    def active_workers(self) -> int:
        """How many processes a breaker's rule counts with; 1 where no rule asks."""
        if self._policy.breaker.min_distinct_workers is None:
            return 1  # nobody asks
        return self._state.model_copy(update={"now": self._now, "reporters": self._reporters}).active_workers

    def policy(self, policy: HealthPolicy) -> None:
        """A process has a configuration, which holds from now on."""
        if self._has_policy and policy == self._policy:
            return
        self._policy, self._has_policy = policy, True
        for key in policy.keys:
            self._key(key)
        self._version += 1
        self.tell("policy_changed", reason=f"{len(policy.keys)} keys")
        self._check_caps()

    def outcomes(self, event: Outcomes) -> None:
        """Calls to a key have succeeded and failed."""
        key = event.delta.key
        held = self._key(key)
        if held is None:
            return
        current = (event.delta.epoch, event.delta.gen) == (held.breaker.epoch, held.breaker.gen)
        if event.delta.ok and current:
            self._keys[key] = held.model_copy(update={"cooldowns": held.cooldowns.succeeded()})
        if event.delta.fail:
            self._failed_at(key, event.delta.second, "")
        self._step(key, event)

    def cooled(self, cooled: Cooled) -> None:
        """A provider has asked for a pause."""
        held = self._key(cooled.key)
        if held is None:
            return
        cooldowns = held.cooldowns.noticed(cooled.reason, cooled.seconds, cooled.count, self._now)
        self._cool(cooled.key, cooldowns, cooled.reason)

    def overdue(self, overdue: Overdue) -> None:
        """Calls to a key ran far past its median."""
        held = self._key(overdue.key)
        if held is None or (overdue.epoch, overdue.gen) != (held.breaker.epoch, held.breaker.gen):
            return
        cooldown_s = self._policy.health.overdue_cooldown
        self._cool(overdue.key, held.cooldowns.overran(overdue.count, self._now, cooldown_s), "overdue")

    def failed(self, failed: Failed) -> None:
        """What the last failure of a key was."""
        if self._key(failed.key) is not None:
            self._failed_at(failed.key, failed.second, failed.kind)

    def rebased(self, rebased: Rebased) -> None:
        """A process compares a provider's answers with its new behaviour from now on."""
        if rebased.key in self._keys:
            self.tell("rebased", rebased.key, rebased.query_type)

    def money(self, report: Report) -> None:
        """What providers and tenants have spent."""
        # By the entity's clock: a process that is ahead has not begun the next day for everyone.
        today = day_of(self._now)
        for spent in report.spent:
            if self._knows(spent.provider) and spent.day >= today:
                self._providers = self._providers.booked(spent.provider, spent.micro_usd, "calls", today)
        for paid in report.tenants:
            if paid.tenant in self._policy.tenants and paid.day >= today:
                self._tenants = self._room_for_tenants(today).booked(paid.tenant, paid.micro_usd, "calls", today)
        self._check_caps()

    def measured(self, measured: Measured) -> None:
        """How long a provider's calls took."""
        if not self._knows(measured.provider):
            return
        by_type = self._measures.get(measured.provider, {})
        held = by_type.get(measured.query_type)
        if held is None and len(by_type) >= _QUERY_TYPES_MAX:
            return
        merged = (held or Measures()).merge(measured.measures).faded()
        self._measures = {**self._measures, measured.provider: {**by_type, measured.query_type: merged}}

    def probe_started(self, key: str) -> ProbeRequest | None:
        """The probe that may go out to a key now, if one may."""
        held = self._keys.get(key)
        provider = provider_of(key)
        if held is None or provider in self._probing or not held.breaker.probe_due(self._now):
            return None
        self._step(key, ProbeStarted())
        breaker = self._keys[key].breaker
        request = ProbeRequest(
            key=key,
            epoch=breaker.epoch,
            gen=breaker.gen,
            n=breaker.probes,
            timeout_s=self._policy.of(key).attempt_timeout_s,
        )
        self._probing = {**self._probing, provider: request}
        return request

    def probe_ended(self, request: ProbeRequest, result: ProbeResult) -> None:
        """A probe has its result, and its place is free again."""
        if self._probing.get(request.provider) != request:
            return
        self._probing = {name: probe for name, probe in self._probing.items() if name != request.provider}
        if result.cost_usd and self._knows(request.provider):
            micro, today = micro_usd(result.cost_usd), day_of(self._now)
            self._providers = self._providers.booked(request.provider, micro, "probe", today)
            self._check_caps()
        held = self._keys.get(request.key)
        if held is None or not held.breaker.awaits(request.epoch, request.gen, request.n):
            return
        probe = LastProbe(at=self._now, outcome=result.outcome, kind=result.kind)
        self._keys[request.key] = held.model_copy(update={"last_probe": probe})
        if result.outcome is ProbeOutcome.INCONCLUSIVE:
            self.tell("probe_inconclusive", request.key, result.kind)
        if result.throttled:
            self.cooled(Cooled(key=request.key, reason="throttle", seconds=result.retry_after_s))
        self._step(request.key, ProbeEnded(request.epoch, request.gen, request.n, result))

    def forced(self, action: AdminAction, command: AdminCommand) -> None:
        """An operator has given an order."""
        keys = tuple(key for key in self._keys if command.target in (key, provider_of(key)))
        entry = AuditEntry(at=self._now, action=action, command=command, keys=len(keys))
        self._audit = (*self._audit, entry)[-AUDIT_KEPT:]
        if not keys:
            self.tell("unknown_target", command.target, action)
        reason = f"{action} by {command.operator or 'an operator'}{f' ({command.note})' if command.note else ''}"
        for key in keys:
            if action == "reset":
                self._keys[key] = self._keys[key].model_copy(update={"cooldowns": Cooldowns()})
            self._step(key, Forced(_TARGETS[action], reason))

    def _pass_time(self) -> None:
        for key, held in self._keys.items():
            if held.deadline is None or held.deadline > self._now:
                continue
            cooldowns = held.cooldowns.at(self._now)
            if cooldowns is not held.cooldowns:
                self._version += 1
                self._keys[key] = held.model_copy(update={"cooldowns": cooldowns})
            self._step(key, Tick())
        self._providers, over = self._providers.at(self._now)
        self._tell_of_providers(over)
        self._tenants, over = self._tenants.at(self._now)
        self._tell_of_tenants(over)

    def _step(self, key: str, event: BreakerEvent) -> None:
        held = self._keys[key]
        breaker, transitions = step(
            held.breaker, event, now=self._now, chance=self._draw(), settings=self._policy.breaker_of(key)
        )
        if breaker is not held.breaker:
            self._keys[key] = held.model_copy(update={"breaker": breaker})
        for transition in transitions:
            self._version += 1
            self._keys[key] = self._after(self._keys[key], transition)
            self._events.append(of_transition(key, transition, breaker.open_until))

    def _after(self, held: KeyState, transition: Transition) -> KeyState:
        after = held.after(transition)
        if transition.reason != PROBES_SUCCEEDED or not self._policy.probes_end_cooldowns:
            return after
        return after.model_copy(update={"cooldowns": after.cooldowns.probed_well()})

    def _failed_at(self, key: str, second: int, kind: str) -> None:
        at, held = min(float(second), self._now), self._keys[key]
        if held.last_failure is None or at > held.last_failure.at or (at == held.last_failure.at and kind):
            self._keys[key] = held.model_copy(update={"last_failure": LastFailure(at=at, kind=kind)})

    def _hear_gauges(self, report: Report) -> None:
        gauges = {worker: told for worker, told in self._gauges.items() if worker != report.worker_id}
        if report.gauges is not None:
            gauges[report.worker_id] = report.gauges
        while len(gauges) > GAUGES_KEPT:
            del gauges[next(iter(gauges))]
        self._gauges = gauges

    def _draw(self) -> float:
        # Keys that open in one turn are spread too, from its one chance.
        self._draws += 1
        return (self._chance + self._draws * _SPREAD) % 1.0

    def _cool(self, key: str, cooldowns: Cooldowns, reason: CooldownReason) -> None:
        held = self._keys[key]
        before, after = held.cooldowns.until.get(reason), cooldowns.until.get(reason)
        self._keys[key] = held.model_copy(update={"cooldowns": cooldowns})
        if after == before:
            return
        self._version += 1
        if before is None:
            self.tell("cooled", key, reason, after)

    def _key(self, key: str) -> KeyState | None:
        """The key's state, new if there was none; `None` where there is no room for it."""
        held = self._keys.get(key)
        if held is not None:
            return held
        if len(self._keys) >= KEYS_MAX and not self._made_room(key):
            if not self._refused:
                self.tell("key_refused", key[:80], f"more than {KEYS_MAX} keys")
            self._refused = True
            return None
        held = self._keys[key] = KeyState(breaker=Breaker(epoch=self._state.epoch), since=self._now)
        self._known = None
        return held

    def _made_room(self, key: str) -> bool:
        """Whether a configured key may take the place of one that no configuration names."""
        if key not in self._policy.keys:
            return False
        spare = next((held for held in self._keys if held not in self._policy.keys), None)
        if spare is None:
            return False
        del self._keys[spare]
        return True

    def _knows(self, provider: str) -> bool:
        # Once a report and not once a row of it: with many providers this was most of what a report costs.
        if self._known is None:
            self._known = {provider_of(key) for key in self._keys}
        return provider in self._known

    def _room_for_tenants(self, today: str) -> Caps:
        # Those of days gone by make room; those whose cap was taken away stay for today, since it may come back.
        kept = {tenant: spend for tenant, spend in self._tenants.spend.items() if spend.day == today}
        if len(kept) >= TENANTS_MAX:
            kept = {tenant: spend for tenant, spend in kept.items() if tenant in self._policy.tenants}
        return Caps(kept, self._tenants.reached)

    def _check_caps(self) -> None:
        today, end = day_of(self._now), day_end(self._now)
        self._providers, changes = self._providers.checked(self._policy.daily_caps, today, end)
        self._tell_of_providers(changes)
        self._tenants, changes = self._tenants.checked(self._policy.tenants, today, end)
        self._tell_of_tenants(changes)

    def _tell_of_providers(self, changes: Sequence[CapChange]) -> None:
        for change in changes:
            self._version += 1
            self._tell_of_cap(change.name, change)

    def _tell_of_tenants(self, changes: Sequence[CapChange]) -> None:
        # The version stays: processes hold tenants back by their spend, which every snapshot carries.
        for change in changes:
            self._tell_of_cap(f"tenant {change.name}", change)

    def _tell_of_cap(self, target: str, change: CapChange) -> None:
        self.tell("cap_lifted" if change.until is None else "capped", target, change.reason, change.until)
