"""Whether processes end with status 0 and without a word of an abort: `pointsman ask`, and workers told to stop."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

from benchmarks.figures import Figure
from benchmarks.soak.process import process, until_said
from benchmarks.soak.settings import question
from benchmarks.stack import Stack
from benchmarks.warm import READY
from benchmarks.worker_process import worker_process
from pointsman.client import RouterClient
from pointsman.errors import QuestionFailed
from workers.embedded.temporal_server import binary

_AT_ONCE = 2
_TOLD_EVERY = 25
_SHOWN_CHARACTERS = 2000
_UNCLEAN = re.compile(r"Traceback|Fatal Python error|panicked|Aborted|core dumped|never retrieved|Exception ignored")
_STOP_PATIENCE_S = 120.0
_UNKNOWN = -1
_PATIENT_S = 3600.0
"""The deadline of a question whose worker is told to stop: the next one answers it."""


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
        return Ended(_UNKNOWN if asking.returncode is None else asking.returncode, said.decode(errors="replace"))

    async with worker_process(stack.config, stack.server.address, stack.config.with_suffix(".log")):
        await _repeat(runs, ask, float("inf"), tell)
    return runs


async def workers(stack: Stack, wanted: int, until: float, tell: Callable[[str], None]) -> Runs:
    """Start a worker and tell it to stop: at once, after answers, and with calls under way; over and over.

    After the moment `until`, on the monotonic clock, no further one is started.
    """
    runs = Runs("sigterm", "a worker's SIGTERM", wanted)
    tell(f"{wanted} workers told to stop")
    router = RouterClient(stack.server.client)
    left: list[str] = []

    async def stop(number: int) -> Ended:
        worker = await process(stack, [sys.executable, "-m", "workers", "--log-level", "WARNING"])
        try:
            said = await until_said(worker, READY)
            if number % 3 == 1:
                await router.ask(**question(number))
            elif number % 3 == 2:
                left.extend([await router.start(**question(number), deadline_s=_PATIENT_S) for _ in range(3)])
            worker.send_signal(signal.SIGTERM)
            async with asyncio.timeout(_STOP_PATIENCE_S):
                further, _ = await worker.communicate()
        finally:
            with suppress(ProcessLookupError):
                worker.kill()
        return Ended(_UNKNOWN if worker.returncode is None else worker.returncode, said + further.decode())

    await _repeat(runs, stop, until, tell)
    async with AsyncExitStack() as last:
        await last.enter_async_context(worker_process(stack.config, stack.server.address))
        for question_id in left:
            try:
                await router.answer(question_id)
            except QuestionFailed as failure:
                runs.unanswered.append(f"{question_id}: {failure}")
    return runs


async def _repeat(
    runs: Runs, once: Callable[[int], Awaitable[Ended]], until: float, tell: Callable[[str], None]
) -> None:
    numbers = iter(range(runs.wanted))

    async def one_by_one() -> None:
        for number in numbers:
            if time.monotonic() > until:
                return
            runs.ended.append(await once(number))
            if len(runs.ended) % _TOLD_EVERY == 0:
                tell(f"  {len(runs.ended)} ended, {len(runs.unclean)} of them not cleanly")

    await asyncio.gather(*(one_by_one() for _ in range(_AT_ONCE)))
