"""A worker process: connect, register, serve, and drain when told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from temporalio.client import Client
from temporalio.runtime import MetricBuffer
from temporalio.worker import Worker

from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from pointsman.encoding.payloads import Payloads
from pointsman.plugin import require_converter
from pointsman.search_attributes import register
from workers.catalogue_feed import CatalogueFeed
from workers.health_feed import HealthFeed
from workers.settings import Settings
from workers.telemetry.observing import observed
from workers.wiring import CACHED_WORKFLOWS, build, build_measuring, kept_ledger, make_completers, probes, worker_id

_BY_SIGNAL = 128
_log = logging.getLogger(__name__)


async def serve(  # noqa: PLR0913 - what a process is started with
    client: Client,
    settings: Settings,
    stop: asyncio.Event,
    ready: Callable[[], None],
    *,
    max_cached_workflows: int = CACHED_WORKFLOWS,
    sdk_metrics: MetricBuffer | None = None,
) -> None:
    """Serve questions until `stop` is set, then let running provider calls finish.

    `sdk_metrics` is where Temporal's SDK puts its own metrics, if anybody wants them.

    Raises:
        ConfigurationError: the client does to payloads what the configuration does not say.
    """
    require_converter(client.data_converter, Payloads.of(settings.configuration.payloads))
    for warning in settings.warnings():
        _log.warning("%s", warning)
    await register(client)
    process = worker_id()
    async with (
        kept_ledger(settings.configuration.ledger) as ledger,
        observed(settings.configuration.telemetry, process, sdk_metrics) as watch,
    ):
        health = ProcessHealth.of(settings.configuration, process)
        catalogue = ProcessCatalogue(settings.configuration)
        completers = make_completers(settings)
        feed = HealthFeed(client, health, probes(settings, completers, process, ledger, watch.telemetry))
        measuring = build_measuring(
            client,
            settings,
            catalogue=catalogue,
            telemetry=watch.telemetry,
            interceptors=watch.interceptors(),
            max_cached_workflows=max_cached_workflows,
        )
        workers = await build(
            client,
            settings,
            completers,
            health=health,
            catalogue=catalogue,
            ledger=ledger,
            telemetry=watch.telemetry,
            interceptors=watch.interceptors(),
            max_cached_workflows=max_cached_workflows,
        )
        catalogue_feed = CatalogueFeed(client, catalogue, lambda: feed.snapshot_interval_s)
        stopping = asyncio.create_task(stop.wait())
        # Its worker comes first: the process reads the catalogue through it, and only then takes questions.
        begun, running = [measuring], [asyncio.create_task(measuring.run())]
        feeding: list[asyncio.Task[Any]] = [asyncio.create_task(catalogue_feed.first())]
        try:
            await _first_of(stopping, *feeding, *running)
            if not stop.is_set():
                begun += workers
                running += [asyncio.create_task(worker.run()) for worker in workers]
                feeding = [asyncio.create_task(feed.run()), asyncio.create_task(catalogue_feed.run())]
                watch.serves(client, health, catalogue, [measuring, *workers])
                ready()
                # A worker that ends by itself has failed: its exception ends the process.
                await _first_of(stopping, *feeding, *running)
        finally:
            stopping.cancel()
            watch.condition.serving = False
            await _drain(begun, running)
            # Last, so that the calls that were let finish are reported too.
            for task in feeding:
                task.cancel()
            await asyncio.gather(*feeding, return_exceptions=True)


async def _first_of(*tasks: asyncio.Task[Any]) -> None:
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


async def _drain(workers: list[Worker], running: list[asyncio.Task[None]]) -> None:
    # Each one, whether it runs yet or not: one that is still starting would otherwise run for ever. And none that was
    # never begun: its shutdown would wait for ever.
    await asyncio.gather(*(worker.shutdown() for worker in workers))
    await asyncio.gather(*running)


def stop_on_signals() -> asyncio.Event:
    """An event that SIGTERM and Ctrl-C set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def unless_stopped(work: Coroutine[Any, Any, int]) -> int:
    """Do the work and return its status; SIGTERM and Ctrl-C cancel it, and give the status that a shell expects."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    received: list[int] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not received:
            raise
        return _BY_SIGNAL + received[0]


def say(line: str) -> None:
    """Print a line at once. The work goes on when nobody reads it any more."""
    with suppress(BrokenPipeError):
        print(line, flush=True)
