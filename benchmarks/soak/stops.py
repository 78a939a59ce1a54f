"""Workers that are told to stop: as soon as they are ready, after an answer, and with calls under way."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress

from benchmarks.figures import Figure
from benchmarks.soak.exits import UNKNOWN, Ended, Runs, repeat
from benchmarks.soak.process import process, until_said
from benchmarks.soak.settings import answer_as_usual, answer_slowly, question, write_settings
from benchmarks.stack import Stack, stack
from benchmarks.warm import READY
from benchmarks.worker_process import worker_process
from pointsman.client import RouterClient
from pointsman.errors import QuestionFailed

_STOP_PATIENCE_S = 120.0
_CALL_PATIENCE_S = 60.0
_LOOK_EVERY_S = 0.01
_QUESTIONS = 3
_PATIENT_S = 3600.0
"""The deadline of a question whose worker is told to stop: the next one answers it."""


class Lane:
    """One worker after another, with a server and providers that no other worker has: what they see is its doing."""

    def __init__(self, own: Stack, runs: Runs) -> None:
        """Stop workers of this stack."""
        self._stack, self._runs = own, runs
        self._router = RouterClient(own.server.client)
        self._left: list[str] = []
        self.with_calls = 0
        """Workers that were told to stop while a provider had a request of theirs."""

    async def stop(self, number: int) -> Ended:
        """Start a worker and tell it to stop."""
        answer_as_usual(self._stack)
        worker = await process(self._stack, [sys.executable, "-m", "workers", "--log-level", "WARNING"])
        try:
            said = await until_said(worker, READY)
            if number % 3 == 1:
                await self._answered(number)
            elif number % 3 == 2:
                await self._calling(number)
            worker.send_signal(signal.SIGTERM)
            async with asyncio.timeout(_STOP_PATIENCE_S):
                further, _ = await worker.communicate()
        finally:
            with suppress(ProcessLookupError):
                worker.kill()
        return Ended(UNKNOWN if worker.returncode is None else worker.returncode, said + further.decode())

    async def finish(self) -> None:
        """Let a last worker answer what others left."""
        answer_as_usual(self._stack)
        async with worker_process(self._stack.config, self._stack.server.address):
            await self._answer_left()

    async def _answered(self, number: int) -> None:
        """Until this worker has nothing left to do, and has answered a question of its own."""
        self._left.append(await self._router.start(**question(number)))
        await self._answer_left()

    async def _answer_left(self) -> None:
        for question_id in self._left:
            try:
                await self._router.answer(question_id)
            except QuestionFailed as failure:
                self._runs.unanswered.append(f"{question_id}: {failure}")
        self._left.clear()

    async def _calling(self, number: int) -> None:
        """Until a provider has a request of this worker, which it takes seconds to answer."""
        answer_slowly(self._stack)
        asked = [await self._router.start(**question(number), deadline_s=_PATIENT_S) for _ in range(_QUESTIONS)]
        self._left += asked
        give_up = time.monotonic() + _CALL_PATIENCE_S
        while not self._stack.providers.in_flight():
            if time.monotonic() > give_up:
                raise TimeoutError(f"no provider was asked within {_CALL_PATIENCE_S:.0f} s")
            await asyncio.sleep(_LOOK_EVERY_S)
        self.with_calls += 1


async def workers(running: Stack, wanted: int, until: float, tell: Callable[[str], None]) -> tuple[Runs, Figure]:
    """Start a worker and tell it to stop: at once, after an answer, and with calls under way; over and over.

    Two at a time, each in a lane of its own. After the moment `until`, on the monotonic clock, no further one is
    started. The figure is how many had calls under way.
    """
    runs = Runs("sigterm", "a worker's SIGTERM", wanted)
    tell(f"{wanted} workers told to stop")
    async with AsyncExitStack() as beside:
        folder = running.config.parent / "beside"
        folder.mkdir()
        second = await beside.enter_async_context(stack(folder))
        write_settings(second)
        lanes = [Lane(running, runs), Lane(second, runs)]
        await repeat(runs, [lane.stop for lane in lanes], until, tell)
        for lane in lanes:
            await lane.finish()
    with_calls = sum(lane.with_calls for lane in lanes)
    return runs, Figure("soak_sigterm_with_calls", "  of them with calls under way", with_calls, at_least=wanted // 3)
