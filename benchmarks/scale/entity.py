"""What the health entity does for one report and one snapshot, with the production core: processor time and bytes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from pointsman.connection import DATA_CONVERTER
from pointsman.health.entity import apply_report
from pointsman.health.gauges import BudgetGauge, Gauges
from pointsman.health.policy import KEYS_MAX, HealthPolicy, KeyPolicy
from pointsman.health.report import Report
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.settings import HealthSettings
from pointsman.health.snapshot import Snapshot
from pointsman.health.state import HealthState
from pointsman.query_types import QueryType

T = 1_796_342_400.0
PROVIDERS = (5, 50, 100)
_REPORTS = 100
_QUERIES = 100
_FAILING = 0.01
_CONVERTER = DATA_CONVERTER.payload_converter
_SETTINGS = HealthSettings()


@dataclass(frozen=True)
class Load:
    """A fleet of one size with so many providers."""

    workers: int
    providers: int
    report_bytes: float
    report_ms: float
    """Processor time to read a report and to apply it."""
    snapshot_bytes: int
    snapshot_ms: float
    """Processor time to make a snapshot and to write it."""
    state_bytes: int
    """What goes from run to run."""

    def core_share(self, signals_per_s: float, queries_per_s: float) -> float:
        """The part of a core that these two take, without what Temporal's SDK adds to a task."""
        return (signals_per_s * self.report_ms + queries_per_s * self.snapshot_ms) / 1000


def load(workers: int, providers: int, calls_per_worker_s: float) -> Load:
    """Measured in a steady state: every process reports all its providers, one call in a hundred fails."""
    state = _settled(workers, providers)
    spent_s, size = 0.0, 0
    for report in _reports(workers, providers, calls_per_worker_s):
        payloads = _CONVERTER.to_payloads([report])
        size += len(payloads[0].data)
        began = time.process_time()
        (read,) = _CONVERTER.from_payloads(payloads, [Report])
        state, _ = apply_report(state, read, now=state.now + 1 / 20, chance=0.5)
        spent_s += time.process_time() - began
    began = time.process_time()
    told = [_CONVERTER.to_payloads([state.snapshot(f"w-{number}")]) for number in range(_QUERIES)]
    queried_s = time.process_time() - began
    return Load(
        workers=workers,
        providers=providers,
        report_bytes=size / _REPORTS,
        report_ms=spent_s * 1000 / _REPORTS,
        snapshot_bytes=len(told[0][0].data),
        snapshot_ms=queried_s * 1000 / _QUERIES,
        state_bytes=len(_CONVERTER.to_payloads([state])[0].data),
    )


def refused(providers: int) -> int:
    """How many of so many providers an entity has no room for."""
    return max(0, providers - KEYS_MAX)


def reads(snapshot: Snapshot) -> int:
    """How many keys a process learns of."""
    return len(snapshot.keys)


def _key(number: int) -> str:
    return f"provider-{number}/openai/model-{number}-2026-01-01"


def _settled(workers: int, providers: int) -> HealthState:
    """An entity that has heard of every process, and has full windows."""
    policy = HealthPolicy(keys={_key(number): KeyPolicy() for number in range(providers)})
    state, _ = apply_report(HealthState(epoch=1, now=T), ReportBuilder("w-0").take(policy=policy), now=T, chance=0.5)
    for number in range(1, workers):
        report = Report(worker_id=f"w-{number}", seq=1, gauges=_gauges(providers))
        state, _ = apply_report(state, report, now=T + number / 1000, chance=0.5)
    builder = ReportBuilder("filler")
    for second in range(300):
        for number in range(providers):
            builder.record(_key(number), 1, 1, int(T) + second, "ok")
        state, _ = apply_report(state, builder.take(), now=T + second, chance=0.5)
    return state


def _reports(workers: int, providers: int, calls_per_worker_s: float) -> Iterator[Report]:
    """What processes in turn have seen since their last flush."""
    chance = Random(1)
    flush_s = _SETTINGS.flush_s(workers)
    types = [str(query_type) for query_type in QueryType]
    for number in range(_REPORTS):
        builder = ReportBuilder(f"w-{number % workers}")
        builder.seq = 1 + number // workers
        for _ in range(max(1, round(min(2_000, calls_per_worker_s * flush_s)))):
            key, failed = chance.randrange(providers), chance.random() < _FAILING
            second = int(T) + 300 + int(chance.random() * flush_s)
            builder.record(_key(key), 1, 1, second, "fail" if failed else "ok")
            builder.latency(f"provider-{key}", chance.choice(types), chance.uniform(200, 3_000), ok=not failed)
            builder.spent(f"provider-{key}", "2026-12-04", 0.001, chance.choice(types))
        yield builder.take(gauges=_gauges(providers))


def _gauges(providers: int) -> Gauges:
    in_flight = {f"provider-{number}": 1 for number in range(min(providers, 5))}
    return Gauges(in_flight=in_flight, budget=BudgetGauge(level=10, capacity=10))
