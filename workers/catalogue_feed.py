"""Carries the catalogue between this process and the fleet: snapshots in, what was seen of models out.

No question ever waits for any of it, but for the first look: a process takes questions only when it has read the
catalogue, or has waited long enough for it.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import ResetStickyTaskQueueRequest
from temporalio.client import Client, WorkflowHandle
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError

from activities.process_catalogue import ProcessCatalogue
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE, ProviderCatalogue

_log = logging.getLogger(__name__)

FIRST_WITHIN_S = 15.0
"""The server goes on asking a worker that was killed for ten seconds before it asks another one."""
_TRY_AGAIN_S = 0.1
_UNANSWERED_S = 1.0
"""After a query that a worker could not answer: that one, perhaps this process itself, has to be mended first."""
_QUERY_TIMEOUT_S = 2.0
_SPREAD = 0.2
_LAST_WORD_S = 1.0
_CALL_TIMEOUT = timedelta(seconds=5)
_OBSERVED_EVERY = 3
"""Exchanges: a fleet of any size then sends some twenty reports of live answers a second at most."""


class CatalogueFeed:
    """The feed of one process."""

    def __init__(self, client: Client, catalogue: ProcessCatalogue, interval_s: Callable[[], float]) -> None:
        """`interval_s` tells how often the fleet's size lets a process ask."""
        self._client = client
        self._catalogue = catalogue
        self._interval_s = interval_s
        self._told: set[str] = set()
        self._pause_s = _TRY_AGAIN_S
        self._exchanges = 0

    async def first(self, within_s: float = FIRST_WITHIN_S) -> bool:
        """Start the catalogue unless it runs, and read it; whether that went well in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not await self._tried():
                    await self._start_entity()
                    await self._forget_dead_worker()
                    await asyncio.sleep(self._pause_s)
                return True
        _log.warning("the catalogue is out of reach, so this process starts without it and goes on asking")
        return False

    async def run(self) -> None:
        """Feed until cancelled; then tell what is still untold, if the server takes it soon."""
        try:
            while True:
                spread = random.uniform(1 - _SPREAD, 1 + _SPREAD)  # noqa: S311 - keeps processes out of step
                await asyncio.sleep(self._interval_s() * spread)
                if not await self._tried():
                    await self._start_entity()
        finally:
            with suppress(RPCError, TimeoutError):
                async with asyncio.timeout(_LAST_WORD_S):
                    await self._tell_observations()

    async def exchange(self) -> None:
        """Tell what was seen, and take in a snapshot.

        Raises:
            RPCError: the entity is not there, or the server does not answer.
            TimeoutError: no answer came in time.
        """
        reports = self._catalogue.take_served()
        try:
            for report in reports:
                await self._entity.signal(ProviderCatalogue.served, report, rpc_timeout=_CALL_TIMEOUT)
        except RPCError:
            self._catalogue.give_back(reports)
            raise
        self._exchanges += 1
        if self._exchanges % _OBSERVED_EVERY == 0:
            await self._tell_observations()
        # Around the client, which takes its own limit anew for each try.
        async with asyncio.timeout(_QUERY_TIMEOUT_S):
            self._catalogue.accept(await self._entity.query(ProviderCatalogue.snapshot))

    async def _tell_observations(self) -> None:
        """Tell live answers of providers under upgrade; what may not have arrived is told again under its number."""
        self._catalogue.look_at_breakers()
        due = self._catalogue.observations.due()
        if due is not None:
            await self._entity.signal(ProviderCatalogue.observed, due, rpc_timeout=_CALL_TIMEOUT)
            self._catalogue.observations.arrived(due.seq)

    async def _tried(self) -> bool:
        self._pause_s = _TRY_AGAIN_S
        try:
            await self.exchange()
        except (RPCError, TimeoutError):
            return False
        except Exception as fault:  # noqa: BLE001 - an entity of another version may fail a query, or answer otherwise
            self._pause_s = _UNANSWERED_S
            name = type(fault).__name__
            if name not in self._told:
                self._told.add(name)
                _log.warning("the catalogue is out of reach (%s): %s", name, str(fault)[:200])
            return False
        return True

    async def _start_entity(self) -> None:
        """Start the entity unless it runs; that it does is all that is wanted."""
        with suppress(RPCError):
            await self._client.start_workflow(
                ProviderCatalogue.run,
                None,
                id=CATALOGUE_ENTITY_ID,
                task_queue=CATALOGUE_QUEUE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                static_summary="What was measured of all models",
                rpc_timeout=_CALL_TIMEOUT,
            )

    async def _forget_dead_worker(self) -> None:
        """Have the entity's queries go to whoever is there.

        For some ten seconds a server sends them to the process that served it last, though that has been killed.
        """
        request = ResetStickyTaskQueueRequest(
            namespace=self._client.namespace, execution=WorkflowExecution(workflow_id=CATALOGUE_ENTITY_ID)
        )
        with suppress(RPCError):
            await self._client.workflow_service.reset_sticky_task_queue(request, timeout=_CALL_TIMEOUT)

    @property
    def _entity(self) -> WorkflowHandle[ProviderCatalogue, None]:
        return self._client.get_workflow_handle_for(ProviderCatalogue.run, CATALOGUE_ENTITY_ID)
