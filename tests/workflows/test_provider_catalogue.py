"""The catalogue entity: it keeps what it is told, refuses operators in a sentence, and outlives every message."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowExecutionStatus, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from pointsman.catalogue.commands import AcceptModel, ImportCatalogue
from pointsman.catalogue_client import CatalogueClient
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID
from pointsman.catalogue_contract import ProviderCatalogue as Contract
from pointsman.errors import CatalogueRefused, NoWorker
from tests import upgrades
from tests.catalogues import MODEL, SERVED, evaluation, holding, profile, seen, served, state
from tests.workflows.catalogue import Catalogue, replay

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = f"alpha/{MODEL}"
OTHER = "model-2026-09-09"


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def catalogue(env: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Catalogue]:
    running = Catalogue(env, request.param)
    yield running
    await running.stop()


async def test_it_keeps_what_it_is_told_in_any_order_and_its_history_replays(catalogue: Catalogue) -> None:
    await catalogue.start()
    now = await catalogue.now()
    epoch = (await catalogue.snapshot()).epoch
    assert (await catalogue.snapshot()).version == 1
    old, new = profile(measured_at=now - timedelta(days=1)), profile(answered=9, measured_at=now)
    messages: list[tuple[Any, Any]] = [
        *((Contract.profiled, told) for told in (old, new, profile("beta", measured_at=now))),
        *(
            (Contract.evaluated, told)
            for told in (evaluation(evaluated_at=now), evaluation(verdict="inconclusive", evaluated_at=now))
        ),
        *((Contract.served, seen(provider=name, at=now)) for name in ("alpha", "beta", "alpha")),
        (Contract.shadowed, upgrades.result()),
    ]
    random.Random(7).shuffle(messages)
    await asyncio.gather(*(catalogue.handle.signal(signal, told) for signal, told in messages))
    document, snapshot = await catalogue.document(), await catalogue.snapshot()
    assert document.profiles == {KEY: new, f"beta/{MODEL}": profile("beta", measured_at=now)}
    assert document.evaluations == {f"extract/{KEY}": evaluation(evaluated_at=now)}
    assert {key: found.served for key, found in document.served.items()} == {KEY: SERVED, f"beta/{MODEL}": SERVED}
    assert (snapshot.profiles, snapshot.epoch) == (document.profiles, epoch)
    assert snapshot.version > 5
    await replay(await catalogue.histories())


async def test_no_message_however_wrong_stops_the_entity(catalogue: Catalogue) -> None:
    await catalogue.start()
    handle = catalogue.env.client.get_workflow_handle(catalogue.handle.id)
    good = profile(measured_at=await catalogue.now()).model_dump(mode="json")
    wrong: list[Any] = [
        None,
        "alpha",
        [],
        {},
        good | {"figures": {"analysis": {"samples": -1}}},
        good | {"figures": {"astrology": good["figures"]["analysis"]}},
        good | {"surplus": 1},
        good | {"measured_at": "9999-12-31T23:59:59Z"},
        good | {"model": "m" * 50_000},
        good | {"figures": {"analysis": {"samples": 1, "answered": 2, "passed": 3}}},
    ]
    for told in wrong:
        await handle.signal("profiled", told)
    await handle.signal("profiled")
    for name in ("evaluated", "served", "upgrade_evaluated", "shadowed", "observed"):
        await handle.signal(name, {"provider": 1})
        await handle.signal(name)
    await handle.signal("no_such_signal", 1)
    assert await catalogue.happened() == ["message_refused"] * (len(wrong) + 11)
    assert (await catalogue.snapshot()).version == 1
    await handle.signal("profiled", args=[good, "surplus"])
    assert list((await catalogue.document()).profiles) == [KEY]
    assert (await catalogue.handle.describe()).status is WorkflowExecutionStatus.RUNNING
    await replay(await catalogue.histories())


async def test_an_operator_is_refused_in_a_sentence_and_nothing_changes(catalogue: Catalogue) -> None:
    await catalogue.start(workflow_id=CATALOGUE_ENTITY_ID)
    client = CatalogueClient(catalogue.env.client)
    with pytest.raises(CatalogueRefused, match="nothing that 'alpha' serves has changed; see"):
        await client.accept("alpha")
    with pytest.raises(CatalogueRefused, match=r"note: .*at most 500 characters"):
        await client.accept("alpha", note="x" * 501)
    late = holding(profile(measured_at=await catalogue.now() + timedelta(days=30)))
    with pytest.raises(CatalogueRefused, match=f"profiles.{KEY}: its date .* lies in the future; correct it"):
        await client.import_document(late)
    many = holding(*(served(f"p{index}", served="s" * 3000) for index in range(1000)))
    with pytest.raises(CatalogueRefused, match=r"served: 1000 entries of .* bytes fit; leave some out"):
        await client.import_document(many)
    begun = await client.begin_upgrade(upgrades.order())
    assert begun.stage == "evaluating"
    with pytest.raises(CatalogueRefused, match="before another one begins"):
        await client.begin_upgrade(upgrades.order(id="u-2"))
    assert [event.kind for event in await client.events()] == ["upgrade_begun"]
    assert list((await client.document()).upgrades) == ["alpha"]


@pytest.mark.parametrize("name", ["accept_model", "import_catalogue", "begin_upgrade", "promote", "roll_back"])
async def test_a_command_that_cannot_be_read_is_refused_and_the_entity_goes_on(catalogue: Catalogue, name: str) -> None:
    await catalogue.start()
    handle = catalogue.env.client.get_workflow_handle(catalogue.handle.id)
    for told in (["nonsense"], [{"provider": 7, "document": {"profiles": {"x": 1}}}], []):
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update(name, args=told)
        assert isinstance(refused.value.cause, ApplicationError)
        assert refused.value.cause.type == "CommandRefused"
        assert "input should be" in refused.value.cause.message
    await catalogue.handle.signal(Contract.served, seen())
    assert list((await catalogue.snapshot()).served) == [KEY]


async def test_a_change_of_the_model_waits_for_an_operator_whose_name_is_on_record(catalogue: Catalogue) -> None:
    await catalogue.start()
    await catalogue.handle.signal(Contract.served, seen())
    await catalogue.handle.signal(Contract.served, seen(OTHER))
    assert not (await catalogue.snapshot()).served[KEY].accepted
    await catalogue.handle.execute_update(
        Contract.accept_model, AcceptModel(provider="alpha", operator="ada", note="fine")
    )
    assert (await catalogue.snapshot()).served[KEY].accepted
    events = await catalogue.handle.query(Contract.events)
    assert [event.kind for event in events] == ["model_changed", "model_accepted"]
    assert events[-1].sentence() == f"{KEY} model_accepted by ada: {OTHER} (fine)"


async def test_what_is_exported_can_be_imported_elsewhere_and_is_the_same(catalogue: Catalogue) -> None:
    await catalogue.start()
    now = await catalogue.now()
    await catalogue.handle.signal(Contract.profiled, profile(measured_at=now))
    await catalogue.handle.signal(Contract.served, seen(at=now))
    await catalogue.handle.execute_update(Contract.begin_upgrade, upgrades.order())
    exported = await catalogue.document()
    other = Catalogue(catalogue.env, catalogue.cached)
    await other.start()
    before = (await other.snapshot()).version
    await other.handle.execute_update(Contract.import_catalogue, ImportCatalogue(document=exported, operator="ada"))
    assert await other.document() == exported
    assert (await other.snapshot()).version == before + 1
    assert await other.happened() == ["imported"]
    await replay(await other.histories())
    await other.stop()


async def test_without_an_entity_the_client_says_that_no_worker_keeps_one(env: WorkflowEnvironment) -> None:
    client = CatalogueClient(env.client, answer_within_s=0.5)
    for asking in (client.document(), client.snapshot(), client.events(), client.accept("alpha")):
        with pytest.raises(NoWorker):
            await asking


async def test_a_state_that_this_version_cannot_read_is_not_given_up(env: WorkflowEnvironment) -> None:
    """It waits for a worker that can, as after a deployment is rolled back; ended, it would begin anew, and empty."""
    catalogue = Catalogue(env, 0)
    await catalogue.start()
    queue = (await catalogue.handle.describe()).task_queue
    kinds = set[int]()
    newer = state(profile()).model_dump(mode="json") | {"epoch": "of a later format"}
    waiting = await env.client.start_workflow("ProviderCatalogue", newer, id=f"newer-{uuid.uuid4()}", task_queue=queue)
    for _ in range(100):
        kinds = {event.event_type for event in (await waiting.fetch_history()).events}
        if EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED in kinds:
            break
        await asyncio.sleep(0.05)
    assert EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED in kinds
    assert (await waiting.describe()).status is WorkflowExecutionStatus.RUNNING
    await waiting.terminate()
    await catalogue.stop()
