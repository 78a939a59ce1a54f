"""All that is measured of providers that misbehave, one scenario after another."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.table import Table

from benchmarks.figures import Figure
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


@dataclass
class Found:
    """What is wanted, what is shown beside it, and what is only written down."""

    wanted: list[Figure] = field(default_factory=list[Figure])
    tables: list[Table] = field(default_factory=list[Table])
    noted: list[Figure] = field(default_factory=list[Figure])
    complaints: list[str] = field(default_factory=list[str])
    """What worker processes wrote to their logs that was more than a warning."""


async def measure(stack: Stack, size: Size, tell: Tell) -> Found:
    """Each scenario with a worker process of its own, then the fleets."""
    slow, slow_figures = await slow_primary.measure(stack, *size.slow_primary, tell)
    out, out_figures = await outage.measure(stack, *size.outage, tell)
    runs = [
        slow,
        out,
        await hang_for_good.measure(stack, *size.hang, tell, hedge=True),
        await hang_for_good.measure(stack, *size.hang_unhedged, tell, hedge=False),
        await flapping.measure(stack, *size.flapping, tell),
        await throttled.measure(stack, *size.throttled, tell),
    ]
    samples, feed_figures = await health_feed.measure(stack, size.fleets, size.peace_s, size.death_s, tell)
    tallies = [row for run in runs for row in run.tallies.values()]
    complaints = [line for run in runs for line in run.complaints]
    return Found(
        wanted=[
            *slow_figures,
            *out_figures,
            Figure("worker_complaints", "worker processes: errors in their logs", len(complaints), at_most=0),
            *feed_figures,
        ],
        tables=[tally.table(tallies), health_feed.table(samples)],
        noted=[
            *(figure for run in runs for figure in _figures(run)),
            *(figure for sample in samples for figure in sample.figures()),
        ],
        complaints=complaints,
    )


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
