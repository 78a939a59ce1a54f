"""How much is measured: all of it, or so much that it takes five minutes."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.chaos.schedule import SHORT, Scale
from benchmarks.resilience import suite
from benchmarks.rounds import Size

CHAOS_SEED = 20261130
"""Of the plan that processes are killed by; `make chaos SEED=N` has others."""


@dataclass(frozen=True)
class Extent:
    """Of each part that can be shorter."""

    plain: Size
    shadowed: Size
    waiting_reviews: int
    misbehaving: suite.Size
    kills: Scale
    at_most_s: float
    """What the whole benchmark may take."""


FULL = Extent(
    plain=Size(rounds=12, one_by_one=20, together=64),
    shadowed=Size(rounds=5, one_by_one=30, together=0),
    waiting_reviews=1000,
    misbehaving=suite.FULL,
    kills=Scale(60.0),
    at_most_s=1800,
)
QUICK = Extent(
    plain=Size(rounds=5, one_by_one=10, together=32),
    shadowed=Size(rounds=2, one_by_one=15, together=0),
    waiting_reviews=100,
    misbehaving=suite.QUICK,
    kills=SHORT,
    at_most_s=300,
)
