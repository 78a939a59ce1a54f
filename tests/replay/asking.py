"""How a question is asked whose history is to be recorded."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress

from temporalio.client import Client

from activities.process_health import ProcessHealth
from pointsman import PointsmanError, Question, RouterClient
from pointsman.configuration import Configuration
from tests.fakes import Fleet
from tests.workflows.conftest import configuration
from workers.embedded.temporal_server import TemporalServer
from workers.settings import Settings
from workers.wiring import build, make_completers

VERSION = "0.1.0"
"""Of the histories that are recorded now; it stands in their names."""

Scenario = Callable[[TemporalServer], Awaitable[str]]
Meanwhile = Callable[[Client, str], Awaitable[object]]


async def asked(
    server: TemporalServer,
    fleet: Fleet,
    question: Question,
    settings: Configuration | None = None,
    *,
    before: Callable[[ProcessHealth], object] = lambda _: None,
    meanwhile: Meanwhile | None = None,
) -> str:
    """Ask with scripted providers in this process; returns the question's id."""
    used = Settings(settings or configuration(), {})
    health = ProcessHealth.of(used.configuration, "recorder")
    before(health)
    workers = await build(server.client, used, make_completers(used, fleet.make), health=health)
    running = [asyncio.create_task(worker.run()) for worker in workers]
    client = RouterClient(server.client)
    question_id = await client.start(question, id=f"recorded-{uuid.uuid4()}")
    if meanwhile is not None:
        await meanwhile(server.client, question_id)
    with suppress(PointsmanError):
        await client.answer(question_id)
    await asyncio.gather(*(worker.shutdown() for worker in workers))
    await asyncio.gather(*running)
    return question_id
