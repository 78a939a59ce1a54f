"""What a process of Pointsman takes: the console command's start-up, and an idle worker's memory."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from statistics import median

from benchmarks.figures import Figure, Neighbour
from benchmarks.promised import promised
from benchmarks.stack import PROMPT, Stack
from benchmarks.worker_process import resident_mb, worker_process
from pointsman.client import RouterClient
from workers.embedded.temporal_server import binary

_RUNS = 7
_HELP = ["ask", "--help"]
_IDLE_S = 3.0
_QUESTIONS = 50


def start_up() -> list[Figure]:
    """Wall time of `pointsman ask --help`, and whether it imports LiteLLM."""
    command = [binary("pointsman"), *_HELP]
    samples: list[float] = []
    for _ in range(1 + _RUNS):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        samples.append(time.perf_counter() - started)
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pointsman.cli", *_HELP], check=True, capture_output=True, text=True
    )
    return [
        # The first run may have compiled the modules, so it does not count.
        promised(
            "cli_start_s",
            "`pointsman ask --help`: start to end",
            median(samples[1:]),
            "s",
            beside=(Neighbour("cli_start_longest_s", "longest", max(samples[1:]), "s"),),
        ),
        Figure(
            "cli_litellm_imports",
            "`pointsman ask --help`: modules of litellm it imports",
            told.stderr.count("| litellm"),
            at_most=0,
        ),
    ]


async def worker_memory(stack: Stack) -> list[Figure]:
    """Resident memory of `python -m workers` when it is ready, and after some questions."""
    async with worker_process(stack.config, stack.server.address) as worker:
        await asyncio.sleep(_IDLE_S)
        idle = resident_mb(worker.pid)
        router = RouterClient(stack.server.client)
        for _ in range(_QUESTIONS):
            await router.ask(PROMPT)
        after = Neighbour("worker_after_questions_mb", f"after {_QUESTIONS} questions", resident_mb(worker.pid), "MB")
        return [promised("worker_idle_mb", "worker process: memory, idle", idle, "MB", beside=(after,))]
