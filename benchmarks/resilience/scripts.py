"""What the scripted providers do: answer in their time, hang now and then, or be down in certain spans.

All of it follows from a seed and the number of the request, so that every contender's providers do the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import log
from random import Random

from workers.embedded.scripted.request import Request
from workers.embedded.scripted.script import Behaviour, Hang, Reply, Status

Script = Callable[[Request], Behaviour]

MEDIAN_MS = 150.0
SIGMA = 0.4
"""Latencies are lognormal, with the long tail that models have: p95 290 ms, p99 380 ms, p99.9 520 ms."""


@dataclass
class Timeline:
    """Spans of seconds, from the beginning of the measured part, in which a provider is down."""

    spans: tuple[tuple[float, float], ...]
    begins: float = field(default=float("inf"))
    """Monotonic seconds; until it is set the provider is up."""

    def down(self, at: float | None = None) -> bool:
        """Whether the provider is down, now or at a monotonic time."""
        since = (time.monotonic() if at is None else at) - self.begins
        return any(start <= since < end for start, end in self.spans)


def steady(seed: int) -> Script:
    """Answers every request in its time."""

    def script(request: Request) -> Behaviour:
        return Reply(delay_s=_chance(seed, request).lognormvariate(log(MEDIAN_MS), SIGMA) / 1000)

    return script


def hanging(seed: int, share: float) -> Script:
    """Leaves a share of the requests without any answer."""
    well = steady(seed)

    def script(request: Request) -> Behaviour:
        return Hang() if _chance(seed + 1, request).random() < share else well(request)

    return script


def down(seed: int, timeline: Timeline, fault: Behaviour | None = None) -> Script:
    """Answers each request with the fault, 503 at once by default, for as long as it is down."""
    well, fault = steady(seed), fault or Status(503)

    def script(request: Request) -> Behaviour:
        return fault if timeline.down() else well(request)

    return script


def limited(seed: int, per_s: int, retry_after_s: int) -> Script:
    """Answers so many requests in each second, and the others with 429 and Retry-After."""
    well = steady(seed)
    second, taken = 0, 0

    def script(request: Request) -> Behaviour:
        nonlocal second, taken
        now = int(time.monotonic())
        second, taken = (now, taken + 1) if now == second else (now, 1)
        if taken <= per_s:
            return well(request)
        return Status(429, "slow down", headers={"retry-after": str(retry_after_s)})

    return script


def _chance(seed: int, request: Request) -> Random:
    return Random(f"{seed}:{request.number}")
