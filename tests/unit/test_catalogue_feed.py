"""The feed between a process and the catalogue, where the catalogue does not do as it should."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from temporalio.client import Client, WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from activities.process_catalogue import ProcessCatalogue
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.view import UNREAD
from tests.builders import configuration
from tests.catalogues import MODEL, SERVED
from workers import catalogue_feed
from workers.catalogue_feed import CatalogueFeed

SNAPSHOT = CatalogueSnapshot(epoch=1, version=1)
GONE = RPCError("not there", RPCStatusCode.NOT_FOUND, b"")


async def answers(_: int) -> CatalogueSnapshot:
    return SNAPSHOT


@dataclass
class Entity:
    """Stands for the client and for the handle: takes signals and answers queries as told."""

    answer: Callable[[int], Awaitable[CatalogueSnapshot]] = answers
    refuse_signals: int = 0
    refuse_start: bool = False
    queries: int = 0
    started: int = 0
    signals: list[Any] = field(default_factory=list[Any])

    def get_workflow_handle_for(self, *_: Any) -> Entity:
        return self

    async def start_workflow(self, *_: Any, **__: Any) -> None:
        self.started += 1
        if self.refuse_start:
            raise GONE

    async def signal(self, _: Any, report: Any, **__: Any) -> None:
        if self.refuse_signals:
            self.refuse_signals -= 1
            raise GONE
        self.signals.append(report.served)

    async def query(self, *_: Any, **__: Any) -> CatalogueSnapshot:
        self.queries += 1
        return await self.answer(self.queries)


def feed(entity: Entity) -> tuple[CatalogueFeed, ProcessCatalogue]:
    catalogue = ProcessCatalogue(configuration())
    return CatalogueFeed(cast("Client", entity), catalogue, lambda: 0.01), catalogue


async def test_the_first_look_starts_the_catalogue_where_there_is_none() -> None:
    async def after_a_start(_: int) -> CatalogueSnapshot:
        if not entity.started:
            raise GONE
        return SNAPSHOT

    entity = Entity(after_a_start)
    reading, catalogue = feed(entity)
    assert await reading.first()
    assert (catalogue.snapshot, entity.started) == (SNAPSHOT, 1)


async def test_a_process_starts_without_the_catalogue_where_it_is_out_of_reach(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def never(_: int) -> CatalogueSnapshot:
        raise GONE

    entity = Entity(never, refuse_start=True)
    reading, catalogue = feed(entity)
    assert not await reading.first(within_s=0.25)
    assert catalogue.snapshot is UNREAD
    assert "the catalogue is out of reach, so this process starts without it and goes on asking" in caplog.text


async def test_a_query_that_the_server_holds_back_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(_: int) -> CatalogueSnapshot:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    monkeypatch.setattr(catalogue_feed, "_QUERY_TIMEOUT_S", 0.02)
    reading, _ = feed(Entity(never))
    with pytest.raises(TimeoutError):
        await reading.exchange()


async def test_a_report_that_does_not_arrive_is_told_with_the_next_look() -> None:
    entity = Entity(refuse_signals=1)
    reading, catalogue = feed(entity)
    catalogue.saw("alpha", MODEL, SERVED)
    with pytest.raises(RPCError):
        await reading.exchange()
    assert entity.signals == []
    await reading.exchange()
    await reading.exchange()
    assert entity.signals == [SERVED]


@pytest.mark.parametrize("fault", [WorkflowQueryFailedError("no such query"), ValueError("no snapshot of ours"), GONE])
async def test_an_entity_that_answers_wrongly_does_not_end_the_feed(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def wrongly_at_first(asked: int) -> CatalogueSnapshot:
        if asked < 4:
            raise fault
        return SNAPSHOT

    entity = Entity(wrongly_at_first)
    reading, catalogue = feed(entity)
    running = asyncio.create_task(reading.run())
    try:
        for _ in range(500):
            if catalogue.snapshot is SNAPSHOT:
                break
            await asyncio.sleep(0.01)
    finally:
        running.cancel()
    assert catalogue.snapshot is SNAPSHOT
    assert entity.started >= 3
    assert caplog.text.count("out of reach") == (0 if fault is GONE else 1), "told once"
