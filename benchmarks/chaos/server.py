"""A Temporal server with a database file that is killed and comes back at its old address."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path

from temporalio.client import Client

from workers.embedded.temporal_server import command, ended, free_port, started, when_ready


class MortalServer:
    """The embedded server; what it has confirmed is in the file."""

    def __init__(self, database: Path) -> None:
        """Keep histories in `database`; nothing runs yet."""
        port = free_port(0)
        self.address = f"127.0.0.1:{port}"
        self._command = command(database, port, free_port(0))
        self._log = database.with_suffix(".log")
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> Client:
        """Start it and wait until it answers."""
        self._process = started(self._command, self._log)
        return await when_ready(self.address, self._process, self._log)

    async def kill(self, down_s: float) -> float:
        """SIGKILL, and start it again after a while; returns for how many seconds it was away."""
        process = self._process
        if process is None:
            raise RuntimeError("the server does not run")
        killed_at = time.monotonic()
        # With the process that leads its group, which would otherwise start to end it in order.
        os.killpg(process.pid, signal.SIGKILL)
        await ended(process)
        await asyncio.sleep(down_s)
        await self.start()
        return time.monotonic() - killed_at

    async def stop(self) -> None:
        """Let it end."""
        if self._process is not None:
            await ended(self._process)
