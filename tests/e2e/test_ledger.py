"""The ledger of real workers: every request that a provider saw is one row, also where the worker was killed."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable

from pointsman.ledger.database import Ledger
from pointsman.ledger.entry import NANO, LedgerEntry, LedgerUnavailable
from tests.e2e.conftest import PATIENCE_S, Site
from workers.embedded.scripted.script import Hang, Reply, Status
from workers.embedded.scripted.server import ScriptedProviders


def _rows(site: Site, question_id: str, enough: Callable[[list[LedgerEntry]], bool]) -> list[LedgerEntry]:
    """The rows of a question; they are written a moment after its answer is there."""
    ledger = Ledger.open(f"sqlite:///{site.folder}/ledger.db")
    give_up = time.monotonic() + PATIENCE_S
    try:
        while True:
            try:
                found = list(ledger.rows(workflow_id=question_id))
            except LedgerUnavailable:
                found = []
            if enough(found):
                return found
            assert time.monotonic() < give_up, found
            time.sleep(0.05)
    finally:
        ledger.close()


def _calls(providers: ScriptedProviders) -> list[str]:
    return sorted(hit.headers["x-pointsman-call"] for hit in providers.hits())


def test_a_question_sums_to_its_answers_cost(pointsman: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Status(500))
    providers.script("beta", Reply("", finish="stop"))
    asked = pointsman.cli("ask", "What is 2 + 2?", "--id", "summed", "--json")
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)

    found = _rows(pointsman, "summed", lambda rows: any(row.outcome == "answered" for row in rows))

    assert sorted(f"{row.workflow_id}/{row.leg}/{row.attempt}" for row in found) == _calls(providers)
    assert sorted((row.provider, row.outcome) for row in found) == sorted(
        (row["provider"], row["outcome"]) for row in answer["attempts"]
    )
    assert abs(sum(row.cost_nano_usd or 0 for row in found) - answer["cost_usd"] * NANO) < 1
    assert answer["cost_usd"] > 0


def test_a_killed_workers_call_is_a_row(unattended: Site, providers: ScriptedProviders) -> None:
    providers.script("alpha", Hang(), Reply("4"))
    killed = unattended.start_worker()
    unattended.cli("ask", "What is 2 + 2?", "--id", "killed-row", "--no-wait", "--deadline", "120")
    providers.wait_for_hits_blocking("alpha", 1, PATIENCE_S)
    _rows(unattended, "killed-row", lambda rows: len(rows) == 1)
    killed.signal(signal.SIGKILL)
    other = unattended.start_worker()
    assert unattended.cli("answer", "killed-row").returncode == 0

    found = _rows(unattended, "killed-row", lambda rows: any(row.outcome == "answered" for row in rows))

    assert [(row.kind, row.usage_source) for row in found] == [("worker_lost", "estimated"), (None, "reported")]
    assert sorted(f"{row.workflow_id}/{row.leg}/{row.attempt}" for row in found) == _calls(providers)
    assert other.signal(signal.SIGTERM) == 0
