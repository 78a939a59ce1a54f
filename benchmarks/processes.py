"""What a process of Pointsman takes: the console command's start-up, and an idle worker's memory."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure
from benchmarks.stack import PROMPT, Stack
from pointsman.client import RouterClient
from pointsman.config_file import CONFIG_VARIABLE
from workers.embedded.temporal_server import binary

_ROOT = Path(__file__).parents[1]
_RUNS = 7
_HELP = ["ask", "--help"]
_READY_PATIENCE_S = 60.0
_IDLE_S = 3.0
_QUESTIONS = 50
_KB_PER_MB = 1024


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
        Figure("cli_start_s", "`pointsman ask --help`, start to end", median(samples[1:]), "s", at_most=0.7),
        Figure("cli_litellm_imports", "  modules of litellm it imports", told.stderr.count("| litellm"), at_most=0),
    ]


async def worker_memory(stack: Stack) -> list[Figure]:
    """Resident memory of `python -m workers` when it is ready, and after some questions."""
    async with _worker(stack) as worker:
        await asyncio.sleep(_IDLE_S)
        idle = _resident_mb(worker.pid)
        router = RouterClient(stack.server.client)
        for _ in range(_QUESTIONS):
            await router.ask(PROMPT)
        return [
            Figure("worker_idle_mb", "worker process, idle", idle, "MB", at_most=350),
            Figure("worker_after_questions_mb", f"  after {_QUESTIONS} questions", _resident_mb(worker.pid), "MB"),
        ]


@asynccontextmanager
async def _worker(stack: Stack) -> AsyncGenerator[asyncio.subprocess.Process]:
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "workers", "--log-level", "WARNING"),
        cwd=_ROOT,
        env={**os.environ, CONFIG_VARIABLE: str(stack.config), "TEMPORAL_ADDRESS": stack.server.address},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        if worker.stdout is None or not await asyncio.wait_for(worker.stdout.readline(), _READY_PATIENCE_S):
            raise RuntimeError("the worker process ended before it took questions")
        yield worker
    finally:
        if worker.returncode is None:
            worker.send_signal(signal.SIGTERM)
        await worker.wait()


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("VmRSS:"))
    else:
        kilobytes = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)], check=True, capture_output=True, text=True
        ).stdout
    return int(kilobytes) / _KB_PER_MB
