"""What Pointsman promises of itself: the figures that are shown first, in this order, each with its one limit.

A figure of these is made by `promised`, and nowhere else; `docs/benchmarks.md` explains each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.figures import Figure, Neighbour


@dataclass(frozen=True)
class Limit:
    """What a figure may be at most or has to be at least."""

    at_most: float | None = None
    at_least: float | None = None


PROMISED: Mapping[str, Limit] = {
    "plain_p50_ratio": Limit(at_most=1.5),
    "plain_throughput_ratio": Limit(at_least=0.6),
    "plain_events": Limit(at_most=14),
    "plain_actions": Limit(at_most=4),
    "hedged_events": Limit(at_most=17),
    "hedged_actions": Limit(at_most=6),
    "decide_p99_ms": Limit(at_most=5),
    "hedge_abort_p95_ms": Limit(at_most=250),
    "slow_primary_p999_ratio": Limit(at_most=1 / 3),
    "slow_primary_calls_per_question": Limit(at_most=1.06),
    "outage_failed": Limit(at_most=0),
    "outage_calls_per_question": Limit(at_most=1.02),
    "kill_lost": Limit(at_most=0),
    "kill_paid_again": Limit(at_most=0),
    "cli_start_s": Limit(at_most=0.7),
    "worker_idle_mb": Limit(at_most=350),
}
"""By key; in the order of the table."""


def promised(key: str, what: str, value: float, unit: str = "", *, beside: Iterable[Neighbour] = ()) -> Figure:
    """A figure of the list, with the limit that stands there."""
    limit = PROMISED[key]
    return Figure(key, what, value, unit, limit.at_most, limit.at_least, tuple(beside))


def arranged(figures: Iterable[Figure]) -> tuple[list[Figure], list[Figure]]:
    """The promised ones in the order of the list, and all others as they come."""
    found = {figure.key: figure for figure in figures}
    first = [found[key] for key in PROMISED if key in found]
    return first, [figure for key, figure in found.items() if key not in PROMISED]


def missing(figures: Iterable[Figure]) -> list[str]:
    """The keys of promised figures that were not measured."""
    found = {figure.key for figure in figures}
    return [key for key in PROMISED if key not in found]
