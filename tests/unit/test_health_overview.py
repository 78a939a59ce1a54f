"""What people are told of the health of providers: states, counts, faults, probes, money, and how processes stand."""

from __future__ import annotations

from pointsman.health.breaker import BreakerState
from pointsman.health.entity import apply_admin, apply_probe, apply_report, start_probe, tick
from pointsman.health.events import AdminCommand, HealthEvent
from pointsman.health.gauges import BudgetGauge, Gauges
from pointsman.health.overview import HealthOverview, KeyOverview, overview
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.probe import ProbeOutcome, ProbeResult
from pointsman.health.report import Report
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.settings import BreakerSettings
from pointsman.health.spend import day_of
from pointsman.health.state import GAUGES_KEPT, HealthState, LastFailure, LastProbe
from pointsman.health.window import Counts

NOW = 1_796_083_200.0
ALPHA = "alpha/openai/model-2026-01-01"
BETA = "beta/openai/model-2026-01-01"
POLICY = HealthPolicy(
    breaker=BreakerSettings(open_jitter=0.0), keys={ALPHA: KeyPolicy(daily_cost_cap_usd=2.0), BETA: KeyPolicy()}
)


class Entity:
    """The entity's rules, without an entity."""

    def __init__(self) -> None:
        self.state = HealthState(epoch=1, now=NOW)
        self.now = NOW
        self.builder = ReportBuilder("worker-1")
        self.events: list[HealthEvent] = []
        self.report(policy=POLICY)

    def hear(self, report: Report) -> None:
        self._took(apply_report(self.state, report, now=self.now, chance=0.0))

    def report(self, policy: HealthPolicy | None = None, gauges: Gauges | None = None) -> None:
        self.hear(self.builder.take(policy=policy, gauges=gauges))

    def ended(self, key: str, *outcomes: str) -> None:
        gen = self.state.keys[key].breaker.gen
        for outcome in outcomes:
            self.builder.record(key, 1, gen, int(self.now), outcome)  # type: ignore[arg-type]

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self._took(tick(self.state, now=self.now, chance=0.0))

    def probed(self, key: str, result: ProbeResult) -> None:
        self.state, request = start_probe(self.state, key)
        assert request is not None
        self._took(apply_probe(self.state, request, result, now=self.now, chance=0.0))

    def _took(self, change: tuple[HealthState, tuple[HealthEvent, ...]]) -> None:
        self.state = HealthState.model_validate_json(change[0].model_dump_json())
        self.events.extend(change[1])

    @property
    def told(self) -> HealthOverview:
        return overview(self.state)

    def key(self, key: str = ALPHA) -> KeyOverview:
        return next(told for told in self.told.keys if told.key == key)


def test_a_closed_key_shows_what_its_window_holds_and_since_when_it_is_closed() -> None:
    entity = Entity()
    entity.pass_time(10)
    entity.ended(ALPHA, "ok", "ok", "fail", "throttle")
    entity.report()
    told = entity.key()
    assert (told.state, told.since) == (BreakerState.CLOSED, NOW)
    assert (told.window, told.run) == (Counts(ok=2, fail=1, throttle=1), 1)
    assert (told.provider, told.model, told.configured) == ("alpha", "openai/model-2026-01-01", True)
    entity.pass_time(301)
    assert entity.key().window == Counts()
    assert entity.key().counts == Counts(ok=2, fail=1, throttle=1)


def test_an_open_key_shows_the_window_that_it_opened_with_and_the_last_fault() -> None:
    entity = Entity()
    entity.pass_time(5)
    entity.ended(ALPHA, "ok", "fail", "fail", "fail")
    entity.builder.failed(ALPHA, int(NOW) + 5, "http_503")
    entity.report()
    told = entity.key()
    assert (told.state, told.since, told.k) == (BreakerState.OPEN, NOW + 5, 1)
    assert (told.window, told.window_before) == (Counts(), Counts(ok=1, fail=3))
    assert told.last_failure == LastFailure(at=NOW + 5, kind="http_503")
    assert told.open_until == NOW + 305


def test_the_last_fault_is_known_without_its_kind_from_a_process_that_does_not_tell_it() -> None:
    entity = Entity()
    entity.ended(ALPHA, "fail")
    entity.report()
    assert entity.key().last_failure == LastFailure(at=NOW)


def test_a_fault_that_comes_late_is_not_the_last_one() -> None:
    entity = Entity()
    entity.pass_time(10)
    entity.builder.failed(ALPHA, int(NOW) + 9, "timeout")
    entity.report()
    entity.builder.failed(ALPHA, int(NOW) + 3, "http_500")
    entity.report()
    assert entity.key().last_failure == LastFailure(at=NOW + 9, kind="timeout")


