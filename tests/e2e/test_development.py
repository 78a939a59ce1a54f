"""`python -m workers dev`: what it tells, that Ctrl-C ends all of it, and that it forgets nothing."""

from __future__ import annotations

import re
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.conftest import ROOT, WorkerProcess, environment, run, start
from workers.embedded.temporal_server import binary


@contextmanager
def _dev(folder: Path, log: str) -> Generator[tuple[WorkerProcess, str]]:
    """The stack in a folder of its own, and the address that it tells."""
    stack = start(["-m", "workers", "dev"], environment({"PYTHONPATH": str(ROOT)}), folder / log, cwd=folder)
    try:
        stack.until_said("stop     Ctrl-C")
        found = re.search(r"TEMPORAL_ADDRESS=(\S+) \S+pointsman ask ", stack.said())
        assert found is not None
        yield stack, found.group(1)
    finally:
        stack.end()


def test_what_was_asked_before_a_restart_can_still_be_fetched(tmp_path: Path) -> None:
    pointsman = binary("pointsman")
    with _dev(tmp_path, "first.log") as (stack, address):
        env = environment({"TEMPORAL_ADDRESS": address})
        ask = [pointsman, "ask", "Summarize what a circuit breaker does", "--task", "outage", "--id", "kept"]
        asked = run(ask, env, cwd=tmp_path)
        assert asked.returncode == 0, asked.stderr
        assert "(scripted)" in asked.stdout
        assert re.search(r"http://127\.0\.0\.1:\d+", stack.said())
        assert stack.signal(signal.SIGINT) == 0
        gone = run([pointsman, "status", "kept"], env, cwd=tmp_path)
        assert gone.returncode == 3
        assert gone.stderr.startswith(f"no Temporal server reached at {address}")
    with _dev(tmp_path, "second.log") as (stack, address):
        fetched = run([pointsman, "answer", "kept"], environment({"TEMPORAL_ADDRESS": address}), cwd=tmp_path)
        assert (fetched.returncode, fetched.stdout) == (0, asked.stdout)
        assert stack.signal(signal.SIGINT) == 0
    assert (tmp_path / ".pointsman" / "temporal.db").exists()
