"""A whole Pointsman on the time-skipping server, with fakes at the provider port and the real activities."""

from __future__ import annotations

import asyncio
import gc
import uuid
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from activities.process_telemetry import ProcessTelemetry
from pointsman import Answer, Question, RouteAndAnswer, RouterClient
from pointsman.configuration import Configuration
from pointsman.connection import DATA_CONVERTER
from pointsman.search_attributes import register
from pointsman.telemetry.tracing import tracing_interceptor
from tests.builders import QUERY_TYPES, document, provider_table
from tests.fakes import Fleet, ScriptedCompleter
from workers.embedded.temporal_server import binary
from workers.settings import Settings
from workers.wiring import build, make_completers

PROVIDERS = ("alpha", "beta", "gamma")
_CANCELLED_WITHIN_S = 10.0


def configuration(**changes: Any) -> Configuration:
    """Three equal providers in one chain for everything; tables given replace these, deeper ones are merged."""
    chain = {"chain": list(PROVIDERS), "order": "chain"}
    # On a server that skips time figures with a date would grow old in the middle of a test.
    provider = provider_table(context_tokens=1_000_000, declared_at=None)
    base = document(
        dict.fromkeys(PROVIDERS, provider),
        query_types=dict.fromkeys(QUERY_TYPES, chain),
        retry={"initial_s": 0.01},
    )
    return Configuration.model_validate(_merged(base, changes))


def _merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(value, dict) and isinstance(old, dict) else value
    return merged


async def ended(
    workers: Sequence[Worker], running: Sequence[asyncio.Task[None]], completers: Iterable[ScriptedCompleter]
) -> None:
    """Stop the workers; a call that hangs on is ended, since its cancellation may be lost with them."""
    stopping = asyncio.gather(*(worker.shutdown() for worker in workers))
    await asyncio.wait([stopping], timeout=_CANCELLED_WITHIN_S)
    for completer in completers:
        completer.over.set()
    await stopping
    await asyncio.gather(*running)


@dataclass
class Pointsman:
    """A running Pointsman to ask."""

    env: WorkflowEnvironment
    cached: int
    fleet: Fleet = field(default_factory=Fleet)
    health: ProcessHealth = field(init=False)
    """What its one process knows; it stands alone."""
    _running: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])
    _workers: list[Any] = field(default_factory=list[Any])

    async def serve(
        self,
        settings: Configuration | None = None,
        catalogue: ProcessCatalogue | None = None,
        telemetry: ProcessTelemetry | None = None,
    ) -> None:
        used = Settings(settings or configuration(), {})
        self.health = ProcessHealth.of(used.configuration, "worker")
        self._workers = await build(
            self.env.client,
            used,
            make_completers(used, self.fleet.make),
            health=self.health,
            catalogue=catalogue,
            telemetry=telemetry,
            interceptors=() if telemetry is None else [tracing_interceptor(telemetry)],
            max_cached_workflows=self.cached,
        )
        self._running = [asyncio.create_task(worker.run()) for worker in self._workers]

    async def stop(self) -> None:
        await ended(self._workers, self._running, self.fleet.completers.values())

    async def stop_provider(self, provider: str) -> None:
        """End the worker of one provider, as if its process were gone."""
        gone = [worker for worker in self._workers if worker.task_queue.endswith(f"-{provider}")]
        await asyncio.gather(*(worker.shutdown() for worker in gone))
        self._workers = [worker for worker in self._workers if worker not in gone]

    async def ask(self, prompt: str = "hello there", **fields: Any) -> Answer:
        return await RouterClient(self.env.client).ask(prompt, **fields)

    async def start(self, question: Question) -> WorkflowHandle[RouteAndAnswer, Answer]:
        question_id = await RouterClient(self.env.client).start(question, id=f"q-{uuid.uuid4()}")
        return self.env.client.get_workflow_handle_for(RouteAndAnswer.run, question_id)


@pytest.fixture(scope="module", autouse=True)
def _nothing_left_to_collect() -> Iterator[None]:
    """What other tests have left is not collected in the middle of a workflow task, which may take two seconds."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def env() -> AsyncGenerator[WorkflowEnvironment]:
    server = await WorkflowEnvironment.start_time_skipping(
        data_converter=DATA_CONVERTER, test_server_existing_path=binary("temporal-test-server")
    )
    async with server:
        await register(server.client)
        yield server


@pytest_asyncio.fixture(loop_scope="module", params=[1000, 0], ids=["cached", "replayed"])
async def pointsman(env: WorkflowEnvironment, request: pytest.FixtureRequest) -> AsyncGenerator[Pointsman]:
    """Each test runs twice: with cached workflows, and with every task replayed from its history."""
    running = Pointsman(env, request.param)
    yield running
    await running.stop()
