"""Histories of a question that is shadowed, of its shadow, and of an upgrade that is evaluated."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from temporalio.client import WorkflowHandle
from temporalio.service import RPCError

from activities.process_catalogue import ProcessCatalogue
from pointsman import RouterClient
from pointsman.catalogue.observations import ShadowResult
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE, ProviderCatalogue
from pointsman.upgrade_client import UpgradeClient
from pointsman.upgrade_contract import upgrade_workflow_id
from tests.fakes import Later, reply
from tests.replay.asking import VERSION, Scenario
from tests.upgrades import BASE, NEW
from tests.workflows.conftest import configuration
from tests.workflows.measuring import ROUTE, TASK, Examinee, rightly, suite, with_suites
from tests.workflows.upgrading import ByModel, plan, snapshot
from workers.embedded.temporal_server import TemporalServer
from workers.settings import Settings
from workers.wiring import build, build_measuring


@asynccontextmanager
async def _serving(server: TemporalServer) -> AsyncGenerator[None]:
    """A process whose provider alpha is under upgrade; both of its models know their sums."""
    settings = Settings(with_suites(configuration(routes={TASK: ROUTE}), suite(3)), {})
    alpha = ByModel()
    alpha.script(BASE, Later(0.3, reply("The answer is 2.")))
    alpha.models[NEW] = Examinee(says=lambda prompt: reply(rightly(prompt)))
    catalogue = ProcessCatalogue(settings.configuration)
    catalogue.accept(snapshot(plan()))
    completers = {"alpha": alpha, "beta": ByModel(), "gamma": ByModel()}
    workers = [
        *await build(server.client, settings, completers, catalogue=catalogue),
        build_measuring(server.client, settings),
    ]
    entity = await server.client.start_workflow(
        ProviderCatalogue.run, None, id=CATALOGUE_ENTITY_ID, task_queue=CATALOGUE_QUEUE
    )
    running = [asyncio.create_task(worker.run()) for worker in workers]
    yield
    await entity.terminate()
    await asyncio.gather(*(worker.shutdown() for worker in workers))
    await asyncio.gather(*running)


async def shadowed_question(server: TemporalServer) -> str:
    """Its shadow is started beside its call, and outlives it.

    The shadow's id begins with the question's, which in a replay is the name of the file.
    """
    async with _serving(server):
        question_id = f"shadowed_question-{VERSION}"
        await RouterClient(server.client).ask("What is 1 + 1?", id=question_id)
        await _shadow_of(server, question_id)
        return question_id


async def shadow(server: TemporalServer) -> str:
    async with _serving(server):
        question_id = f"recorded-{uuid.uuid4()}"
        await RouterClient(server.client).ask("What is 1 + 1?", id=question_id)
        return (await _shadow_of(server, question_id)).id


async def model_upgrade(server: TemporalServer) -> str:
    """From an operator's word to the end of the evaluation."""
    async with _serving(server):
        await UpgradeClient(server.client).start("alpha", NEW, operator="recorder")
        upgrade = server.client.get_workflow_handle(upgrade_workflow_id("alpha"))
        await upgrade.result()
        return upgrade.id


async def _shadow_of(server: TemporalServer, question_id: str) -> WorkflowHandle[object, ShadowResult]:
    """The shadow, ended; the server starts it in its own time."""
    found: WorkflowHandle[object, ShadowResult] = server.client.get_workflow_handle(
        f"{question_id}/shadow", result_type=ShadowResult
    )
    for _ in range(100):
        with suppress(RPCError):
            await found.describe()
            break
        await asyncio.sleep(0.1)
    await found.result()
    return found


SCENARIOS: dict[str, Scenario] = {
    "shadowed_question": shadowed_question,
    "shadow": shadow,
    "model_upgrade": model_upgrade,
}
