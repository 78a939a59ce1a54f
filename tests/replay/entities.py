"""Histories of the two entities, each of its first run and the way into the next."""

from __future__ import annotations

import asyncio
import time
import uuid
from contextlib import suppress
from datetime import UTC, datetime

from temporalio.client import WorkflowUpdateFailedError

from activities.process_health import ProcessHealth
from pointsman.catalogue.commands import AcceptModel, ImportCatalogue, RollBackUpgrade
from pointsman.catalogue.state import CatalogueState
from pointsman.catalogue_contract import CATALOGUE_QUEUE, ProviderCatalogue
from pointsman.contract import TASK_QUEUE
from pointsman.health.events import AdminCommand
from pointsman.health.state import HealthState
from pointsman.health_contract import ProviderHealth
from tests import upgrades
from tests.catalogues import evaluation, profile, seen
from tests.fakes import Fleet, failing, reply
from tests.replay.asking import Scenario
from tests.workflows.conftest import configuration
from workers.embedded.temporal_server import TemporalServer
from workers.settings import Settings
from workers.wiring import build, build_measuring, make_completers


async def entity_goes_on(server: TemporalServer) -> str:
    """The health entity's first run: failures, an opening, a probe round, an operator, and a new run."""
    fleet = Fleet()
    fleet.script("alpha", failing(), reply("ok"))
    settings = Settings(configuration(breaker={"open_s": 1}), {})
    health = ProcessHealth.of(settings.configuration, "recorder")
    completers = make_completers(settings, fleet.make)
    workers = await build(server.client, settings, completers, health=health)
    running = [asyncio.create_task(worker.run()) for worker in workers]
    entity = await server.client.start_workflow(
        ProviderHealth.run,
        HealthState(epoch=1, now=time.time(), event_limit=60),
        id=f"recorded-{uuid.uuid4()}",
        task_queue=TASK_QUEUE,
    )
    for number in range(3):
        health.reports.record(health.key("alpha"), 1, 1, int(time.time()), "fail", attempt=1)
        policy = health.policy if number == 0 else None
        await entity.signal(ProviderHealth.report, health.reports.take(policy=policy))
    await asyncio.sleep(3)
    await entity.signal(ProviderHealth.force_open, AdminCommand(target="beta", operator="recorder"))
    await entity.signal(ProviderHealth.reset, AdminCommand(target="beta", operator="recorder"))
    while (await server.client.get_workflow_handle(entity.id).describe()).run_id == entity.result_run_id:
        await entity.signal(ProviderHealth.report, health.reports.take())
        await asyncio.sleep(0.05)
    await server.client.get_workflow_handle(entity.id).terminate()
    await asyncio.gather(*(worker.shutdown() for worker in workers))
    await asyncio.gather(*running)
    return f"{entity.id} {entity.first_execution_run_id}"


async def catalogue_goes_on(server: TemporalServer) -> str:
    """The catalogue's first run: what it is told and shown, operators obeyed and refused, and a new run."""
    worker = build_measuring(server.client, Settings(configuration(), {}))
    running = asyncio.create_task(worker.run())
    now = datetime.now(UTC)
    entity = await server.client.start_workflow(
        ProviderCatalogue.run,
        CatalogueState(epoch=1, now=now, event_limit=80),
        id=f"recorded-{uuid.uuid4()}",
        task_queue=CATALOGUE_QUEUE,
    )
    await entity.signal(ProviderCatalogue.profiled, profile(measured_at=now))
    await entity.signal(ProviderCatalogue.evaluated, evaluation(evaluated_at=now))
    for model in ("first", "other"):
        await entity.signal(ProviderCatalogue.served, seen(model, at=datetime.now(UTC), dated=True))
    await server.client.get_workflow_handle(entity.id).signal("profiled", {"wrong": True})
    await entity.execute_update(ProviderCatalogue.accept_model, AcceptModel(provider="alpha", operator="recorder"))
    with suppress(WorkflowUpdateFailedError):
        await entity.execute_update(ProviderCatalogue.accept_model, AcceptModel(provider="nobody"))
    await entity.execute_update(ProviderCatalogue.begin_upgrade, upgrades.order())
    await entity.signal(ProviderCatalogue.upgrade_evaluated, upgrades.report("passed"))
    await entity.signal(ProviderCatalogue.shadowed, upgrades.result(at=now))
    await entity.execute_update(ProviderCatalogue.roll_back, RollBackUpgrade(provider="alpha", operator="recorder"))
    document = await entity.query(ProviderCatalogue.document)
    await entity.execute_update(ProviderCatalogue.import_catalogue, ImportCatalogue(document=document))
    while (await server.client.get_workflow_handle(entity.id).describe()).run_id == entity.result_run_id:
        await entity.signal(ProviderCatalogue.evaluated, evaluation(evaluated_at=datetime.now(UTC)))
        await asyncio.sleep(0.05)
    await server.client.get_workflow_handle(entity.id).terminate()
    await worker.shutdown()
    await running
    return f"{entity.id} {entity.first_execution_run_id}"


SCENARIOS: dict[str, Scenario] = {"entity_goes_on": entity_goes_on, "catalogue_goes_on": catalogue_goes_on}
