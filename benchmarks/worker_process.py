"""`python -m workers` as a process of its own: what serves questions in production."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from pointsman.config_file import CONFIG_VARIABLE

_ROOT = Path(__file__).parents[1]
_READY_PATIENCE_S = 60.0
_KB_PER_MB = 1024


@asynccontextmanager
async def worker_process(
    config: Path, address: str, log: Path | None = None, *arguments: str
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run one for as long as the block runs; `log` takes its warnings, which else go where this process's go.

    `arguments` are those of its command line.
    """
    # Opened for the process alone, which outlives no block.
    errors = None if log is None else log.open("ab")
    try:
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "workers", "--log-level", "WARNING", *arguments),
            cwd=_ROOT,
            env={**os.environ, CONFIG_VARIABLE: str(config), "TEMPORAL_ADDRESS": address},
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
    finally:
        if errors is not None:
            errors.close()
    try:
        if worker.stdout is None or not await asyncio.wait_for(worker.stdout.readline(), _READY_PATIENCE_S):
            raise RuntimeError("the worker process ended before it took questions")
        yield worker
    finally:
        if worker.returncode is None:
            worker.send_signal(signal.SIGTERM)
        await worker.wait()


def resident_mb(pid: int) -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("VmRSS:"))
    else:
        kilobytes = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)], check=True, capture_output=True, text=True
        ).stdout
    return int(kilobytes) / _KB_PER_MB
