"""Asking with high stakes in the tests of workflows."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from temporalio.client import WorkflowHandle

from pointsman import Answer, PendingReview, Question, RouteAndAnswer
from tests.fakes import Step
from tests.workflows.conftest import Pointsman, configuration

FIVE, SIX = "The answer is 5.", "The answer is 6."
ASKED = "How many apples are left?"


async def serve(pointsman: Pointsman, *, tables: dict[str, Any] | None = None, **route: Any) -> None:
    await pointsman.serve(configuration(query_types={"simple_factual": route}, **(tables or {})))


def script(pointsman: Pointsman, **steps: Step) -> None:
    for provider, step in steps.items():
        pointsman.fleet.completers[provider].steps = deque([step])


async def ask(pointsman: Pointsman, **fields: Any) -> Answer:
    return await pointsman.ask(ASKED, stakes="high", **fields)


async def waiting(pointsman: Pointsman, **fields: Any) -> tuple[WorkflowHandle[RouteAndAnswer, Answer], PendingReview]:
    """A question that waits for a person."""
    handle = await pointsman.start(Question(prompt=ASKED, stakes="high", **fields))
    for _ in range(1000):
        pending = await handle.query(RouteAndAnswer.pending_review)
        if pending is not None:
            return handle, pending
        await asyncio.sleep(0.02)
    raise TimeoutError("it never waited for a review")
