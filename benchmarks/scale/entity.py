"""What the health entity does for one report and one snapshot, with the production core: processor time and bytes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from pointsman.connection import DATA_CONVERTER
from pointsman.health.entity import apply_report
from pointsman.health.gauges import BudgetGauge, Gauges
from pointsman.health.policy import KEYS_MAX, HealthPolicy, KeyPolicy
from pointsman.health.report import Report
from pointsman.health.report_builder import ReportBuilder
from pointsman.health.settings import HealthSettings
from pointsman.health.snapshot import Snapshot
from pointsman.health.state import EVENT_LIMIT, HealthState
from pointsman.query_types import QueryType

T = 1_796_342_400.0
PROVIDERS = (5, 50, 100)
_REPORTS = 60
_QUERIES = 60
_RENEWALS = 5
_WINDOW_S = 300
_FAILING = 0.001
_EVENTS_A_SIGNAL = 4
"""At most: the signal itself, and the three of a workflow task that takes no other signal along."""
_SUGGESTED_BYTES = 4 * 2**20
"""Of a history, from which on Temporal's server suggests a new run unless it is told otherwise."""
_CONVERTER = DATA_CONVERTER.payload_converter
_SETTINGS = HealthSettings()
_TYPES = tuple(str(query_type) for query_type in QueryType)


@dataclass(frozen=True)
class Load:
    """A fleet of one size with so many providers and plain questions a second."""

    questions_per_s: int
    workers: int
    providers: int
    rows: float
    """Of outcomes in a report."""
    report_bytes: float
    report_ms: float
    """Processor time to read a report and to apply it."""
    snapshot_bytes: int
    snapshot_ms: float
    """Processor time to make a snapshot and to write it."""
    state_bytes: int
    """What goes from run to run."""
    state_ms: float
    """Processor time to write the state and to read it."""

    def run_s(self, signals_per_s: float) -> float:
        """Seconds until a new run, at the soonest."""
        return min(
            EVENT_LIMIT / (signals_per_s * _EVENTS_A_SIGNAL), _SUGGESTED_BYTES / (signals_per_s * self.report_bytes)
        )

    def core_share(self, signals_per_s: float, queries_per_s: float) -> float:
        """The part of a core that all this takes, without what Temporal's SDK adds to a task."""
        used_ms = signals_per_s * self.report_ms + queries_per_s * self.snapshot_ms
        return (used_ms + self.state_ms / self.run_s(signals_per_s)) / 1000


def load(questions_per_s: int, workers: int, providers: int) -> Load:
    """Measured in a steady state: one call a question, to a provider by chance, of which one in a thousand fails."""
    state = _settled(workers, providers)
    spent_s, size, rows = 0.0, 0, 0
    for now, report in _reports(questions_per_s, workers, providers):
        payloads = _CONVERTER.to_payloads([report])
        size, rows = size + len(payloads[0].data), rows + len(report.deltas)
        began = time.process_time()
        (read,) = _CONVERTER.from_payloads(payloads, [Report])
        state, _ = apply_report(state, read, now=now, chance=0.5)
        spent_s += time.process_time() - began
    began = time.process_time()
    told = [_CONVERTER.to_payloads([state.snapshot(f"w-{number}")]) for number in range(_QUERIES)]
    queried_s = time.process_time() - began
    began = time.process_time()
    for _ in range(_RENEWALS):
        carried = _CONVERTER.to_payloads([state])
        _CONVERTER.from_payloads(carried, [HealthState])
    renewed_s = time.process_time() - began
    return Load(
        questions_per_s=questions_per_s,
        workers=workers,
        providers=providers,
        rows=rows / _REPORTS,
        report_bytes=size / _REPORTS,
        report_ms=spent_s * 1000 / _REPORTS,
        snapshot_bytes=len(told[0][0].data),
        snapshot_ms=queried_s * 1000 / _QUERIES,
        state_bytes=len(_CONVERTER.to_payloads([state])[0].data),
        state_ms=renewed_s * 1000 / _RENEWALS,
    )


def refused(providers: int) -> int:
    """How many of so many providers an entity has no room for."""
    return max(0, providers - KEYS_MAX)


def reads(snapshot: Snapshot) -> int:
    """How many keys a process learns of."""
    return len(snapshot.keys)


def _key(number: int) -> str:
    return f"provider-{number}/openai/model-{number}-2026-01-01"


@cache
def _settled(workers: int, providers: int) -> HealthState:
    """An entity that has heard of every process, and has full windows and latencies of each type of question."""
    policy = HealthPolicy(keys={_key(number): KeyPolicy() for number in range(providers)})
    state, _ = apply_report(HealthState(epoch=1, now=T), ReportBuilder("w-0").take(policy=policy), now=T, chance=0.5)
    for number in range(1, workers):
        report = Report(worker_id=f"w-{number}", seq=1, gauges=_gauges(providers))
        state, _ = apply_report(state, report, now=T + number / 1000, chance=0.5)
    builder, chance = ReportBuilder("filler"), Random(2)
    for second in range(_WINDOW_S):
        for number in range(providers):
            builder.record(_key(number), 1, 1, int(T) + second, "ok")
            builder.latency(f"provider-{number}", _TYPES[second % len(_TYPES)], chance.uniform(200, 3_000), ok=True)
        state, _ = apply_report(state, builder.take(), now=T + second, chance=0.5)
    return state


def _reports(questions_per_s: int, workers: int, providers: int) -> Iterator[tuple[float, Report]]:
    """What processes in turn have seen since their last flush, and when they tell of it."""
    chance = Random(1)
    flush_s = _SETTINGS.flush_s(workers)
    for number in range(_REPORTS):
        now = T + _WINDOW_S + number * flush_s / workers
        builder = ReportBuilder(f"w-{number % workers}")
        builder.seq = 1 + number // workers
        calls = int(questions_per_s / workers * flush_s + chance.random())
        for call in range(calls):
            key, failed = chance.randrange(providers), chance.random() < _FAILING
            second = int(now - flush_s + call * flush_s / calls)
            query_type = chance.choice(_TYPES)
            builder.record(_key(key), 1, 1, second, "fail" if failed else "ok")
            builder.latency(f"provider-{key}", query_type, chance.uniform(200, 3_000), ok=not failed)
            builder.spent(f"provider-{key}", "2026-12-04", 0.001, query_type)
        yield now, builder.take(gauges=_gauges(providers))


def _gauges(providers: int) -> Gauges:
    in_flight = {f"provider-{number}": 1 for number in range(min(providers, 5))}
    return Gauges(in_flight=in_flight, budget=BudgetGauge(level=10, capacity=10))
