"""Worker processes that start warm: forked from one that has imported what they need, which takes a cold one seconds.

They are processes of their own, to be killed and told to stop like any other. How a worker starts, and what it says
when it cannot, is tested with cold ones.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

READY = "Pointsman takes questions."
PATIENCE_S = 100.0
PRELOADED = ["workers.command", "workers.service", "workers.wiring", "activities.providers.litellm", __name__]


@dataclass
class WarmProcess:
    """A process, with the words of `subprocess.Popen`."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        """Its number."""
        if self.process.pid is None:
            raise RuntimeError("the process has not been started")
        return self.process.pid

    def poll(self) -> int | None:
        """The status that it has ended with."""
        return self.process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> int:
        """Wait for its end; returns the status.

        Raises:
            TimeoutError: it goes on.
        """
        self.process.join(timeout)
        status = self.poll()
        if status is None:
            raise TimeoutError(f"process {self.pid} goes on after {timeout} s")
        return status


@dataclass
class WorkerProcess:
    """A running `python -m workers`, and the file that takes what it says."""

    process: subprocess.Popen[bytes] | WarmProcess
    log: Path

    def until_said(self, line: str, patience_s: float = PATIENCE_S) -> None:
        """Block until it has said this.

        Raises:
            RuntimeError: it has ended without.
            TimeoutError: it has not said so in time.
        """
        give_up = time.monotonic() + patience_s
        while line not in self.said():
            if self.process.poll() is not None:
                raise RuntimeError(f"the process ended: {self.said()}")
            if time.monotonic() > give_up:
                raise TimeoutError(f"never said {line!r}: {self.said()}")
            time.sleep(0.02)

    def said(self) -> str:
        """All that it has said."""
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""

    def signal(self, number: signal.Signals) -> int:
        """Send a signal and return the status that the process ends with."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def end(self) -> None:
        """Make sure that it is gone."""
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait(PATIENCE_S)


def start(words: list[str], env: dict[str, str], log: Path, cwd: Path) -> WarmProcess:
    """Run `python -m workers` with these words; its output goes to a file."""
    context: ForkServerContext = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=_run, args=(words, env, str(log), str(cwd)), daemon=True)
    process.start()
    return WarmProcess(process)


def _run(words: list[str], env: dict[str, str], log: str, cwd: str) -> None:
    from pointsman.leaving import leave  # noqa: PLC0415 - only the forked process needs it
    from workers.command import run  # noqa: PLC0415

    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    leave(run(words))
