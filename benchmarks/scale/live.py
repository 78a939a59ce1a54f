"""Plain questions on the embedded server: what they take of the processors, and what one of them leaves."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.history import actions
from benchmarks.stack import PROMPT, stack
from pointsman.client import RouterClient
from pointsman.config_file import load
from workers.settings import Settings
from workers.wiring import build, make_completers

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_WARM_UP = 30
_AT_ONCE = 8


@dataclass(frozen=True)
class Live:
    """Processor time in milliseconds a question, and its history as the server gave it back."""

    questions: int
    own_ms: float
    """Of the one process that is client, worker and scripted provider at once."""
    server_ms: float
    events: int
    history_bytes: int
    actions: int


async def live(folder: Path, questions: int) -> Live:
    """Eight at a time, after a warm-up."""
    async with stack(folder) as running, AsyncExitStack() as served:
        client = running.server.client
        settings = Settings.of(load(running.config))
        for worker in await build(client, settings, make_completers(settings)):
            await served.enter_async_context(worker)
        router, turns = RouterClient(client), asyncio.Semaphore(_AT_ONCE)

        async def ask() -> None:
            async with turns:
                await router.ask(PROMPT)

        await asyncio.gather(*(ask() for _ in range(_WARM_UP)))
        own, server = time.process_time(), _children_s()
        await asyncio.gather(*(ask() for _ in range(questions)))
        own, server = time.process_time() - own, _children_s() - server
        question_id = await router.start(PROMPT)
        await router.answer(question_id)
        events = [event async for event in client.get_workflow_handle(question_id).fetch_history_events()]
    return Live(
        questions=questions,
        own_ms=own * 1000 / questions,
        server_ms=server * 1000 / questions,
        events=len(events),
        history_bytes=sum(event.ByteSize() for event in events),
        actions=actions(events),
    )


def _children_s() -> float:
    """Processor seconds of the processes below this one, as Linux counts them; the server is among them."""
    ticks, below = 0, {os.getpid()}
    stats = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        stats.append((int(path.parent.name), int(fields[1]), int(fields[11]) + int(fields[12])))
    for pid, parent, used in sorted(stats):
        if parent in below:
            below.add(pid)
            ticks += used
    return ticks / _TICKS_PER_S
