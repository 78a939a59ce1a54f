"""How a worker's memory grows with the questions that it has served."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from benchmarks.figures import Figure
from benchmarks.rounds import IN_FLIGHT
from benchmarks.soak.process import process, until_said
from benchmarks.soak.settings import question
from benchmarks.soak.worker import COLLECTED
from benchmarks.stack import Stack
from benchmarks.warm import READY
from benchmarks.worker_process import resident_mb
from pointsman.client import RouterClient
from pointsman.errors import QuestionFailed

_LOOKS = 20
_WARM = 4
"""The first figure is taken after a fourth of all questions, 5,000 of 20,000."""
_AT_MOST = 1.05
_SETTLING_S = 3.0


@dataclass(frozen=True)
class Look:
    """Resident memory after so many questions, after Python has thrown away what nobody holds."""

    questions: int
    mb: float


async def measure(stack: Stack, questions: int, tell: Callable[[str], None]) -> list[Figure]:
    """Ask one worker so many questions, with some in flight at once, and look at it now and then."""
    looks: list[Look] = []
    router = RouterClient(stack.server.client)
    failed = 0
    began = time.monotonic()
    async with _worker(stack) as worker:
        tell(f"a worker process and {questions:,} questions")
        await _look(worker, 0)
        asked = 0
        for part in range(1, _LOOKS + 1):
            until = questions * part // _LOOKS
            failed += await _ask(router, range(asked, until))
            # What the provider noted of requests is this process's memory, and nobody reads it.
            stack.providers.forget_hits()
            asked = until
            looks.append(await _look(worker, asked))
            tell(f"  {asked:6,} questions: {looks[-1].mb:.1f} MB, {asked / (time.monotonic() - began):.0f} a second")
    return figures(looks, questions, failed)


def figures(looks: list[Look], questions: int, failed: int) -> list[Figure]:
    """What came of it; the figure that counts is the last look over the one after a fourth of the questions."""
    early = next(look for look in looks if look.questions * _WARM >= questions)
    last = looks[-1]
    return [
        Figure("soak_questions", "questions to one worker", questions),
        Figure("soak_questions_failed", "  without an answer", failed, at_most=0),
        Figure("soak_memory_early_mb", f"  its memory after {early.questions:,}", early.mb, "MB"),
        Figure("soak_memory_last_mb", f"  its memory after {last.questions:,}", last.mb, "MB"),
        Figure("soak_memory_most_mb", "  the most at any look", max(look.mb for look in looks), "MB"),
        Figure("soak_memory_ratio", "  the last over the early one", last.mb / early.mb, at_most=_AT_MOST),
    ]


async def _ask(router: RouterClient, numbers: range) -> int:
    left, failed = iter(numbers), 0

    async def asker() -> None:
        nonlocal failed
        for number in left:
            try:
                await router.ask(**question(number))
            except QuestionFailed:
                failed += 1

    await asyncio.gather(*(asker() for _ in range(IN_FLIGHT)))
    return failed


async def _look(worker: asyncio.subprocess.Process, questions: int) -> Look:
    await asyncio.sleep(_SETTLING_S)
    worker.send_signal(signal.SIGUSR1)
    await until_said(worker, COLLECTED)
    return Look(questions, resident_mb(worker.pid))


@asynccontextmanager
async def _worker(stack: Stack) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A worker that collects its garbage when told to."""
    started = await process(stack, [sys.executable, "-m", "benchmarks.soak.worker", "--log-level", "ERROR"])
    try:
        await until_said(started, READY)
        yield started
    finally:
        with suppress(ProcessLookupError):
            started.kill()
        await started.wait()
