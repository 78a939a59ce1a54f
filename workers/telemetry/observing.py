"""The composition root of telemetry: what `[telemetry]` switches on in this process, and how it ends with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread

from temporalio.client import Client
from temporalio.runtime import MetricBuffer
from temporalio.worker import Interceptor, Worker

from activities.process_catalogue import ProcessCatalogue
from activities.process_health import ProcessHealth
from activities.process_telemetry import ProcessTelemetry
from pointsman.health.keys import model_of, provider_of
from pointsman.telemetry.instruments import SCOPE, Instruments
from pointsman.telemetry.settings import TelemetrySettings
from pointsman.telemetry.tracing import tracing_interceptor
from workers.telemetry.breaker_moves import BreakerMoves
from workers.telemetry.condition import Condition
from workers.telemetry.line_log import LineLog
from workers.telemetry.listener import Listener
from workers.telemetry.readings import Gauges, read
from workers.telemetry.reviews import EVERY_S, interval_s, waiting_reviews
from workers.telemetry.sdk_metrics import SdkMetrics

SDK_SCOPE = "temporal-sdk"
_READ_EVERY_S = 1.0
_LAST_WORD_S = 3.0
"""For what exporters still hold when the process ends; a collector that hangs costs no more."""
_log = logging.getLogger(__name__)


@dataclass
class Observed:
    """The telemetry of a running process; without any of it switched on nothing here runs."""

    telemetry: ProcessTelemetry = field(default_factory=ProcessTelemetry)
    condition: Condition = field(default_factory=Condition)
    gauges: Gauges = field(default_factory=Gauges)
    on: bool = False
    _moves: BreakerMoves = field(default_factory=BreakerMoves)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])

    def interceptors(self) -> list[Interceptor]:
        """What the workers of this process are given."""
        return [tracing_interceptor(self.telemetry)] if self.on else []

    def start(self) -> None:
        """The event loop is watched from now on."""
        self.on = True
        self._tasks.append(asyncio.create_task(self._turn_for_ever()))

    def serves(
        self, client: Client, health: ProcessHealth, catalogue: ProcessCatalogue, workers: Sequence[Worker]
    ) -> None:
        """The workers of this process have been started."""
        self.condition.serving = True
        if self.on:
            self._tasks.append(asyncio.create_task(self._read_for_ever(health, catalogue, workers)))
            self._tasks.append(asyncio.create_task(self._count_reviews_for_ever(client, health)))

    async def end(self) -> None:
        """Stop looking."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def look(self, health: ProcessHealth, catalogue: ProcessCatalogue, workers: Sequence[Worker]) -> None:
        """Read everything once."""
        if self.condition.serving:  # one that is let finish has not failed
            self.condition.workers_run = all(worker.is_running for worker in workers)
        self.condition.fleet_heard = health.view.age(health.clock()) != "stale"
        self.condition.catalogue_read = catalogue.heard_at > 0
        self.gauges.latest = read(health, catalogue)
        for key, state in self._moves.since(health.view.snapshot):
            self.telemetry.instruments.moved(provider_of(key), model_of(key), state.value)

    async def _turn_for_ever(self) -> None:
        while True:
            self.condition.turn()
            await asyncio.sleep(_READ_EVERY_S)

    async def _read_for_ever(
        self, health: ProcessHealth, catalogue: ProcessCatalogue, workers: Sequence[Worker]
    ) -> None:
        told = False
        while True:
            # The workers have been started, but each takes a moment to run.
            await asyncio.sleep(_READ_EVERY_S)
            try:
                self.look(health, catalogue, workers)
            except Exception as fault:  # noqa: BLE001 - telemetry must not end the process
                if not told:
                    told = True
                    _log.warning("telemetry is incomplete: %s: %s", type(fault).__name__, str(fault)[:200])

    async def _count_reviews_for_ever(self, client: Client, health: ProcessHealth) -> None:
        while True:
            found = await waiting_reviews(client)
            if found is not None:
                self.gauges.reviews = found
            await asyncio.sleep(interval_s(health.processes()) if found is not None else EVERY_S)


@asynccontextmanager
async def observed(
    settings: TelemetrySettings, process: str, sdk_metrics: MetricBuffer | None = None
) -> AsyncGenerator[Observed]:
    """The telemetry that is switched on, for as long as the block runs; then what it still holds is sent, in bounds.

    Raises:
        ConfigurationError: the address is taken, or the decision log cannot be written.
    """
    watch = Observed()
    watch.telemetry.record_content = settings.record_content
    watch.telemetry.sampling_ratio = settings.sampling_ratio
    ends: list[Callable[[], None]] = []
    async with AsyncExitStack() as held:
        held.push_async_callback(_end_in_bounds, ends)
        held.push_async_callback(watch.end)
        if settings.decision_log is not None:
            lines = LineLog(settings.decision_log)
            ends.append(lines.close)
            watch.telemetry.decisions, watch.gauges.dropped = lines, lambda: lines.dropped
        if settings.measures:
            exposition = _export(settings, process, sdk_metrics, watch, ends)
            watch.start()
            if settings.listen_at is not None:
                listener = Listener(settings.listen_at, watch.condition, exposition)
                held.push_async_callback(asyncio.to_thread, listener.close)
                _log.info("telemetry is told at http://%s (/metrics, /healthz, /readyz)", listener.address)
        yield watch


def _export(
    settings: TelemetrySettings,
    process: str,
    sdk_metrics: MetricBuffer | None,
    watch: Observed,
    ends: list[Callable[[], None]],
) -> Callable[[], bytes]:
    """Lead what the process tells to where it goes; gives the metrics as text."""
    # The SDK and its exporters take a tenth of a second and some megabytes: only a process that tells pays for them.
    from workers.telemetry import exporting, spans  # noqa: PLC0415

    exporting.quieten()
    exposition, whose = exporting.Exposition(), exporting.resource(settings, process)
    provider = exporting.meter_provider(settings, whose, exposition if settings.listen_at else None)
    watch.telemetry.instruments = Instruments(provider.get_meter(SCOPE))
    watch.gauges.register(provider.get_meter(SCOPE))
    drained = None if sdk_metrics is None else SdkMetrics(sdk_metrics, provider.get_meter(SDK_SCOPE))

    def end_metrics() -> None:
        if drained is not None:
            drained.close()
        provider.shutdown()

    ends.append(end_metrics)
    if settings.traces:
        exported = spans.exported_spans(settings, whose)
        ends.append(exported.close)
        watch.telemetry.spans = exported
    return exposition.text


async def _end_in_bounds(ends: Sequence[Callable[[], None]]) -> None:
    """Let everything end at once, each on a thread that nobody waits for when the time is up."""
    loop = asyncio.get_running_loop()
    ended = [asyncio.Event() for _ in ends]

    def run(end: Callable[[], None], done: asyncio.Event) -> None:
        try:
            end()
        except Exception as fault:  # noqa: BLE001 - the process ends all the same
            _log.warning("telemetry did not end well: %s", type(fault).__name__)
        with suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(done.set)

    for end, done in zip(ends, ended, strict=True):
        Thread(target=run, args=(end, done), name="telemetry-end", daemon=True).start()
    try:
        async with asyncio.timeout(_LAST_WORD_S):
            for done in ended:
                await done.wait()
    except TimeoutError:
        _log.warning("telemetry that was not sent within %g s is lost", _LAST_WORD_S)
