"""The parts of the benchmark by name: each can be measured alone, and all of them one after another."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import classification, decision, divergence, plain_question, processes, shadowing, waiting_reviews
from benchmarks.chaos.run import run as chaos
from benchmarks.chaos.schedule import schedule
from benchmarks.chaos.verdict import FOR_THE_TABLE, verdict
from benchmarks.extent import CHAOS_SEED, Extent
from benchmarks.figures import Figure
from benchmarks.found import Found
from benchmarks.resilience import suite
from benchmarks.stack import Stack, stack

_BLOCKS, _DECISIONS = 7, 500
_PREFIX = "pointsman-bench-"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    parts: tuple[str, ...]
    extent: Extent
    data: Path | None
    """The folder of outside data; `None` where there is none."""
    tell: Callable[[str], None]

    def chosen(self, names: Mapping[str, object]) -> list[str]:
        """Those of the names that are to be measured, in the order in which they are."""
        return [name for name in names if name in self.parts]


ALONE: Mapping[str, Callable[[Plan], Found]] = {
    "divergence": lambda plan: Found(*divergence.measure(plan.data)),
    "classification": lambda plan: Found(*classification.measure(plan.data)),
    "decide": lambda _plan: Found(decision.measure(_BLOCKS, _DECISIONS)),
    "cli": lambda _plan: Found(processes.start_up()),
}
"""Measured before there is a server."""

SERVED: Mapping[str, Callable[[Plan, Stack], Awaitable[list[Figure]]]] = {
    "plain": lambda plan, on: plain_question.measure(on, plan.extent.plain, plan.tell),
    "shadowing": lambda plan, on: shadowing.measure(on, plan.extent.shadowed, plan.tell),
    "worker": lambda _plan, on: processes.worker_memory(on),
    "reviews": lambda plan, on: waiting_reviews.measure(on, plan.extent.waiting_reviews, plan.tell),
}
"""Measured on one server, as are the scenarios of providers that misbehave and the health feed."""

HEALTH_FEED, KILLS = "health_feed", "kills"
PARTS = (*ALONE, *SERVED, *suite.SCENARIOS, HEALTH_FEED, KILLS)
"""In the order in which they are measured."""


async def measure(plan: Plan) -> Found:
    """All that is planned."""
    found = Found()
    for name in plan.chosen(ALONE):
        plan.tell(name)
        found.add(ALONE[name](plan))
    served, scenarios = plan.chosen(SERVED), plan.chosen(suite.SCENARIOS)
    if served or scenarios or HEALTH_FEED in plan.parts:
        plan.tell("starting the Temporal server")
        with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
            async with stack(Path(folder)) as running:
                for name in served:
                    plan.tell(name)
                    found.add(Found(await SERVED[name](plan, running)))
                found.add(await suite.misbehaving(running, plan.extent.misbehaving, scenarios, plan.tell))
                if HEALTH_FEED in plan.parts:
                    found.add(await suite.health_of_fleets(running, plan.extent.misbehaving, plan.tell))
    if KILLS in plan.parts:
        plan.tell(KILLS)
        found.add(await _kills(plan))
    return found


async def _kills(plan: Plan) -> Found:
    """Chaos has a server of its own, which it kills."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        place = Path(folder).resolve()  # noqa: ASYNC240 - a look at the local disk
        killed = verdict(await chaos(schedule(CHAOS_SEED, plan.extent.kills), place, plan.tell))
    shown, noted = killed.figures[:FOR_THE_TABLE], killed.figures[FOR_THE_TABLE:]
    return Found(shown, [killed.table()], killed.sentences(), noted)
