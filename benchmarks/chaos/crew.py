"""The worker processes of a run, and who kills, replaces and dismisses them."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks import warm
from benchmarks.chaos.settings import EACH_WORKER, KEY_VARIABLE
from benchmarks.warm import PATIENCE_S, READY, WorkerProcess
from pointsman.cli.exits import Exit
from pointsman.config_file import CONFIG_VARIABLE

_ROOT = Path(__file__).parents[2]
_LOOK_EVERY_S = 0.05


@dataclass
class Crew:
    """Workers that are told about one server and one configuration, in which each finds its own name."""

    address: str
    document: str
    """The configuration's text."""
    folder: Path
    started: list[WorkerProcess] = field(default_factory=list[WorkerProcess])
    killed: list[WorkerProcess] = field(default_factory=list[WorkerProcess])
    turned_away: list[WorkerProcess] = field(default_factory=list[WorkerProcess])
    """Those that found no server when they started, and said so."""
    ready: dict[str, float] = field(default_factory=dict[str, float])
    """When each took questions, in monotonic seconds, by name."""

    @property
    def alive(self) -> list[WorkerProcess]:
        """Those that run."""
        return [worker for worker in self.started if worker.process.poll() is None]

    async def start(self) -> None:
        """Start a worker, as a supervisor does: one that finds no server is followed by another."""
        while True:
            worker = self._spawn()
            give_up = time.monotonic() + PATIENCE_S
            while READY not in worker.said() and worker.process.poll() is None:
                if time.monotonic() > give_up:
                    raise TimeoutError(f"a worker takes no questions: {worker.said()}")
                await asyncio.sleep(_LOOK_EVERY_S)
            if worker.process.poll() != Exit.NOT_REACHED:
                self.ready[worker.log.stem] = time.monotonic()
                return
            self.turned_away.append(worker)

    async def kill(self, chance: Random) -> str:
        """SIGKILL for one of them, and a new one in its place; returns the name of the one that was killed."""
        victim = chance.choice(self.alive)
        self.killed.append(victim)
        await asyncio.to_thread(victim.signal, signal.SIGKILL)
        await self.start()
        return victim.log.stem

    async def dismiss(self) -> list[int]:
        """SIGTERM for all that run; returns the statuses that they end with."""
        return await asyncio.gather(*(asyncio.to_thread(one.signal, signal.SIGTERM) for one in self.alive))

    def deserters(self) -> list[WorkerProcess]:
        """Workers that have ended though nobody killed them."""
        told = {id(worker) for worker in (*self.killed, *self.turned_away)}
        return [one for one in self.started if one.process.poll() is not None and id(one) not in told]

    def end(self) -> None:
        """Make sure that none is left."""
        for worker in self.started:
            worker.end()

    def _spawn(self) -> WorkerProcess:
        name = f"worker-{len(self.started)}"
        config, log = self.folder / f"{name}.toml", self.folder / f"{name}.log"
        config.write_text(self.document.replace(EACH_WORKER, name), encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("TEMPORAL_", "POINTSMAN_"))}
        environment = {
            **kept,
            "TEMPORAL_ADDRESS": self.address,
            CONFIG_VARIABLE: str(config),
            KEY_VARIABLE: "sk-chaos",
        }
        worker = WorkerProcess(warm.start([], environment, log, _ROOT), log)
        self.started.append(worker)
        return worker
