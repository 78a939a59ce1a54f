"""The feed between a process and its entity, where the entity does not do as it should."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from temporalio.client import Client, WorkflowQueryFailedError

from activities.process_health import ProcessHealth
from pointsman.health.report import Report
from pointsman.health.snapshot import Snapshot
from tests.builders import configuration
from workers.health_feed import HealthFeed

SNAPSHOT = Snapshot(epoch=1, version=1, issued_at=1.0)


class Entity:
    """Stands for the client and for the handle: takes every report and answers queries as told."""

    def __init__(self, answer: Callable[[int], Awaitable[Snapshot]]) -> None:
        self._answer = answer
        self.queries = 0
        self.reports: list[Report] = []

    def get_workflow_handle_for(self, *_: Any) -> Entity:
        return self

    async def start_workflow(self, *_: Any, **__: Any) -> None:
        return None

    async def signal(self, _: Any, report: Report, **__: Any) -> None:
        self.reports.append(report)

    async def query(self, *_: Any, **__: Any) -> Snapshot:
        self.queries += 1
        return await self._answer(self.queries)


def feed(entity: Entity, **table: int) -> tuple[HealthFeed, ProcessHealth]:
    settings = {"query_timeout": 0.02, "snapshot_interval": 0.01, "flush": 0.01, "early_flush_gap": 0.001, **table}
    health = ProcessHealth.of(configuration(health=settings), "worker-1")
    return HealthFeed(cast("Client", entity), health, {}), health


async def test_a_query_that_the_server_holds_back_is_given_up_in_time() -> None:
    async def never(_: int) -> Snapshot:
        held: asyncio.Future[Snapshot] = asyncio.get_running_loop().create_future()
        return await held

    entity = Entity(never)
    reading, health = feed(entity)
    with pytest.raises(TimeoutError):
        await reading.read()
    assert health.view.snapshot is None


async def test_a_report_has_no_more_rows_than_the_configuration_allows() -> None:
    async def at_once(_: int) -> Snapshot:
        return SNAPSHOT

    entity = Entity(at_once)
    sending, health = feed(entity, batch_max=4)
    for second in range(20):
        health.reports.record("alpha/one", 1, 1, 1_000_000 + second, "ok")
    await sending.report()
    assert [row.ok for row in entity.reports[0].deltas] == [5, 5, 5, 5]


@pytest.mark.parametrize("fault", [WorkflowQueryFailedError("no such query"), ValueError("no snapshot of ours")])
async def test_an_entity_that_answers_wrongly_does_not_end_the_feed(fault: Exception) -> None:
    later = asyncio.Event()

    async def wrong_at_first(number: int) -> Snapshot:
        if number < 3:
            raise fault
        if number > 3:
            later.set()
        return SNAPSHOT

    running, health = feed(Entity(wrong_at_first))
    feeding = asyncio.create_task(running.run())
    await asyncio.wait([feeding, asyncio.create_task(later.wait())], return_when=asyncio.FIRST_COMPLETED)
    assert (health.view.snapshot, feeding.done()) == (SNAPSHOT, False)
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)
