"""Whether processes end with status 0 and without a word of an abort: `pointsman ask`, and whatever else is run."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.figures import Figure
from benchmarks.soak.process import process
from benchmarks.soak.settings import question
from benchmarks.stack import Stack
from benchmarks.worker_process import worker_process
from workers.embedded.temporal_server import binary

_AT_ONCE = 2
_TOLD_EVERY = 25
_SHOWN_CHARACTERS = 2000
_UNCLEAN = re.compile(r"Traceback|Fatal Python error|panicked|Aborted|core dumped|never retrieved|Exception ignored")
UNKNOWN = -1
"""The status of a process that does not tell it."""


@dataclass(frozen=True)
class Ended:
    """How one process ended."""

    status: int
    said: str

    @property
    def clean(self) -> bool:
        """Whether nothing went wrong at its end."""
        return self.status == 0 and _UNCLEAN.search(self.said) is None


@dataclass
class Runs:
    """Processes of one kind that have ended."""

    key: str
    what: str
    wanted: int
    ended: list[Ended] = field(default_factory=list[Ended])
    unanswered: list[str] = field(default_factory=list[str])
    """Questions that were under way when their worker was told to stop, and that have no answer."""

    @property
    def complaints(self) -> list[str]:
        """What the others said, in short."""
        unclean = [f"{self.what}: status {one.status}: {one.said[-_SHOWN_CHARACTERS:]}" for one in self.unclean]
        return [*unclean, *self.unanswered]

    @property
    def unclean(self) -> list[Ended]:
        """Those that did not end as they should."""
        return [one for one in self.ended if not one.clean]

    def figures(self) -> list[Figure]:
        """How many there were, and how many of them ended badly."""
        return [
            Figure(f"soak_{self.key}_runs", f"{self.what}: runs", len(self.ended), at_least=self.wanted),
            Figure(f"soak_{self.key}_unclean", "  that did not end cleanly", len(self.unclean), at_most=0),
            Figure(f"soak_{self.key}_unanswered", "  questions under way that failed", len(self.unanswered), at_most=0),
        ]


async def commands(stack: Stack, wanted: int, tell: Callable[[str], None]) -> Runs:
    """`pointsman ask` again and again, against a worker that stays."""
    runs = Runs("ask", "`pointsman ask`", wanted)
    tell(f"{wanted} runs of `pointsman ask`")

    async def ask(number: int) -> Ended:
        asking = await process(stack, [binary("pointsman"), "ask", str(question(number)["question"])])
        said, _ = await asking.communicate()
        return Ended(UNKNOWN if asking.returncode is None else asking.returncode, said.decode(errors="replace"))

    async with worker_process(stack.config, stack.server.address, stack.config.with_suffix(".log")):
        await repeat(runs, [ask] * _AT_ONCE, float("inf"), tell)
    return runs


async def repeat(
    runs: Runs, lanes: Sequence[Callable[[int], Awaitable[Ended]]], until: float, tell: Callable[[str], None]
) -> None:
    """Run as many as are wanted, in each lane one after another; none begins after `until`, on the monotonic clock."""
    numbers = iter(range(runs.wanted))

    async def one_by_one(once: Callable[[int], Awaitable[Ended]]) -> None:
        for number in numbers:
            if time.monotonic() > until:
                return
            runs.ended.append(await once(number))
            if len(runs.ended) % _TOLD_EVERY == 0:
                tell(f"  {len(runs.ended)} ended, {len(runs.unclean)} of them not cleanly")

    await asyncio.gather(*(one_by_one(lane) for lane in lanes))
