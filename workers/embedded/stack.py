"""Everything in one process for development: Temporal server with UI, providers on this machine, workers."""

from __future__ import annotations

import asyncio
import fcntl
import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from pointsman.config_file import CONFIG_VARIABLE
from pointsman.sentences import ConfigurationError
from workers.embedded.answers import scripts
from workers.embedded.local_model import local_model, weights
from workers.embedded.resolution import Rehearsal, resolve
from workers.embedded.scripted.server import ScriptedProviders
from workers.embedded.temporal_server import TemporalServer, temporal_server
from workers.service import serve
from workers.settings import Settings, configuration_here
from workers.telemetry.sdk_metrics import sdk_buffer

FOLDER = Path(".pointsman")
DEMO_CONFIG = Path(__file__).parents[2] / "config" / "demo.toml"


@dataclass(frozen=True)
class Stack:
    """What is running, and how to reach it."""

    server: TemporalServer
    config: Path
    local_model: bool
    keeps: bool
    """Whether histories outlive this run: they do, unless another stack already uses the folder."""
    ended: asyncio.Task[None]
    """Done when the workers have ended."""


@asynccontextmanager
async def embedded_stack(
    rehearsal: Rehearsal, stop: asyncio.Event, tell: Callable[[str], None]
) -> AsyncGenerator[Stack]:
    """Run the stack for as long as the block runs; `tell` hears of the progress."""
    config = Path(os.environ.get(CONFIG_VARIABLE) or DEMO_CONFIG)
    configuration = configuration_here(config)
    sdk_metrics = sdk_buffer(configuration.telemetry)
    async with AsyncExitStack() as running:
        folder = running.enter_context(_Folder(FOLDER))
        tell("starting the Temporal server")
        server = await running.enter_async_context(temporal_server(folder.path / "temporal.db"))
        # On a thread of their own, so that no client call in this process can wait for itself.
        scripted = running.enter_context(ScriptedProviders.in_thread())
        for endpoint, steps in scripts().items():
            scripted.script(endpoint, *steps)
        servers = {"scripted": scripted.url}
        path = weights()
        if path is None:
            tell("no local model: `make install-model` adds one; the scripted providers answer in its place")
        else:
            tell("loading the local model")
            servers["local-model"] = running.enter_context(local_model(path))
        resolved = resolve(configuration, servers, datetime.now(UTC).date(), rehearsal)
        tell("starting the workers")
        ready = asyncio.Event()
        # Of one version, which nobody would have to make the current one.
        settings = replace(Settings.of(resolved), deployment=None)
        workers = asyncio.create_task(serve(server.client, settings, stop, ready.set, sdk_metrics=sdk_metrics))
        try:
            await _either(ready, workers)
            yield Stack(server, config, path is not None, folder.keeps, workers)
        finally:
            stop.set()
            await workers


class _Folder:
    """The folder for the database; a second stack at the same time gets a temporary one."""

    def __init__(self, folder: Path) -> None:
        self._wanted = folder
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.path = folder
        self.keeps = True

    def __enter__(self) -> Self:
        try:
            self._wanted.mkdir(parents=True, exist_ok=True)
            self._lock = (self._wanted / "lock").open("w")
        except OSError as fault:
            where = self._wanted.resolve()
            told = f"{where}: what is asked is kept in this folder, which cannot be used ({fault.strerror})"
            raise ConfigurationError([f"{told}; make way for it, or start in another folder"]) from fault
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._temporary = tempfile.TemporaryDirectory(prefix="pointsman-")
            self.path, self.keeps = Path(self._temporary.name), False
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()
        if self._temporary is not None:
            self._temporary.cleanup()


async def _either(ready: asyncio.Event, workers: asyncio.Task[None]) -> None:
    """Wait until the workers are ready; if they end before that, raise what ended them."""
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait([waiting, workers], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if workers.done():
        workers.result()
