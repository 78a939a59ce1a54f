"""The rules by which the entity's state changes: a report, a probe, an operator, and time.

Each takes a state and gives the next one, with what happened on the way:

    state, events = apply_report(state, report, now=now, chance=chance)

`now` is in seconds since the epoch, `chance` a number in [0, 1) that spreads openings.
"""

from __future__ import annotations

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
from pointsman.health.report import Cooled, Failed, Measured, Overdue, Rebased, Report, Spent, TenantSpent
from pointsman.health.snapshot import DAILY_COST_CAP
from pointsman.health.spend import Spend, SpendHeading, day_end, day_of, micro_usd
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


def tick(state: HealthState, *, now: float, chance: float) -> Change:
    """Time has passed: openings end, cooldowns and caps expire."""
    return _Turn(state, now, chance).result()


def apply_report(state: HealthState, report: Report, *, now: float, chance: float) -> Change:
    """A process has reported. A report that came before changes nothing."""
    turn = _Turn(state, now, chance)
    reporter = state.reporters.get(report.worker_id)
    if reporter is not None and report.seq <= reporter.seq:
        return turn.result()
    turn.heard(report)
    if report.policy is not None:
        turn.policy(report.policy)
    workers = turn.active_workers()
    for delta in report.deltas:
        turn.outcomes(Outcomes(delta, worker_id=report.worker_id, workers=workers))
    for cooled in report.cooled:
        turn.cooled(cooled)
    for overdue in report.overdue:
        turn.overdue(overdue)
    for failed in report.failed:
        turn.failed(failed)
    for rebased in report.rebased:
        turn.rebased(rebased)
    turn.money(report)
    for measured in report.measured:
        turn.measured(measured)
    return turn.result()


def start_probe(state: HealthState, key: str) -> tuple[HealthState, ProbeRequest | None]:
    """The key's next probe, if one is due at the state's own time and none of the provider's is in flight."""
    turn = _Turn(state, state.now, chance=0.0)
    request = turn.probe_started(key)
    return turn.result()[0], request


def apply_probe(state: HealthState, request: ProbeRequest, result: ProbeResult, *, now: float, chance: float) -> Change:
    """A probe has ended. One that is no longer awaited only frees its provider's place and is paid for."""
    turn = _Turn(state, now, chance)
    turn.probe_ended(request, result)
    return turn.result()


def apply_admin(state: HealthState, action: AdminAction, command: AdminCommand, *, now: float, chance: float) -> Change:
    """An operator has spoken. An unknown target is noted and changes nothing."""
    turn = _Turn(state, now, chance)
    turn.forced(action, command)
    return turn.result()


def note_refused(state: HealthState, message: str, *, now: float, chance: float) -> Change:
    """A message could not be applied."""
    turn = _Turn(state, now, chance)
    turn.tell("message_refused", reason=message[:200])
    return turn.result()


