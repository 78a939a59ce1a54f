"""How often a fleet's processes report and ask, as their own pacing has it: each goes by the size it was last told.

Simulated time, the production state and pacing functions: what a process does next hangs on the snapshot that it has,
and what a snapshot says hangs on who reported of late.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from random import Random

from pointsman.health.entity import apply_report
from pointsman.health.report import Report
from pointsman.health.settings import HealthSettings
from pointsman.health.state import HealthState

_SETTINGS = HealthSettings()
_T = 1_796_342_400.0
_SPREAD = 0.2
_INTERVALS = 4
_LEAST_S = 120.0


@dataclass(frozen=True)
class Pace:
    """A fleet in peace, over the last part of a simulation."""

    workers: int
    signals_per_s: float
    queries_per_s: float
    told_workers: int
    """How many the entity thinks there are."""
    age_p50_s: float
    age_p99_s: float
    """Of the snapshots that processes have, at any moment."""
    stale_share: float
    """Of the time in which a process has none young enough to go by (`stale_s`)."""
    unknown_share: float
    """Of the processes whose last report the entity no longer knows."""


def pace(workers: int) -> Pace:
    """Long enough for several reports of every process; counted over the second half."""
    lasts_s = max(_LEAST_S, _INTERVALS * _SETTINGS.flush_s(workers))
    chance = Random(7)
    state = HealthState(epoch=1, now=_T)
    told, read_at, seqs = [1] * workers, [_T] * workers, [0] * workers
    turns = [(_T + chance.uniform(0, 1), kind, number) for number in range(workers) for kind in ("read", "report")]
    heapq.heapify(turns)
    signals = queries = 0
    active: int | None = None
    ages: list[float] = []
    half = _T + lasts_s / 2
    sample_at = half
    while turns[0][0] < _T + lasts_s:
        now, kind, number = heapq.heappop(turns)
        while sample_at < now:
            ages += [sample_at - at for at in chance.choices(read_at, k=20)]
            sample_at += lasts_s / 400
        if kind == "report":
            seqs[number] += 1
            report = Report(worker_id=f"w-{number}", seq=seqs[number])
            state, _ = apply_report(state, report, now=now, chance=0.5)
            active = None
            signals += now >= half
            wait_s = _SETTINGS.flush_s(told[number])
        else:
            # Counted once a report: that takes most of the time here.
            active = state.active_workers if active is None else active
            told[number], read_at[number] = max(1, active), now
            queries += now >= half
            wait_s = _SETTINGS.snapshot_s(told[number])
        heapq.heappush(turns, (now + wait_s * chance.uniform(1 - _SPREAD, 1 + _SPREAD), kind, number))
    ages.sort()
    return Pace(
        workers=workers,
        signals_per_s=signals / (lasts_s / 2),
        queries_per_s=queries / (lasts_s / 2),
        told_workers=state.active_workers,
        age_p50_s=ages[len(ages) // 2],
        age_p99_s=ages[len(ages) * 99 // 100],
        stale_share=sum(age > _SETTINGS.stale_s(workers) for age in ages) / len(ages),
        unknown_share=sum(f"w-{number}" not in state.reporters for number in range(workers)) / workers,
    )
