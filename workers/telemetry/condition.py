"""Whether a worker process runs, and whether it is ready: what /healthz and /readyz say, read from any thread."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

LOOP_PATIENCE_S = 20.0
"""A loop that has not turned for so long hangs: a busy one turns within a second or so."""


@dataclass(frozen=True)
class Verdict:
    """A status of HTTP and a body of JSON that names each thing that was looked at."""

    well: bool
    body: str


@dataclass
class Condition:
    """Written on the event loop, read by the listener's thread."""

    monotonic: Callable[[], float] = time.monotonic
    turned_at: float = field(init=False)
    """When the event loop last turned."""
    workers_run: bool = True
    """Whether none of the workers has ended; true until they start."""
    serving: bool = False
    """Whether the workers have been started and poll, and the process is not being stopped."""
    fleet_heard: bool = False
    """Whether a snapshot of the fleet's health is held that is not stale: then the server is within reach too."""
    catalogue_read: bool = False

    def __post_init__(self) -> None:
        """The loop turns as this is made."""
        self.turned_at = self.monotonic()

    def turn(self) -> None:
        """The event loop is alive."""
        self.turned_at = self.monotonic()

    @property
    def health(self) -> Verdict:
        """Whether the process is worth keeping."""
        return _verdict(loop=self._loop_turns, workers=self.workers_run)

    @property
    def readiness(self) -> Verdict:
        """Whether it takes questions with all that it should know."""
        return _verdict(
            loop=self._loop_turns,
            workers=self.workers_run and self.serving,
            fleet=self.fleet_heard,
            catalogue=self.catalogue_read,
        )

    @property
    def _loop_turns(self) -> bool:
        return self.monotonic() - self.turned_at < LOOP_PATIENCE_S


def _verdict(**checks: bool) -> Verdict:
    well = all(checks.values())
    return Verdict(well, json.dumps({"status": "ok" if well else "failing", "checks": checks}))
