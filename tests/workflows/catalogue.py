"""A catalogue entity to talk to, with the worker that runs it."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from datetime import datetime

from temporalio.client import WorkflowHandle, WorkflowHistory
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.state import CatalogueState
from pointsman.catalogue_contract import ProviderCatalogue as Contract
from pointsman.connection import DATA_CONVERTER
from workers.wiring import SANDBOX
from workflows.provider_catalogue import ProviderCatalogue


@dataclass
class Catalogue:
    """One entity on a queue of its own."""

    env: WorkflowEnvironment
    cached: int
    _handle: WorkflowHandle[Contract, None] | None = None
    _worker: Worker | None = None
    _running: asyncio.Task[None] | None = None

    @property
    def handle(self) -> WorkflowHandle[Contract, None]:
        """Of the entity, whichever its run is."""
        assert self._handle is not None
        return self._handle

    async def start(self, state: CatalogueState | None = None, workflow_id: str | None = None) -> None:
        queue = f"catalogue-{uuid.uuid4()}"
        self._worker = Worker(
            self.env.client,
            task_queue=queue,
            workflows=[ProviderCatalogue],
            workflow_runner=SANDBOX,
            max_cached_workflows=self.cached,
        )
        self._running = asyncio.create_task(self._worker.run())
        self._handle = await self.env.client.start_workflow(
            Contract.run, state, id=workflow_id or f"provider-catalogue-{uuid.uuid4()}", task_queue=queue
        )

    async def stop(self) -> None:
        await self.handle.terminate()
        assert self._worker is not None
        assert self._running is not None
        await self._worker.shutdown()
        await self._running

    async def now(self) -> datetime:
        return await self.env.get_current_time()

    async def snapshot(self) -> CatalogueSnapshot:
        return await self.handle.query(Contract.snapshot)

    async def document(self) -> CatalogueDocument:
        return await self.handle.query(Contract.document)

    async def happened(self) -> list[str]:
        return [event.kind for event in await self.handle.query(Contract.events)]

    async def histories(self) -> list[WorkflowHistory]:
        """Of all runs, first to last."""
        found: list[WorkflowHistory] = []
        run_id: str | None = self.handle.first_execution_run_id
        while run_id:
            history = await self.env.client.get_workflow_handle(self.handle.id, run_id=run_id).fetch_history()
            found.append(history)
            ended = history.events[-1].workflow_execution_continued_as_new_event_attributes
            run_id = ended.new_execution_run_id or None
        return found


async def replay(histories: list[WorkflowHistory]) -> None:
    replayer = Replayer(workflows=[ProviderCatalogue], data_converter=DATA_CONVERTER, workflow_runner=SANDBOX)
    for history in histories:
        if not any(event.HasField("workflow_task_completed_event_attributes") for event in history.events):
            continue  # a run that has only just begun: there is nothing to replay
        await replayer.replay_workflow(history)
