"""Processes end with their own status: the Temporal SDK may abort an interpreter that ends the ordinary way."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

from tests.e2e.conftest import READY, Site

RUNS = 20


def test_twenty_commands_against_a_server_all_end_with_0(pointsman: Site) -> None:
    assert pointsman.cli("ask", "What is 1 + 1?", "--id", "looked-at").returncode == 0
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda _: pointsman.cli("status", "looked-at"), range(RUNS)))
    assert [(run.returncode, run.stderr) for run in ended] == [(0, "")] * RUNS


def test_five_workers_told_to_stop_all_end_with_0(unattended: Site) -> None:
    workers = [unattended.start_worker(wait=False) for _ in range(5)]
    for worker in workers:
        worker.until_said(READY)
    assert [worker.signal(signal.SIGTERM) for worker in workers] == [0] * 5
