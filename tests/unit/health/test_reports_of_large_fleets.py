"""A process of a fleet of a thousand, on a clock of the test's own: what it has seen is with the entity in time."""

from __future__ import annotations

from random import Random

import pytest

from pointsman.health.breaker import BreakerState
from pointsman.health.delta import Outcome
from pointsman.health.entity import apply_report
from pointsman.health.policy import HealthPolicy, KeyPolicy
from pointsman.health.report import DELTAS_MAX
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.settings import BreakerSettings, HealthSettings
from pointsman.health.state import HealthState

T = 1_796_342_400.0
KEYS = [f"provider-{number}/model" for number in range(50)]
SETTINGS, BREAKER = HealthSettings(), BreakerSettings()
POLICY = HealthPolicy(keys={key: KeyPolicy() for key in KEYS})
SPREAD = 0.2


class Process:
    """One of so many processes, its entity, and the reports that went to it."""

    def __init__(self, workers: int) -> None:
        self.chance, self.flush_s = Random(5), SETTINGS.flush_s(workers)
        self.builder = ReportBuilder("w", horizon_s=BREAKER.horizon_s)
        self.state, _ = apply_report(
            HealthState(epoch=1, now=T), ReportBuilder("first").take(policy=POLICY), now=T, chance=0.0
        )
        self.now, self.due = T, T + self.flush_s
        self.recorded, self.rows, self.oldest_s = 0, list[int](), 0.0

    def ends(self, key: str, outcome: Outcome) -> None:
        """A call ends now, under the token that the entity gave out last."""
        gen = self.state.keys[key].breaker.gen
        self.builder.record(key, 1, gen, int(self.now), outcome)
        self.recorded += 1

    def passes(self, seconds: float) -> None:
        """Time passes, and a report goes out when it is due."""
        self.now += seconds
        if self.now < self.due:
            return
        report = self.builder.take(SETTINGS.batch_max)
        self.rows.append(len(report.deltas))
        self.oldest_s = max(self.oldest_s, *(self.now - delta.second for delta in report.deltas))
        self.state, _ = apply_report(self.state, report, now=self.now, chance=0.0)
        self.due = self.now + self.flush_s * self.chance.uniform(1 - SPREAD, 1 + SPREAD)


@pytest.mark.parametrize(
    ("workers", "calls_per_s"), [(1_000, 10_000), (1_000, 100_000), (300, 100_000), (100, 1_000), (20, 1_000)]
)
def test_nothing_waits_longer_than_one_flush_and_nothing_is_dropped(workers: int, calls_per_s: int) -> None:
    process = Process(workers)
    every_s = workers / calls_per_s
    while process.now < T + max(600.0, 12 * process.flush_s) / (5 if workers < 300 else 1):
        process.ends(process.chance.choice(KEYS), "fail" if process.chance.random() < 0.01 else "ok")
        process.passes(every_s)
    waiting = process.builder.pending
    process.due = process.now
    process.passes(0.0)
    counts = [held.breaker.counts for held in process.state.keys.values()]
    assert sum(count.all for count in counts) == process.recorded
    assert max(process.rows) <= SETTINGS.batch_max == DELTAS_MAX
    assert process.oldest_s <= process.flush_s * (1 + SPREAD) + 1
    assert waiting <= len(KEYS) * (process.flush_s * (1 + SPREAD) + 1)
    assert process.builder.empty


def test_an_entity_hears_of_an_outage_within_one_flush_at_any_rate() -> None:
    process = Process(1_000)
    while process.now < T + 600.0:
        process.ends(process.chance.choice(KEYS), "ok")
        process.passes(0.01)
    fails = KEYS[7]
    began, due = process.now, process.due
    while process.state.keys[fails].breaker.state is BreakerState.CLOSED:
        assert process.now < began + process.flush_s * (1 + SPREAD)
        process.ends(fails, "fail")
        process.ends(process.chance.choice([key for key in KEYS if key != fails]), "ok")
        process.passes(0.02)
    assert process.now == pytest.approx(due, abs=0.05)
    assert [key for key in KEYS if process.state.keys[key].breaker.state is not BreakerState.CLOSED] == [fails]


def test_people_are_told_of_the_last_failure_as_it_was_however_coarse_the_rows_are() -> None:
    process = Process(1_000)
    for second in range(300):
        for key in KEYS:
            process.ends(key, "ok")
        if second == 201:
            process.ends(KEYS[0], "fail")
            process.builder.failed(KEYS[0], int(process.now), "http_503")
        process.now += 1.0
    process.due = process.now
    process.passes(0.0)
    last = process.state.keys[KEYS[0]].last_failure
    assert last is not None
    assert (last.at, last.kind) == (T + 201, "http_503")


def test_the_window_of_an_entity_loses_nothing_that_came_within_it() -> None:
    process = Process(1_000)
    seconds = list[int]()
    while process.now < T + 1_000.0:
        process.ends(KEYS[0], "ok")
        process.ends(KEYS[1 + len(seconds) % 49], "ok")
        seconds.append(int(process.now))
        process.passes(0.1)
    process.due = process.now
    process.passes(0.0)
    granule_s = -(-process.flush_s * (1 + SPREAD) // (DELTAS_MAX // len(KEYS)))
    held = process.state.keys[KEYS[0]].breaker.window.advanced(process.now).totals.ok
    least = sum(int(process.now) - second < BREAKER.window for second in seconds)
    most = sum(int(process.now) - second < BREAKER.window + granule_s for second in seconds)
    assert least <= held <= most
