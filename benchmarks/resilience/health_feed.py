"""What the health of a fleet costs its one entity, from 1 to 100 processes, and how soon all hear of a death."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from rich.table import Table
from temporalio.client import Client
from temporalio.service import RPCError

from benchmarks.figures import Figure, percentile
from benchmarks.resilience.fleet import Span, fleet
from benchmarks.resilience.scenario import SEED
from benchmarks.stack import PROVIDER, Stack
from pointsman.config_file import load
from pointsman.health_contract import HEALTH_ENTITY_ID
from workers.embedded.scripted.script import Reply, Status
from workers.settings import Settings
from workers.wiring import build, make_completers

RATE = 40.0
FULL = ((1, RATE), (5, RATE), (20, RATE / 4), (20, RATE), (20, RATE * 4), (50, RATE), (100, RATE))
QUICK = ((1, RATE), (20, RATE), (50, RATE))
"""Processes, and questions a second over all of them."""
_FLAT = 1.35
"""Signals a second may differ by so much and still be flat: a feed spreads its intervals, and counts are small."""
_MOST_SIGNALS = 25.0
_FLEET = 20


@dataclass(frozen=True)
class Sample:
    """A fleet of one size at one rate: in peace, and after its first provider has died."""

    processes: int
    rate: float
    peace: Span
    death: Span

    def per_s(self, kind: str) -> float:
        """Of the feeds' doings in peace."""
        return self.peace.counts[kind] / self.peace.seconds

    @property
    def age_p99_s(self) -> float:
        """Of the snapshots that questions were decided by."""
        return percentile(self.peace.ages_s, 99)

    def figures(self) -> list[Figure]:
        """Under flat keys."""
        key = f"health_feed_{self.processes}_at_{self.rate:g}"
        what = f"health feed, {self.processes} processes, {self.rate:g} questions/s"
        values = {
            "signals_per_s": self.per_s("regular"),
            "early_per_s": self.per_s("early"),
            "queries_per_s": self.per_s("read"),
            "unread_per_s": self.per_s("unread"),
            "snapshot_age_p50_s": percentile(self.peace.ages_s, 50),
            "snapshot_age_p99_s": self.age_p99_s,
            "early_after_death": self.death.counts["early"],
            "dead_calls": self.death.dead_calls,
            "last_dead_call_s": self.death.last_dead_s,
        }
        return [Figure(f"{key}_{part}", f"{what}: {part}", value) for part, value in values.items()]


async def measure(
    stack: Stack, plan: tuple[tuple[int, float], ...], peace_s: float, death_s: float, tell: Callable[[str], None]
) -> tuple[list[Sample], list[Figure]]:
    """Each size with an entity of its own, served by one worker of this process."""
    client, settings = stack.server.client, Settings.of(load(stack.config))
    async with AsyncExitStack() as running:
        for worker in await build(client, settings, make_completers(settings)):
            await running.enter_async_context(worker)
        samples: list[Sample] = []
        for processes, rate in plan:
            tell(f"health feed: {processes} processes, {rate:g} questions/s")
            samples.append(await _sample(stack, settings, processes, rate, (peace_s, death_s)))
        await _end_entity(client)
    return samples, _figures(samples)


async def _sample(
    stack: Stack, settings: Settings, processes: int, rate: float, seconds: tuple[float, float]
) -> Sample:
    peace_s, death_s = seconds
    client, configuration = stack.server.client, settings.configuration
    await _end_entity(client)
    stack.providers.script(PROVIDER, Reply())
    async with fleet(client, configuration, processes, SEED) as asked:
        # Until every process knows how many there are, and has sent what it sends at its start.
        await asked.ask(rate, 4.0 + configuration.health.flush_s(processes))
        peace = await asked.ask(rate, peace_s)
        stack.providers.script(PROVIDER, Status(503))
        death = await asked.ask(rate, death_s, dead=PROVIDER)
    return Sample(processes, rate, peace, death)


async def _end_entity(client: Client) -> None:
    with suppress(RPCError):
        await client.get_workflow_handle(HEALTH_ENTITY_ID).terminate("the next fleet begins with a new one")


def _figures(samples: list[Sample]) -> list[Figure]:
    by_rate = [sample.per_s("regular") for sample in samples if sample.processes == _FLEET]
    by_size = [sample.per_s("regular") for sample in samples if sample.processes >= _FLEET and sample.rate == RATE]
    figures = [
        Figure(
            "health_feed_most_signals_per_s",
            "health feed: signals a second, early ones apart, most of all sizes",
            max(sample.per_s("regular") for sample in samples),
            "/s",
            at_most=_MOST_SIGNALS,
        ),
        Figure(
            "health_feed_signals_by_size",
            f"  most over least, from {_FLEET} processes on",
            max(by_size) / min(by_size),
            at_most=_FLAT,
        ),
    ]
    if len(by_rate) > 1:
        figures.append(
            Figure(
                "health_feed_signals_by_questions",
                f"  most over least, {_FLEET} processes, 16 times the questions",
                max(by_rate) / min(by_rate),
                at_most=_FLAT,
            )
        )
    return figures


def table(samples: list[Sample]) -> Table:
    """One row for each fleet."""
    columns = (
        "processes",
        "questions/s",
        "signals/s",
        "early/s",
        "snapshots/s",
        "not in time/s",
        "age p50, p99",
        "early at the death",
        "calls to the dead",
        "the last after",
    )
    shown = Table(*columns, title="Health feed: one entity, a provider that dies at once", title_justify="left")
    for column in shown.columns:
        column.justify = "right"
    for sample in samples:
        shown.add_row(
            str(sample.processes),
            f"{sample.rate:g}",
            *(f"{sample.per_s(kind):.1f}" for kind in ("regular", "early", "read", "unread")),
            f"{percentile(sample.peace.ages_s, 50):.2f}, {sample.age_p99_s:.2f} s",
            str(sample.death.counts["early"]),
            str(sample.death.dead_calls),
            f"{sample.death.last_dead_s:.2f} s",
        )
    return shown
