"""Processes as a person starts them, with their output in pipes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from benchmarks.stack import Stack
from pointsman.config_file import CONFIG_VARIABLE

ROOT = Path(__file__).parents[2]
_PATIENCE_S = 120.0


async def process(stack: Stack, command: list[str]) -> asyncio.subprocess.Process:
    """Start a command that knows of the server and of the configuration."""
    return await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        env={**os.environ, CONFIG_VARIABLE: str(stack.config), "TEMPORAL_ADDRESS": stack.server.address},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def until_said(started: asyncio.subprocess.Process, line: str) -> str:
    """Read the output up to this line, and return it all.

    Raises:
        RuntimeError: the process ended without it.
        TimeoutError: it was not said in time.
    """
    if started.stdout is None:
        raise RuntimeError("a process without a pipe")
    said: list[str] = []
    async with asyncio.timeout(_PATIENCE_S):
        while line not in (said or [""])[-1]:
            found = await started.stdout.readline()
            if not found:
                raise RuntimeError(f"the process ended and never said {line!r}: {''.join(said)}")
            said.append(found.decode(errors="replace"))
    return "".join(said)