class _Turn:
    """One message being applied: the parts of the state while they change."""

    def __init__(self, state: HealthState, now: float, chance: float) -> None:
        self._state = state
        self._now = max(state.now, now)
        self._chance = chance
        self._draws = 0
        self._refused = False
        self._version = state.version
        self._policy = state.policy
        self._has_policy = state.has_policy
        self._keys = dict(state.keys)
        self._reporters = state.reporters
        self._gauges = state.gauges
        self._probing = state.probing
        self._spend = state.spend
        self._capped = state.capped
        self._tenant_spend = state.tenant_spend
        self._tenant_capped = state.tenant_capped
        self._measures = state.measures
        self._events: list[HealthEvent] = []
        self._audit = state.audit
        self._pass_time()

    def result(self) -> Change:
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
                "spend": self._spend,
                "capped": self._capped,
                "tenant_spend": self._tenant_spend,
                "tenant_capped": self._tenant_capped,
                "measures": self._measures,
                "events": (*self._state.events, *events)[-EVENTS_KEPT:],
                "audit": self._audit,
            }
        )
        return state, events

    def tell(self, kind: EventKind, target: str = "", reason: str = "", until: float | None = None) -> None:
        self._events.append(HealthEvent(at=self._now, kind=kind, target=target, reason=reason, until=until))

    def heard(self, report: Report) -> None:
        reporters = dict(self._reporters)
        reporters.pop(report.worker_id, None)
        reporters[report.worker_id] = Reporter(seq=report.seq, seen=self._now)
        while len(reporters) > WORKERS_KEPT:
            del reporters[next(iter(reporters))]
        self._reporters = reporters
        self._hear_gauges(report)

    def active_workers(self) -> int:
        if self._policy.breaker.min_distinct_workers is None:
            return 1  # nobody asks
        return self._state.model_copy(update={"now": self._now, "reporters": self._reporters}).active_workers

    def policy(self, policy: HealthPolicy) -> None:
        if self._has_policy and policy == self._policy:
            return
        self._policy, self._has_policy = policy, True
        for key in policy.keys:
            self._key(key)
        self._version += 1
        self.tell("policy_changed", reason=f"{len(policy.keys)} keys")
        self._check_caps()
        self._check_tenants()

    def outcomes(self, event: Outcomes) -> None:
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
        held = self._key(cooled.key)
        if held is None:
            return
        cooldowns = held.cooldowns.noticed(cooled.reason, cooled.seconds, cooled.count, self._now)
        self._cool(cooled.key, cooldowns, cooled.reason)

    def overdue(self, overdue: Overdue) -> None:
        held = self._key(overdue.key)
        if held is None or (overdue.epoch, overdue.gen) != (held.breaker.epoch, held.breaker.gen):
            return
        cooldown_s = self._policy.health.overdue_cooldown
        self._cool(overdue.key, held.cooldowns.overran(overdue.count, self._now, cooldown_s), "overdue")

    def failed(self, failed: Failed) -> None:
        if self._key(failed.key) is not None:
            self._failed_at(failed.key, failed.second, failed.kind)

    def rebased(self, rebased: Rebased) -> None:
        if rebased.key in self._keys:
            self.tell("rebased", rebased.key, rebased.query_type)

    def money(self, report: Report) -> None:
        for spent in report.spent:
            self.spent(spent)
        for paid in report.tenants:
            self.tenant_spent(paid)

    def spent(self, spent: Spent) -> None:
        # By the entity's clock: a process that is ahead has not begun the next day for everyone.
        if spent.day >= day_of(self._now):
            self._book(spent.provider, spent.micro_usd, "calls")

    def tenant_spent(self, spent: TenantSpent) -> None:
        today = day_of(self._now)
        if spent.day < today or spent.tenant not in self._policy.tenants:
            return
        # Those of days gone by make room; those whose cap was taken away stay for today, since it may come back.
        kept = {tenant: spend for tenant, spend in self._tenant_spend.items() if spend.day == today}
        if len(kept) >= TENANTS_MAX:
            kept = {tenant: spend for tenant, spend in kept.items() if tenant in self._policy.tenants}
        spend = kept.get(spent.tenant, Spend(day=today)).plus(spent.micro_usd, "calls")
        self._tenant_spend = {**kept, spent.tenant: spend}
        self._check_tenants()

    def measured(self, measured: Measured) -> None:
        if not self._knows(measured.provider):
            return
        by_type = self._measures.get(measured.provider, {})
        held = by_type.get(measured.query_type)
        if held is None and len(by_type) >= _QUERY_TYPES_MAX:
            return
        merged = (held or Measures()).merge(measured.measures).faded()
        self._measures = {**self._measures, measured.provider: {**by_type, measured.query_type: merged}}

    def probe_started(self, key: str) -> ProbeRequest | None:
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
        if self._probing.get(request.provider) != request:
            return
        self._probing = {name: probe for name, probe in self._probing.items() if name != request.provider}
        if result.cost_usd:
            self._book(request.provider, micro_usd(result.cost_usd), "probe")
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
        for provider, until in self._capped.items():
            if until <= self._now:
                self._version += 1
                self.tell("cap_lifted", provider, DAILY_COST_CAP)
        if any(until <= self._now for until in self._capped.values()):
            self._capped = {provider: until for provider, until in self._capped.items() if until > self._now}
        for tenant, until in self._tenant_capped.items():
            if until <= self._now:
                self.tell("cap_lifted", _tenant(tenant), DAILY_COST_CAP)
        if any(until <= self._now for until in self._tenant_capped.values()):
            self._tenant_capped = {tenant: until for tenant, until in self._tenant_capped.items() if until > self._now}

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
        return any(provider_of(key) == provider for key in self._keys)

    def _book(self, provider: str, micro: int, heading: SpendHeading) -> None:
        if not self._knows(provider):
            return
        today = day_of(self._now)
        spend = self._spend.get(provider, Spend(day=today)).on(today).plus(micro, heading)
        self._spend = {**self._spend, provider: spend}
        self._check_caps()

    def _check_caps(self) -> None:
        today = day_of(self._now)
        state = self._state.model_copy(update={"now": self._now, "policy": self._policy})
        for provider in sorted(self._spend):
            reached = self._spend[provider].on(today).reaches(state.cap_of(provider))
            if reached and provider not in self._capped:
                self._capped = {**self._capped, provider: state.cap_end()}
                self._version += 1
                self.tell("capped", provider, DAILY_COST_CAP, state.cap_end())
            if not reached and provider in self._capped:
                self._capped = {name: until for name, until in self._capped.items() if name != provider}
                self._version += 1
                self.tell("cap_lifted", provider, "the cap was raised")

    def _check_tenants(self) -> None:
        today, end, caps = day_of(self._now), day_end(self._now), self._policy.tenants
        for tenant in sorted(self._tenant_spend):
            reached = self._tenant_spend[tenant].on(today).reaches(caps.get(tenant))
            if reached and tenant not in self._tenant_capped:
                self._tenant_capped = {**self._tenant_capped, tenant: end}
                self.tell("capped", _tenant(tenant), DAILY_COST_CAP, end)
            if not reached and tenant in self._tenant_capped:
                self._tenant_capped = {name: until for name, until in self._tenant_capped.items() if name != tenant}
                self.tell("cap_lifted", _tenant(tenant), "the cap was raised")


def _tenant(name: str) -> str:
    """How a tenant is told apart from a provider in an event."""
    return f"tenant {name}"
