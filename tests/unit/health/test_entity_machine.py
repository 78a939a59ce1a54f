"""The entity under any order of reports, probes, operators, restarts and time, in both directions.

Properties 1, 2, 11, 14 and 15 of the resilience specification, section 13.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pointsman.health.breaker import BreakerState
from pointsman.health.entity import apply_admin, apply_probe, apply_report, start_probe, tick
from pointsman.health.events import AdminAction, AdminCommand, HealthEvent
from pointsman.health.keys import provider_of
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.probe import ProbeOutcome, ProbeRequest, ProbeResult
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.snapshot import Snapshot, latest
from pointsman.health.state import HealthState
from pointsman.health.turn import Change

T = 1_000_000.0
KEYS = ("a/one", "a/two", "b/one")
_CHANGES = {"opened", "half_open", "closed", "forced_open", "disabled", "reset"}


class Entity(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = T
        self.chance = 0.0
        self.state = HealthState(epoch=1, now=T)
        self.flying: dict[str, ProbeRequest] = {}
        self.ended: list[tuple[ProbeRequest, ProbeResult]] = []
        self.builders = [ReportBuilder("w1"), ReportBuilder("w2")]
        self.snapshot: Snapshot | None = None
        policy = HealthPolicy(keys={key: KeyPolicy() for key in KEYS})
        self._take(apply_report(self.state, self.builders[0].take(policy=policy), now=T, chance=0.0))

    def _take(self, change: Change) -> None:
        before = {key: held.breaker.gen for key, held in self.state.keys.items()}
        version = self.state.version
        self.state, events = change
        self._told(before, version, events)

    def _told(self, before: dict[str, int], version: int, events: tuple[HealthEvent, ...]) -> None:
        changes = [event for event in events if event.kind in _CHANGES]
        gens = {key: held.breaker.gen - before.get(key, 1) for key, held in self.state.keys.items()}
        assert sum(gens.values()) == len(changes), "exactly one event a change of state"
        assert self.state.version >= version + len(changes)

    def _draw(self) -> float:
        self.chance = (self.chance + 0.37) % 1.0
        return self.chance

    @rule(seconds=st.sampled_from([0.0, 0.001, 1.0, 9.9, 10.0, 30.0, 299.0, 331.0, 4000.0, -0.5, -10.0]))
    def time_goes_on_or_back(self, seconds: float) -> None:
        self.clock += seconds
        held = self.state
        self._take(tick(self.state, now=self.clock, chance=self._draw()))
        assert self.state.now == max(held.now, self.clock)
        for key, breaker in ((key, entry.breaker) for key, entry in held.keys.items()):
            if breaker.state is BreakerState.OPEN and (breaker.open_until or 0) > self.state.now:
                assert self.state.keys[key].breaker.state is BreakerState.OPEN, "no early half-open"

    @rule(
        key=st.sampled_from(KEYS),
        worker=st.integers(0, 1),
        outcomes=st.lists(st.sampled_from(["ok", "fail", "fail", "throttle"]), min_size=1, max_size=6),
        late=st.booleans(),
        cooled=st.booleans(),
    )
    def a_process_reports(self, key: str, worker: int, outcomes: list[str], late: bool, cooled: bool) -> None:  # noqa: FBT001
        builder, gen = self.builders[worker], self.state.keys[key].breaker.gen - late
        for outcome in outcomes:
            builder.record(key, 1, gen, int(self.clock), outcome)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        if cooled:
            builder.cooled(key, None, "throttle")
        report = builder.take()
        self._take(apply_report(self.state, report, now=self.clock, chance=self._draw()))
        held = self.state
        self._take(apply_report(self.state, report, now=self.clock, chance=self._draw()))
        assert self.state == held, "a report that comes twice changes nothing"

    @rule(keys=st.sets(st.sampled_from(KEYS), min_size=1))
    def keys_fail_until_they_are_half_open(self, keys: set[str]) -> None:
        for key in sorted(keys):
            self.a_process_reports(key, 0, ["fail"] * 3, late=False, cooled=False)
        self.time_goes_on_or_back(331.0)

    @rule()
    def due_probes_start(self) -> None:
        for key in list(self.state.due_probes()):
            self.state, request = start_probe(self.state, key)
            assert request is not None
            assert request.provider not in self.flying, "never two probes at one provider"
            self.flying[request.provider] = request

    @precondition(lambda self: self.flying)
    @rule(outcome=st.sampled_from(ProbeOutcome), throttled=st.booleans())
    def a_probe_ends(self, outcome: ProbeOutcome, throttled: bool) -> None:  # noqa: FBT001
        _, request = self.flying.popitem()
        throttled = throttled and outcome is ProbeOutcome.INCONCLUSIVE
        result = ProbeResult(outcome=outcome, throttled=throttled, retry_after_s=5.0 if throttled else None)
        self.ended.append((request, result))
        self._take(apply_probe(self.state, request, result, now=self.clock, chance=self._draw()))

    @precondition(lambda self: self.ended)
    @rule()
    def a_probe_that_has_ended_is_told_again(self) -> None:
        held = self.state
        self._take(tick(self.state, now=self.clock, chance=0.5))
        ticked = self.state
        self._take(apply_probe(self.state, *self.ended[-1], now=self.clock, chance=self._draw()))
        assert self.state == ticked
        assert self.state.keys.keys() == held.keys.keys()

    @rule(action=st.sampled_from(["force_open", "force_close", "reset", "reset"]), whom=st.sampled_from(["a", *KEYS]))
    def an_operator_speaks(self, action: AdminAction, whom: str) -> None:
        command = AdminCommand(target=whom, operator="ada")
        self._take(apply_admin(self.state, action, command, now=self.clock, chance=self._draw()))

    @rule()
    def it_goes_on_in_a_new_run(self) -> None:
        """Property 14: nothing is lost on the way, and the same state gives the same bytes."""
        told = self.state.model_dump_json()
        carried = HealthState.model_validate_json(told)
        assert carried == self.state
        assert carried.model_dump_json() == told
        self.state = carried

    @rule()
    def a_snapshot_arrives(self) -> None:
        """Property 16: in any order, the later one is held."""
        arrived = self.state.snapshot("w1")
        kept = latest(self.snapshot, arrived)
        assert (kept.version, kept.issued_at) == (arrived.version, arrived.issued_at)
        if self.snapshot is not None:
            assert latest(arrived, self.snapshot) == arrived
        self.snapshot = arrived

    @invariant()
    def a_provider_has_one_probe_at_most(self) -> None:
        assert self.state.probing == self.flying
        awaited = [key for key, held in self.state.keys.items() if held.breaker.awaited is not None]
        assert len({provider_of(key) for key in awaited}) == len(awaited)

    @invariant()
    def something_is_always_to_come(self) -> None:
        """Property 2: an open or half-open key has a deadline, or a probe is in flight at its provider."""
        for key, held in self.state.keys.items():
            if held.breaker.state is BreakerState.OPEN:
                assert self.state.next_deadline is not None
            if held.breaker.state is BreakerState.HALF_OPEN:
                waits = held.breaker.next_probe_at is not None
                assert waits or self.state.probing[provider_of(key)].key == key

    def teardown(self) -> None:
        """Property 2: with time alone, and probes that tell nothing, every half-open round ends within four probes."""
        while self.flying:
            self.a_probe_ends(ProbeOutcome.INCONCLUSIVE, throttled=False)
        rounds = {key: held.breaker.gen for key, held in self.state.keys.items()}
        half_open = [key for key, held in self.state.keys.items() if held.breaker.state is BreakerState.HALF_OPEN]
        for _ in range(4 * len(KEYS)):
            self.clock = max(self.clock, self.state.now) + 10
            self._take(tick(self.state, now=self.clock, chance=self._draw()))
            self.due_probes_start()
            while self.flying:
                self.a_probe_ends(ProbeOutcome.INCONCLUSIVE, throttled=False)
        for key in half_open:
            assert self.state.keys[key].breaker.gen > rounds[key], "the round has ended"


Entity.TestCase.settings = settings(
    max_examples=40, stateful_step_count=25, derandomize=True, deadline=None, database=None
)
TestEntity = Entity.TestCase
