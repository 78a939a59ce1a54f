"""A process that hears nothing of the fleet's health serves on with breakers of its own (property 18)."""

from __future__ import annotations

import pytest

from benchmarks.chaos.calls import call_of
from pointsman.health_contract import HEALTH_ENTITY_ID, ProviderHealth
from pointsman.ledger.database import Ledger
from tests.e2e.conftest import Site
from tests.e2e.fleet import Fleet
from workers.embedded.scripted.script import Reply, Status
from workers.embedded.scripted.server import ScriptedProviders

NOBODY = "nobody-polls-this-queue"


@pytest.fixture
def fleet(unserved: Site, providers: ScriptedProviders) -> Fleet:
    fleet = Fleet(unserved, providers)
    fleet.configure(
        {"first": {}, "second": {}},
        {"ask": {"chain": ["first", "second"], "max_attempts": 1}},
    )
    return fleet


def probes_on_record(fleet: Fleet) -> set[tuple[str, str]]:
    """Workflow and activity of each probe in the ledger."""
    ledger = Ledger.open(f"sqlite:///{fleet.site.folder}/ledger.db")
    try:
        return {(row.workflow_id, row.leg) for row in ledger.rows() if row.purpose == "probe"}
    finally:
        ledger.close()


def test_without_the_entity_it_opens_probes_and_closes_by_itself_and_with_it_the_fleets_word_holds_again(
    fleet: Fleet, providers: ScriptedProviders
) -> None:
    stuck = fleet.run(
        fleet.site.server.client.start_workflow(ProviderHealth.run, None, id=HEALTH_ENTITY_ID, task_queue=NOBODY)
    )
    worker = fleet.site.start_worker()

    providers.script("first", Status(503))
    assert [fleet.ask("ask").asked for _ in range(3)] == [["first", "second"]] * 3
    spared = fleet.ask("ask")
    assert (spared.asked, spared.answered.decision.reason) == (["second"], "breaker_open:first")

    providers.script("first", Reply("well again"))
    fleet.until(lambda: fleet.ask("ask").asked == ["first"])
    probed = fleet.probes("first")
    assert probed
    fleet.until(lambda: {call_of(hit)[:2] for hit in probed} <= probes_on_record(fleet))
    assert "no word from the fleet; here first/" in worker.said()

    fleet.run(stuck.terminate())
    fleet.until(lambda: fleet.overview().active_workers == 1)
    providers.script("first", Status(503))
    fleet.until(lambda: fleet.ask("ask").asked == ["second"])
    fleet.until_state("first", "open")
