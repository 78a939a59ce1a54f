"""The fleets and rates that are looked at."""

from __future__ import annotations

WORKERS = (1, 10, 100, 1_000, 5_000)
RATES = (10, 1_000, 100_000)
"""Plain questions a second over the fleet."""
MOST_A_WORKER = 100
"""Plain questions a second of one process: more than a core does of them."""


def rates_of(workers: int) -> tuple[int, ...]:
    """The rates that so many processes can have."""
    return tuple(rate for rate in RATES if rate <= workers * MOST_A_WORKER)
