"""How many cases, and from which seed: POINTSMAN_FUZZ_CASES and POINTSMAN_FUZZ_SEED, or what CI takes."""

from __future__ import annotations

import os
from collections.abc import Collection

CASES = int(os.environ.get("POINTSMAN_FUZZ_CASES", "10000"))
"""Provider replies in all; the other inputs scale with them."""
SEED = os.environ.get("POINTSMAN_FUZZ_SEED", "pointsman")
TIME_LIMIT_S = 600 + CASES // 10

ENOUGH = 50
"""Of so many cases some are taken and some are not, whatever the seed; of fewer that is a matter of luck."""


def mixed(outcomes: Collection[object], number: int) -> bool:
    """Whether more than one thing came of so many cases: a campaign of which all were turned away shows nothing."""
    return number < ENOUGH or len(set(outcomes)) > 1


def share(of_ten_thousand: int) -> int:
    """How many of something there are where CI makes `of_ten_thousand`."""
    return max(1, of_ten_thousand * CASES // 10_000)
