"""Questions that arrive at random and wait for nobody: an open loop, the same for every contender."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

Ask = Callable[[str], Awaitable[Any]]
"""Get a prompt answered; whatever it raises, the question has no answer."""

_PATIENCE_S = 90.0


@dataclass(frozen=True)
class Asked:
    """One question and what came of it."""

    number: int
    latency_ms: float
    """From the moment at which it was due, so that a late start counts too."""
    result: Any = None
    fault: str | None = None
    """The name of what was raised."""


def arrivals(count: int, rate: float, seed: int) -> list[float]:
    """Seconds at which `count` questions of a Poisson process of this rate come."""
    chance = Random(seed)
    return sorted(chance.uniform(0, count / rate) for _ in range(count))


def prompt(number: int) -> str:
    """A question of its own for each number, all of one type and size."""
    return f"What is the boiling point of water {number} metres above the sea?"


async def ask_all(contenders: Mapping[str, Ask], times: list[float], begin: float) -> dict[str, list[Asked]]:
    """Ask every contender each question at its time, counted from `begin` on the monotonic clock."""
    running: dict[str, list[asyncio.Task[Asked]]] = {name: [] for name in contenders}
    for number, at in enumerate(times):
        await asyncio.sleep(max(0.0, begin + at - time.monotonic()))
        for name, ask in contenders.items():
            running[name].append(asyncio.create_task(_timed(ask, number, begin + at)))
    return {name: await asyncio.gather(*tasks) for name, tasks in running.items()}


async def _timed(ask: Ask, number: int, due: float) -> Asked:
    result, fault = None, None
    try:
        async with asyncio.timeout(_PATIENCE_S):
            result = await ask(prompt(number))
    except Exception as error:  # noqa: BLE001 - a question without an answer is a result
        fault = type(error).__name__
    return Asked(number, (time.monotonic() - due) * 1000, result, fault)
