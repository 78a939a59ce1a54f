"""A Pointsman that measures: its catalogue, its measuring worker, and providers that answer by the question."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from temporalio.client import WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError
from temporalio.worker import Worker

from activities.ports import CompletionRequest
from pointsman.catalogue.document import CatalogueDocument
from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE, ProviderCatalogue
from pointsman.configuration import Configuration
from pointsman.evals.suite import EvalSuite
from pointsman.measuring.eval_report import EvalReport
from pointsman.measuring.profile_report import ProfileReport
from pointsman.measuring.request import EvalRequest, ProfileRequest
from pointsman.measuring_contract import EvalRun, ProfileRun
from pointsman.response import ProviderResponse
from tests.fakes import ScriptedCompleter, Step
from tests.workflows.conftest import Pointsman
from workers.settings import Settings
from workers.wiring import build_measuring

TASK = "sums"
ROUTE = {"chain": ["alpha", "beta"], "order": "chain"}


@dataclass
class Examinee(ScriptedCompleter):
    """Answers as `says` tells for a prompt; keeps how many requests it had at once, and for which models."""

    says: Callable[[str], Step] = lambda _: "?"
    pause_s: float = 0.0
    under_way: int = 0
    at_once: int = 0
    models: set[str] = field(default_factory=set[str])

    async def complete(self, request: CompletionRequest) -> ProviderResponse:
        self.under_way += 1
        self.at_once = max(self.at_once, self.under_way)
        self.models.add(request.model)
        try:
            if self.pause_s:
                await asyncio.sleep(self.pause_s)
            self.steps.clear()
            self.steps.append(self.says(request.question.text))
            return await super().complete(request)
        finally:
            self.under_way -= 1


def suite(count: int = 10, threshold: float = 0.9, **changes: Any) -> EvalSuite:
    """Sums of 1 and the numbers up to `count`."""
    cases = [
        {
            "id": f"sum-{number}",
            "prompt": f"What is 1 + {number}?",
            "checks": [{"check": "number", "value": 1 + number}],
            **changes,
        }
        for number in range(1, count + 1)
    ]
    return EvalSuite.model_validate({"task": TASK, "description": "sums", "threshold": threshold, "cases": cases})


def rightly(prompt: str) -> str:
    return f"The answer is {1 + int(prompt.removesuffix('?').split()[-1])}."


def with_suites(settings: Configuration, *suites: EvalSuite) -> Configuration:
    return settings.model_copy(update={"suites": {one.task: one for one in suites}})


@dataclass
class Measuring:
    """A running Pointsman with everything that measures."""

    pointsman: Pointsman
    _worker: Worker | None = None
    _running: asyncio.Task[None] | None = None

    def says(self, provider: str, says: Callable[[str], Step], **changes: Any) -> Examinee:
        """Let a provider answer by the prompt."""
        examinee = Examinee(says=says, **changes)
        self.pointsman.fleet.completers[provider] = examinee
        return examinee

    async def serve(self, settings: Configuration) -> None:
        await self.pointsman.serve(settings)
        await self.measure(settings)
        await self.pointsman.env.client.start_workflow(
            ProviderCatalogue.run,
            id=CATALOGUE_ENTITY_ID,
            task_queue=CATALOGUE_QUEUE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )

    async def measure(self, settings: Configuration) -> None:
        """Start the worker that measures; it takes the place of an earlier one."""
        await self.stop()
        client, cached = self.pointsman.env.client, self.pointsman.cached
        self._worker = build_measuring(client, Settings(settings, {}), max_cached_workflows=cached)
        self._running = asyncio.create_task(self._worker.run())

    async def close(self) -> None:
        """End the catalogue too: the next test's worker does not know its cached state."""
        await self.stop()
        with suppress(RPCError):
            await self.pointsman.env.client.get_workflow_handle(CATALOGUE_ENTITY_ID).terminate()

    async def stop(self) -> None:
        if self._worker is not None and self._running is not None:
            await self._worker.shutdown()
            await self._running
            self._worker = None

    async def evaluate(self, *providers: str, **fields: Any) -> EvalReport:
        request = EvalRequest(task=fields.pop("task", TASK), providers=providers, **fields)
        return await self.pointsman.env.client.execute_workflow(
            EvalRun.run, request, id=f"eval-{uuid.uuid4()}", task_queue=CATALOGUE_QUEUE
        )

    async def profile(self, *providers: str, **fields: Any) -> ProfileReport:
        return await self.pointsman.env.client.execute_workflow(
            ProfileRun.run,
            ProfileRequest(providers=providers, **fields),
            id=f"profile-{uuid.uuid4()}",
            task_queue=CATALOGUE_QUEUE,
        )

    async def document(self) -> CatalogueDocument:
        """What the catalogue holds."""
        entity = self.pointsman.env.client.get_workflow_handle_for(ProviderCatalogue.run, CATALOGUE_ENTITY_ID)
        return await entity.query(ProviderCatalogue.document)


def refusal(failure: WorkflowFailureError) -> tuple[str | None, str]:
    """Type and sentence of what a run ended with."""
    cause: BaseException | None = failure
    while cause is not None and not isinstance(cause, ApplicationError):
        cause = cause.__cause__
    assert isinstance(cause, ApplicationError)
    return cause.type, cause.message
