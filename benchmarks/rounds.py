"""Rounds of questions asked one way: first one after another, then several at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import median

from benchmarks.figures import percentile

IN_FLIGHT = 8


@dataclass(frozen=True)
class Size:
    """How much is asked: in each round so many questions one after another, then so many with 8 in flight."""

    rounds: int
    one_by_one: int
    together: int


@dataclass
class Way:
    """One way to get a question answered, and what its rounds took."""

    ask: Callable[[], Awaitable[object]]
    round_ms: list[list[float]] = field(default_factory=list[list[float]])
    round_per_s: list[float] = field(default_factory=list[float])

    async def run_round(self, size: Size) -> None:
        """One round, noted."""
        await self.run_one_by_one(size)
        self.round_per_s.append(await throughput(self.ask, size.together))

    async def run_one_by_one(self, size: Size, pause_s: float = 0.0) -> None:
        """The first half of a round alone, with a pause after each question."""
        took: list[float] = []
        for _ in range(size.one_by_one):
            took.append(await _timed_ms(self.ask))
            await asyncio.sleep(pause_s)
        self.round_ms.append(took)

    def percentile_ms(self, percent: int) -> float:
        """Over the questions of all rounds."""
        return percentile((sample for samples in self.round_ms for sample in samples), percent)

    @property
    def per_s(self) -> float:
        """The median round's throughput."""
        return median(self.round_per_s)


async def throughput(ask: Callable[[], Awaitable[object]], count: int) -> float:
    """Answers a second, with `IN_FLIGHT` questions under way until none is left to ask."""
    left = iter(range(count))

    async def asker() -> None:
        for _ in left:
            await ask()

    started = time.perf_counter()
    await asyncio.gather(*(asker() for _ in range(IN_FLIGHT)))
    return count / (time.perf_counter() - started)


async def _timed_ms(ask: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await ask()
    return (time.perf_counter() - started) * 1000