def test_the_last_probe_is_told_and_outlives_the_closing() -> None:
    entity = Entity()
    entity.ended(ALPHA, "fail", "fail", "fail")
    entity.report()
    entity.pass_time(301)
    assert entity.key().state is BreakerState.HALF_OPEN
    entity.probed(ALPHA, ProbeResult(outcome=ProbeOutcome.INCONCLUSIVE, kind="http_401"))
    assert entity.key().last_probe == LastProbe(at=NOW + 301, outcome=ProbeOutcome.INCONCLUSIVE, kind="http_401")
    entity.pass_time(11)
    entity.probed(ALPHA, ProbeResult(outcome=ProbeOutcome.SUCCESS, cost_usd=0.25))
    entity.probed(ALPHA, ProbeResult(outcome=ProbeOutcome.SUCCESS))
    told = entity.key()
    assert (told.state, told.window_before) == (BreakerState.CLOSED, None)
    assert told.last_probe == LastProbe(at=NOW + 312, outcome=ProbeOutcome.SUCCESS)
    assert (told.spent_today_usd, told.probes_today_usd, told.cap_usd) == (0.25, 0.25, 2.0)


def test_a_reset_takes_cooldowns_away_and_leaves_what_happened_on_record() -> None:
    entity = Entity()
    entity.ended(ALPHA, "fail")
    entity.builder.cooled(ALPHA, 30.0, "throttle")
    entity.report()
    assert [(one.reason, one.until) for one in entity.key().cooldowns] == [("throttle", NOW + 30)]
    command = AdminCommand(target="alpha", operator="ada", note="drill")
    entity.state, events = apply_admin(entity.state, "reset", command, now=NOW + 1, chance=0.0)
    told = entity.key()
    assert (told.cooldowns, told.run, told.since) == ((), 0, NOW + 1)
    assert told.last_failure == LastFailure(at=NOW)
    assert [(event.kind, event.reason) for event in events] == [("reset", "reset by ada (drill)")]


def test_calls_under_way_and_calls_left_are_those_of_the_processes_that_still_report() -> None:
    entity = Entity()
    budget = BudgetGauge(level=4.5, capacity=10, hedges_granted=2, hedges_denied=1)
    entity.report(gauges=Gauges(in_flight={"alpha": 2}, calls_left={"alpha": 1}, budget=budget))
    second = ReportBuilder("worker-2")
    entity.hear(second.take(gauges=Gauges(in_flight={"alpha": 3, "beta": 1}, calls_left={"alpha": 3}, budget=budget)))
    told = entity.key()
    assert (told.in_flight, told.calls_left, told.flagged_in) == (5, 3, 2)
    assert entity.key(BETA).in_flight == 1
    assert entity.told.budget == BudgetGauge(level=9, capacity=20, hedges_granted=4, hedges_denied=2)
    entity.pass_time(20)
    entity.hear(second.take(gauges=Gauges()))
    entity.pass_time(20)
    assert [process.worker_id for process in entity.told.processes] == ["worker-2"]
    assert (entity.key().in_flight, entity.key().calls_left) == (0, 0)


def test_only_the_last_hundred_processes_that_told_how_they_stand_are_kept() -> None:
    entity = Entity()
    for number in range(GAUGES_KEPT + 5):
        entity.hear(ReportBuilder(f"fleet-{number}").take(gauges=Gauges(in_flight={"alpha": 1})))
    assert len(entity.told.processes) == GAUGES_KEPT
    assert entity.told.active_workers == GAUGES_KEPT + 6


def test_a_new_baseline_is_an_event_of_its_key() -> None:
    entity = Entity()
    entity.builder.rebased(ALPHA, "analysis")
    entity.builder.rebased("nobody/model", "analysis")
    assert not entity.builder.empty
    entity.report()
    rebased = [event for event in entity.events if event.kind == "rebased"]
    assert [(event.target, event.reason) for event in rebased] == [(ALPHA, "analysis")]
    assert rebased[0].sentence() == f"{ALPHA} rebased: analysis"
    assert entity.builder.empty


def test_money_of_another_day_is_not_todays() -> None:
    entity = Entity()
    entity.builder.spent("alpha", day_of(NOW), 0.5)
    entity.report()
    assert entity.key().spent_today_usd == 0.5
    entity.pass_time(86_400)
    assert entity.key().spent_today_usd == 0.0


def test_an_operator_means_a_provider_or_one_key() -> None:
    told = Entity().told
    assert [key.key for key in told.of("alpha")] == [ALPHA]
    assert [key.key for key in told.of(BETA)] == [BETA]
    assert told.of("alph") == ()
    assert told.providers == ("alpha", "beta")
