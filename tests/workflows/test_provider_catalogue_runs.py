"""The catalogue entity goes on in a new run and loses nothing: no signal, no operator's word, no state.

On the development server, which is the real one: it lets a new run begin a second after the last at the earliest, and
refuses to end a run while signals pour in.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest
import pytest_asyncio
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from pointsman.catalogue.commands import AcceptModel, PromoteUpgrade
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.state import CatalogueState
from pointsman.catalogue_client import CatalogueClient
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID
from pointsman.catalogue_contract import ProviderCatalogue as Contract
from pointsman.connection import DATA_CONVERTER
from pointsman.errors import CatalogueRefused
from tests import upgrades
from tests.catalogues import evaluation, profile, seen, served
from tests.workflows.catalogue import Catalogue, replay
from workers.embedded.temporal_server import binary

pytestmark = pytest.mark.asyncio(loop_scope="module")

_SENDERS, _EACH = 20, 10


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncGenerator[WorkflowEnvironment]:
    local = await WorkflowEnvironment.start_local(
        data_converter=DATA_CONVERTER, dev_server_existing_path=binary("temporal")
    )
    async with local:
        yield local


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def catalogue(server: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Catalogue]:
    running = Catalogue(server, request.param)
    yield running
    await running.stop()


async def test_nothing_is_lost_when_the_entity_goes_on_in_a_new_run(catalogue: Catalogue) -> None:
    """Every signal counts once and every order is obeyed once, over at least three runs that all replay."""
    now = await catalogue.now()
    rounds, event_limit = (10, 600) if catalogue.cached else (5, 200)
    noted = served("beta", since=now - timedelta(days=1))
    shadowing = upgrades.shadowing(daily_cost_cap_usd=100)
    held = CatalogueDocument(
        profiles={profile("kept").key: profile("kept")},
        evaluations={evaluation("kept").key: evaluation("kept")},
        served={noted.key: noted},
        upgrades={"alpha": shadowing},
    )
    begun = CatalogueState(epoch=42, now=now, version=7, document=held, event_limit=event_limit)
    await catalogue.start(begun, workflow_id=CATALOGUE_ENTITY_ID)
    client = CatalogueClient(catalogue.env.client)
    sent = refused = 0

    async def shadow() -> None:
        nonlocal sent
        for _ in range(_EACH):
            result = upgrades.result(at=now, spent_usd=0.000001)
            while True:
                try:
                    await catalogue.handle.signal(Contract.shadowed, result)
                    break
                except RPCError:
                    await asyncio.sleep(0.01)
            sent += 1

    async def order(number: int) -> None:
        nonlocal refused
        await catalogue.handle.signal(Contract.served, seen(f"model-{number}", "beta", at=await catalogue.now()))
        await client.accept("beta", operator=f"operator-{number}")
        try:
            await client.promote(PromoteUpgrade(provider="nobody"))
        except CatalogueRefused:
            refused += 1

    for number in range(rounds):
        await asyncio.gather(order(number), *(shadow() for _ in range(_SENDERS)))
    snapshot, document = await catalogue.snapshot(), await catalogue.document()
    assert sent == rounds * _SENDERS * _EACH
    assert document.upgrades["alpha"].spend.total == sent
    assert refused == rounds
    assert (snapshot.epoch, snapshot.profiles, snapshot.evaluations) == (42, held.profiles, held.evaluations)
    assert snapshot.version == 7 + sent + 2 * rounds
    accepted = [event.operator for event in await client.events() if event.kind == "model_accepted"]
    assert accepted == [f"operator-{number}" for number in range(rounds)]
    assert document.served[noted.key].served == f"model-{rounds - 1}"
    histories = await catalogue.histories()
    assert len(histories) >= 3
    await replay(histories)


async def test_an_operators_word_given_while_the_runs_change_is_kept(catalogue: Catalogue) -> None:
    """With so low a limit every few messages end a run; each answer is of a state that the next run has too."""
    now = await catalogue.now()
    await catalogue.start(CatalogueState(epoch=1, now=now, event_limit=12), workflow_id=CATALOGUE_ENTITY_ID)
    for number in range(8):
        await catalogue.handle.signal(Contract.served, seen(f"model-{number}", at=await catalogue.now()))
        if number:
            await catalogue.handle.execute_update(Contract.accept_model, AcceptModel(provider="alpha"))
            assert (await catalogue.snapshot()).version == 2 * number + 2
    assert await catalogue.happened() == ["model_changed", "model_accepted"] * 7
    histories = await catalogue.histories()
    assert len(histories) >= 3
    await replay(histories)
