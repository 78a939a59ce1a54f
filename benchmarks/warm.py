"""Processes that start warm: forked from one that has imported what they need, which takes a cold one seconds.

They are processes of their own, to be killed and told to stop like any other. How a worker or a command starts, and
what it says when it cannot, is tested with cold ones.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory

READY = "Pointsman takes questions."
PATIENCE_S = 100.0
PRELOADED = [
    "pointsman.cli.command",
    "workers.command",
    "workers.service",
    "workers.wiring",
    "activities.providers.litellm",
    __name__,
]


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
    return _forked(_worker, words, env, _Files(os.devnull, str(log), str(log)), cwd)


def run_cli(
    words: list[str], env: dict[str, str], cwd: Path, stdin: bytes, patience_s: float
) -> subprocess.CompletedProcess[bytes]:
    """Run `pointsman` with these words to its end."""
    with TemporaryDirectory() as folder:
        files = _Files(*(f"{folder}/{name}" for name in ("stdin", "stdout", "stderr")))
        Path(files.stdin).write_bytes(stdin)
        process = _forked(_command, words, env, files, cwd)
        try:
            status = process.wait(patience_s)
        finally:
            process.kill()
        said = (Path(files.stdout).read_bytes(), Path(files.stderr).read_bytes())
    return subprocess.CompletedProcess(["pointsman", *words], status, *said)


@dataclass(frozen=True)
class _Files:
    """Paths of what a process reads and writes."""

    stdin: str
    stdout: str
    stderr: str


def _forked(
    run: Callable[[list[str]], int], words: list[str], env: dict[str, str], files: _Files, cwd: Path
) -> WarmProcess:
    context: ForkServerContext = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=_run, args=(run, words, env, files, str(cwd)), daemon=True)
    process.start()
    return WarmProcess(process)


def _worker(words: list[str]) -> int:
    from workers.command import run  # noqa: PLC0415 - only the forked process needs it

    return run(words)


def _command(words: list[str]) -> int:
    from pointsman.cli.command import run  # noqa: PLC0415 - only the forked process needs it

    return run(words)


def _run(run: Callable[[list[str]], int], words: list[str], env: dict[str, str], files: _Files, cwd: str) -> None:
    from pointsman.leaving import leave  # noqa: PLC0415 - only the forked process needs it

    os.dup2(os.open(files.stdin, os.O_RDONLY), 0)
    # The interpreter closed it when it forked.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    output = os.open(files.stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(output, 1)
    os.dup2(output if files.stderr == files.stdout else os.open(files.stderr, os.O_WRONLY | os.O_CREAT, 0o644), 2)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    leave(run(words))
