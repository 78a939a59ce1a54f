"""Gauges of a process, and changes of breakers as its snapshots show them."""

from __future__ import annotations

from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from pointsman.health.breaker import BreakerState
from pointsman.health.snapshot import KeyHealth, Snapshot
from pointsman.telemetry import metrics
from pointsman.telemetry.metrics import Metric
from tests.builders import configuration, provider_table
from workers.telemetry.breaker_moves import BreakerMoves
from workers.telemetry.readings import Readings, read

NOW = 1_800_000_000.0
SETTINGS = configuration(
    {
        "alpha": provider_table(daily_cost_cap_usd=2.0),
        "beta": provider_table(price=None),
        "off": provider_table(enabled=False),
    },
    tenants={"blue": {"daily_cost_cap_usd": 5.0}, "*": {"daily_cost_cap_usd": 1.0}},
)
KEY = "alpha/openai/model-2026-01-01"


def process(health: KeyHealth | None = None) -> ProcessHealth:
    found = ProcessHealth.of(SETTINGS, "w")
    found.clock = lambda: NOW
    if health is not None:
        keys = {KEY: health}
        snapshot = Snapshot(
            epoch=1,
            version=1,
            issued_at=NOW,
            active_workers=3,
            keys=keys,
            spent_micro_usd={"alpha": 500_000},
            tenants_micro_usd={"blue": 4_500_000, "of yesterday's configuration": 1},
        )
        found.view.accept(snapshot, NOW - 2)
    return found


def value(found: Readings, metric: Metric, **labels: str) -> float:
    (only,) = [one.value for one in found[metric.name] if labels.items() <= (one.attributes or {}).items()]
    return only


def test_a_provider_that_is_switched_off_has_no_gauge() -> None:
    found = read(process(), ProcessCatalogue(SETTINGS))
    told = {str((one.attributes or {}).get("provider")) for observations in found.values() for one in observations}
    assert told == {"alpha", "beta", "None"}


def test_an_open_breaker_is_the_one_state_of_its_key_and_bars_its_provider() -> None:
    opened = KeyHealth(state=BreakerState.OPEN, gen=2, open_until=NOW + 60)
    found = read(process(opened), ProcessCatalogue(SETTINGS))
    states = {state: value(found, metrics.BREAKER_STATE, provider="alpha", state=state.value) for state in BreakerState}
    assert [state for state, holds in states.items() if holds] == [BreakerState.OPEN]
    assert value(found, metrics.ADMITTED, provider="alpha") == 0
    assert value(found, metrics.ADMITTED, provider="beta") == 1


def test_what_a_day_has_cost_and_may_cost_is_told_in_usd_and_an_unknown_price_is_marked() -> None:
    found = read(process(KeyHealth()), ProcessCatalogue(SETTINGS))
    assert value(found, metrics.SPENT_TODAY, provider="alpha") == 0.5
    assert value(found, metrics.DAILY_CAP, provider="alpha") == 2.0
    assert value(found, metrics.PRICED, provider="beta") == 0
    assert [one.attributes for one in found[metrics.DAILY_CAP.name]] == [{"provider": "alpha"}]


def test_each_tenant_of_the_configuration_is_told_with_spend_and_cap_and_no_other_is() -> None:
    found = read(process(KeyHealth()), ProcessCatalogue(SETTINGS))
    for metric, told in ((metrics.TENANT_SPENT_TODAY, (4.5, 0.0)), (metrics.TENANT_DAILY_CAP, (5.0, 1.0))):
        assert [(one.attributes, one.value) for one in found[metric.name]] == [
            ({"tenant": "blue"}, told[0]),
            ({"tenant": "*"}, told[1]),
        ]


def test_yesterdays_spend_is_not_todays() -> None:
    held = process(KeyHealth())
    held.clock = lambda: NOW + 86_400
    found = read(held, ProcessCatalogue(SETTINGS))
    assert value(found, metrics.SPENT_TODAY, provider="alpha") == 0
    assert value(found, metrics.TENANT_SPENT_TODAY, tenant="blue") == 0


def test_a_cooldown_is_told_by_the_seconds_that_are_left() -> None:
    cooling = KeyHealth(cooldown_until=NOW + 30, cooldown_reason="throttle")
    found = read(process(cooling), ProcessCatalogue(SETTINGS))
    assert value(found, metrics.COOLDOWN_LEFT, provider="alpha") == 30
    assert value(found, metrics.COOLDOWN_LEFT, provider="beta") == 0
    assert (value(found, metrics.SNAPSHOT_AGE), value(found, metrics.PROCESSES)) == (2, 3)


def test_calls_under_way_and_what_the_budget_granted_are_told() -> None:
    held = process()
    held.budget.take_retry(0.0)
    with held.in_flight.counted("alpha"):
        found = read(held, ProcessCatalogue(SETTINGS))
    assert value(found, metrics.IN_FLIGHT, provider="alpha") == 1
    assert value(found, metrics.CHARGES, charge="retry", result="granted") == 1
    assert value(found, metrics.BUDGET_LEVEL) == value(found, metrics.BUDGET_CAPACITY) - 1


def snapshot(state: BreakerState, gen: int, epoch: int = 1) -> Snapshot:
    return Snapshot(epoch=epoch, version=1, issued_at=NOW, keys={KEY: KeyHealth(state=state, gen=gen)})


def test_each_change_of_a_breaker_is_told_once() -> None:
    moves = BreakerMoves()
    assert moves.since(None) == []
    assert moves.since(snapshot(BreakerState.CLOSED, 1)) == []
    assert moves.since(snapshot(BreakerState.OPEN, 2)) == [(KEY, BreakerState.OPEN)]
    assert moves.since(snapshot(BreakerState.OPEN, 2)) == []
    assert moves.since(snapshot(BreakerState.CLOSED, 4)) == [(KEY, BreakerState.CLOSED)]


def test_an_opening_between_two_looks_is_told_too() -> None:
    moves = BreakerMoves()
    moves.since(snapshot(BreakerState.CLOSED, 1))
    assert moves.since(snapshot(BreakerState.HALF_OPEN, 3)) == [(KEY, BreakerState.OPEN), (KEY, BreakerState.HALF_OPEN)]


def test_what_an_entity_that_was_started_anew_shows_is_no_change() -> None:
    moves = BreakerMoves()
    moves.since(snapshot(BreakerState.OPEN, 8))
    assert moves.since(snapshot(BreakerState.CLOSED, 9, epoch=2)) == []
