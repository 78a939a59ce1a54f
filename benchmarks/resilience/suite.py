"""All that is measured of providers that misbehave, one scenario after another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

from benchmarks.figures import Figure
from benchmarks.found import Found
from benchmarks.resilience import flapping, hang_for_good, health_feed, outage, slow_primary, tally, throttled
from benchmarks.resilience.scenario import Run, Tell
from benchmarks.stack import Stack


@dataclass(frozen=True)
class Size:
    """How many questions each scenario measures, after how many to warm up."""

    slow_primary: tuple[int, int]
    outage: tuple[int, int]
    hang: tuple[int, int]
    hang_unhedged: tuple[int, int]
    flapping: tuple[int, int]
    throttled: tuple[int, int]
    fleets: tuple[tuple[int, float], ...]
    peace_s: float
    death_s: float


FULL = Size(
    slow_primary=(3000, 500),
    outage=(1440, 40),
    hang=(480, 80),
    hang_unhedged=(320, 80),
    flapping=(320, 24),
    throttled=(240, 24),
    fleets=health_feed.FULL,
    peace_s=20.0,
    death_s=12.0,
)
QUICK = Size(
    slow_primary=(160, 40),
    outage=(160, 16),
    hang=(120, 40),
    hang_unhedged=(80, 40),
    flapping=(120, 16),
    throttled=(80, 16),
    fleets=health_feed.QUICK,
    peace_s=6.0,
    death_s=5.0,
)


_Measured = Awaitable[tuple[Run, list[Figure]]]

SCENARIOS: Mapping[str, Callable[[Stack, Size, Tell], _Measured]] = {
    "slow_primary": lambda stack, size, tell: slow_primary.measure(stack, *size.slow_primary, tell),
    "outage": lambda stack, size, tell: outage.measure(stack, *size.outage, tell),
    "hang": lambda stack, size, tell: hang_for_good.measure(stack, *size.hang, tell, hedge=True),
    "hang_unhedged": lambda stack, size, tell: hang_for_good.measure(stack, *size.hang_unhedged, tell, hedge=False),
    "flapping": lambda stack, size, tell: flapping.measure(stack, *size.flapping, tell),
    "throttled": lambda stack, size, tell: throttled.measure(stack, *size.throttled, tell),
}
"""By name; each has a worker process of its own."""


async def misbehaving(stack: Stack, size: Size, names: Collection[str], tell: Tell) -> Found:
    """The named scenarios, one after another."""
    found, runs = Found(), list[Run]()
    for name in names:
        run, figures = await SCENARIOS[name](stack, size, tell)
        runs.append(run)
        found.figures += figures
        found.noted += _figures(run)
        found.remarks += run.complaints
    if runs:
        complaints = len(found.remarks)
        found.figures.append(Figure("worker_complaints", "worker processes: errors in logs", complaints, at_most=0))
        found.tables.append(tally.table([row for run in runs for row in run.tallies.values()]))
    return found


async def health_of_fleets(stack: Stack, size: Size, tell: Tell) -> Found:
    """Fleets of every size, each with an entity of its own."""
    samples, figures = await health_feed.measure(stack, size.fleets, size.peace_s, size.death_s, tell)
    noted = [figure for sample in samples for figure in sample.figures()]
    return Found(figures, [health_feed.table(samples)], noted=noted)


def _figures(run: Run) -> list[Figure]:
    name = run.scenario.name
    before_mb, after_mb = run.worker_mb
    rows = [figure for row in run.tallies.values() for figure in row.figures(name)]
    return [
        *rows,
        Figure(f"{name}_worker_mb_before", f"{run.scenario.title}: worker process at first", before_mb, "MB"),
        Figure(f"{name}_worker_mb_after", f"{run.scenario.title}: worker process at last", after_mb, "MB"),
        Figure(f"{name}_machine_busy", f"{run.scenario.title}: share of the machine's time in use", run.busy),
    ]
