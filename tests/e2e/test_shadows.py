"""On the real server: a shadow whose question closes at once is started all the same, and outlives it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.service import RPCError

from activities.process_catalogue import ProcessCatalogue
from pointsman import PointsmanError, Question, RouterClient
from pointsman.catalogue.observations import ShadowResult
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE, ProviderCatalogue
from pointsman.search_attributes import register
from pointsman.shadow_allowance import ShadowAllowance
from tests.fakes import Later, reply
from tests.upgrades import BASE, NEW
from tests.workflows.conftest import configuration
from tests.workflows.upgrading import ByModel, plan, snapshot
from workers.embedded.temporal_server import temporal_server
from workers.settings import Settings
from workers.wiring import build, build_measuring

_QUESTIONS = 40


def _always(*_arguments: object, **_bounds: object) -> bool:
    return True


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Client]:
    """Workers whose every question is shadowed; the new model takes half a second longer than the base."""
    monkeypatch.setattr(ShadowAllowance, "grant", _always)
    async with temporal_server(tmp_path / "temporal.db") as server:
        await register(server.client)
        settings = Settings(configuration(), {})
        alpha = ByModel()
        alpha.script(BASE, reply("It is 5."))
        alpha.script(NEW, Later(0.5, reply("It is 5.")))
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
        yield server.client
        await entity.terminate()
        await asyncio.gather(*(worker.shutdown() for worker in workers))
        await asyncio.gather(*running)


async def test_every_shadow_is_started_though_its_question_has_ended(client: Client) -> None:
    ids = [f"q-{uuid.uuid4()}" for _ in range(_QUESTIONS)]
    router = RouterClient(client)
    answers = await asyncio.gather(*(router.ask("How many apples are left?", id=one) for one in ids))
    assert {answer.text for answer in answers} == {"It is 5."}
    found = [await _result(client, f"{one}/shadow") for one in ids]
    assert [one.agreement for one in found] == ["agree"] * _QUESTIONS


async def _result(client: Client, shadow_id: str) -> ShadowResult:
    """The child is started by the server in its own time."""
    for _ in range(100):
        with suppress(RPCError):
            await client.get_workflow_handle(shadow_id).describe()
            break
        await asyncio.sleep(0.1)
    result: ShadowResult = await client.get_workflow_handle(shadow_id, result_type=ShadowResult).result()
    return result


async def test_a_question_that_ends_with_the_task_that_starts_its_shadow_ends_as_it_would(client: Client) -> None:
    router = RouterClient(client)
    question_id = await router.start(Question(prompt="hello", deadline_s=0.001), id=f"q-{uuid.uuid4()}")
    with pytest.raises(PointsmanError, match="deadline"):
        await router.answer(question_id)


async def test_a_question_whose_shadows_id_is_taken_is_answered(client: Client) -> None:
    taken = await client.start_workflow("Nobody", id="q-taken/shadow", task_queue="nobody")
    answer = await RouterClient(client).ask("hello", id="q-taken")
    assert (answer.text, answer.decision.shadow is not None) == ("It is 5.", True)
    await taken.terminate()
