"""A primary that answers 503 at once for 40 of every 60 seconds."""

from __future__ import annotations

from benchmarks.figures import Figure
from benchmarks.promised import promised
from benchmarks.resilience.scenario import RATE, SEED, Run, Scenario, Tell, run
from benchmarks.resilience.scripts import Timeline, down
from benchmarks.resilience.titles import LITELLM, NAIVE, POINTSMAN
from benchmarks.stack import Stack

_PERIOD_S = 60.0
_OPEN_S = 20.0
"""Half as long as the outage, so that a provider is found well again within the minute."""
_WELL, _DOWN = 1 / 6, 4 / 6


async def measure(stack: Stack, questions: int, warm_up: int, tell: Tell) -> tuple[Run, list[Figure]]:
    """Without hedges: what breakers and fallbacks do by themselves."""
    # A shorter measurement has a shorter outage, not a longer share of it.
    period_s = min(_PERIOD_S, questions / RATE)
    starts = [(number + _WELL) * period_s for number in range(round(questions / RATE / period_s))]
    timeline = Timeline(tuple((start, start + _DOWN * period_s) for start in starts))
    scenario = Scenario(
        "outage",
        "outage, 503 for 40 of 60 s",
        down(SEED, timeline),
        questions,
        hedge=False,
        contenders=(POINTSMAN, LITELLM, NAIVE),
        warm_up=warm_up,
        timeline=timeline,
        open_s=_OPEN_S,
    )
    done = await run(stack, scenario, tell)
    return done, figures(done)


def figures(done: Run) -> list[Figure]:
    """What is promised for it, with those beside who were asked the same."""
    ours = done.tallies[POINTSMAN]
    return [
        promised("outage_failed", "outage: questions failed", ours.failed, beside=done.others("failed")),
        promised(
            "outage_calls_per_question",
            "outage: calls per question",
            ours.calls_per_question,
            beside=done.others("calls_per_question"),
        ),
    ]
