"""Worker processes that start warm: forked from one that has imported what they need, which takes a cold one seconds.

They are processes of their own, to be killed and told to stop like any other. How a worker starts, and what it says
when it cannot, is tested with cold ones.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

PRELOADED = ["workers.command", "workers.service", "workers.wiring", "activities.providers.litellm", "tests.e2e.warm"]


@dataclass
class WarmProcess:
    """A process, with the words of `subprocess.Popen`."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> int:
        self.process.join(timeout)
        status = self.poll()
        assert status is not None, f"process {self.pid} goes on after {timeout} s"
        return status


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
