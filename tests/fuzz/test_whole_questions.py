"""A sample of the replies through whole questions: each ends as promised, whatever both of its providers send."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from temporalio.testing import WorkflowEnvironment

from activities.process_health import ProcessHealth
from pointsman import QuestionFailed, RouterClient
from pointsman.configuration import Configuration
from tests import builders
from tests.fuzz.calling import CANARY
from tests.fuzz.campaign import DIALECTS, generated
from tests.fuzz.case import SCHEMA, Case
from tests.fuzz.settings import SEED, TIME_LIMIT_S, share
from tests.fuzz.wire import CASE, Wire
from tests.wire.asking import MODELS
from tests.workflows.conftest import env
from workers.settings import Settings
from workers.wiring import build, make_completers

__all__ = ["env"]
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:coroutine"),
]


@pytest_asyncio.fixture(loop_scope="module")
async def wire() -> AsyncGenerator[Wire]:
    async with Wire() as running:
        yield running


def _configuration(wire: Wire) -> Configuration:
    """A provider for each dialect; breakers that never open, so that every question meets its replies."""
    table = builders.provider_table(rate_limit_per_minute=600_000, declared_at=None, price={"input": 1, "output": 10})
    providers: dict[str, Any] = {
        name: {
            **table,
            "model": MODELS[name],
            "api_base": wire.api_base(name),
            "extra_headers": {CASE: f"{name}/{{workflow_id}}"},
        }
        for name in DIALECTS
    }
    return Configuration.model_validate(
        builders.document(
            providers,
            breaker={"consecutive": 50, "min_calls": 1_000_000, "failure_rate": 1.0, "throttle_share": 1.0},
            throttling={"failure_cooldown_calls": 0},
            retry={"initial_s": 0.01, "max_interval_s": 0.02},
            budget={"ratio": 1.0, "capacity": 1000},
        )
    )


def _case(dialect: str, number: int, *, schema: bool) -> Case:
    """The first of a question's own cases that is one of questions with, or without, a schema."""
    seed = f"{SEED}-whole-{number}"
    return next(case for n in range(1, 1_000) if (case := generated(seed, dialect, n)).schema is schema)


def _right(cases: dict[str, Case], provider: str, text: str, *, refused: bool) -> bool:
    told = cases[provider].expected
    return told.refusal if refused else text in told.texts


@pytest.mark.timeout(TIME_LIMIT_S)
async def test_every_question_ends_as_promised_whatever_its_providers_send(
    env: WorkflowEnvironment, wire: Wire
) -> None:
    settings = Settings(_configuration(wire), {})
    client, wrong, answered = RouterClient(env.client), list[str](), 0
    for number in range(share(60)):
        # Each on a process that has seen nothing, and so bars nobody.
        health = ProcessHealth.of(settings.configuration, "worker")
        workers = await build(env.client, settings, make_completers(settings), health=health)
        question_id = f"fuzz-{number}"
        schema = SCHEMA if number % 3 == 0 else None
        cases = {name: _case(name, number, schema=schema is not None) for name in DIALECTS}
        for name, case in cases.items():
            wire.cases[f"{name}/{question_id}"] = case
        for worker in workers:
            await worker.__aenter__()
        try:
            found = await client.ask(f"What is it? {CANARY}", id=question_id, response_schema=schema)
        except QuestionFailed as failed:
            if not failed.attempts:
                wrong.append(f"{number}: failed without an attempt: {failed}")
        else:
            answered += 1
            if not _right(cases, found.provider or "", found.text, refused=found.refused):
                wrong.append(f"{number}: {found.provider} answered {found.text[:80]!r}")
        finally:
            for worker in workers:
                await worker.__aexit__(None, None, None)

    assert not wrong
    assert answered
