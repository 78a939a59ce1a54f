"""Histories of runs that measure: a suite with a hiccup, a wrong answer and a judge, and the benchmark."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from temporalio.common import WorkflowIDConflictPolicy

from pointsman.catalogue_contract import CATALOGUE_ENTITY_ID, CATALOGUE_QUEUE, ProviderCatalogue
from pointsman.configuration import Configuration
from pointsman.evals.suite import EvalSuite
from pointsman.measuring.request import EvalRequest, ProfileRequest
from pointsman.measuring_contract import EvalRun, ProfileRun
from tests.fakes import Fleet, failing, reply
from tests.replay.asking import Scenario
from tests.workflows.conftest import configuration
from workers.embedded.temporal_server import TemporalServer
from workers.settings import Settings
from workers.wiring import build, build_measuring, make_completers

_CASES: list[dict[str, Any]] = [
    {"id": "sum", "prompt": "What is 1 + 1?", "checks": [{"check": "number", "value": 2}]},
    {"id": "verse", "prompt": "Write a verse.", "checks": [{"check": "judge", "rubric": "It rhymes."}]},
    {
        "id": "colour",
        "prompt": "Red or blue?",
        "checks": [{"check": "choice", "among": ["red", "blue"], "value": "red"}],
    },
]


def _settings() -> Configuration:
    chain = {"chain": ["alpha", "beta"], "order": "chain"}
    settings = configuration(
        catalogue={"admission": "declared"},
        providers={"gamma": {"vendor": "another"}, "alpha": {"max_concurrent": 1}},
        routes={"sums": chain, "judges": {"chain": ["beta", "gamma"], "order": "chain"}},
    )
    suite = {"task": "sums", "description": "d", "threshold": 0.9, "judge": "judges", "cases": _CASES}
    return settings.model_copy(update={"suites": {"sums": EvalSuite.model_validate(suite)}})


async def _run(server: TemporalServer, run: Any, request: Any, fleet: Fleet) -> str:
    used = Settings(_settings(), {})
    workers = await build(server.client, used, make_completers(used, fleet.make))
    workers.append(build_measuring(server.client, used))
    running = [asyncio.create_task(worker.run()) for worker in workers]
    await server.client.start_workflow(
        ProviderCatalogue.run,
        id=CATALOGUE_ENTITY_ID,
        task_queue=CATALOGUE_QUEUE,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    handle = await server.client.start_workflow(run, request, id=f"recorded-{uuid.uuid4()}", task_queue=CATALOGUE_QUEUE)
    await handle.result()
    await asyncio.gather(*(worker.shutdown() for worker in workers))
    await asyncio.gather(*running)
    return handle.id


async def eval_run(server: TemporalServer) -> str:
    fleet = Fleet()
    fleet.script("alpha", failing(), reply("2"), reply("Roses are red."), reply("blue"))
    fleet.script("gamma", reply('{"passed": true, "reason": "It does."}'))
    return await _run(server, EvalRun.run, EvalRequest(task="sums"), fleet)


async def provider_sitting(server: TemporalServer) -> str:
    """The child of such a run."""
    return f"{await eval_run(server)}/alpha/openai/model-2026-01-01"


async def profile_run(server: TemporalServer) -> str:
    return await _run(server, ProfileRun.run, ProfileRequest(samples=1), Fleet())


SCENARIOS: dict[str, Scenario] = {
    "eval_run": eval_run,
    "provider_sitting": provider_sitting,
    "profile_run": profile_run,
}
