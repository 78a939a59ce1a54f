"""A primary that is up and down in turns, with breakers that open for three seconds."""

from __future__ import annotations

from benchmarks.figures import Figure
from benchmarks.resilience.scenario import RATE, SEED, Run, Scenario, Tell, run
from benchmarks.resilience.scripts import Timeline, down
from benchmarks.stack import Stack

_UP_S, _DOWN_S = 6.0, 4.0


async def measure(stack: Stack, questions: int, warm_up: int, tell: Tell) -> tuple[Run, list[Figure]]:
    """Without hedges."""
    starts = [number * (_UP_S + _DOWN_S) + _UP_S for number in range(int(questions / RATE / (_UP_S + _DOWN_S)) + 1)]
    timeline = Timeline(tuple((start, start + _DOWN_S) for start in starts))
    scenario = Scenario(
        "flapping",
        "flapping, 6 s up, 4 s down",
        down(SEED, timeline),
        questions,
        hedge=False,
        warm_up=warm_up,
        timeline=timeline,
        open_s=3.0,
    )
    return await run(stack, scenario, tell), []
