"""One run: a server, workers and providers, everything that the schedule plans, and what it leaves behind."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from temporalio.client import Client

from benchmarks.chaos.askers import Asker, Told
from benchmarks.chaos.crew import Crew
from benchmarks.chaos.faults import WELL, Temper
from benchmarks.chaos.histories import runs, scheduled
from benchmarks.chaos.lookout import until_closed, watch, watch_lock
from benchmarks.chaos.schedule import MEMBERS, Schedule, Spell, Target
from benchmarks.chaos.server import MortalServer
from benchmarks.chaos.settings import document
from benchmarks.chaos.witness import Evidence, Killed, note
from pointsman.health_client import HealthClient
from pointsman.health_contract import HEALTH_ENTITY_ID
from pointsman.ledger.database import Ledger
from workers.embedded.scripted.server import ScriptedProviders

_PATIENCE_S = 60.0
_LOOK_EVERY_S = 0.1

Tell = Callable[[str], None]


class Chaos:
    """What runs, while it runs."""

    def __init__(self, plan: Schedule, folder: Path, providers: ScriptedProviders) -> None:
        """Everything that is written goes into `folder`."""
        self._plan, self._folder, self._providers = plan, folder, providers
        self._ledger = folder / "ledger.db"
        self._tempers = {name: Temper(plan.seed) for name in MEMBERS}
        self._server = MortalServer(folder / "temporal.db")
        self._crew = Crew(self._server.address, document(providers, self._ledger), folder)
        self._found = Evidence(plan, behaviours={name: temper.told for name, temper in self._tempers.items()})

    async def run(self, tell: Tell) -> Evidence:
        """Let it all happen, wait until it is over, and gather what is left."""
        for name, temper in self._tempers.items():
            self._providers.script(name, temper)
        async with AsyncExitStack() as running:
            running.push_async_callback(self._server.stop)
            client = await self._server.start()
            running.callback(self._crew.end)
            await asyncio.gather(*(self._crew.start() for _ in range(self._plan.scale.workers)))
            scale = self._plan.scale
            tell(f"{len(self._plan.questions)} questions, {len(self._plan.kills)} kills, {scale.lasts_s:.0f} s")
            await self._everything(client, tell)
            tell("the providers are well: waiting for the last answers and for the breakers")
            await self._settled(client)
            await self._gather(client)
        return self._found

    async def _everything(self, client: Client, tell: Tell) -> None:
        began = time.monotonic()
        watching = [watch(client, self._found), watch_lock(self._ledger, self._found)]
        looking = [asyncio.create_task(one) for one in watching]
        moods = [self._misbehave(name, spells, began) for name, spells in self._plan.spells.items()]
        try:
            around = asyncio.gather(self._kill(began, tell), *moods)
            self._found.told = await self._ask(client, began)
            await around
        finally:
            for one in looking:
                one.cancel()

    async def _ask(self, client: Client, began: float) -> list[Told]:
        asked: list[asyncio.Task[list[Told]]] = []
        for asking in self._plan.questions:
            await _at(began + asking.at_s)
            asked.append(asyncio.create_task(Asker(client, asking).ask()))
        return [told for one in await asyncio.gather(*asked) for told in one]

    async def _misbehave(self, name: str, spells: tuple[Spell, ...], began: float) -> None:
        for spell in spells:
            await _at(began + spell.at_s)
            self._tempers[name].mood = spell.mood
        await _at(began + self._plan.scale.lasts_s)
        self._tempers[name].mood = WELL

    async def _kill(self, began: float, tell: Tell) -> None:
        chance = Random(f"{self._plan.seed}-victims")
        running: list[asyncio.Task[None]] = []
        for kill in self._plan.kills:
            await _at(began + kill.at_s)
            if kill.target == "worker":
                running.append(asyncio.create_task(self._kill_worker(chance, tell)))
            else:
                away_s = await self._server.kill(kill.down_s)
                self._note("server", away_s, tell)
        await asyncio.gather(*running)

    async def _kill_worker(self, chance: Random, tell: Tell) -> None:
        at = time.monotonic()
        victim = await self._crew.kill(chance)
        self._note("worker", time.monotonic() - at, tell, victim)

    def _note(self, target: Target, away_s: float, tell: Tell, worker: str = "") -> None:
        moment = datetime.now(UTC) - timedelta(seconds=away_s)
        self._found.killed.append(Killed(target, time.monotonic() - away_s, away_s, worker, moment))
        tell(f"  killed a {target}, another is there after {away_s:.1f} s")

    async def _settled(self, client: Client) -> None:
        self._found.states = await until_closed(client, MEMBERS, _PATIENCE_S)
        give_up = time.monotonic() + _PATIENCE_S
        while self._providers.in_flight() and time.monotonic() < give_up:  # noqa: ASYNC110 - another thread's count
            await asyncio.sleep(_LOOK_EVERY_S)
        note((await HealthClient(client).events()).events, self._found.changes)

    async def _gather(self, client: Client) -> None:
        found = self._found
        found.deserters = [worker.said()[-2000:] for worker in self._crew.deserters()]
        found.ready = self._crew.ready
        found.statuses = await self._crew.dismiss()
        found.hits = self._providers.hits()
        found.runs = await runs(client)
        found.probes = await scheduled(client, HEALTH_ENTITY_ID)
        ledger = Ledger.open(f"sqlite:///{self._ledger}")
        found.rows = list(ledger.rows())
        ledger.close()
        found.logs = {worker.log.stem: worker.said() for worker in self._crew.started}


async def _at(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


async def run(plan: Schedule, folder: Path, tell: Tell) -> Evidence:
    """Run what is planned, with everything that it needs, in an empty folder."""
    with ScriptedProviders.in_thread() as providers:
        return await Chaos(plan, folder, providers).run(tell)
