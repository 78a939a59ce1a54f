"""A Pointsman with a catalogue, whose provider alpha is under upgrade: each model answers by a script of its own."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from temporalio.client import WorkflowHandle
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.ports import CompletionRequest
from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from pointsman import Answer, Question, RouteAndAnswer, RouterClient
from pointsman.catalogue.observations import ShadowResult
from pointsman.catalogue.snapshot import CatalogueSnapshot
from pointsman.catalogue.upgrade import UpgradePlan
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE, ProviderCatalogue
from pointsman.configuration import Configuration
from pointsman.response import ProviderResponse
from pointsman.upgrade_client import UpgradeClient
from tests.fakes import ScriptedCompleter, Step
from tests.upgrades import BASE, NEW
from tests.workflows.conftest import configuration, ended
from workers.catalogue_feed import CatalogueFeed
from workers.settings import Settings
from workers.wiring import build, build_measuring


@dataclass
class ByModel:
    """A provider that serves several models."""

    models: dict[str, ScriptedCompleter] = field(default_factory=dict[str, ScriptedCompleter])

    def script(self, model: str, *steps: Step) -> None:
        self.models[model] = ScriptedCompleter(deque(steps))

    def calls(self, model: str) -> int:
        return len(self.models[model].requests) if model in self.models else 0

    async def complete(self, request: CompletionRequest) -> ProviderResponse:
        return await self.models.setdefault(request.model, ScriptedCompleter()).complete(request)


def plan(**changes: Any) -> UpgradePlan:
    """Every question of alpha is shadowed."""
    told = {"id": "u-1", "provider": "alpha", "base": BASE, "model": NEW, "stage": "shadowing", "sample": 1.0}
    return UpgradePlan.model_validate({**told, "daily_cost_cap_usd": 100.0, **changes})


def snapshot(*plans: UpgradePlan, version: int = 1) -> CatalogueSnapshot:
    return CatalogueSnapshot(epoch=1, version=version, upgrades={one.provider: one for one in plans})


@dataclass
class Upgrading:
    """It runs until it is stopped; the catalogue's worker can be left out."""

    env: WorkflowEnvironment
    cached: int
    providers: dict[str, ByModel] = field(default_factory=dict[str, ByModel])
    catalogue: ProcessCatalogue = field(init=False)
    _workers: list[Worker] = field(default_factory=list[Worker])
    _running: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])
    ids: list[str] = field(default_factory=list[str])

    @property
    def alpha(self) -> ByModel:
        return self.providers.setdefault("alpha", ByModel())

    @property
    def upgrades(self) -> UpgradeClient:
        return UpgradeClient(self.env.client)

    async def exchange(self) -> None:
        """As often as it takes for everything seen to be told, and what follows from it to be known here."""
        feed = CatalogueFeed(self.env.client, self.catalogue, lambda: 1.0)
        for _ in range(4):
            await feed.exchange()

    @property
    def entity(self) -> WorkflowHandle[ProviderCatalogue, None]:
        return self.env.client.get_workflow_handle_for(ProviderCatalogue.run, CATALOGUE_ENTITY_ID)

    async def serve(self, *plans: UpgradePlan, settings: Configuration | None = None, measuring: bool = True) -> None:
        used = Settings(settings or configuration(), {})
        self.catalogue = ProcessCatalogue(used.configuration)
        if plans:
            self.catalogue.accept(snapshot(*plans))
        completers = {name: self.providers.setdefault(name, ByModel()) for name in used.configuration.providers}
        self._workers = await build(
            self.env.client,
            used,
            completers,
            health=ProcessHealth.of(used.configuration, "worker"),
            catalogue=self.catalogue,
            max_cached_workflows=self.cached,
        )
        if measuring:
            self._workers.append(build_measuring(self.env.client, used, max_cached_workflows=self.cached))
            await self.env.client.start_workflow(
                ProviderCatalogue.run, None, id=CATALOGUE_ENTITY_ID, task_queue=CATALOGUE_QUEUE
            )
        self._running = [asyncio.create_task(worker.run()) for worker in self._workers]

    async def ask(self, prompt: str = "hello there", **fields: Any) -> Answer:
        return await (await self.start(Question(prompt=prompt, **fields))).result()

    async def start(self, question: Question) -> WorkflowHandle[RouteAndAnswer, Answer]:
        question_id = await RouterClient(self.env.client).start(question, id=f"q-{uuid.uuid4()}")
        self.ids.append(question_id)
        return self.env.client.get_workflow_handle_for(RouteAndAnswer.run, question_id)

    async def shadow(self, question_id: str | None = None) -> ShadowResult:
        """What came of the last question's shadow."""
        shadow_id = f"{question_id or self.ids[-1]}/shadow"
        shadow = self.env.client.get_workflow_handle(shadow_id, result_type=ShadowResult)
        found: ShadowResult = await shadow.result()
        return found

    async def stop(self) -> None:
        if any(worker.task_queue == CATALOGUE_QUEUE for worker in self._workers):
            await self.entity.terminate()
            with suppress(RPCError):
                await self.env.client.get_workflow_handle("model-upgrade-alpha").terminate()
        models = [model for provider in self.providers.values() for model in provider.models.values()]
        await ended(self._workers, self._running, models)
