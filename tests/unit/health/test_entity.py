"""The entity's rules: reports, policy, spend, cooldowns, probes and operators, message by message."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.health.breaker import BreakerState
from pointsman.health.entity import apply_admin, apply_probe, apply_report, note_refused, start_probe, tick
from pointsman.health.events import AdminAction, AdminCommand, HealthEvent
from pointsman.health.measures import Measures
from pointsman.health.policy import KEYS_MAX, HealthPolicy, KeyPolicy
from pointsman.health.probe import ProbeOutcome, ProbeResult
from pointsman.health.report import Report
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.settings import BreakerSettings
from pointsman.health.snapshot import KeyHealth
from pointsman.health.spend import day_of
from pointsman.health.state import WORKERS_KEPT, HealthState, Reporter
from pointsman.health.turn import Change
from pointsman.health.window import Window
from pointsman.latency_histogram import LatencyHistogram
from pointsman.tenants import TENANTS_MAX

T = 1_796_342_400.0  # 2026-12-04, 00:00 UTC
ONE, TWO, OTHER = "alpha/one", "alpha/two", "beta/one"
PAYLOAD_BYTES = 2_000_000


class Entity:
    """An entity at a time, with one process that reports to it."""

    def __init__(self, *keys: str, breaker: BreakerSettings | None = None, **policy: Any) -> None:
        self.state = HealthState(epoch=1, now=T)
        self.now = T
        self.events: list[HealthEvent] = []
        self.worker = ReportBuilder("w")
        named = {key: KeyPolicy(**policy) for key in keys or (ONE, TWO, OTHER)}
        self.report(self.worker.take(policy=HealthPolicy(breaker=breaker or BreakerSettings(), keys=named)))

    def take(self, change: Change) -> None:
        self.state, events = change
        self.events.extend(events)

    def report(self, report: Report | None = None) -> None:
        self.take(apply_report(self.state, report or self.worker.take(), now=self.now, chance=0.0))

    def record(self, key: str, letters: str) -> None:
        for letter in letters:
            outcome = {"S": "ok", "F": "fail", "T": "throttle"}[letter]
            gen = self.state.keys[key].breaker.gen if key in self.state.keys else 1
            self.worker.record(key, 1, gen, int(self.now), outcome)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        self.report()

    def at(self, now: float) -> None:
        self.now = now
        self.take(tick(self.state, now=now, chance=0.0))

    def admin(self, action: AdminAction, target: str) -> None:
        command = AdminCommand(target=target, operator="ada")
        self.take(apply_admin(self.state, action, command, now=self.now, chance=0.0))

    def health(self, key: str = ONE) -> KeyHealth:
        return self.state.snapshot("w").keys[key]

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]


def test_a_key_that_no_configuration_names_is_taken_with_the_defaults() -> None:
    entity = Entity()
    entity.record("gamma/new", "FFF")
    assert entity.health("gamma/new").state is BreakerState.OPEN


def test_the_policy_that_came_last_holds() -> None:
    entity = Entity()
    named = HealthPolicy(breaker=BreakerSettings(open_jitter=0.0), keys={ONE: KeyPolicy(open_s=3.0)})
    entity.report(entity.worker.take(policy=named))
    entity.record(ONE, "FFF")
    assert entity.health().open_until == T + 3
    assert entity.kinds.count("policy_changed") == 2


def test_a_key_without_an_alternative_opens_for_half_a_minute() -> None:
    entity = Entity(breaker=BreakerSettings(open_jitter=0.0), has_alternative=False)
    entity.record(ONE, "FFF")
    assert entity.health().open_until == T + 30


def test_keys_that_open_in_one_turn_do_not_come_back_as_one() -> None:
    entity = Entity()
    for key in (ONE, TWO, OTHER):
        for _ in range(3):
            entity.worker.record(key, 1, 1, int(T), "fail")
    entity.report()
    assert len({entity.health(key).open_until for key in (ONE, TWO, OTHER)}) == 3


rows = st.lists(st.tuples(st.sampled_from("SFT"), st.integers(0, 2)), max_size=20)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(rows, st.lists(st.integers(0, 12), max_size=4))
def test_it_makes_no_difference_how_a_process_parts_its_rows_into_reports(
    made: list[tuple[str, int]], cuts: list[int]
) -> None:
    """Property 13."""
    entities = [Entity(ONE, breaker=BreakerSettings(open_jitter=0.0)) for _ in range(2)]
    for entity, parts in zip(entities, ([256], cuts), strict=True):
        entity.now, second = T + 60, int(T)
        for letter, later in made:
            second += later
            outcome = {"S": "ok", "F": "fail", "T": "throttle"}[letter]
            entity.worker.record(ONE, 1, 1, min(second, int(T) + 60), outcome)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        rows, seq = entity.worker.take().deltas, entity.worker.seq
        for most in (*parts, 256):
            entity.report(Report(worker_id="w", seq=seq, deltas=rows[:most]))
            rows, seq = rows[most:], seq + 1
    assert entities[0].state.keys[ONE].breaker == entities[1].state.keys[ONE].breaker


def test_a_report_under_an_old_number_is_dropped_whoever_else_reported_between() -> None:
    entity = Entity()
    entity.worker.spent("alpha", day_of(T), 1.0)
    report = entity.worker.take()
    other = ReportBuilder("v")
    for sent in (report, other.take(), report):
        entity.report(sent)
    assert entity.state.snapshot("w").spent_micro_usd == {"alpha": 1_000_000}
    assert (entity.state.snapshot("w").acked_seq, entity.state.snapshot("v").acked_seq) == (2, 1)
    assert entity.state.snapshot("nobody").acked_seq == 0


def test_the_thousand_processes_that_reported_last_are_known() -> None:
    entity = Entity()
    for number in range(WORKERS_KEPT):
        entity.report(ReportBuilder(f"w{number}").take())
    assert len(entity.state.reporters) == WORKERS_KEPT
    assert "w" not in entity.state.reporters
    assert entity.state.active_workers == WORKERS_KEPT
    entity.at(T + 31)
    assert entity.state.active_workers == 0


def test_throttles_cool_by_the_streak_and_a_success_ends_it() -> None:
    entity = Entity()
    for expected in (1, 2, 4):
        entity.worker.cooled(ONE, None, "throttle")
        entity.record(ONE, "T")
        assert entity.health().cooldown_until == entity.now + expected
        entity.at(entity.now + 5)
    entity.record(ONE, "S")
    entity.worker.cooled(ONE, None, "throttle")
    entity.record(ONE, "T")
    assert entity.health().cooldown_until == entity.now + 1
    assert entity.kinds.count("cooled") == 4


def test_a_cooldown_expires_with_a_new_version_and_no_event() -> None:
    entity = Entity()
    entity.worker.cooled(ONE, 30.0, "retry_after")
    entity.report()
    version, told = entity.state.version, len(entity.events)
    assert entity.state.next_deadline == T + 30
    entity.at(T + 30)
    assert (entity.state.version, len(entity.events)) == (version + 1, told)
    assert entity.health().cooldown_reason is None


def test_three_overdue_calls_cool_the_key_and_open_nothing() -> None:
    entity = Entity()
    for _ in range(3):
        entity.worker.overdue(ONE, 1, 1)
    entity.worker.overdue(TWO, 1, 0)
    entity.report()
    assert (entity.health().cooldown_reason, entity.health().state) == ("overdue", BreakerState.CLOSED)
    assert entity.health().cooldown_until == T + 30
    assert entity.health(TWO).cooldown_reason is None


def test_f28_a_cap_ends_at_midnight_utc_by_the_entitys_clock() -> None:
    """F28: a process that is ten minutes ahead does not begin the next day for everyone."""
    entity = Entity(daily_cost_cap_usd=1.0)
    midnight = T + 86_400
    entity.at(midnight - 300)
    entity.worker.spent("alpha", day_of(midnight + 300), 1.0)
    entity.report()
    assert [entity.health(key).barred(entity.now) for key in (ONE, TWO)] == ["daily_cost_cap"] * 2
    assert entity.health().capped_until == midnight
    assert entity.state.next_deadline == midnight
    entity.at(midnight)
    assert entity.health().barred(entity.now) is None
    assert entity.kinds[-2:] == ["capped", "cap_lifted"]
    entity.worker.spent("alpha", day_of(T), 5.0)
    entity.report()
    assert entity.health().barred(entity.now) is None, "what came late belongs to the day before"


def test_a_raised_cap_lets_the_provider_back_in() -> None:
    entity = Entity(daily_cost_cap_usd=1.0)
    entity.worker.spent("alpha", day_of(T), 1.0)
    entity.report()
    raised = HealthPolicy(keys={ONE: KeyPolicy(daily_cost_cap_usd=2.0)})
    entity.report(entity.worker.take(policy=raised))
    assert entity.health().barred(T) is None


def _tenants(entity: Entity, **caps: float) -> None:
    policy = entity.state.policy.model_copy(update={"tenants": caps})
    entity.report(entity.worker.take(policy=policy))


def test_f28_a_tenants_cap_ends_at_midnight_utc_by_the_entitys_clock() -> None:
    entity = Entity()
    _tenants(entity, blue=1.0)
    midnight = T + 86_400
    entity.at(midnight - 300)
    entity.worker.tenant_spent("blue", day_of(midnight + 300), 1.25)
    entity.report()
    assert entity.state.snapshot("w").tenants_micro_usd == {"blue": 1_250_000}
    (event,) = [event for event in entity.events if event.kind == "capped"]
    assert (event.target, event.until, event.alarming) == ("tenant blue", midnight, True)
    assert entity.state.next_deadline == midnight
    entity.at(midnight)
    assert entity.state.snapshot("w").tenants_micro_usd == {}
    assert (entity.kinds[-1], entity.state.tenant_capped) == ("cap_lifted", {})
    entity.worker.tenant_spent("blue", day_of(T), 5.0)
    entity.report()
    assert entity.state.snapshot("w").tenants_micro_usd == {}, "what came late belongs to the day before"


def test_a_tenants_raised_cap_is_lifted_and_his_spend_outlives_a_deployment_that_does_not_know_him() -> None:
    entity = Entity()
    _tenants(entity, blue=1.0)
    entity.worker.tenant_spent("blue", day_of(T), 1.0)
    entity.report()
    _tenants(entity)
    assert entity.kinds[-1] == "cap_lifted"
    _tenants(entity, blue=1.0)
    assert entity.kinds[-1] == "capped"
    _tenants(entity, blue=2.0)
    assert (entity.kinds[-1], entity.state.snapshot("w").tenants_micro_usd) == ("cap_lifted", {"blue": 1_000_000})


def test_only_capped_tenants_are_kept_however_many_there_are() -> None:
    entity = Entity()
    _tenants(entity, blue=1.0)
    before = len(entity.state.model_dump_json())
    for first in range(0, 100_000, 500):
        for number in range(first, first + 500):
            entity.worker.tenant_spent(f"tenant-{number}", day_of(T), 1.0)
        entity.report()
    assert entity.state.tenant_spend == {}
    assert len(entity.state.model_dump_json()) < before + 100


def test_as_many_tenants_as_there_may_be_are_few_bytes_whatever_their_names_and_configurations_were() -> None:
    entity = Entity()
    names = ["\U0001f986" * 14 + f"{number:08d}" for number in range(2 * TENANTS_MAX)]
    for part in (names[:TENANTS_MAX], names[TENANTS_MAX:]):
        _tenants(entity, **dict.fromkeys(part, 1e9))
        for name in part:
            entity.worker.tenant_spent(name, day_of(T), 999.999999)
        entity.report()
    assert len(entity.state.tenant_spend) == TENANTS_MAX
    assert len(entity.state.snapshot("w").model_dump_json().encode()) < 25_000
    assert len(entity.state.model_dump_json().encode()) < 100_000


def test_the_spend_of_an_unknown_provider_is_not_kept() -> None:
    entity = Entity()
    entity.worker.spent("nobody", day_of(T), 1.0)
    entity.worker.latency("nobody", "analysis", 100.0, ok=True)
    entity.report()
    assert (entity.state.spend, entity.state.measures) == ({}, {})


def test_latencies_of_all_processes_add_up_and_errors_do_not_make_a_provider_fast() -> None:
    """F22."""
    entity = Entity()
    for worker in ("v", "w2"):
        builder = ReportBuilder(worker)
        for _ in range(10):
            builder.latency("alpha", "analysis", 400.0, ok=True)
            builder.latency("alpha", "analysis", 5.0, ok=False)
            builder.spent("alpha", day_of(T), 0.002, "analysis")
        entity.report(builder.take())
    figures = entity.state.snapshot("w").figures["alpha"]["analysis"]
    assert figures.n == 20
    assert figures.median_ms == pytest.approx(400, rel=0.03)
    assert figures.error_rate == pytest.approx(0.5)
    assert figures.cost_usd == pytest.approx(0.002)
    assert entity.health().median_ms == figures.median_ms


def _half_open(entity: Entity, *keys: str) -> None:
    for key in keys:
        entity.record(key, "FFF")
    entity.at(entity.now + 331)


def _cooled_and_probed_well(*, ends: bool) -> Entity:
    """A key that cools down for everything there is, opens, and is closed by probes."""
    entity = Entity(ONE)
    entity.report(entity.worker.take(policy=entity.state.policy.model_copy(update={"probes_end_cooldowns": ends})))
    entity.worker.cooled(ONE, 999_999, "retry_after")
    for reason in ("throttle", "quota", "config", "flagged"):
        entity.worker.cooled(ONE, 7200, reason)
    for _ in range(3):
        entity.worker.overdue(ONE, 1, 1)
    entity.record(ONE, "FFF")
    entity.at(entity.state.keys[ONE].breaker.open_until or 0.0)
    for _ in range(2):
        entity.state, request = start_probe(entity.state, ONE)
        assert request is not None
        result = ProbeResult(outcome=ProbeOutcome.SUCCESS)
        entity.take(apply_probe(entity.state, request, result, now=entity.now, chance=0.0))
    assert entity.health().state is BreakerState.CLOSED
    return entity


def test_a_closing_by_probes_ends_what_a_failing_provider_asked_for_and_nothing_else() -> None:
    left = _cooled_and_probed_well(ends=True).state.keys[ONE].cooldowns.until
    assert set(left) == {"throttle", "quota", "config", "flagged"}


def test_under_a_policy_from_before_a_closing_by_probes_ends_no_cooldown() -> None:
    left = _cooled_and_probed_well(ends=False).state.keys[ONE].cooldowns.until
    assert left["retry_after"] == T + 86_400


def test_keys_of_one_provider_are_probed_in_turn_and_providers_at_once() -> None:
    """Property 1."""
    entity = Entity()
    _half_open(entity, ONE, TWO, OTHER)
    assert list(entity.state.due_probes()) == [ONE, OTHER]
    entity.state, first = start_probe(entity.state, ONE)
    assert first is not None
    assert start_probe(entity.state, TWO)[1] is None
    assert list(entity.state.due_probes()) == [OTHER]
    succeeded = ProbeResult(outcome=ProbeOutcome.SUCCESS, cost_usd=0.001)
    entity.take(apply_probe(entity.state, first, succeeded, now=entity.now, chance=0.0))
    assert list(entity.state.due_probes()) == [ONE, OTHER]


def test_a_probe_that_is_told_twice_counts_and_costs_once() -> None:
    """Property 3; the second telling comes while the next probe is in flight."""
    entity = Entity()
    _half_open(entity, ONE)
    succeeded = ProbeResult(outcome=ProbeOutcome.SUCCESS, cost_usd=0.001)
    entity.state, first = start_probe(entity.state, ONE)
    assert first is not None
    entity.take(apply_probe(entity.state, first, succeeded, now=entity.now, chance=0.0))
    entity.state, second = start_probe(entity.state, ONE)
    held = entity.state
    entity.take(apply_probe(entity.state, first, succeeded, now=entity.now, chance=0.0))
    assert entity.state == held
    assert entity.state.probing == {"alpha": second}
    assert entity.state.spend["alpha"].probe == 1000


def test_a_probe_feeds_neither_window_nor_latencies() -> None:
    entity = Entity()
    _half_open(entity, ONE)
    for _ in range(2):
        entity.state, request = start_probe(entity.state, ONE)
        assert request is not None
        succeeded = ProbeResult(outcome=ProbeOutcome.SUCCESS, latency_s=1.0)
        entity.take(apply_probe(entity.state, request, succeeded, now=entity.now, chance=0.0))
    assert entity.health().state is BreakerState.CLOSED
    assert (entity.state.keys[ONE].breaker.window.rows, entity.state.measures) == ((), {})


def test_a_provider_stands_for_all_its_keys_and_a_key_for_itself() -> None:
    entity = Entity()
    entity.admin("force_open", "alpha")
    entity.admin("force_close", OTHER)
    states = [entity.health(key).state for key in (ONE, TWO, OTHER)]
    assert states == [BreakerState.FORCED_OPEN, BreakerState.FORCED_OPEN, BreakerState.DISABLED]
    assert [(entry.action, entry.keys) for entry in entity.state.audit] == [("force_open", 2), ("force_close", 1)]


def test_a_reset_ends_cooldowns_too() -> None:
    entity = Entity()
    entity.worker.cooled(ONE, None, "quota")
    entity.report()
    entity.admin("reset", ONE)
    assert entity.health().barred(T) is None


def test_an_unknown_target_is_on_record_and_changes_nothing() -> None:
    entity = Entity()
    keys, version = entity.state.keys, entity.state.version
    entity.admin("force_open", "nobody")
    assert (entity.state.keys, entity.state.version, entity.kinds[-1]) == (keys, version, "unknown_target")
    assert entity.state.audit[-1].keys == 0


def test_the_last_hundred_events_are_kept() -> None:
    entity = Entity()
    for number in range(150):
        entity.take(note_refused(entity.state, f"report: {number}", now=T, chance=0.0))
    assert (len(entity.state.log.events), entity.state.log.events[-1].reason) == (100, "report: 149")


def test_a_healthy_half_is_enough_for_the_full_budget_of_hedges() -> None:
    entity = Entity("a/m", "b/m", "c/m", "d/m")
    assert entity.state.snapshot("w").budget_scale == 1.0
    for key, scale in (("a/m", 1.0), ("b/m", 1.0), ("c/m", 0.5), ("d/m", 0.0)):
        entity.admin("force_open", key)
        assert entity.state.snapshot("w").budget_scale == scale


def test_keys_beyond_the_hundredth_are_refused_unless_a_configuration_names_them() -> None:
    entity = Entity(ONE)
    for number in range(KEYS_MAX):
        entity.worker.record(f"p{number}/m", 1, 1, int(T), "ok")
    entity.report()
    assert len(entity.state.keys) == KEYS_MAX
    assert entity.kinds.count("key_refused") == 1
    entity.report(entity.worker.take(policy=HealthPolicy(keys={TWO: KeyPolicy()})))
    assert TWO in entity.state.keys
    assert len(entity.state.keys) == KEYS_MAX


def test_the_largest_state_fits_a_payload() -> None:
    keys = [f"provider-{number:02}/openai/a-model-of-a-long-name-2026-01-01" for number in range(KEYS_MAX)]
    entity = Entity(*keys)
    window = Window()
    for second in range(300):
        window = window.recorded(int(T) + second, T + second, ok=10, fail=1, throttle=1)
    measures = Measures(latencies=LatencyHistogram(counts=(9,) * 200), errors=99, cost_micro_usd=10**6, priced=512)
    types = ("analysis", "code_task", "creative_generation", "complex_reasoning", "simple_factual")
    held = {
        key: state.model_copy(update={"breaker": state.breaker.model_copy(update={"window": window})})
        for key, state in entity.state.keys.items()
    }
    named = {f"worker-with-a-long-host-name.example.internal-{number}-12ab34cd" for number in range(WORKERS_KEPT)}
    entity.state = entity.state.model_copy(
        update={
            "keys": held,
            "reporters": {worker: Reporter(seq=10**6, seen=T) for worker in sorted(named)},
            "measures": {key.partition("/")[0]: dict.fromkeys(types, measures) for key in keys},
        }
    )
    for _ in range(100):
        note = AdminCommand(target="provider-01", operator="o" * 100, note="n" * 500)
        entity.take(apply_admin(entity.state, "force_close", note, now=entity.now, chance=0.0))
    assert len(entity.state.model_dump_json()) < PAYLOAD_BYTES
