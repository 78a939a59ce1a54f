"""A primary that hangs for good from some moment on: no call to it ever ends, and no failure says so at first."""

from __future__ import annotations

from benchmarks.figures import Figure
from benchmarks.resilience.scenario import RATE, SEED, Run, Scenario, Tell, run
from benchmarks.resilience.scripts import Timeline, down
from benchmarks.resilience.titles import LITELLM, NAIVE, POINTSMAN
from benchmarks.stack import Stack
from workers.embedded.scripted.script import Hang

_WELL = 0.25


async def measure(stack: Stack, questions: int, warm_up: int, tell: Tell, *, hedge: bool) -> tuple[Run, list[Figure]]:
    """With hedges beside the others; without them Pointsman alone."""
    timeline = Timeline(((questions / RATE * _WELL, float("inf")),))
    scenario = Scenario(
        "hang" if hedge else "hang_unhedged",
        "hangs for good" if hedge else "hangs for good, hedge = false",
        down(SEED, timeline, Hang()),
        questions,
        hedge=hedge,
        contenders=(POINTSMAN, LITELLM, NAIVE) if hedge else (POINTSMAN,),
        warm_up=warm_up,
        timeline=timeline,
    )
    return await run(stack, scenario, tell), []
