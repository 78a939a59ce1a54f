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
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory

PRELOADED = [
    "pointsman.cli.command",
    "workers.command",
    "workers.service",
    "workers.wiring",
    "activities.providers.litellm",
    "tests.e2e.warm",
]


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
