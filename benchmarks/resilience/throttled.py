"""A primary that takes half of the load and answers the rest with 429 and a Retry-After."""

from __future__ import annotations

from benchmarks.figures import Figure
from benchmarks.resilience.scenario import RATE, SEED, Run, Scenario, Tell, run
from benchmarks.resilience.scripts import limited
from benchmarks.stack import Stack

_RETRY_AFTER_S = 2


async def measure(stack: Stack, questions: int, warm_up: int, tell: Tell) -> tuple[Run, list[Figure]]:
    """Without hedges."""
    scenario = Scenario(
        "throttled",
        f"429, Retry-After {_RETRY_AFTER_S}",
        limited(SEED, int(RATE / 2), _RETRY_AFTER_S),
        questions,
        hedge=False,
        warm_up=warm_up,
    )
    return await run(stack, scenario, tell), []
