"""One scenario: a primary that misbehaves, a healthy secondary, a load, and what came of it for each contender."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.figures import Neighbour
from benchmarks.machine import processor_time
from benchmarks.resilience.arrivals import Ask, Asked, arrivals, ask_all
from benchmarks.resilience.endpoints import Endpoints
from benchmarks.resilience.other_process import Answers, other_process
from benchmarks.resilience.scripts import Script, Timeline, steady
from benchmarks.resilience.tally import Tally, tally
from benchmarks.resilience.titles import POINTSMAN
from benchmarks.stack import DECLARED, MAX_TOKENS, MODEL, Stack, provider_table
from benchmarks.worker_process import resident_mb, worker_process
from pointsman.client import RouterClient
from pointsman.messages import Answer
from pointsman.query_types import QueryType
from workers.embedded.scripted.request import Hit

SEED = 20261
RATE = 8.0
"""Questions a second, less than a quarter of what the embedded server answers on two cores."""
TIMEOUT_S = 10.0
_ENTRY = re.compile(r"^(?=\d{4}-\d\d-\d\d )", re.MULTILINE)
_COMPLAINT = re.compile(r" (ERROR|CRITICAL) |^Traceback|never retrieved", re.MULTILINE)
_LEAD_S = 0.5
_SETTLING_S = 1.0

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Scenario:
    """What is asked, of whom, and how the primary behaves."""

    name: str
    """In the keys of figures, and in the names of providers: no scenario finds another's breakers."""
    title: str
    primary: Script
    questions: int
    hedge: bool
    contenders: tuple[str, ...] = (POINTSMAN,)
    warm_up: int = 0
    timeline: Timeline = field(default_factory=lambda: Timeline(()))
    open_s: float = 300.0

    def endpoint(self, contender: str, place: str) -> str:
        """The name of a provider at the scripted server."""
        return f"{self.name}-{contender}-{place}"


@dataclass(frozen=True)
class Run:
    """What a scenario gave."""

    scenario: Scenario
    tallies: dict[str, Tally]
    asked: list[Asked]
    """Pointsman's measured questions."""
    hits: dict[str, list[Hit]]
    """Pointsman's, by place."""
    worker_mb: tuple[float, float]
    """The worker process's memory before the first question and after the last."""
    busy: float
    """The share of the machine's processor time that was in use, by whomever."""
    complaints: list[str]
    """What the worker process wrote to its log that was more than a warning."""

    def others(self, part: str, unit: str = "") -> tuple[Neighbour, ...]:
        """What part of a tally came to for those who were asked the same beside Pointsman."""
        rows = [row for name, row in self.tallies.items() if name != POINTSMAN]
        return tuple(row.beside(self.scenario.name, part, unit) for row in rows)


async def run(stack: Stack, scenario: Scenario, tell: Tell) -> Run:
    """Ask all contenders the same questions at the same times."""
    seconds = (scenario.warm_up + scenario.questions) / RATE
    tell(f"{scenario.title}: {scenario.warm_up} + {scenario.questions} questions, {seconds:.0f} s")
    for contender in scenario.contenders:
        stack.providers.script(scenario.endpoint(contender, "primary"), scenario.primary)
        stack.providers.script(scenario.endpoint(contender, "secondary"), steady(SEED + 2))
    folder = stack.config.parent
    config, log = folder / f"{scenario.name}.toml", folder / f"{scenario.name}.log"
    config.write_text(_document(stack, scenario, folder), encoding="utf-8")
    times = arrivals(scenario.warm_up + scenario.questions, RATE, SEED)
    async with (
        _others(stack, scenario, times) as others,
        worker_process(config, stack.server.address, log) as worker,
    ):
        before_mb, used = resident_mb(worker.pid), processor_time()
        begin = time.monotonic() + _LEAD_S
        scenario.timeline.begins = begin + (times[scenario.warm_up] if scenario.warm_up else 0.0)
        ours = ask_all({POINTSMAN: _pointsman(RouterClient(stack.server.client))}, times, begin)
        mine, theirs = await asyncio.gather(ours, asyncio.gather(*(answers(begin) for answers in others.values())))
        asked = {**mine, **dict(zip(others, theirs, strict=True))}
        # What was cut off reaches the provider a little later than the answer reaches its asker.
        await asyncio.sleep(_SETTLING_S)
        after_mb, busy = resident_mb(worker.pid), used.busy_since()
    measured = {name: found[scenario.warm_up :] for name, found in asked.items()}
    hits = {name: _hits(stack, scenario, name) for name in scenario.contenders}
    tallies = {
        name: tally(
            scenario.title,
            name,
            measured[name],
            hits[name],
            timeline=scenario.timeline,
            warm_up=scenario.warm_up,
            busy=busy,
        )
        for name in scenario.contenders
    }
    stack.providers.reset()
    tell(f"  {tallies[POINTSMAN].answered:.2%} answered; machine {busy:.0%} busy, worker {after_mb:.0f} MB")
    return Run(
        scenario,
        tallies,
        measured[POINTSMAN],
        hits[POINTSMAN],
        worker_mb=(before_mb, after_mb),
        busy=busy,
        complaints=complaints(log.read_text(encoding="utf-8")),
    )


def complaints(log: str) -> list[str]:
    """The entries of a log that are more than a warning, each with its traceback."""
    return [entry.strip() for entry in _ENTRY.split(log) if _COMPLAINT.search(entry)]


def _hits(stack: Stack, scenario: Scenario, contender: str) -> dict[str, list[Hit]]:
    return {place: stack.providers.hits(scenario.endpoint(contender, place)) for place in ("primary", "secondary")}


@asynccontextmanager
async def _others(stack: Stack, scenario: Scenario, times: list[float]) -> AsyncGenerator[dict[str, Answers]]:
    """The contenders beside Pointsman, each in a process of its own."""
    async with AsyncExitStack() as running:
        others: dict[str, Answers] = {}
        for contender in scenario.contenders:
            if contender != POINTSMAN:
                primary, secondary = (
                    stack.providers.api_base(scenario.endpoint(contender, place), "openai")
                    for place in ("primary", "secondary")
                )
                at = Endpoints(primary, secondary, timeout_s=TIMEOUT_S, out_s=scenario.open_s)
                others[contender] = await running.enter_async_context(other_process(contender, at, times))
        yield others


def _pointsman(router: RouterClient) -> Ask:
    """Start and wait; the result is the question's id with its answer."""

    async def ask(prompt: str) -> tuple[str, Answer]:
        question_id = await router.start(prompt)
        return question_id, await router.answer(question_id)

    return ask


def _document(stack: Stack, scenario: Scenario, folder: Path) -> str:
    """The defaults, but for what the scenario is about."""
    tables = [
        provider_table(
            f"{scenario.name}-{place}",
            model=MODEL,
            api_base=stack.providers.api_base(scenario.endpoint(POINTSMAN, place), "openai"),
            max_tokens=MAX_TOKENS,
            today=datetime.now(UTC).date(),
            strength=strength,
            latency_ms=(150, 400),
        )
        + f"timeout_s = {TIMEOUT_S}\nopen_s = {scenario.open_s}\n"
        for place, strength in (("primary", 0.9), ("secondary", 0.5))
    ]
    chain = f'chain = ["{scenario.name}-primary", "{scenario.name}-secondary"]\nhedge = {str(scenario.hedge).lower()}\n'
    chains = [f"[query_types.{query_type}]\n{chain}" for query_type in QueryType]
    return "\n".join([DECLARED, *tables, *chains, f'[ledger]\nurl = "sqlite:///{folder / "ledger.db"}"\n'])
