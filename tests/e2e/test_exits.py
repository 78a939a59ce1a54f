"""Processes end with their own status: the Temporal SDK may abort an interpreter that ends the ordinary way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.e2e.conftest import Site

RUNS = 20


def test_twenty_commands_against_a_server_all_end_with_0(pointsman: Site) -> None:
    assert pointsman.cli("ask", "What is 1 + 1?", "--id", "looked-at").returncode == 0
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(pointsman.cold_cli, ["status"] * RUNS, ["looked-at"] * RUNS))
    assert [(run.returncode, run.stderr) for run in ended] == [(0, "")] * RUNS
